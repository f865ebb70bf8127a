"""The schemas of AWS::EC2::Instance."""

from heat_lite.resources.aws.autoscaling import HINT_KEYS, disk_keys
from heat_lite.resources.aws.ec2.base import tags
from heat_lite.resources.base import common_properties
from heat_lite.resources.base.common_properties import not_implemented
from heat_lite.template.schema import boolean, list_, string

_VOLUME = {
    'Device': string(common_properties.DEVICE_NAME, required=True),
    'VolumeId': string(common_properties.DEVICE_VOLUME, required=True, ref='cinder.volume'),
}

PROPERTIES = {
    'ImageId': string(common_properties.INSTANCE_IMAGE, required=True, ref='glance.image'),
    'InstanceType': string(
        common_properties.INSTANCE_FLAVOR, required=True, update_allowed=True, ref='nova.flavor'
    ),
    'KeyName': string(common_properties.INSTANCE_KEY, ref='nova.keypair'),
    'AvailabilityZone': string(common_properties.AVAILABILITY_ZONE),
    'DisableApiTermination': not_implemented(string),
    'KernelId': not_implemented(string),
    'Monitoring': not_implemented(boolean),
    'PlacementGroupName': not_implemented(string),
    'PrivateIpAddress': not_implemented(string),
    'RamDiskId': not_implemented(string),
    'SecurityGroups': list_('Names or IDs of the security groups of the instance.'),
    'SecurityGroupIds': list_('IDs of the security groups of the instance.'),
    'NetworkInterfaces': list_(
        'IDs of the network interfaces of the instance.', update_allowed=True
    ),
    'SourceDestCheck': not_implemented(boolean),
    'SubnetId': string('ID of the subnet of the instance.', update_allowed=True),
    'Tags': tags(update_allowed=True),
    'NovaSchedulerHints': list_(common_properties.HINTS, HINT_KEYS),
    'Tenancy': not_implemented(string, allowed=['dedicated', 'default']),
    'UserData': string(common_properties.INSTANCE_USER_DATA),
    'Volumes': list_('Existing volumes to attach to the instance.', _VOLUME, default=[]),
    'BlockDeviceMappings': list_(
        'Volumes to create and attach to the instance.',
        disk_keys('ID of the volume to attach.', ref='cinder.snapshot'),
    ),
}
ATTRIBUTES = {
    'AvailabilityZone': common_properties.AVAILABILITY_ZONE,
    'PrivateDnsName': common_properties.IP_ADDRESS,
    'PrivateIp': common_properties.IP_ADDRESS,
    'PublicDnsName': common_properties.IP_ADDRESS,
    'PublicIp': common_properties.IP_ADDRESS,
}
