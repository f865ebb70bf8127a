"""OS::Keystone::Role."""

from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.template.schema import name_property, string


class Role(CloudResource):
    """A role, which policies grant permissions to."""

    resource_type = 'OS::Keystone::Role'
    heat_class = 'KeystoneRole'
    since = '2015.1'
    rest = Rest('keystone', '/roles', 'role', update='PATCH')
    entity = 'roles'

    properties_schema = {
        'name': name_property(),
        'domain': string(
            'Domain of the role, by name or id.',
            ref='keystone.domain',
            since='16.0.0',
            wire='domain_id',
        ),
    }
