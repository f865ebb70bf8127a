"""OS::Cinder::VolumeAttachment."""

import itertools

from heat_lite.clients import errors
from heat_lite.resources.base.cloud import ServiceResource
from heat_lite.resources.openstack.cinder.attachments import (
    attach,
    detach,
    find,
    wait_until_attached,
)
from heat_lite.template import function
from heat_lite.template.schema import string


class CinderVolumeAttachment(ServiceResource):
    """The attachment of a volume to a server."""

    resource_type = 'OS::Cinder::VolumeAttachment'
    default_client_name = 'cinder'

    properties_schema = {
        'instance_uuid': string(
            'Server to which the volume is attached, by id.', required=True, update_allowed=True
        ),
        'volume_id': string(
            'Volume to attach.', required=True, update_allowed=True, ref='cinder.volume'
        ),
        'mountpoint': string(
            'Device name on the server. Many hypervisors ignore it.', update_allowed=True
        ),
    }

    def restore_order(self):
        """Return the server and the volume: while the volume is detached, restored and attached
        again, the server cannot be rebuilt.
        """
        given = self.definition.properties or {}
        return itertools.product(
            *(function.dependencies(given.get(name)) for name in ('instance_uuid', 'volume_id'))
        )

    def find_existing(self):
        """Return the id of the attachment that an interrupted create has made, or None."""
        if self.record.properties is None:
            return None
        return find(self, self.stored_property('instance_uuid'), self.stored_property('volume_id'))

    def handle_create(self):
        if self.resource_id is None:
            yield from self._attach()
        else:
            yield from wait_until_attached(self, self.properties['volume_id'])

    def _attach(self):
        created = yield from attach(
            self,
            self.properties['instance_uuid'],
            self.properties['volume_id'],
            self.properties['mountpoint'],
        )
        self.resource_id_set(created)

    def handle_update(self, definition, tmpl_diff, prop_diff):
        """Detach the volume, and attach it to the new server or as the new device."""
        yield from detach(
            self, self.stored_property('instance_uuid'), self.stored_property('volume_id')
        )
        yield from self._attach()

    def handle_check(self):
        if self.definition.external_id is not None:
            return  # its template need not tell what it connects
        yield from self.call_with_retry(self.get_live_state, None)

    def get_live_state(self, resource_properties):
        volume, server = self.stored_property('volume_id'), self.stored_property('instance_uuid')
        found = self.client().show(f'/volumes/{volume}', 'volume')
        if all(each['server_id'] != server for each in found['attachments']):
            raise errors.NotFound(f'Volume {volume} is not attached to server {server} any more')
        return {}

    def handle_delete(self):
        if self.resource_id is not None:
            yield from detach(
                self, self.stored_property('instance_uuid'), self.stored_property('volume_id')
            )
