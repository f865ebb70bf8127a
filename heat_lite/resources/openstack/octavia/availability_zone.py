"""OS::Octavia::AvailabilityZone."""

from heat_lite.resources.cloud import CloudResource, Rest
from heat_lite.template import support
from heat_lite.template.schema import boolean, string, text


class AvailabilityZone(CloudResource):
    """A place where load balancers live."""

    resource_type = 'OS::Octavia::AvailabilityZone'
    support_status = support.since('24.0.0')
    rest = Rest('octavia', '/lbaas/availabilityzones', 'availability_zone', id='name')
    entity = None
    entity = None

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.', update_allowed=True),
        'availability_zone_profile': string(
            'The profile, by name or id.', required=True, ref='octavia.availabilityzoneprofile', wire='availability_zone_profile_id'
        ),
        'description': string('A text that says what it is for.', default='', update_allowed=True),
        'enabled': boolean('Whether it can be used.', default=True, update_allowed=True),
    }
    attributes_schema = {
        'availability_zone_profile_id': text('Its profile.'),
    }
