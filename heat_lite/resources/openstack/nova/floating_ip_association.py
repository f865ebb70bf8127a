"""OS::Nova::FloatingIPAssociation."""

from heat_lite.common import exception
from heat_lite.resources.cloud import ServiceResource
from heat_lite.template import support
from heat_lite.template.schema import string


class FloatingIPAssociation(ServiceResource):
    """What leads a floating IP to a server: to the first of its ports."""

    resource_type = 'OS::Nova::FloatingIPAssociation'
    support_status = support.hidden('11.0.0', previous=support.deprecated('9.0.0', previous='2014.1'))
    default_client_name = 'nova'
    # leading an address to where it leads already does no harm
    repeatable = True

    properties_schema = {
        'server_id': string('The server.', required=True, update_allowed=True, ref='nova.server'),
        'floating_ip': string('The id of the floating IP.', required=True, update_allowed=True),
    }

    def handle_create(self):
        yield from self._lead(self.properties['floating_ip'], (yield from self._port()))
        self.resource_id_set(self.record.uuid)

    def handle_update(self, definition, tmpl_diff, prop_diff):
        before = self.held('floating_ip')
        if 'floating_ip' in prop_diff:
            yield from self._let_go(before)
        yield from self.handle_create()

    def handle_delete(self):
        if self.resource_id is not None:
            yield from self._let_go(self.held('floating_ip'))

    def _port(self):
        server = self.properties['server_id']
        ports = yield from self.ask(self.client('neutron').list, '/ports', 'ports', device_id=server)
        if not ports:
            raise exception.Error(f'Server {server} has no port that a floating IP could lead to')
        return ports[0]['id']

    def _lead(self, floating_ip, port):
        yield from self.ask(self.client('neutron').update, f'/floatingips/{floating_ip}', 'floatingip', {'port_id': port})

    def _let_go(self, floating_ip):
        yield from self.take_away(self.client('neutron').update, f'/floatingips/{floating_ip}', 'floatingip', {'port_id': None})
