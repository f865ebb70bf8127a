"""OS::Keystone::Group."""

from heat_lite.common import status
from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.resources.openstack.keystone import roles
from heat_lite.template.schema import description_property, name_property, string


class Group(CloudResource):
    """A group of users."""

    resource_type = 'OS::Keystone::Group'
    heat_class = 'KeystoneGroup'
    since = '2015.1'
    rest = Rest('keystone', '/groups', 'group', update='PATCH')
    entity = 'groups'

    property_rules = roles.ROLE_RULES
    properties_schema = {
        'name': name_property(),
        'description': description_property(default=''),
        'domain': string(
            'Domain of the group, by name or id.',
            default='default',
            update_allowed=True,
            ref='keystone.domain',
            wire='domain_id',
        ),
        'roles': roles.roles_property(
            'Roles that are assigned to the group.',
            'in which the group has the role',
            'Role of the group',
            sent=False,
        ),
    }

    def follow_up(self, action, diff):
        if 'roles' in diff:
            before = () if action == status.CREATE else self.stored_property('roles')
            yield from roles.assign(self, f'groups/{self.resource_id}', before, diff['roles'])
