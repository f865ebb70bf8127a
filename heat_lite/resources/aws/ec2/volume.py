"""AWS::EC2::Volume and AWS::EC2::VolumeAttachment."""

from heat_lite.resources.aws.ec2.base import Ec2Object, tags
from heat_lite.resources.base import common_properties
from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.openstack.cinder.volume import FAILED, VolumeBackups
from heat_lite.resources.openstack.cinder.volume_attachment import Attachment
from heat_lite.template.schema import integer, string


class Volume(Ec2Object):
    """A Cinder volume with the properties of EC2."""

    resource_type = 'AWS::EC2::Volume'
    rest = Rest(
        'cinder',
        '/volumes',
        'volume',
        ready=('available', 'in-use'),
        failed=FAILED,
        deletes_async=True,
        delete_failed=('error_deleting',),
    )
    entity = None

    properties_schema = {
        'AvailabilityZone': string(
            common_properties.AVAILABILITY_ZONE,
            required=True,
            immutable=True,
            wire='availability_zone',
        ),
        'Size': integer('Size of the volume in GB.', immutable=True, min=1, wire='size'),
        'SnapshotId': string(
            'ID of the backup that the volume is restored from.',
            immutable=True,
            ref='cinder.backup',
            sent=False,
        ),
        'Tags': tags(immutable=True),
    }

    def body(self, values):
        backup = self.properties['SnapshotId']
        if backup and 'size' not in values:
            values['size'] = self.client().show(f'/backups/{backup}', 'backup')['size']
        labels = {each['Key']: each['Value'] for each in self.properties['Tags'] or ()}
        return {
            'description': self.physical_resource_name(),
            **super().body(values),
            **({'metadata': labels} if labels else {}),
        }

    def follow_up(self, action, diff):
        if diff.get('SnapshotId'):
            yield from self.wait_until_ready(None)
            values = {'volume_id': self.resource_id, 'name': self.physical_resource_name()}
            yield from self.call_with_retry(
                self.client().create, f'/backups/{diff["SnapshotId"]}/restore', 'restore', values
            )

    def supports_snapshot_delete(self):
        return VolumeBackups(self).enabled()

    def handle_snapshot_delete(self, state):
        yield from VolumeBackups(self).create_before_delete(state)
        yield from self.handle_delete()


class VolumeAttachment(Attachment):
    """The attachment of a volume to an instance."""

    resource_type = 'AWS::EC2::VolumeAttachment'
    names = ('InstanceId', 'VolumeId', 'Device')

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
