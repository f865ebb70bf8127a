"""AWS::AutoScaling::LaunchConfiguration and AWS::AutoScaling::AutoScalingGroup."""

from heat_lite.common import exception
from heat_lite.engine.resource.resource import Resource
from heat_lite.resources.base import common_properties, instance_group
from heat_lite.resources.base.common_properties import not_implemented
from heat_lite.resources.base.instance_group import CONFIGURATION
from heat_lite.resources.base.property_rules import empty, for_each, refuse
from heat_lite.resources.base.scaling import ScalingGroup
from heat_lite.template.schema import boolean, integer, list_, map_, number, string


def _named(description, kind):
    return string(description, custom=kind)


_REQUIRED = 'is missing, this is required when specifying BlockDeviceMappings.'
#: the disks of instances are made of snapshots
DISK_RULE = for_each(
    'BlockDeviceMappings',
    refuse(f'Ebs {_REQUIRED}', Ebs=empty),
    refuse(f'SnapshotId {_REQUIRED}', Ebs=lambda value, read: empty(value['SnapshotId'])),
)

HINT_KEYS = {
    'Key': string(common_properties.HINT_KEY, required=True),
    'Value': string(common_properties.HINT_VALUE, required=True),
}


def disk_keys(volume, **snapshot):
    """Return the schemas of a block device. ``volume`` describes its volume, ``snapshot`` are the
    options of the property with the snapshot of the volume.
    """
    volume_keys = {
        'DeleteOnTermination': boolean(common_properties.DELETE_ON_TERMINATION, default=True),
        'Iops': not_implemented(number),
        'SnapshotId': string(common_properties.SNAPSHOT_ID, **snapshot),
        'VolumeSize': string(common_properties.SNAPSHOT_VOLUME_SIZE),
        'VolumeType': not_implemented(string),
    }
    return {
        'DeviceName': string(common_properties.DEVICE_NAME, required=True),
        'Ebs': map_(volume, volume_keys),
        'NoDevice': not_implemented(map_),
        'VirtualName': not_implemented(string),
    }


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
        'KernelId': not_implemented(string),
        'RamDiskId': not_implemented(string),
        'BlockDeviceMappings': list_(
            'Block devices of the members.',
            disk_keys(common_properties.DEVICE_VOLUME, custom='cinder.snapshot'),
        ),
        'NovaSchedulerHints': list_(common_properties.HINTS, HINT_KEYS),
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


INSTANCE, NETWORK = 'InstanceId', 'VPCZoneIdentifier'


class AutoScalingGroup(ScalingGroup, instance_group.InstanceGroup):
    """A scaling group of instances."""

    resource_type = 'AWS::AutoScaling::AutoScalingGroup'
    since = '2014.1'
    bounds_names = ('MinSize', 'MaxSize', 'DesiredCapacity', 'Cooldown')
    policy_name = 'AutoScalingRollingUpdate'
    tag_names = ('metering.groupname', 'metering.AutoScalingGroupName')

    properties_schema = {
        'AvailabilityZones': list_(
            'Not used; the launch configuration determines the availability zone.', required=True
        ),
        'LaunchConfigurationName': string(
            common_properties.LAUNCH_CONFIGURATION, update_allowed=True
        ),
        'InstanceId': string(common_properties.INSTANCE_BASE, custom='nova.server'),
        'MaxSize': integer(common_properties.GROUP_MAX_SIZE, required=True, update_allowed=True),
        'MinSize': integer(common_properties.GROUP_MIN_SIZE, required=True, update_allowed=True),
        'Cooldown': integer(common_properties.COOLDOWN, update_allowed=True),
        'DesiredCapacity': integer(common_properties.GROUP_DESIRED_CAPACITY, update_allowed=True),
        'HealthCheckGracePeriod': not_implemented(integer),
        'HealthCheckType': not_implemented(string, allowed=['EC2', 'ELB']),
        'LoadBalancerNames': list_(common_properties.LOAD_BALANCERS),
        'VPCZoneIdentifier': list_(
            'List with the subnet of the members.', string('ID of the subnet.')
        ),
        'Tags': instance_group.tags(),
    }
    update_policy_schema = {'AutoScalingRollingUpdate': instance_group.ROLLING_UPDATE}
    attributes_schema = instance_group.INSTANCES

    def validate(self):
        self.properties.validate()
        if (self.properties[CONFIGURATION] is None) == (self.properties[INSTANCE] is None):
            raise exception.StackValidationFailed(
                f"Either '{INSTANCE}' or '{CONFIGURATION}' must be provided."
            )
        if len(self.properties[NETWORK] or ()) > 1:
            raise exception.NotSupported(feature=f'Anything other than one {NETWORK}')
        super().validate()

    def member_properties(self):
        server = self.properties[INSTANCE]
        return super().member_properties() if server is None else self.server_properties(server)

    def extra_member_properties(self):
        networks = self.properties[NETWORK]
        return {'SubnetId': networks[0]} if networks else {}
