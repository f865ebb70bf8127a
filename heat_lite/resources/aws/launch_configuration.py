"""AWS::AutoScaling::LaunchConfiguration."""

from heat_lite.engine.resource.resource import Resource
from heat_lite.resources.base import common_properties
from heat_lite.resources.base.property_rules import empty, for_each, refuse
from heat_lite.template.schema import boolean, list_, map_, number, string


def _named(description, kind):
    return string(description, custom=kind)


_REQUIRED = 'is missing, this is required when specifying BlockDeviceMappings.'
#: the disks of instances are made of snapshots
DISK_RULE = for_each(
    'BlockDeviceMappings',
    refuse(f'Ebs {_REQUIRED}', Ebs=empty),
    refuse(f'SnapshotId {_REQUIRED}', Ebs=lambda value, read: empty(value['SnapshotId'])),
)


class LaunchConfiguration(Resource):
    """The configuration of the members of a group. No object is created."""

    resource_type = 'AWS::AutoScaling::LaunchConfiguration'
    local = True

    properties_schema = {
        'ImageId': _named(common_properties.INSTANCE_IMAGE, 'glance.image'),
        'InstanceType': _named(common_properties.INSTANCE_FLAVOR, 'nova.flavor'),
        'InstanceId': _named(common_properties.INSTANCE_BASE, 'nova.server'),
        'KeyName': _named(common_properties.INSTANCE_KEY, 'nova.keypair'),
        'UserData': string(common_properties.INSTANCE_USER_DATA),
        'SecurityGroups': list_('Names or IDs of the security groups.'),
        'KernelId': string(common_properties.NOT_IMPLEMENTED, implemented=False),
        'RamDiskId': string(common_properties.NOT_IMPLEMENTED, implemented=False),
        'BlockDeviceMappings': list_(
            'Block devices of the members.',
            {
                'DeviceName': string(common_properties.DEVICE_NAME, required=True),
                'Ebs': map_(
                    common_properties.DEVICE_VOLUME,
                    {
                        'DeleteOnTermination': boolean(
                            common_properties.DELETE_ON_TERMINATION, default=True
                        ),
                        'Iops': number(common_properties.NOT_IMPLEMENTED, implemented=False),
                        'SnapshotId': _named(common_properties.SNAPSHOT_ID, 'cinder.snapshot'),
                        'VolumeSize': string(common_properties.SNAPSHOT_VOLUME_SIZE),
                        'VolumeType': string(common_properties.NOT_IMPLEMENTED, implemented=False),
                    },
                ),
                'NoDevice': map_(common_properties.NOT_IMPLEMENTED, implemented=False),
                'VirtualName': string(common_properties.NOT_IMPLEMENTED, implemented=False),
            },
        ),
        'NovaSchedulerHints': list_(
            common_properties.HINTS,
            {
                'Key': string(common_properties.HINT_KEY, required=True),
                'Value': string(common_properties.HINT_VALUE, required=True),
            },
        ),
    }
    property_rules = (
        DISK_RULE,
        refuse(
            'If without InstanceId, ImageId and InstanceType are required.',
            InstanceId=empty,
            ImageId=lambda value, read: empty(value) or empty(read('InstanceType')),
        ),
    )

    def handle_create(self):
        self.resource_id_set(self.physical_resource_name())

    def get_reference_id(self):
        return self.physical_resource_name() or self.name
