"""What an interrupted create has made is looked for by its name."""

import types

import pytest

from heat_lite.common import exception
from heat_lite.resources.cloud import CloudResource, Rest
from heat_lite.template.schema import string


class Cipher(CloudResource):
    resource_type = 'Test::Cipher'
    rest = Rest('neutron', 'v2.0/odd-ciphers', 'odd_cipher')
    properties_schema = {'name': string('Its name.', update_allowed=True)}


class Nameless(CloudResource):
    resource_type = 'Test::Nameless'
    rest = Rest('neutron', 'v2.0/things', 'thing')


class Service:
    def __init__(self, *objects):
        self.objects = objects

    def list(self, path, key, **query):
        assert (path, key) == ('v2.0/odd-ciphers', 'odd_ciphers')
        return self.objects


def resource(service, kind=Cipher, name=None):
    record = types.SimpleNamespace(
        properties={'name': name}, nova_instance=None, action='CREATE', physical_name=lambda stack_name, limit: 'stack-it-abc'
    )
    stack = types.SimpleNamespace(name='stack', clients=lambda: types.SimpleNamespace(client=lambda _: service))
    return kind('it', types.SimpleNamespace(resource_type=kind.resource_type), stack, record)


def test_the_only_one_of_a_name_that_we_made_up():
    there = [{'id': 1, 'name': 'stack-it-abc'}, {'id': 2, 'name': 'stack-it-abc-too'}]
    assert resource(Service(*there)).find_existing() == '1'
    assert resource(Service()).find_existing() is None


def test_of_a_name_that_others_may_give_nobody_can_tell():
    assert resource(Service(), name='mine').find_existing() is None
    with pytest.raises(exception.Interrupted, match='7, which are called "mine"'):
        resource(Service({'id': 7, 'name': 'mine'}), name='mine').find_existing()


def test_what_has_no_name_cannot_be_looked_for():
    with pytest.raises(exception.Interrupted, match='Test::Nameless cannot be looked for; see whether there is a "stack-it-abc"'):
        resource(Service(), Nameless).find_existing()
