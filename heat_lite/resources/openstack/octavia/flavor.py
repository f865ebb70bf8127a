"""OS::Octavia::Flavor."""

from heat_lite.resources.cloud import CloudResource, Rest
from heat_lite.template import support
from heat_lite.template.schema import boolean, string, text


class Flavor(CloudResource):
    """A kind of load balancers."""

    resource_type = 'OS::Octavia::Flavor'
    support_status = support.since('14.0.0')
    rest = Rest('octavia', '/lbaas/flavors', 'flavor')
    entity = None
    entity = None

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.', update_allowed=True),
        'flavor_profile': string('The profile, by name or id.', required=True, ref='octavia.flavorprofile', wire='flavor_profile_id'),
        'description': string('A text that says what it is for.', default='', update_allowed=True),
        'enabled': boolean('Whether it can be used.', default=True, update_allowed=True),
    }
    attributes_schema = {
        'flavor_profile_id': text('Its profile.'),
    }
