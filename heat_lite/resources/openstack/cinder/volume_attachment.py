"""OS::Cinder::VolumeAttachment."""

from heat_lite.clients import errors
from heat_lite.resources.cloud import ServiceResource
from heat_lite.resources.openstack.cinder.attachments import attach, detach
from heat_lite.template.schema import string


class VolumeAttachment(ServiceResource):
    """What plugs a volume into a server."""

    resource_type = 'OS::Cinder::VolumeAttachment'
    default_client_name = 'cinder'

    properties_schema = {
        'instance_uuid': string('The server, by its id.', required=True, update_allowed=True),
        'volume_id': string('The volume.', required=True, update_allowed=True, ref='cinder.volume'),
        'mountpoint': string('The name of the device in the server; many hypervisors choose it themselves.', update_allowed=True),
    }

    def handle_create(self):
        made = yield from attach(self, self.properties['instance_uuid'], self.properties['volume_id'], self.properties['mountpoint'])
        self.resource_id_set(made)

    def handle_update(self, definition, tmpl_diff, prop_diff):
        """It is unplugged and plugged in again, into another server or as another device."""
        yield from detach(self, self.held('instance_uuid'), self.held('volume_id'))
        yield from self.handle_create()

    def handle_check(self):
        yield from self.ask(self.get_live_state, None)

    def get_live_state(self, resource_properties):
        volume, server = self.held('volume_id'), self.held('instance_uuid')
        found = self.client().show(f'/volumes/{volume}', 'volume')
        if all(each['server_id'] != server for each in found['attachments']):
            raise errors.NotFound(f'Volume {volume} is not attached to server {server} any more')
        return {}

    def handle_delete(self):
        if self.resource_id is not None:
            yield from detach(self, self.held('instance_uuid'), self.held('volume_id'))
