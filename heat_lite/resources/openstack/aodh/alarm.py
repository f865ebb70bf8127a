"""OS::Aodh::Alarm."""

from heat_lite.resources.openstack.aodh.base import Alarm, common_properties, comparison, query, threshold
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues
from heat_lite.template.schema import integer, map_, string

PREFIX = 'metadata.'


class ThresholdAlarm(Alarm):
    """Goes off when a meter passes a threshold. Aodh has none of that kind any more: it is there for clouds that still do."""

    resource_type = 'OS::Aodh::Alarm'
    support_status = support.deprecated('10.0.0', previous='2014.1')
    kind = 'threshold'

    properties_schema = {
        **common_properties(),
        'comparison_operator': comparison(),
        'evaluation_periods': integer('In how many periods in a row it must be so.', update_allowed=True),
        'matching_metadata': map_('What the metadata of the samples must say.', default={}, update_allowed=True),
        'meter_name': string('The meter.', required=True),
        'period': integer('How many seconds each value stands for.', update_allowed=True),
        'query': query(support=support.since('2015.1'), type_since='8.0.0'),
        'statistic': string(
            'How samples become one number.', update_allowed=True, constraints=[AllowedValues(['count', 'avg', 'sum', 'min', 'max'])]
        ),
        'threshold': threshold(),
    }

    def rule(self, values):
        """Samples are matched by one more query for each label."""
        labels = values.pop('matching_metadata', None) or {}
        matching = [{'field': _field(name), 'op': 'eq', 'value': str(value)} for name, value in labels.items()]
        return {**values, 'query': [*(values.get('query') or ()), *matching]}


def _field(name):
    return name if name.startswith(PREFIX) else f'{PREFIX}metering.{name.removeprefix("metering.")}'
