"""OS::Keystone::GroupRoleAssignment."""

from heat_lite.resources.openstack.keystone.roles import RoleAssignment
from heat_lite.template.schema import list_, map_, string


class GroupRoleAssignment(RoleAssignment):
    """The assignment of roles to a group."""

    resource_type = 'OS::Keystone::GroupRoleAssignment'
    heat_class = 'KeystoneGroupRoleAssignment'
    since = '5.0.0'
    actor = 'group'
    default_client_name = 'keystone'

    properties_schema = {
        'group': string(
            'Group that receives the roles, by name or id.',
            required=True,
            update_allowed=True,
            ref='keystone.group',
        ),
        'roles': list_(
            'Roles to assign to the group.',
            map_(
                None,
                {
                    'domain': string(
                        'Domain for which the role is assigned to the group, by name or id.',
                        ref='keystone.domain',
                    ),
                    'project': string(
                        'Project for which the role is assigned to the group, by name or id.',
                        ref='keystone.project',
                    ),
                    'role': string(
                        'Role to assign to the group, by name or id.',
                        required=True,
                        ref='keystone.role',
                    ),
                },
            ),
            update_allowed=True,
        ),
    }
