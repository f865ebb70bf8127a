"""The resource types of Ironic."""

from heat_lite.resources.base import json_patch
from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.template.schema import (
    attributes,
    boolean,
    boolean_attribute,
    map_,
    map_attribute,
    string,
)


class Port(CloudResource):
    """A network port of a bare metal node."""

    resource_type = 'OS::Ironic::Port'
    since = '13.0.0'
    rest = Rest('ironic', '/ports', None, deletes_async=True, id='uuid')
    entity = 'port'

    properties_schema = {
        'address': string(
            'MAC address of the bare metal port.', required=True, update_allowed=True
        ),
        'extra': map_('Additional metadata of the port.', update_allowed=True),
        'is_smartnic': boolean('Whether the port is a Smart NIC port.', update_allowed=True),
        'local_link_connection': map_(
            'Switch and switch port to which the port is connected.', update_allowed=True
        ),
        'node': string(
            'Bare metal node of the port, by name or id.',
            required=True,
            update_allowed=True,
            ref='ironic.node',
            wire='node_uuid',
        ),
        'physical_network': string('Physical network of the port.', update_allowed=True),
        'portgroup': string(
            'Port group of the port, by name or id.',
            update_allowed=True,
            ref='ironic.portgroup',
            wire='portgroup_uuid',
        ),
        'pxe_enabled': boolean('Whether the port is used for PXE boot.', update_allowed=True),
    }
    attributes_schema = attributes(
        {
            'address': 'MAC address that Ironic shows.',
            'extra': map_attribute('Additional metadata that Ironic shows.'),
            'internal_info': map_attribute('Metadata that Ironic stores for its own use.'),
            'is_smartnic': boolean_attribute('Whether Ironic shows the port as a Smart NIC port.'),
            'local_link_connection': map_attribute('Connection to the switch that Ironic shows.'),
            'node_uuid': 'UUID of the bare metal node.',
            'physical_network': 'Physical network that Ironic shows.',
            'portgroup_uuid': 'UUID of the port group.',
            'pxe_enabled': boolean_attribute('Whether Ironic uses the port for PXE boot.'),
        }
    )

    def update_object(self, values):
        """Return the JSON patch of the values that differ."""
        present = yield from self.call_with_retry(self.fetch)
        yield from self.send('PATCH', self.object_path(), json_patch.operations(present, values))

    def find_existing(self):
        """Return the port with the MAC address, which is unique."""
        found = self.client().list(
            self.collection(), 'ports', address=self.stored_property('address')
        )
        return next((each[self.rest.id] for each in found), None)
