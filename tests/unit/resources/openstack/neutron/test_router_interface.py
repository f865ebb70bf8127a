"""The interface of a router that an interrupted create has made is found by its port."""

import types

import pytest

from heat_lite.clients import errors
from heat_lite.resources.openstack.neutron.router import RouterInterface


class Neutron:
    """The ports of a router; the response to a request for a further one is lost."""

    requests = 0

    def request_json(self, method, path, body):
        self.requests += 1
        raise errors.Unavailable('no response in time')

    def list(self, path, key, **query):
        assert (path, key, query) == ('/ports', 'ports', {'device_id': 'r'})
        return [{'id': 'p1', 'fixed_ips': [{'subnet_id': 's1'}]}]


def interface(neutron=None, **given):
    properties = {'router': 'r', 'subnet': None, 'port': None, **given}
    neutron = neutron or Neutron()
    members = {
        'properties': properties,
        'client': lambda self: neutron,
        'stack': types.SimpleNamespace(
            run=types.SimpleNamespace(force=False),
            limits=types.SimpleNamespace(client_retry_limit=2),
        ),
        'record': types.SimpleNamespace(status='COMPLETE'),
        'resource_id_set': lambda self, value: given.update(id=value),
        'resource_id': given.get('id'),
        'made_id': lambda self: given.get('id'),
    }
    kind = type('Given', (RouterInterface,), members)
    return kind.__new__(kind)


@pytest.mark.parametrize(
    ('properties', 'found'),
    [
        ({'subnet': 's1'}, 'r:subnet_id=s1'),
        ({'subnet': 's2'}, None),
        ({'port': 'p1'}, 'r:port_id=p1'),
        ({'port': 'p2'}, None),
    ],
)
def test_find_existing_returns_the_interface_that_the_router_has(properties, found):
    assert interface(**properties).find_existing() == found


def test_create_after_a_lost_response_finds_the_interface():
    neutron = Neutron()
    made = interface(neutron, subnet='s1')
    assert all(wait < 1 for wait in made.handle_create())
    assert (made.made_id(), neutron.requests) == ('r:subnet_id=s1', 1)


def test_create_does_not_ask_again_for_an_interface_that_was_found():
    neutron = Neutron()
    assert list(interface(neutron, subnet='s1', id='r:subnet_id=s1').handle_create()) == []
    assert neutron.requests == 0


def test_delete_after_a_lost_response_sees_that_the_interface_is_gone():
    neutron = Neutron()
    assert all(wait < 1 for wait in interface(neutron, id='r:subnet_id=s2').handle_delete())
    assert neutron.requests == 1


@pytest.mark.parametrize(
    ('made', 'is_replaced'), [('r:subnet_id=s1', False), ('r:subnet_id=s2', True), (None, True)]
)
def test_failed_interface_is_replaced_unless_the_router_has_it(made, is_replaced):
    assert interface(id=made).needs_replace_failed() is is_replaced


def test_failed_interface_of_a_deleted_router_is_replaced():
    class Empty(Neutron):
        def list(self, path, key, **query):
            raise errors.NotFound('no router')

    assert interface(Empty(), id='r:subnet_id=s1').needs_replace_failed()
