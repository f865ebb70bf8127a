"""OS::Keystone::Region."""

from heat_lite.resources.cloud import CloudResource, Rest
from heat_lite.template import support
from heat_lite.template.schema import boolean, string


class Region(CloudResource):
    """A part of a cloud with services of its own."""

    resource_type = 'OS::Keystone::Region'
    support_status = support.since('6.0.0')
    rest = Rest('keystone', '/regions', 'region', update='PATCH')
    entity = 'regions'

    properties_schema = {
        'description': string('A text that says what it is for.', update_allowed=True),
        'enabled': boolean('Whether it can be used.', default=True, update_allowed=True),
        'id': string('Its id; without one, the service makes one up.'),
        'parent_region': string(
            'The region that it is a part of, by its id.', update_allowed=True, ref='keystone.region', wire='parent_region_id'
        ),
    }
