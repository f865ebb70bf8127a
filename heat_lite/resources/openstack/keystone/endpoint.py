"""OS::Keystone::Endpoint."""

from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.template.schema import name_property, string, switch


class Endpoint(CloudResource):
    """An endpoint: the URL of a service in the catalog."""

    resource_type = 'OS::Keystone::Endpoint'
    heat_class = 'KeystoneEndpoint'
    since = '5.0.0'
    rest = Rest('keystone', '/endpoints', 'endpoint', update='PATCH')
    entity = 'endpoints'

    properties_schema = {
        'name': name_property(),
        'interface': string(
            'Interface of the endpoint: public, internal or admin.',
            required=True,
            update_allowed=True,
            allowed=['public', 'internal', 'admin'],
        ),
        'service': string(
            'Service of the endpoint, by name or id.',
            required=True,
            update_allowed=True,
            ref='keystone.service',
            wire='service_id',
        ),
        'url': string('URL of the endpoint.', required=True, update_allowed=True),
        'enabled': switch('Whether the endpoint is enabled.', since='6.0.0'),
        'region': string(
            'Region of the endpoint, by id.',
            update_allowed=True,
            ref='keystone.region',
            wire='region_id',
        ),
    }
