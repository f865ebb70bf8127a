"""OS::Aodh::EventAlarm."""

from heat_lite.resources.openstack.aodh.base import Alarm, common_properties, query
from heat_lite.template import support
from heat_lite.template.schema import string


class EventAlarm(Alarm):
    """Goes off when a service tells of a certain event."""

    resource_type = 'OS::Aodh::EventAlarm'
    support_status = support.since('8.0.0')
    kind = 'event'

    properties_schema = {
        **common_properties(),
        'event_type': string('The type of the events; * stands for anything.', default='*', update_allowed=True),
        'query': query(),
    }
