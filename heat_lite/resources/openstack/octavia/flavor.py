"""OS::Octavia::Flavor."""

from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.template.schema import description_property, name_property, string, switch, text


class Flavor(CloudResource):
    """A flavor of load balancers."""

    resource_type = 'OS::Octavia::Flavor'
    since = '14.0.0'
    rest = Rest('octavia', '/lbaas/flavors', 'flavor')
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
        'enabled': switch('Whether the flavor is enabled.'),
    }
    attributes_schema = {'flavor_profile_id': text('Id of the flavor profile.')}
