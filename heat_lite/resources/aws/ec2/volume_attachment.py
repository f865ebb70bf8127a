"""AWS::EC2::VolumeAttachment."""

from heat_lite.resources.base import common_properties
from heat_lite.resources.base.cloud import ServiceResource
from heat_lite.resources.openstack.cinder.attachments import (
    attach,
    detach,
    find,
    wait_until_attached,
)
from heat_lite.template.schema import string


class VolumeAttachment(ServiceResource):
    """The attachment of a volume to an instance."""

    resource_type = 'AWS::EC2::VolumeAttachment'
    default_client_name = 'cinder'

    properties_schema = {
        'InstanceId': string(
            'ID of the instance that the volume is attached to.',
            required=True,
            immutable=True,
            ref='nova.server',
        ),
        'VolumeId': string(
            'ID of the attached volume.', required=True, immutable=True, ref='cinder.volume'
        ),
        'Device': string(
            common_properties.DEVICE_NAME, required=True, immutable=True, pattern='/dev/vd[b-z]'
        ),
    }

    def find_existing(self):
        """Return the id of the attachment that an interrupted create has made, or None."""
        if self.record.properties is None:
            return None
        return find(self, self.stored_property('InstanceId'), self.stored_property('VolumeId'))

    def handle_create(self):
        server, volume, device = (
            self.properties[name] for name in ('InstanceId', 'VolumeId', 'Device')
        )
        if self.resource_id is None:
            self.resource_id_set((yield from attach(self, server, volume, device)))
        else:
            yield from wait_until_attached(self, volume)

    def handle_delete(self):
        if self.resource_id is not None:
            yield from detach(
                self, self.stored_property('InstanceId'), self.stored_property('VolumeId')
            )
