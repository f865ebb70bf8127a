"""OS::Keystone::UserRoleAssignment."""

from heat_lite.resources.openstack.keystone.roles import RoleAssignment, roles_property
from heat_lite.template.schema import string


class UserRoleAssignment(RoleAssignment):
    """The assignment of roles to a user."""

    resource_type = 'OS::Keystone::UserRoleAssignment'
    heat_class = 'KeystoneUserRoleAssignment'
    since = '5.0.0'
    actor = 'user'
    default_client_name = 'keystone'

    properties_schema = {
        'user': string(
            'User that receives the roles, by name or id.',
            required=True,
            update_allowed=True,
            ref='keystone.user',
        ),
        'roles': roles_property(
            'Roles to assign to the user.',
            'for which the role is assigned to the user',
            'Role to assign to the user',
        ),
    }
