"""OS::Aodh::GnocchiResourcesAlarm, OS::Aodh::GnocchiAggregationByMetricsAlarm, OS::Aodh::GnocchiAggregationByResourcesAlarm."""

from heat_lite.resources.openstack.aodh.base import Alarm, common_properties, comparison, threshold
from heat_lite.template import support
from heat_lite.template.schema import integer, list_, string


def threshold_properties():
    """What alarms have that compare what Gnocchi has measured."""
    return {
        **common_properties(),
        'aggregation_method': string('How measures become one number.', update_allowed=True),
        'comparison_operator': comparison(),
        'evaluation_periods': integer('In how many periods in a row it must be so.', update_allowed=True),
        'granularity': integer('How many seconds each measure stands for.', update_allowed=True),
        'threshold': threshold(),
    }


class GnocchiResourcesAlarm(Alarm):
    """Goes off when a metric of one resource passes a threshold."""

    resource_type = 'OS::Aodh::GnocchiResourcesAlarm'
    support_status = support.since('2015.1')
    kind = 'gnocchi_resources_threshold'

    properties_schema = {
        **threshold_properties(),
        'metric': string('The metric.', required=True, update_allowed=True),
        'resource_id': string('The resource.', required=True, update_allowed=True),
        'resource_type': string('Its type.', required=True, update_allowed=True),
    }


class GnocchiAggregationByMetricsAlarm(Alarm):
    """Goes off when several metrics together pass a threshold."""

    resource_type = 'OS::Aodh::GnocchiAggregationByMetricsAlarm'
    support_status = support.since('2015.1')
    kind = 'gnocchi_aggregation_by_metrics_threshold'

    properties_schema = {
        **threshold_properties(),
        'metrics': list_('The ids of the metrics.', required=True, update_allowed=True),
    }


class GnocchiAggregationByResourcesAlarm(Alarm):
    """Goes off when a metric of several resources together passes a threshold."""

    resource_type = 'OS::Aodh::GnocchiAggregationByResourcesAlarm'
    support_status = support.since('2015.1')
    kind = 'gnocchi_aggregation_by_resources_threshold'

    properties_schema = {
        **threshold_properties(),
        'metric': string('The metric.', required=True, update_allowed=True),
        'query': string('Which resources these are, as JSON.', required=True, update_allowed=True),
        'resource_type': string('Their type.', required=True, update_allowed=True),
    }
