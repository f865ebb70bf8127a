"""AWS::AutoScaling::ScalingPolicy."""

from heat_lite.resources.base import common_properties
from heat_lite.resources.base.property_rules import only_with
from heat_lite.resources.base.scaling_policy import ScalingPolicy
from heat_lite.template.schema import CACHE_NONE, integer, string, text


class CloudFormationScalingPolicy(ScalingPolicy):
    """A policy that resizes a scaling group on each signal."""

    resource_type = 'AWS::AutoScaling::ScalingPolicy'
    heat_class = 'AWSScalingPolicy'
    property_names = (
        'AutoScalingGroupName',
        'AdjustmentType',
        'ScalingAdjustment',
        'MinAdjustmentStep',
        'Cooldown',
    )

    properties_schema = {
        'AutoScalingGroupName': string(common_properties.SCALING_GROUP, required=True),
        'ScalingAdjustment': integer(
            common_properties.SCALING_ADJUSTMENT, required=True, update_allowed=True
        ),
        'AdjustmentType': string(
            common_properties.SCALING_TYPE,
            required=True,
            update_allowed=True,
            allowed=['ChangeInCapacity', 'ExactCapacity', 'PercentChangeInCapacity'],
        ),
        'Cooldown': integer(common_properties.COOLDOWN, update_allowed=True),
        'MinAdjustmentStep': integer(
            common_properties.SCALING_MIN_STEP, update_allowed=True, min=0
        ),
    }
    property_rules = (only_with('MinAdjustmentStep', 'AdjustmentType', 'PercentChangeInCapacity'),)
    attributes_schema = {
        'AlarmUrl': text(common_properties.SCALING_ALARM_URL, cache_mode=CACHE_NONE)
    }

    def get_reference_id(self):
        """Return the signed URL: alarms refer to the policy by it."""
        return self.signed_url() or self.resource_id or self.name
