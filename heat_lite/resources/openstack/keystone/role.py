"""OS::Keystone::Role."""

from heat_lite.resources.cloud import CloudResource, Rest
from heat_lite.template import support
from heat_lite.template.schema import string


class Role(CloudResource):
    """A role: what those who have it may do, policies say."""

    resource_type = 'OS::Keystone::Role'
    support_status = support.since('2015.1')
    rest = Rest('keystone', '/roles', 'role', update='PATCH')
    entity = 'roles'

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.', update_allowed=True),
        'domain': string(
            'The domain that it belongs to, by name or id.', ref='keystone.domain', support=support.since('16.0.0'), wire='domain_id'
        ),
    }
