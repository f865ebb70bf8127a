"""OS::Ironic::Port."""

from heat_lite.resources import json_patch
from heat_lite.resources.cloud import CloudResource, Rest
from heat_lite.template import support
from heat_lite.template.schema import boolean, boolean_attribute, map_, map_attribute, string, text


class Port(CloudResource):
    """A network interface of a machine."""

    resource_type = 'OS::Ironic::Port'
    support_status = support.since('13.0.0')
    rest = Rest('ironic', '/ports', None, vanishes=True, id='uuid')
    entity = 'port'

    properties_schema = {
        'address': string('Its MAC address.', required=True, update_allowed=True),
        'extra': map_('Further facts about it.', update_allowed=True),
        'is_smartnic': boolean('Whether it is a computer by itself.', update_allowed=True),
        'local_link_connection': map_('Where it is plugged in.', update_allowed=True),
        'node': string('The machine, by name or id.', required=True, update_allowed=True, ref='ironic.node', wire='node_uuid'),
        'physical_network': string('The physical network that it is connected to.', update_allowed=True),
        'portgroup': string(
            'The group of interfaces that it belongs to, by name or id.',
            update_allowed=True,
            ref='ironic.portgroup',
            wire='portgroup_uuid',
        ),
        'pxe_enabled': boolean('Whether the machine starts from it.', update_allowed=True),
    }
    attributes_schema = {
        'address': text('Its MAC address.'),
        'extra': map_attribute('Further facts about it.'),
        'internal_info': map_attribute('What the service keeps about it for itself.'),
        'is_smartnic': boolean_attribute('Whether it is a computer by itself.'),
        'local_link_connection': map_attribute('Where it is plugged in.'),
        'node_uuid': text('The machine.'),
        'physical_network': text('The physical network that it is connected to.'),
        'portgroup_uuid': text('The group of interfaces that it belongs to.'),
        'pxe_enabled': boolean_attribute('Whether the machine starts from it.'),
    }

    def change(self, values):
        """Only those that are different: changes are patches."""
        present = yield from self.ask(self.look)
        yield from self.ask(self.client().ask, 'PATCH', self.object_path(), json_patch.steps(present, values))

    def find_existing(self):
        """No two interfaces have the same address."""
        found = self.client().list(self.collection(), 'ports', address=self.held('address'))
        return next((each[self.rest.id] for each in found), None)
