"""OS::Neutron::Trunk."""

from heat_lite.common import status
from heat_lite.resources.cloud import Rest, wired
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues, Range
from heat_lite.template.schema import boolean, integer, list_, map_, string, text

SUB_PORT = ('port_id', 'segmentation_id', 'segmentation_type')


class Trunk(NeutronResource):
    """A port that carries the traffic of further ones, each with a VLAN number."""

    resource_type = 'OS::Neutron::Trunk'
    support_status = support.since('9.0.0')
    rest = Rest('neutron', '/trunks', 'trunk', ready=('ACTIVE', 'DOWN'), failed=('ERROR', 'DEGRADED'), extension='trunk')

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.', update_allowed=True),
        'port': string(
            'The port that carries the others, by name or id.', required=True, immutable=True, ref='neutron.port', wire='port_id'
        ),
        'admin_state_up': boolean('Whether it is switched on.', update_allowed=True),
        'description': string('A text that says what it is for.', update_allowed=True),
        'sub_ports': list_(
            'The ports that it carries.',
            map_(
                None,
                {
                    'port': string('The port, by name or id.', required=True, ref='neutron.port', wire='port_id'),
                    'segmentation_id': integer('Its number.', required=True, constraints=[Range(min=1, max=4094)]),
                    'segmentation_type': string('What the number is.', required=True, constraints=[AllowedValues(['vlan'])]),
                },
            ),
            update_allowed=True,
        ),
    }
    attributes_schema = {
        'port_id': text('The port that carries the others.'),
    }

    def changes(self, changed, diff):
        """Ports that it carries come and go by requests of their own."""
        changed.pop('sub_ports', None)
        return super().changes(changed, diff)

    def after(self, action, diff):
        yield from super().after(action, diff)
        if action == status.UPDATE and 'sub_ports' in diff:
            yield from self._carry(diff['sub_ports'] or [])

    def _carry(self, ports):
        wanted = wired(self.properties_schema['sub_ports'], ports)
        present = [{name: each[name] for name in SUB_PORT} for each in self.look()['sub_ports']]
        gone = [{'port_id': each['port_id']} for each in present if each not in wanted]
        if gone:
            yield from self.ask(self.client().ask, 'PUT', f'{self.object_path()}/remove_subports', {'sub_ports': gone})
        new = [each for each in wanted if each not in present]
        if new:
            yield from self.ask(self.client().ask, 'PUT', f'{self.object_path()}/add_subports', {'sub_ports': new})
