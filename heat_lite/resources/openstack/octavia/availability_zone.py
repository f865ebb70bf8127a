"""OS::Octavia::AvailabilityZone."""

from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.template.schema import description_property, name_property, string, switch, text


class AvailabilityZone(CloudResource):
    """An availability zone of load balancers."""

    resource_type = 'OS::Octavia::AvailabilityZone'
    since = '24.0.0'
    rest = Rest('octavia', '/lbaas/availabilityzones', 'availability_zone', id='name')
    entity = None

    properties_schema = {
        'name': name_property(),
        'availability_zone_profile': string(
            'Availability zone profile, by name or id.',
            required=True,
            ref='octavia.availabilityzoneprofile',
            wire='availability_zone_profile_id',
        ),
        'description': description_property(default=''),
        'enabled': switch('Whether the availability zone is enabled.'),
    }
    attributes_schema = {
        'availability_zone_profile_id': text('Id of the availability zone profile.')
    }
