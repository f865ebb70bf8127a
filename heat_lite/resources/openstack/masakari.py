"""The resource types of Masakari, which starts servers of failed hosts elsewhere."""

from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.resources.base.property_rules import given, needs_version
from heat_lite.template.schema import (
    OURS,
    boolean,
    description_property,
    name_property,
    parent,
    string,
    switch,
)


class Segment(CloudResource):
    """A failover segment: hosts that stand in for each other."""

    resource_type = 'OS::Masakari::Segment'
    since = OURS
    rest = Rest('masakari', '/segments', 'segment', id='uuid')

    properties_schema = {
        'name': name_property(),
        'recovery_method': string(
            'How servers of a failed host are started: where Nova chooses, on a reserved host, or '
            'one after the other.',
            required=True,
            update_allowed=True,
            allowed=['auto', 'reserved_host', 'auto_priority', 'rh_priority'],
        ),
        'service_type': string(
            'Kind of the service on the hosts, for example "compute".',
            required=True,
            update_allowed=True,
        ),
        'description': description_property(),
        'enabled': boolean('Whether failures of the hosts are handled.', update_allowed=True),
    }
    property_rules = (needs_version('1.2', 'enabled', enabled=given),)


class Host(CloudResource):
    """A host of a failover segment."""

    resource_type = 'OS::Masakari::Host'
    since = OURS
    rest = Rest('masakari', '/segments/{segment}/hosts', 'host', id='uuid')
    unique_by = ('name',)

    properties_schema = {
        'control_attributes': string(
            'How the host is controlled, for its operator.', required=True, update_allowed=True
        ),
        'name': string('Name of the compute host in Nova.', required=True, update_allowed=True),
        'segment': parent('masakari.segment', 'Segment, by name or id.'),
        'type': string('Kind of the host, for its operator.', required=True, update_allowed=True),
        'on_maintenance': switch('Whether failures of the host are ignored.', default=False),
        'reserved': switch('Whether the host waits for servers of failed ones.', default=False),
    }
