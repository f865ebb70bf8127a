"""OS::Keystone::Service."""

from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.template.schema import description_property, name_property, string, switch


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
        'enabled': switch('Whether the service is enabled.', since='6.0.0'),
    }
