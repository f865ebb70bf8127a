"""OS::Octavia::AvailabilityZoneProfile."""

from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.template.schema import name_property, string


class AvailabilityZoneProfile(CloudResource):
    """An availability zone profile: the data for the provider driver."""

    resource_type = 'OS::Octavia::AvailabilityZoneProfile'
    since = '24.0.0'
    rest = Rest('octavia', '/lbaas/availabilityzoneprofiles', 'availability_zone_profile')
    entity = None

    properties_schema = {
        'name': name_property(),
        'availability_zone_data': string(
            'Availability zone data for the provider driver, as JSON.',
            required=True,
            update_allowed=True,
            custom='json_string',
        ),
        'provider_name': string(
            'Name of the provider of the availability zone.', update_allowed=True
        ),
    }
