"""OS::Keystone::Service."""

from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.template.schema import boolean, description_property, name_property, string


class Service(CloudResource):
    """A service in the catalog."""

    resource_type = 'OS::Keystone::Service'
    heat_class = 'KeystoneService'
    since = '5.0.0'
    rest = Rest('keystone', '/services', 'service', update='PATCH')
    entity = 'services'

    properties_schema = {
        'name': name_property(),
        'type': string(
            'Type of the service, for example "compute".', required=True, update_allowed=True
        ),
        'description': description_property(),
        'enabled': boolean(
            'Whether the service is enabled.', default=True, update_allowed=True, since='6.0.0'
        ),
    }
