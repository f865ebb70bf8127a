"""The types of the catalog of Keystone: services, endpoints and regions."""

from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.template.schema import description_property, name_property, string, switch


class KeystoneService(CloudResource):
    """A service in the catalog."""

    resource_type = 'OS::Keystone::Service'
    since = '5.0.0'
    rest = Rest('keystone', '/services', 'service', update='PATCH')
    entity = 'services'

    properties_schema = {
        'name': name_property(),
        'type': string(
            'Type of the service, for example "compute".', required=True, update_allowed=True
        ),
        'description': description_property(),
        'enabled': switch('Whether the service is enabled.', since='6.0.0'),
    }


class KeystoneEndpoint(CloudResource):
    """An endpoint: the URL of a service in the catalog."""

    resource_type = 'OS::Keystone::Endpoint'
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


class KeystoneRegion(CloudResource):
    """A region: a part of a cloud with its own endpoints."""

    resource_type = 'OS::Keystone::Region'
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
