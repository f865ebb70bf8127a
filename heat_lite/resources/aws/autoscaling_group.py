"""AWS::AutoScaling::AutoScalingGroup."""

from heat_lite.common import exception
from heat_lite.resources.base import common_properties, instance_group
from heat_lite.resources.base.common_properties import not_implemented
from heat_lite.resources.base.instance_group import CONFIGURATION
from heat_lite.resources.base.scaling import ScalingGroup
from heat_lite.template.schema import integer, list_, string

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
    update_policy_schema = {'AutoScalingRollingUpdate': instance_group.rolling_update()}
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
