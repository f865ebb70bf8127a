"""OS::Heat::ScalingPolicy."""

from heat_lite.resources.policy import ScalingPolicy
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues, Range
from heat_lite.template.schema import CACHE_NONE, integer, number, string, text


class HeatScalingPolicy(ScalingPolicy):
    """Changes the size of a scaling group when it is signalled."""

    resource_type = 'OS::Heat::ScalingPolicy'
    percent = 'percent_change_in_capacity'
    words = ('auto_scaling_group_id', 'adjustment_type', 'scaling_adjustment', 'min_adjustment_step', 'cooldown')

    properties_schema = {
        'auto_scaling_group_id': string('The group, by its reference.', required=True),
        'scaling_adjustment': number('By how much, or to what size.', required=True, update_allowed=True),
        'adjustment_type': string(
            'What scaling_adjustment counts: members more or less, the members wanted, or percent of those that there are.',
            required=True,
            update_allowed=True,
            constraints=[AllowedValues(['change_in_capacity', 'exact_capacity', 'percent_change_in_capacity'])],
        ),
        'cooldown': number('Seconds after a change of size in which no signal changes it again.', update_allowed=True),
        'min_adjustment_step': integer(
            'The least number of members that a change by percent adds or takes away.', update_allowed=True, constraints=[Range(min=0)]
        ),
    }
    attributes_schema = {
        'alarm_url': text('A signed address: a POST to it is a signal.', cache_mode=CACHE_NONE),
        'signal_url': text('The address in the API at which a signal, with a token, arrives.', support=support.since('5.0.0')),
    }
