"""OS::Neutron::FloatingIPAssociation."""

from heat_lite.resources.openstack.neutron import neighbours
from heat_lite.resources.openstack.neutron.base import SeenConnection
from heat_lite.template.constraints import CustomConstraint
from heat_lite.template.schema import string


class FloatingIPAssociation(SeenConnection):
    """What makes a floating address stand for a port."""

    resource_type = 'OS::Neutron::FloatingIPAssociation'
    default_client_name = 'neutron'

    properties_schema = {
        'floatingip_id': string('The floating address, by its id.', required=True, update_allowed=True),
        'port_id': string('The port.', required=True, update_allowed=True, ref='neutron.port'),
        'fixed_ip_address': string(
            'The address of the port, where it has several.', update_allowed=True, constraints=[CustomConstraint('ip_addr')]
        ),
    }

    def implied_dependencies(self, others):
        """What leads to the port: a port that nothing leads to gets no floating address."""
        yield from neighbours.interfaces_near(self, others, neighbours.own(self, 'port_id'))

    def handle_create(self):
        yield from self._associate(self.properties['floatingip_id'], self.properties['port_id'], self.properties['fixed_ip_address'])
        self.resource_id_set(self.properties['floatingip_id'])

    def handle_update(self, definition, tmpl_diff, prop_diff):
        if 'floatingip_id' in prop_diff:
            yield from self.handle_delete()
        yield from self.handle_create()

    def is_there(self):
        found = self.client().show(f'/floatingips/{self.held("floatingip_id")}', 'floatingip')
        return found['port_id'] == self.held('port_id')

    def handle_delete(self):
        if self.resource_id is not None:
            # not its physical id: that of an adopted one may be anything
            yield from self.take_away(self.client().update, f'/floatingips/{self.held("floatingip_id")}', 'floatingip', {'port_id': None})

    def _associate(self, floating, port, address):
        values = {'port_id': port, 'fixed_ip_address': address}
        yield from self.ask(self.client().update, f'/floatingips/{floating}', 'floatingip', values)
