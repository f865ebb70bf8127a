"""AWS::AutoScaling::AutoScalingGroup."""

from heat_lite.common import exception
from heat_lite.resources import instance_group
from heat_lite.resources.scaling import ScalingGroup
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues, CustomConstraint
from heat_lite.template.schema import integer, list_, string

CONFIGURATION, INSTANCE, NETWORK = 'LaunchConfigurationName', 'InstanceId', 'VPCZoneIdentifier'


class AutoScalingGroup(ScalingGroup, instance_group.InstanceGroup):
    """Servers, as many as are wanted at the time."""

    resource_type = 'AWS::AutoScaling::AutoScalingGroup'
    support_status = support.since('2014.1')
    bounds_names = ('MinSize', 'MaxSize', 'DesiredCapacity', 'Cooldown')
    policy_name = 'AutoScalingRollingUpdate'
    tag_names = ('metering.groupname', 'metering.AutoScalingGroupName')

    properties_schema = {
        'AvailabilityZones': list_('Not used: the members say where they are.', required=True),
        'LaunchConfigurationName': string('The launch configuration, by its reference.', update_allowed=True),
        'InstanceId': string('A server after which the members are made.', constraints=[CustomConstraint('nova.server')]),
        'MaxSize': integer('The most members that there may be.', required=True, update_allowed=True),
        'MinSize': integer('The fewest members that there may be.', required=True, update_allowed=True),
        'Cooldown': integer('Seconds after a change of size in which no signal changes it again.', update_allowed=True),
        'DesiredCapacity': integer('How many members there are at first, and after each update of the stack.', update_allowed=True),
        'HealthCheckGracePeriod': integer('Not used.', implemented=False),
        'HealthCheckType': string('Not used.', implemented=False, constraints=[AllowedValues(['EC2', 'ELB'])]),
        'LoadBalancerNames': list_('The load balancers that lead to the members.'),
        'VPCZoneIdentifier': list_('The subnet of the members: one.', string('The subnet, by its id.')),
        'Tags': instance_group.tags(),
    }
    update_policy_schema = {'AutoScalingRollingUpdate': instance_group.rolling_update()}
    attributes_schema = instance_group.INSTANCES

    def validate(self):
        self.properties.validate()
        if (self.properties[CONFIGURATION] is None) == (self.properties[INSTANCE] is None):
            raise exception.StackValidationFailed(f"Either '{INSTANCE}' or '{CONFIGURATION}' must be provided.")
        if len(self.properties[NETWORK] or ()) > 1:
            raise exception.NotSupported(feature=f'Anything other than one {NETWORK}')
        super().validate()

    def member_properties(self):
        server = self.properties[INSTANCE]
        return super().member_properties() if server is None else self.like_server(server)

    def more_properties(self):
        networks = self.properties[NETWORK]
        return {'SubnetId': networks[0]} if networks else {}
