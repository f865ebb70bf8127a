"""OS::Keystone::GroupRoleAssignment."""

from heat_lite.resources.openstack.keystone.roles import RoleAssignment
from heat_lite.template import support
from heat_lite.template.schema import list_, map_, string


class GroupRoleAssignment(RoleAssignment):
    """Roles that a group has."""

    resource_type = 'OS::Keystone::GroupRoleAssignment'
    support_status = support.since('5.0.0')
    actor = 'group'
    default_client_name = 'keystone'

    properties_schema = {
        'group': string('The group, by name or id.', required=True, update_allowed=True, ref='keystone.group'),
        'roles': list_(
            'Roles that it has.',
            map_(
                None,
                {
                    'domain': string('The domain that it has the role in, by name or id.', ref='keystone.domain'),
                    'project': string('The project that it has the role in, by name or id.', ref='keystone.project'),
                    'role': string('The role, by name or id.', required=True, ref='keystone.role'),
                },
            ),
            update_allowed=True,
        ),
    }
