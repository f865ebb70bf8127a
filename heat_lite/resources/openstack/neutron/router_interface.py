"""OS::Neutron::RouterInterface."""

import contextlib
import functools

from heat_lite.clients import errors
from heat_lite.resources.base.property_rules import conflict, one_of
from heat_lite.resources.base.service_retry import ServiceRetry
from heat_lite.resources.openstack.neutron.base import VisibleConnection
from heat_lite.template.schema import string


class RouterInterface(VisibleConnection):
    """An interface of a router."""

    resource_type = 'OS::Neutron::RouterInterface'
    extension = 'router'
    default_client_name = 'neutron'

    properties_schema = {
        'router': string(
            'Router that gets the interface, by name or id.', required=True, ref='neutron.router'
        ),
        'port': string(
            'Port that becomes the interface, by name or id.', ref='neutron.port', since='2015.1'
        ),
        'port_id': string(
            ref='neutron.port',
            history='hidden 6.0.0, deprecated 2015.1, supported 2014.1',
            alias_of='port',
        ),
        'router_id': string(
            ref='neutron.router',
            history='hidden 6.0.0, deprecated 2015.1, supported 2013.1',
            alias_of='router',
        ),
        'subnet': string(
            'Subnet of the interface, by name or id. The interface gets the address of its '
            'gateway.',
            ref='neutron.subnet',
        ),
        'subnet_id': string(
            ref='neutron.subnet', history='hidden 5.0.0, deprecated 2014.2', alias_of='subnet'
        ),
    }
    property_rules = (
        conflict('subnet', 'port'),
        one_of('subnet', 'port'),
    )

    def handle_create(self):
        if self.resource_id is not None:
            return  # an interrupted create has made it; Neutron refuses a second request
        router, key, other = self._wanted()
        path = f'/routers/{router}/add_router_interface'
        add = functools.partial(self.client().request_json, 'PUT', path, {key: other})
        # a second request for the same interface would be refused
        retry = ServiceRetry(self, self.retry_conflict)
        yield from retry.until_made(add, self.find_existing, lambda found: found)
        self.resource_id_set(f'{router}:{key}={other}')

    def find_existing(self):
        router, key, other = self._wanted()
        return f'{router}:{key}={other}' if self._has_port(router, key, other) else None

    def _wanted(self):
        """Return the id of the router, and the key and the id of what is connected with it."""
        properties = self.properties
        if properties['subnet']:
            return properties['router'], 'subnet_id', properties['subnet']
        return properties['router'], 'port_id', properties['port']

    def is_connected(self):
        return self._has_port(*self._parts())

    def _has_port(self, router, key, value):
        ports = self.client().list('/ports', 'ports', device_id=router)
        if key == 'port_id':
            return any(each['id'] == value for each in ports)
        return any(address['subnet_id'] == value for each in ports for address in each['fixed_ips'])

    def _parts(self):
        router, _, other = self.resource_id.partition(':')
        key, _, value = other.partition('=')
        return router, key, value

    def handle_delete(self):
        if self.resource_id is None:
            return
        router, key, value = self._parts()
        path = f'/routers/{router}/remove_router_interface'
        remove = functools.partial(self.client().request_json, 'PUT', path, {key: value})
        retry = ServiceRetry(self, self.retry_conflict)
        with contextlib.suppress(errors.NotFound):
            yield from retry.until_made(remove, self._find_removed, lambda found: found)

    def _find_removed(self):
        return None if self.is_connected() else self.resource_id
