"""OS::Neutron::FloatingIPAssociation."""

from heat_lite.resources.openstack.neutron import implied_dependencies
from heat_lite.resources.openstack.neutron.base import VisibleConnection
from heat_lite.template.schema import string


class FloatingIPAssociation(VisibleConnection):
    """The association of a floating IP with a port."""

    resource_type = 'OS::Neutron::FloatingIPAssociation'
    default_client_name = 'neutron'

    properties_schema = {
        'floatingip_id': string(
            'Id of the floating IP to associate.', required=True, update_allowed=True
        ),
        'port_id': string(
            'Port with which the floating IP is associated, by name or id.',
            required=True,
            update_allowed=True,
            ref='neutron.port',
        ),
        'fixed_ip_address': string(
            'Fixed IP address to associate, if the port has several.',
            update_allowed=True,
            custom='ip_addr',
        ),
    }

    def implied_dependencies(self, others):
        """Return the resources that connect the port with the external network."""
        yield from implied_dependencies.interfaces_near(
            self, others, implied_dependencies.own(self, 'port_id')
        )

    def handle_create(self):
        yield from self._associate(
            self.properties['floatingip_id'],
            self.properties['port_id'],
            self.properties['fixed_ip_address'],
        )
        self.resource_id_set(self.properties['floatingip_id'])

    def handle_update(self, definition, tmpl_diff, prop_diff):
        if 'floatingip_id' in prop_diff:
            yield from self.handle_delete()
        yield from self.handle_create()

    def is_connected(self):
        found = self.client().show(
            f'/floatingips/{self.stored_property("floatingip_id")}', 'floatingip'
        )
        return found['port_id'] == self.stored_property('port_id')

    def handle_delete(self):
        if self.resource_id is not None:
            # the physical id of an adopted resource may be another
            yield from self.delete_if_present(
                self.client().update,
                f'/floatingips/{self.stored_property("floatingip_id")}',
                'floatingip',
                {'port_id': None},
            )

    def _associate(self, floating, port, address):
        values = {'port_id': port, 'fixed_ip_address': address}
        yield from self.call_with_retry(
            self.client().update, f'/floatingips/{floating}', 'floatingip', values
        )
