"""What AWS::EC2::Instance takes and tells."""

from heat_lite.resources.aws.ec2.base import tags
from heat_lite.template.constraints import AllowedValues
from heat_lite.template.schema import boolean, list_, map_, number, string, text

UNUSED = {'implemented': False}

_HINT = {'Key': string('The name of the hint.', required=True), 'Value': string('What it says.', required=True)}
_VOLUME = {
    'Device': string('The name of the device in the server.', required=True),
    'VolumeId': string('The volume.', required=True, ref='cinder.volume'),
}
_EBS = {
    'DeleteOnTermination': boolean('Whether it goes with the server.', default=True),
    'Iops': number('Not used.', **UNUSED),
    'SnapshotId': string('The snapshot that it is made from.', ref='cinder.snapshot'),
    'VolumeSize': string('Its size in GB, at least that of the snapshot.'),
    'VolumeType': string('Not used.', **UNUSED),
}
_DISK = {
    'DeviceName': string('The name of the device in the server.', required=True),
    'Ebs': map_('The volume.', _EBS),
    'NoDevice': map_('Not used.', **UNUSED),
    'VirtualName': string('Not used.', **UNUSED),
}

PROPERTIES = {
    'ImageId': string('The image, by its id or name.', required=True, ref='glance.image'),
    'InstanceType': string('The flavor, by its id or name.', required=True, update_allowed=True, ref='nova.flavor'),
    'KeyName': string('The key pair that opens it.', ref='nova.keypair'),
    'AvailabilityZone': string('The availability zone that it lives in.'),
    'DisableApiTermination': string('Not used.', **UNUSED),
    'KernelId': string('Not used.', **UNUSED),
    'Monitoring': boolean('Not used.', **UNUSED),
    'PlacementGroupName': string('Not used.', **UNUSED),
    'PrivateIpAddress': string('Not used.', **UNUSED),
    'RamDiskId': string('Not used.', **UNUSED),
    'SecurityGroups': list_('Its security groups, by names or references.'),
    'SecurityGroupIds': list_('The same, by ids.'),
    'NetworkInterfaces': list_('Its network cards, by their references.', update_allowed=True),
    'SourceDestCheck': boolean('Not used.', **UNUSED),
    'SubnetId': string('The subnet that it is in.', update_allowed=True),
    'Tags': tags(update_allowed=True),
    'NovaSchedulerHints': list_('Hints for where it runs.', map_(None, _HINT)),
    'Tenancy': string('Not used.', constraints=[AllowedValues(['dedicated', 'default'])], **UNUSED),
    'UserData': string('What it does when it first starts.'),
    'Volumes': list_('Volumes that are plugged in.', map_(None, _VOLUME), default=[]),
    'BlockDeviceMappings': list_('Volumes that are made for it.', map_(None, _DISK)),
}
ATTRIBUTES = {
    'AvailabilityZone': text('The availability zone that it lives in.'),
    'PrivateDnsName': text('Its address.'),
    'PrivateIp': text('Its address.'),
    'PublicDnsName': text('Its address.'),
    'PublicIp': text('Its address.'),
}
