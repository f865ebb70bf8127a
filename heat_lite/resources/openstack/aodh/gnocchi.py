"""The types of alarms on measures of Gnocchi."""

from heat_lite.resources.openstack.aodh.base import Alarm, common_properties, comparison, threshold
from heat_lite.template.schema import integer, list_, string


def threshold_properties():
    """The properties of alarms on Gnocchi measures."""
    return {
        **common_properties(),
        'aggregation_method': string('Aggregation method of the measures.', update_allowed=True),
        'comparison_operator': comparison(),
        'evaluation_periods': integer(
            'Number of consecutive measures that must meet the condition.', update_allowed=True
        ),
        'granularity': integer('Interval between two measures in seconds.', update_allowed=True),
        'threshold': threshold(),
    }


class GnocchiResourcesAlarm(Alarm):
    """An alarm on the threshold of one metric of one resource."""

    resource_type = 'OS::Aodh::GnocchiResourcesAlarm'
    heat_class = 'AodhGnocchiResourcesAlarm'
    since = '2015.1'
    kind = 'gnocchi_resources_threshold'

    properties_schema = {
        **threshold_properties(),
        'metric': string('Name of the metric.', required=True, update_allowed=True),
        'resource_id': string('Id of the Gnocchi resource.', required=True, update_allowed=True),
        'resource_type': string(
            'Type of the Gnocchi resource.', required=True, update_allowed=True
        ),
    }


class GnocchiAggregationByMetricsAlarm(Alarm):
    """An alarm on the threshold of the aggregate of several metrics."""

    resource_type = 'OS::Aodh::GnocchiAggregationByMetricsAlarm'
    heat_class = 'AodhGnocchiAggregationByMetricsAlarm'
    since = '2015.1'
    kind = 'gnocchi_aggregation_by_metrics_threshold'

    properties_schema = {
        **threshold_properties(),
        'metrics': list_('Ids of the metrics to aggregate.', required=True, update_allowed=True),
    }


class GnocchiAggregationByResourcesAlarm(Alarm):
    """An alarm on the threshold of one metric, aggregated over several resources."""

    resource_type = 'OS::Aodh::GnocchiAggregationByResourcesAlarm'
    heat_class = 'AodhGnocchiAggregationByResourcesAlarm'
    since = '2015.1'
    kind = 'gnocchi_aggregation_by_resources_threshold'

    properties_schema = {
        **threshold_properties(),
        'metric': string('Name of the metric to aggregate.', required=True, update_allowed=True),
        'query': string(
            'Query in JSON that selects the Gnocchi resources.', required=True, update_allowed=True
        ),
        'resource_type': string(
            'Type of the Gnocchi resources.', required=True, update_allowed=True
        ),
    }
