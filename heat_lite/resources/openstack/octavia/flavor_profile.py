"""OS::Octavia::FlavorProfile."""

from heat_lite.resources.cloud import CloudResource, Rest
from heat_lite.template import support
from heat_lite.template.constraints import CustomConstraint
from heat_lite.template.schema import string


class FlavorProfile(CloudResource):
    """What the provider of a kind of load balancers is told."""

    resource_type = 'OS::Octavia::FlavorProfile'
    support_status = support.since('14.0.0')
    rest = Rest('octavia', '/lbaas/flavorprofiles', 'flavorprofile')
    entity = None
    entity = None

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.', update_allowed=True),
        'flavor_data': string(
            'What the provider is told, as JSON.', required=True, update_allowed=True, constraints=[CustomConstraint('json_string')]
        ),
        'provider_name': string('The provider.', update_allowed=True),
    }
