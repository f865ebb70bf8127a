"""The types of alarms, by the condition that raises them."""

from heat_lite.resources.openstack.aodh.base import (
    COMMON_PROPERTIES,
    COMPARISON,
    THRESHOLD,
    Alarm,
    query,
)
from heat_lite.template import support
from heat_lite.template.schema import integer, list_, map_, string

PREFIX = 'metadata.'


class AodhAlarm(Alarm):
    """An alarm on a threshold of a Ceilometer meter.

    Current Aodh has no such alarms. The type is for clouds with an older Aodh.
    """

    resource_type = 'OS::Aodh::Alarm'
    support_status = support.history('deprecated 10.0.0, supported 2014.1')
    kind = 'threshold'

    properties_schema = {
        **COMMON_PROPERTIES,
        'comparison_operator': COMPARISON,
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
        'threshold': THRESHOLD,
    }

    def rule(self, values):
        """Add one query for each key of the matching metadata."""
        labels = values.pop('matching_metadata', None) or {}
        matching = [
            {'field': _field(name), 'op': 'eq', 'value': str(value)}
            for name, value in labels.items()
        ]
        return {**values, 'query': [*(values.get('query') or ()), *matching]}

    def rule_properties(self, rule):
        """Take the queries for the matching metadata out again."""
        added = self.rule({'matching_metadata': self.stored_property('matching_metadata')})['query']
        own = (
            each
            for each in rule.get('query') or ()
            if not any(one.items() <= each.items() for one in added)
        )
        return {**rule, 'query': list(own)}


def _field(name):
    return name if name.startswith(PREFIX) else f'{PREFIX}metering.{name.removeprefix("metering.")}'


class EventAlarm(Alarm):
    """An alarm that is raised by an event notification."""

    resource_type = 'OS::Aodh::EventAlarm'
    since = '8.0.0'
    kind = 'event'

    properties_schema = {
        **COMMON_PROPERTIES,
        'event_type': string(
            'Type of the event; "*" matches any characters.', default='*', update_allowed=True
        ),
        'query': query(),
    }


class CompositeAlarm(Alarm):
    """An alarm that combines several rules by "and" or "or"."""

    resource_type = 'OS::Aodh::CompositeAlarm'
    since = '8.0.0'
    kind = 'composite'

    properties_schema = {
        **COMMON_PROPERTIES,
        'composite_rule': map_(
            'Rules of the alarm and their operator.',
            {
                'operator': string(
                    'Operator that combines the rules: "and" or "or".',
                    required=True,
                    update_allowed=True,
                    allowed=['or', 'and'],
                ),
                'rules': list_(
                    'Rules in the format of Aodh. A rule may also be a map from "and" or "or"'
                    ' to a list of rules.',
                    required=True,
                    update_allowed=True,
                    min=2,
                ),
            },
            required=True,
            update_allowed=True,
        ),
    }

    def rule(self, values):
        rule = values['composite_rule']
        return {rule['operator']: rule['rules']}

    def rule_properties(self, rule):
        return {
            'composite_rule': next(
                ({'operator': word, 'rules': rules} for word, rules in rule.items()), None
            )
        }


class PrometheusAlarm(Alarm):
    """An alarm on the threshold of a Prometheus query."""

    resource_type = 'OS::Aodh::PrometheusAlarm'
    since = '22.0.0'
    kind = 'prometheus'

    properties_schema = {
        **COMMON_PROPERTIES,
        'comparison_operator': COMPARISON,
        'query': string('Query in the language of Prometheus.', required=True, update_allowed=True),
        'threshold': THRESHOLD,
    }


class LBMemberHealthAlarm(Alarm):
    """An alarm that is raised when a member of an Octavia pool has failed."""

    resource_type = 'OS::Aodh::LBMemberHealthAlarm'
    since = '13.0.0'
    kind = 'loadbalancer_member_health'

    properties_schema = {
        **COMMON_PROPERTIES,
        'autoscaling_group_id': string(
            'Id of the autoscaling group of the members.', required=True, update_allowed=True
        ),
        'pool': string(
            'Octavia pool, by name or id.',
            required=True,
            update_allowed=True,
            resolves='octavia.pool',
            wire='pool_id',
        ),
        'stack': string(
            'Id of the stack that contains the autoscaling group.', required=True, wire='stack_id'
        ),
    }


#: the properties of alarms on Gnocchi measures
THRESHOLD_PROPERTIES = {
    **COMMON_PROPERTIES,
    'aggregation_method': string('Aggregation method of the measures.', update_allowed=True),
    'comparison_operator': COMPARISON,
    'evaluation_periods': integer(
        'Number of consecutive measures that must meet the condition.', update_allowed=True
    ),
    'granularity': integer('Interval between two measures in seconds.', update_allowed=True),
    'threshold': THRESHOLD,
}


class AodhGnocchiResourcesAlarm(Alarm):
    """An alarm on the threshold of one metric of one resource."""

    resource_type = 'OS::Aodh::GnocchiResourcesAlarm'
    since = '2015.1'
    kind = 'gnocchi_resources_threshold'

    properties_schema = {
        **THRESHOLD_PROPERTIES,
        'metric': string('Name of the metric.', required=True, update_allowed=True),
        'resource_id': string('Id of the Gnocchi resource.', required=True, update_allowed=True),
        'resource_type': string(
            'Type of the Gnocchi resource.', required=True, update_allowed=True
        ),
    }


class AodhGnocchiAggregationByMetricsAlarm(Alarm):
    """An alarm on the threshold of the aggregate of several metrics."""

    resource_type = 'OS::Aodh::GnocchiAggregationByMetricsAlarm'
    since = '2015.1'
    kind = 'gnocchi_aggregation_by_metrics_threshold'

    properties_schema = {
        **THRESHOLD_PROPERTIES,
        'metrics': list_('Ids of the metrics to aggregate.', required=True, update_allowed=True),
    }


class AodhGnocchiAggregationByResourcesAlarm(Alarm):
    """An alarm on the threshold of one metric, aggregated over several resources."""

    resource_type = 'OS::Aodh::GnocchiAggregationByResourcesAlarm'
    since = '2015.1'
    kind = 'gnocchi_aggregation_by_resources_threshold'

    properties_schema = {
        **THRESHOLD_PROPERTIES,
        'metric': string('Name of the metric to aggregate.', required=True, update_allowed=True),
        'query': string(
            'Query in JSON that selects the Gnocchi resources.', required=True, update_allowed=True
        ),
        'resource_type': string(
            'Type of the Gnocchi resources.', required=True, update_allowed=True
        ),
    }
