"""OS::Octavia::Flavor."""

from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.template.schema import boolean, description_property, name_property, string, text


class Flavor(CloudResource):
    """A flavor of load balancers."""

    resource_type = 'OS::Octavia::Flavor'
    since = '14.0.0'
    rest = Rest('octavia', '/lbaas/flavors', 'flavor')
    entity = None
    entity = None

    properties_schema = {
        'name': name_property(),
        'flavor_profile': string(
            'Flavor profile, by name or id.',
            required=True,
            ref='octavia.flavorprofile',
            wire='flavor_profile_id',
        ),
        'description': description_property(default=''),
        'enabled': boolean('Whether the flavor is enabled.', default=True, update_allowed=True),
    }
    attributes_schema = {'flavor_profile_id': text('Id of the flavor profile.')}
