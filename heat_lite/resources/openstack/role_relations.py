"""OS::Keystone::ImpliedRole and OS::Keystone::InheritedRoleAssignment."""

from heat_lite.resources.base.named_object import Relation
from heat_lite.resources.base.property_rules import conflict, one_of
from heat_lite.template.schema import OURS, string


class ImpliedRole(Relation):
    """A role that each assignment of another role implies."""

    resource_type = 'OS::Keystone::ImpliedRole'
    since = OURS
    default_client_name = 'keystone'
    path = '/roles/{role}/implies/{implied_role}'

    properties_schema = {
        'implied_role': string(
            'Role that is implied, by name or id.', required=True, ref='keystone.role'
        ),
        'role': string('Role that implies it, by name or id.', required=True, ref='keystone.role'),
    }


class InheritedRoleAssignment(Relation):
    """A role in all projects below a domain or a project."""

    resource_type = 'OS::Keystone::InheritedRoleAssignment'
    since = OURS
    default_client_name = 'keystone'

    properties_schema = {
        'role': string('Role to assign, by name or id.', required=True, ref='keystone.role'),
        'domain': string('Domain of the projects, by name or id.', ref='keystone.domain'),
        'group': string('Group that receives the role, by name or id.', ref='keystone.group'),
        'project': string('Project above the projects, by name or id.', ref='keystone.project'),
        'user': string('User that receives the role, by name or id.', ref='keystone.user'),
    }
    property_rules = (
        one_of('user', 'group'),
        conflict('user', 'group'),
        one_of('project', 'domain'),
        conflict('project', 'domain'),
    )

    def relation_path(self, values):
        actor = 'user' if values['user'] else 'group'
        scope = 'project' if values['project'] else 'domain'
        parts = [f'{each}s/{values[each]}' for each in (scope, actor, 'role')]
        return f'/OS-INHERIT/{"/".join(parts)}/inherited_to_projects'
