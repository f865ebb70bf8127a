"""OS::Keystone::Service."""

from heat_lite.resources.cloud import CloudResource, Rest
from heat_lite.template import support
from heat_lite.template.schema import boolean, string


class Service(CloudResource):
    """A service that the catalog names."""

    resource_type = 'OS::Keystone::Service'
    support_status = support.since('5.0.0')
    rest = Rest('keystone', '/services', 'service', update='PATCH')
    entity = 'services'

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.', update_allowed=True),
        'type': string('What kind of service it is.', required=True, update_allowed=True),
        'description': string('A text that says what it is for.', update_allowed=True),
        'enabled': boolean('Whether it can be used.', default=True, update_allowed=True, support=support.since('6.0.0')),
    }
