"""AWS::AutoScaling::LaunchConfiguration."""

from heat_lite.common import exception
from heat_lite.engine.resource import Resource
from heat_lite.template.constraints import CustomConstraint
from heat_lite.template.schema import boolean, list_, map_, number, string


def _named(description, kind):
    return string(description, constraints=[CustomConstraint(kind)])


class LaunchConfiguration(Resource):
    """What the servers of a group are to be; it makes nothing itself."""

    resource_type = 'AWS::AutoScaling::LaunchConfiguration'
    local = True

    properties_schema = {
        'ImageId': _named('The image, by its id or name.', 'glance.image'),
        'InstanceType': _named('The flavor, by its id or name.', 'nova.flavor'),
        'InstanceId': _named('A server after which the members are made.', 'nova.server'),
        'KeyName': _named('The key pair that opens the members.', 'nova.keypair'),
        'UserData': string('What a member does when it first starts.'),
        'SecurityGroups': list_('The security groups of the members.'),
        'KernelId': string('Not used.', implemented=False),
        'RamDiskId': string('Not used.', implemented=False),
        'BlockDeviceMappings': list_(
            'The volumes of the members.',
            map_(
                None,
                {
                    'DeviceName': string('The name of the device in the member.', required=True),
                    'Ebs': map_(
                        'The volume.',
                        {
                            'DeleteOnTermination': boolean('Whether it goes with the member.', default=True),
                            'Iops': number('Not used.', implemented=False),
                            'SnapshotId': _named('The snapshot that it is made from.', 'cinder.snapshot'),
                            'VolumeSize': string('Its size in GB, at least that of the snapshot.'),
                            'VolumeType': string('Not used.', implemented=False),
                        },
                    ),
                    'NoDevice': map_('Not used.', implemented=False),
                    'VirtualName': string('Not used.', implemented=False),
                },
            ),
        ),
        'NovaSchedulerHints': list_(
            'Hints for where the members run.',
            map_(None, {'Key': string('The name of the hint.', required=True), 'Value': string('What it says.', required=True)}),
        ),
    }

    def validate(self):
        super().validate()
        given = self.properties
        if not given['InstanceId'] and not (given['ImageId'] and given['InstanceType']):
            raise exception.StackValidationFailed('If without InstanceId, ImageId and InstanceType are required.')

    def handle_create(self):
        self.resource_id_set(self.physical_resource_name())

    def get_reference_id(self):
        return self.physical_resource_name() or self.name
