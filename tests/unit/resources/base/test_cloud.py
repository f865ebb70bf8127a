"""The object of an interrupted create, found by its name, and the reason of one in error."""

import types

import pytest

from heat_lite.common import exception
from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.resources.openstack.cinder.volume import CinderVolume
from heat_lite.resources.openstack.neutron.net import Net
from heat_lite.resources.openstack.neutron.port import Port
from heat_lite.resources.openstack.neutron.router import Router
from heat_lite.resources.openstack.neutron.security_group import SecurityGroup
from heat_lite.resources.openstack.neutron.subnet import Subnet
from heat_lite.template.schema import name_property
from heat_lite.template.template import Template


class Cipher(CloudResource):
    resource_type = 'Test::Cipher'
    rest = Rest('neutron', 'v2.0/odd-ciphers', 'odd_cipher')
    properties_schema = {'name': name_property()}


class Marked(Cipher):
    resource_type = 'Test::Marked'
    rest = Rest('neutron', 'v2.0/odd-ciphers', 'odd_cipher', mark='note')


class Nameless(CloudResource):
    resource_type = 'Test::Nameless'
    rest = Rest('neutron', 'v2.0/things', 'thing')


class Messaging(CloudResource):
    resource_type = 'Test::Messaging'
    rest = Rest('manila', '/shares', 'share', ready=('available',), failed=('error',))


class Service:
    def __init__(self, *objects):
        self.objects = objects

    def list(self, path, key, **query):
        assert (path, key) == ('v2.0/odd-ciphers', 'odd_ciphers')
        return self.objects


def resource(service, kind=Cipher, name=None):
    record = types.SimpleNamespace(
        properties={'name': name},
        nova_instance=None,
        action='CREATE',
        physical_name=lambda stack_name, limit: 'stack-it-abc',
    )
    runtime = types.SimpleNamespace(registry=types.SimpleNamespace(find_stored=lambda *_: None))
    stack = types.SimpleNamespace(
        name='stack',
        clients=lambda: types.SimpleNamespace(client=lambda _: service),
        runtime=runtime,
    )
    text = {
        'heat_template_version': '2021-04-16',
        'resources': {'it': {'type': kind.resource_type}},
    }
    template = Template(text)
    definition = template.bind(template.parameters()).resources['it']
    return kind('it', definition, stack, record)


def test_find_existing_with_a_generated_name_returns_the_object():
    objects = [{'id': 1, 'name': 'stack-it-abc'}, {'id': 2, 'name': 'stack-it-abc-too'}]
    assert resource(Service(*objects)).find_existing() == '1'
    assert resource(Service()).find_existing() is None


def test_find_existing_with_a_given_name_raises_interrupted_if_an_object_has_it():
    assert resource(Service(), name='mine').find_existing() is None
    with pytest.raises(exception.Interrupted, match='7, which are called "mine"'):
        resource(Service({'id': 7, 'name': 'mine'}), name='mine').find_existing()


def test_find_existing_with_a_given_name_returns_the_object_with_the_mark():
    other, own = {'id': 7, 'name': 'mine'}, {'id': 8, 'name': 'mine', 'note': 'stack-it-abc'}
    assert resource(Service(other, own), Marked, 'mine').find_existing() == '8'
    for unclear in ([other], [own, own]):
        with pytest.raises(exception.Interrupted):
            resource(Service(*unclear), Marked, 'mine').find_existing()


def test_create_with_a_given_name_writes_the_mark():
    class Named(Marked):
        properties = {'name': 'mine'}

    class Unnamed(Marked):
        properties = {'name': None}

    assert resource(Service(), Unnamed).request_values() == {'name': 'stack-it-abc'}
    named = resource(Service(), Named, 'mine')
    assert named.request_values() == {'name': 'mine', 'note': 'stack-it-abc'}


@pytest.mark.parametrize('kind', [Net, Subnet, Port, Router, SecurityGroup, CinderVolume])
def test_types_with_given_names_have_a_mark(kind):
    assert kind.rest.mark == 'description'


def test_find_existing_without_a_name_property_raises_interrupted():
    with pytest.raises(
        exception.Interrupted,
        match='Test::Nameless cannot be looked up; check whether there is a "stack-it-abc"',
    ):
        resource(Service(), Nameless).find_existing()


@pytest.mark.parametrize(
    ('messages', 'reason'),
    [
        ([('2026-01-02', 'no storage'), ('2026-01-01', 'before')], 'no storage'),
        ([], 'Unknown'),
    ],
)
def test_object_in_error_tells_the_newest_message_about_it(messages, reason):
    listed = [{'created_at': time, 'user_message': text} for time, text in messages]
    service = types.SimpleNamespace(list=lambda path, key, resource_id: listed)
    with pytest.raises(exception.ResourceInError, match=f'error due to "{reason}"'):
        resource(service, Messaging).is_ready({'status': 'error'})
