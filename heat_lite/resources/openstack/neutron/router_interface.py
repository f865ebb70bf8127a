"""OS::Neutron::RouterInterface."""

from heat_lite.common import exception
from heat_lite.resources.openstack.neutron.base import VisibleConnection
from heat_lite.template import support
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
            'Port that becomes the interface, by name or id.',
            ref='neutron.port',
            support=support.since('2015.1'),
        ),
        'port_id': string(
            ref='neutron.port',
            support=support.hidden(
                '6.0.0', previous=support.deprecated('2015.1', previous='2014.1')
            ),
            alias_of='port',
        ),
        'router_id': string(
            ref='neutron.router',
            support=support.hidden(
                '6.0.0', previous=support.deprecated('2015.1', previous='2013.1')
            ),
            alias_of='router',
        ),
        'subnet': string(
            'Subnet of the interface, by name or id. The interface gets the address of its '
            'gateway.',
            ref='neutron.subnet',
        ),
        'subnet_id': string(
            ref='neutron.subnet',
            support=support.hidden('5.0.0', previous=support.deprecated('2014.2')),
            alias_of='subnet',
        ),
    }

    def validate(self):
        super().validate()
        if self.properties['subnet'] and self.properties['port']:
            raise exception.ResourcePropertyConflict('subnet', 'port')
        if not self.properties['subnet'] and not self.properties['port']:
            raise exception.PropertyUnspecifiedError('subnet', 'port')

    def handle_create(self):
        router = self.properties['router']
        key, other = (
            ('subnet_id', self.properties['subnet'])
            if self.properties['subnet']
            else ('port_id', self.properties['port'])
        )
        yield from self.call_with_retry(
            self.client().request_json,
            'PUT',
            f'/routers/{router}/add_router_interface',
            {key: other},
        )
        self.resource_id_set(f'{router}:{key}={other}')

    def is_connected(self):
        router, key, value = self._parts()
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
        yield from self.delete_if_present(
            self.client().request_json,
            'PUT',
            f'/routers/{router}/remove_router_interface',
            {key: value},
        )
