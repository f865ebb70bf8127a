"""OS::Aodh::Alarm."""

from heat_lite.resources.openstack.aodh.base import (
    Alarm,
    common_properties,
    comparison,
    query,
    threshold,
)
from heat_lite.template import support
from heat_lite.template.schema import integer, map_, string

PREFIX = 'metadata.'


class ThresholdAlarm(Alarm):
    """An alarm on a threshold of a Ceilometer meter.

    Current Aodh has no such alarms. The type is for clouds with an older Aodh.
    """

    resource_type = 'OS::Aodh::Alarm'
    heat_class = 'AodhAlarm'
    support_status = support.history('deprecated 10.0.0, supported 2014.1')
    kind = 'threshold'

    properties_schema = {
        **common_properties(),
        'comparison_operator': comparison(),
        'evaluation_periods': integer(
            'Number of consecutive periods that must meet the condition.', update_allowed=True
        ),
        'matching_metadata': map_(
            'Metadata by which samples are selected.', default={}, update_allowed=True
        ),
        'meter_name': string('Name of the meter.', required=True),
        'period': integer('Length of one period in seconds.', update_allowed=True),
        'query': query(since='2015.1', type_since='8.0.0'),
        'statistic': string(
            'Statistic of the samples of a period.',
            update_allowed=True,
            allowed=['count', 'avg', 'sum', 'min', 'max'],
        ),
        'threshold': threshold(),
    }

    def rule(self, values):
        """Add one query for each key of the matching metadata."""
        labels = values.pop('matching_metadata', None) or {}
        matching = [
            {'field': _field(name), 'op': 'eq', 'value': str(value)}
            for name, value in labels.items()
        ]
        return {**values, 'query': [*(values.get('query') or ()), *matching]}


def _field(name):
    return name if name.startswith(PREFIX) else f'{PREFIX}metering.{name.removeprefix("metering.")}'
