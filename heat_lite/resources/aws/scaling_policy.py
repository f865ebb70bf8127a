"""AWS::AutoScaling::ScalingPolicy."""

from heat_lite.resources.policy import ScalingPolicy
from heat_lite.template.constraints import AllowedValues, Range
from heat_lite.template.schema import CACHE_NONE, integer, string, text


class CloudFormationScalingPolicy(ScalingPolicy):
    """Changes the size of a scaling group when it is signalled."""

    resource_type = 'AWS::AutoScaling::ScalingPolicy'
    percent = 'PercentChangeInCapacity'
    words = ('AutoScalingGroupName', 'AdjustmentType', 'ScalingAdjustment', 'MinAdjustmentStep', 'Cooldown')

    properties_schema = {
        'AutoScalingGroupName': string('The group, by its reference.', required=True),
        'ScalingAdjustment': integer('By how much, or to what size.', required=True, update_allowed=True),
        'AdjustmentType': string(
            'What ScalingAdjustment counts: members more or less, the members wanted, or percent of those that there are.',
            required=True,
            update_allowed=True,
            constraints=[AllowedValues(['ChangeInCapacity', 'ExactCapacity', 'PercentChangeInCapacity'])],
        ),
        'Cooldown': integer('Seconds after a change of size in which no signal changes it again.', update_allowed=True),
        'MinAdjustmentStep': integer(
            'The least number of members that a change by percent adds or takes away.', update_allowed=True, constraints=[Range(min=0)]
        ),
    }
    attributes_schema = {'AlarmUrl': text('A signed address: a POST to it is a signal.', cache_mode=CACHE_NONE)}

    def get_reference_id(self):
        """Alarms call it by this address."""
        return self.signed_url() or self.resource_id or self.name
