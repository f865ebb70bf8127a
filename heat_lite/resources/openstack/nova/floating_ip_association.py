"""OS::Nova::FloatingIPAssociation."""

from heat_lite.common import exception
from heat_lite.resources.base.cloud import ServiceResource
from heat_lite.template import support
from heat_lite.template.schema import string


class FloatingIPAssociation(ServiceResource):
    """The association of a floating IP with the first port of a server."""

    resource_type = 'OS::Nova::FloatingIPAssociation'
    heat_class = 'NovaFloatingIpAssociation'
    support_status = support.history('hidden 11.0.0, deprecated 9.0.0, supported 2014.1')
    default_client_name = 'nova'
    # associating a floating IP with the same port again changes nothing
    repeatable = True

    properties_schema = {
        'server_id': string(
            'Server that receives the floating IP, by name or id.',
            required=True,
            update_allowed=True,
            ref='nova.server',
        ),
        'floating_ip': string('Id of the floating IP.', required=True, update_allowed=True),
    }

    def handle_create(self):
        yield from self._associate(self.properties['floating_ip'], (yield from self._port()))
        self.resource_id_set(self.record.uuid)

    def handle_update(self, definition, tmpl_diff, prop_diff):
        before = self.stored_property('floating_ip')
        if 'floating_ip' in prop_diff:
            yield from self._disassociate(before)
        yield from self.handle_create()

    def handle_delete(self):
        if self.resource_id is not None:
            yield from self._disassociate(self.stored_property('floating_ip'))

    def _port(self):
        server = self.properties['server_id']
        ports = yield from self.call_with_retry(
            self.client('neutron').list, '/ports', 'ports', device_id=server
        )
        if not ports:
            raise exception.Error(f'Server {server} has no port to associate a floating IP with')
        return ports[0]['id']

    def _associate(self, floating_ip, port):
        yield from self.call_with_retry(
            self.client('neutron').update,
            f'/floatingips/{floating_ip}',
            'floatingip',
            {'port_id': port},
        )

    def _disassociate(self, floating_ip):
        yield from self.delete_if_present(
            self.client('neutron').update,
            f'/floatingips/{floating_ip}',
            'floatingip',
            {'port_id': None},
        )
