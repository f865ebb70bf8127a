"""OS::Aodh::PrometheusAlarm."""

from heat_lite.resources.openstack.aodh.base import Alarm, common_properties, comparison, threshold
from heat_lite.template.schema import string


class PrometheusAlarm(Alarm):
    """An alarm on the threshold of a Prometheus query."""

    resource_type = 'OS::Aodh::PrometheusAlarm'
    since = '22.0.0'
    kind = 'prometheus'

    properties_schema = {
        **common_properties(),
        'comparison_operator': comparison(),
        'query': string('Query in the language of Prometheus.', required=True, update_allowed=True),
        'threshold': threshold(),
    }
