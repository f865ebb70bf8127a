"""OS::Keystone::Region."""

from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.template.schema import description_property, string, switch


class Region(CloudResource):
    """A region: a part of a cloud with its own endpoints."""

    resource_type = 'OS::Keystone::Region'
    heat_class = 'KeystoneRegion'
    since = '6.0.0'
    rest = Rest('keystone', '/regions', 'region', update='PATCH')
    entity = 'regions'

    properties_schema = {
        'description': description_property(),
        'enabled': switch('Whether the region is enabled.'),
        'id': string('Id of the region. If omitted, Keystone generates one.'),
        'parent_region': string(
            'Parent region, by id.',
            update_allowed=True,
            ref='keystone.region',
            wire='parent_region_id',
        ),
    }
