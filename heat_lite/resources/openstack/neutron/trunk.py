"""OS::Neutron::Trunk."""

from heat_lite.common import status
from heat_lite.resources.base.cloud import Rest, to_wire
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template.schema import (
    boolean,
    description_property,
    integer,
    list_,
    name_property,
    string,
    text,
)

SUB_PORT = ('port_id', 'segmentation_id', 'segmentation_type')


class Trunk(NeutronResource):
    """A trunk: a parent port that carries the traffic of subports."""

    resource_type = 'OS::Neutron::Trunk'
    since = '9.0.0'
    rest = Rest(
        'neutron',
        '/trunks',
        'trunk',
        ready=('ACTIVE', 'DOWN'),
        failed=('ERROR', 'DEGRADED'),
        extension='trunk',
    )

    properties_schema = {
        'name': name_property(),
        'port': string(
            'Parent port of the trunk, by name or id.',
            required=True,
            immutable=True,
            ref='neutron.port',
            wire='port_id',
        ),
        'admin_state_up': boolean('Administrative state of the trunk.', update_allowed=True),
        'description': description_property(),
        'sub_ports': list_(
            'Subports of the trunk.',
            {
                'port': string(
                    'Port of the subport, by name or id.',
                    required=True,
                    ref='neutron.port',
                    wire='port_id',
                ),
                'segmentation_id': integer(
                    'Segmentation id of the subport.', required=True, min=1, max=4094
                ),
                'segmentation_type': string(
                    'Segmentation type of the subport.', required=True, allowed=['vlan']
                ),
            },
            update_allowed=True,
        ),
    }
    attributes_schema = {'port_id': text('Id of the parent port.')}

    def changes(self, changed, diff):
        """A generator: add and remove subports, which have requests of their own."""
        changed.pop('sub_ports', None)
        return super().changes(changed, diff)

    def follow_up(self, action, diff):
        yield from super().follow_up(action, diff)
        if action == status.UPDATE and 'sub_ports' in diff:
            yield from self._update_subports(diff['sub_ports'] or [])

    def _update_subports(self, ports):
        wanted = to_wire(self.properties_schema['sub_ports'], ports)
        present = [{name: each[name] for name in SUB_PORT} for each in self.fetch()['sub_ports']]
        removed = [{'port_id': each['port_id']} for each in present if each not in wanted]
        if removed:
            yield from self.send(
                'PUT', f'{self.object_path()}/remove_subports', {'sub_ports': removed}
            )
        new = [each for each in wanted if each not in present]
        if new:
            yield from self.send('PUT', f'{self.object_path()}/add_subports', {'sub_ports': new})
