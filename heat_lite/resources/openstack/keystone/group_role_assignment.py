"""OS::Keystone::GroupRoleAssignment."""

from heat_lite.resources.openstack.keystone.roles import RoleAssignment, roles_property
from heat_lite.template.schema import string


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
        'roles': roles_property(
            'Roles to assign to the group.',
            'for which the role is assigned to the group',
            'Role to assign to the group',
        ),
    }
