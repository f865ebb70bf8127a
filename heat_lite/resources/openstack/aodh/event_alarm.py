"""OS::Aodh::EventAlarm."""

from heat_lite.resources.openstack.aodh.base import Alarm, common_properties, query
from heat_lite.template.schema import string


class EventAlarm(Alarm):
    """An alarm that is raised by an event notification."""

    resource_type = 'OS::Aodh::EventAlarm'
    since = '8.0.0'
    kind = 'event'

    properties_schema = {
        **common_properties(),
        'event_type': string(
            'Type of the event; "*" matches any characters.', default='*', update_allowed=True
        ),
        'query': query(),
    }
