"""OS::Octavia::FlavorProfile."""

from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.template.schema import name_property, string


class FlavorProfile(CloudResource):
    """A flavor profile: the data for the provider driver."""

    resource_type = 'OS::Octavia::FlavorProfile'
    since = '14.0.0'
    rest = Rest('octavia', '/lbaas/flavorprofiles', 'flavorprofile')
    entity = None

    properties_schema = {
        'name': name_property(),
        'flavor_data': string(
            'Flavor data for the provider driver, as JSON.',
            required=True,
            update_allowed=True,
            custom='json_string',
        ),
        'provider_name': string('Name of the provider of the flavor.', update_allowed=True),
    }
