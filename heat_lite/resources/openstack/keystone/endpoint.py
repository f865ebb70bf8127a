"""OS::Keystone::Endpoint."""

from heat_lite.resources.cloud import CloudResource, Rest
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues
from heat_lite.template.schema import boolean, string


class Endpoint(CloudResource):
    """Where the catalog says that a service is."""

    resource_type = 'OS::Keystone::Endpoint'
    support_status = support.since('5.0.0')
    rest = Rest('keystone', '/endpoints', 'endpoint', update='PATCH')
    entity = 'endpoints'

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.', update_allowed=True),
        'interface': string(
            'For whom it is.', required=True, update_allowed=True, constraints=[AllowedValues(['public', 'internal', 'admin'])]
        ),
        'service': string('The service, by name or id.', required=True, update_allowed=True, ref='keystone.service', wire='service_id'),
        'url': string('The address.', required=True, update_allowed=True),
        'enabled': boolean('Whether it can be used.', default=True, update_allowed=True, support=support.since('6.0.0')),
        'region': string('The region, by its id.', update_allowed=True, ref='keystone.region', wire='region_id'),
    }
