"""OS::Heat::ScalingPolicy."""

from heat_lite.resources.base import common_properties
from heat_lite.resources.base.property_rules import only_with
from heat_lite.resources.base.scaling_policy import ScalingPolicy
from heat_lite.template.schema import CACHE_NONE, integer, number, string, text


class HeatScalingPolicy(ScalingPolicy):
    """A policy that resizes a scaling group on each signal."""

    resource_type = 'OS::Heat::ScalingPolicy'
    heat_class = 'AutoScalingPolicy'
    property_names = (
        'auto_scaling_group_id',
        'adjustment_type',
        'scaling_adjustment',
        'min_adjustment_step',
        'cooldown',
    )

    properties_schema = {
        'auto_scaling_group_id': string(common_properties.SCALING_GROUP, required=True),
        'scaling_adjustment': number(
            common_properties.SCALING_ADJUSTMENT, required=True, update_allowed=True
        ),
        'adjustment_type': string(
            common_properties.SCALING_TYPE,
            required=True,
            update_allowed=True,
            allowed=['change_in_capacity', 'exact_capacity', 'percent_change_in_capacity'],
        ),
        'cooldown': number(common_properties.COOLDOWN, update_allowed=True),
        'min_adjustment_step': integer(
            common_properties.SCALING_MIN_STEP, update_allowed=True, min=0
        ),
    }
    property_rules = (
        only_with('min_adjustment_step', 'adjustment_type', 'percent_change_in_capacity'),
    )
    attributes_schema = {
        'alarm_url': text(common_properties.SCALING_ALARM_URL, cache_mode=CACHE_NONE),
        'signal_url': text('URL for signals that are authenticated by a token.', since='5.0.0'),
    }
