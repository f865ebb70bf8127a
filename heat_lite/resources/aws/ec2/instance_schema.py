"""The schemas of AWS::EC2::Instance."""

from typing import Any

from heat_lite.resources.aws.ec2.base import tags
from heat_lite.resources.base import common_properties
from heat_lite.template.schema import boolean, list_, map_, number, string, text

UNUSED: dict[str, Any] = {'implemented': False}

_HINT = {
    'Key': string(common_properties.HINT_KEY, required=True),
    'Value': string(common_properties.HINT_VALUE, required=True),
}
_VOLUME = {
    'Device': string(common_properties.DEVICE_NAME, required=True),
    'VolumeId': string(common_properties.DEVICE_VOLUME, required=True, ref='cinder.volume'),
}
_EBS = {
    'DeleteOnTermination': boolean(common_properties.DELETE_ON_TERMINATION, default=True),
    'Iops': number(common_properties.NOT_IMPLEMENTED, **UNUSED),
    'SnapshotId': string(common_properties.SNAPSHOT_ID, ref='cinder.snapshot'),
    'VolumeSize': string(common_properties.SNAPSHOT_VOLUME_SIZE),
    'VolumeType': string(common_properties.NOT_IMPLEMENTED, **UNUSED),
}
_DISK = {
    'DeviceName': string(common_properties.DEVICE_NAME, required=True),
    'Ebs': map_('ID of the volume to attach.', _EBS),
    'NoDevice': map_(common_properties.NOT_IMPLEMENTED, **UNUSED),
    'VirtualName': string(common_properties.NOT_IMPLEMENTED, **UNUSED),
}

PROPERTIES = {
    'ImageId': string(common_properties.INSTANCE_IMAGE, required=True, ref='glance.image'),
    'InstanceType': string(
        common_properties.INSTANCE_FLAVOR, required=True, update_allowed=True, ref='nova.flavor'
    ),
    'KeyName': string(common_properties.INSTANCE_KEY, ref='nova.keypair'),
    'AvailabilityZone': string(common_properties.AVAILABILITY_ZONE),
    'DisableApiTermination': string(common_properties.NOT_IMPLEMENTED, **UNUSED),
    'KernelId': string(common_properties.NOT_IMPLEMENTED, **UNUSED),
    'Monitoring': boolean(common_properties.NOT_IMPLEMENTED, **UNUSED),
    'PlacementGroupName': string(common_properties.NOT_IMPLEMENTED, **UNUSED),
    'PrivateIpAddress': string(common_properties.NOT_IMPLEMENTED, **UNUSED),
    'RamDiskId': string(common_properties.NOT_IMPLEMENTED, **UNUSED),
    'SecurityGroups': list_('Names or IDs of the security groups of the instance.'),
    'SecurityGroupIds': list_('IDs of the security groups of the instance.'),
    'NetworkInterfaces': list_(
        'IDs of the network interfaces of the instance.', update_allowed=True
    ),
    'SourceDestCheck': boolean(common_properties.NOT_IMPLEMENTED, **UNUSED),
    'SubnetId': string('ID of the subnet of the instance.', update_allowed=True),
    'Tags': tags(update_allowed=True),
    'NovaSchedulerHints': list_(common_properties.HINTS, _HINT),
    'Tenancy': string(
        common_properties.NOT_IMPLEMENTED, allowed=['dedicated', 'default'], **UNUSED
    ),
    'UserData': string(common_properties.INSTANCE_USER_DATA),
    'Volumes': list_('Existing volumes to attach to the instance.', _VOLUME, default=[]),
    'BlockDeviceMappings': list_('Volumes to create and attach to the instance.', _DISK),
}
ATTRIBUTES = {
    'AvailabilityZone': text(common_properties.AVAILABILITY_ZONE),
    'PrivateDnsName': text(common_properties.IP_ADDRESS),
    'PrivateIp': text(common_properties.IP_ADDRESS),
    'PublicDnsName': text(common_properties.IP_ADDRESS),
    'PublicIp': text(common_properties.IP_ADDRESS),
}
