"""OS::Nova::FloatingIP and OS::Nova::FloatingIPAssociation."""

import contextlib

from heat_lite.clients import errors
from heat_lite.resources.openstack.neutron.addresses import NETWORK_SERVICE, Address, AddressUser
from heat_lite.resources.openstack.neutron.base import VisibleConnection
from heat_lite.template import support
from heat_lite.template.schema import reference, string, text


class NovaFloatingIp(Address):
    """A floating IP of an external network, which Nova called a pool."""

    resource_type = 'OS::Nova::FloatingIP'
    support_status = support.history('hidden 11.0.0, deprecated 9.0.0, supported 2014.1')
    default_client_name = None
    required_service = NETWORK_SERVICE

    properties_schema = {
        'pool': string(
            'External network from which the floating IP is allocated, by name or id. By default, '
            'the only one.',
            resolves='neutron.network',
        )
    }
    attributes_schema = {
        'ip': text('IP address of the floating IP.', wire='floating_ip_address'),
        'pool': text('Id of the external network.', wire='floating_network_id'),
    }

    def handle_create(self):
        yield from self.allocate(self.properties['pool'] or self.external_network())

    def importable_state(self):
        found = self.fetch()['floating_network_id']
        return {} if self.stored_property('pool') is None else {'pool': found}

    def live_properties(self):
        return {'pool': self.fetch()['floating_network_id']}

    def resolve_attribute(self, name):
        return self.resource_id and self.fetch()[self.attributes_schema[name].wire]


class NovaFloatingIpAssociation(AddressUser, VisibleConnection):
    """The association of a floating IP with the first port of a server."""

    resource_type = 'OS::Nova::FloatingIPAssociation'
    support_status = support.history('hidden 11.0.0, deprecated 9.0.0, supported 2014.1')
    default_client_name = 'nova'
    # associating a floating IP with the same port again changes nothing
    repeatable = True
    always_replace_on_check_failed = False

    properties_schema = {
        'server_id': reference(
            'nova.server',
            'Server that receives the floating IP, by name or id.',
            required=True,
            update_allowed=True,
        ),
        'floating_ip': string('Id of the floating IP.', required=True, update_allowed=True),
    }

    def handle_create(self):
        port = yield from self.call_with_retry(self.port_of_server, self.properties['server_id'])
        yield from self.associate_address(self.properties['floating_ip'], port)
        self.resource_id_set(self.record.uuid)

    def handle_update(self, definition, tmpl_diff, prop_diff):
        if 'floating_ip' in prop_diff:
            yield from self.handle_delete()
        yield from self.handle_create()

    def live_properties(self):
        """Return the association of the floating IP that is the id."""
        port = self.client().show(f'/floatingips/{self.resource_id}', 'floatingip')['port_id']
        if not port:
            raise errors.NotFound(f'the floating IP {self.resource_id} has no port')
        server = self.client().show(f'/ports/{port}', 'port')['device_id']
        return {'floating_ip': self.resource_id, 'server_id': server}

    def needs_replace_failed(self):
        """Return False for one that is over: the delete of a replaced one would end both."""
        return self.resource_id is None

    def connection_id(self):
        return self.record.uuid

    def is_connected(self):
        address = self.stored_property('floating_ip')
        found = self.client().show(f'/floatingips/{address}', 'floatingip')
        return found['port_id'] == self.port_of_server(self.stored_property('server_id'))

    def delete_object(self):
        address = self.stored_property('floating_ip')
        with contextlib.suppress(errors.NotFound):
            yield from self.associate_address(address, None)

    def get_reference_id(self):
        return self.physical_resource_name() or self.name
