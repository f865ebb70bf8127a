"""OS::Keystone::UserRoleAssignment."""

from heat_lite.resources.openstack.keystone.roles import RoleAssignment
from heat_lite.template.schema import list_, map_, string


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
        'roles': list_(
            'Roles to assign to the user.',
            map_(
                None,
                {
                    'domain': string(
                        'Domain for which the role is assigned to the user, by name or id.',
                        ref='keystone.domain',
                    ),
                    'project': string(
                        'Project for which the role is assigned to the user, by name or id.',
                        ref='keystone.project',
                    ),
                    'role': string(
                        'Role to assign to the user, by name or id.',
                        required=True,
                        ref='keystone.role',
                    ),
                },
            ),
            update_allowed=True,
        ),
    }
