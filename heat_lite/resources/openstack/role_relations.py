"""The roles of users and groups, and other relations of Keystone."""

from heat_lite.common.value_types import without_none
from heat_lite.resources.base.cloud import ServiceResource
from heat_lite.resources.base.named_object import Relation
from heat_lite.resources.base.property_rules import (
    conflict,
    empty,
    filled,
    for_each,
    given,
    missing,
    one_of,
    refuse,
)
from heat_lite.template.schema import OURS, boolean, list_, string

#: the key of the scope of assignments below a domain or a project
INHERITED = 'OS-INHERIT:inherited_to'


def roles_property(description, place, role, **options):
    """Return the schema of a list of roles, each with its project or domain. ``place`` and ``role``
    are parts of the descriptions of its keys.
    """
    keys = {
        'domain': string(f'Domain {place}, by name or id.', ref='keystone.domain'),
        'project': string(f'Project {place}, by name or id.', ref='keystone.project'),
        'role': string(f'{role}, by name or id.', required=True, ref='keystone.role'),
        'system': boolean('Whether the role is one for the system itself.', since=OURS),
    }
    return list_(description, keys, update_allowed=True, **options)


#: each role names either a project, a domain or the system
ROLE_RULES = (
    for_each(
        'roles',
        conflict('project', 'domain'),
        conflict('project', 'system', test=filled),
        conflict('domain', 'system', test=filled),
        refuse(
            'Either project or domain must be specified for role {role}',
            project=missing,
            domain=missing,
            system=empty,
            role=given,
        ),
    ),
)


def assign(resource, actor, before, after):
    """A generator: change the assignments of ``actor`` (``users/ID`` or ``groups/ID``)."""
    client, present, wanted = resource.client(), _paths(actor, before), _paths(actor, after)
    for path in sorted(present - wanted):
        yield from resource.delete_if_present(client.request_json, 'DELETE', path)
    for path in sorted(wanted - present):
        yield from resource.call_with_retry(client.request_json, 'PUT', path)


def _paths(actor, roles):
    return {f'{_scope_path(role)}/{actor}/roles/{role["role"]}' for role in roles or ()}


def _scope_path(role):
    if role.get('system'):
        return '/system'
    return (
        f'/projects/{role["project"]}'
        if role['project'] is not None
        else f'/domains/{role["domain"]}'
    )


def assigned(resource, kind, actor):
    """Return the roles of a user or a group (``kind``), without inherited ones."""
    listed = resource.client().list(
        '/role_assignments', 'role_assignments', **{f'{kind}.id': actor}
    )
    return [
        {'role': each['role']['id'], scope: place.get('id', True)}
        for each in listed
        for scope, place in each['scope'].items()
        if INHERITED not in each['scope']
    ]


class RoleAssignment(ServiceResource):
    """The role assignments of one user or group; ``actor`` is the property that names it."""

    actor: str
    property_rules = ROLE_RULES

    def get_reference_id(self):
        """Return the name of the resource: its physical id is that of the user or the group."""
        return self.name

    def handle_create(self):
        actor = self.properties[self.actor]
        yield from assign(self, f'{self.actor}s/{actor}', (), self.properties['roles'])
        self.resource_id_set(actor)

    def find_existing(self):
        """Return the id by the stored properties: Heat stores none for this type."""
        return self.stored_property(self.actor)

    def handle_update(self, definition, tmpl_diff, prop_diff):
        before, after = self.stored_property(self.actor), self.properties[self.actor]
        if before != after:
            yield from self.handle_delete()
        yield from assign(
            self,
            f'{self.actor}s/{after}',
            () if before != after else self.stored_property('roles'),
            self.properties['roles'],
        )
        self.resource_id_set(after)

    def get_live_state(self, resource_properties):
        stored = self.stored_properties()
        present = assigned(self, self.actor, stored[self.actor])
        roles = [each for each in stored['roles'] or () if without_none(each) in present]
        return {**stored, 'roles': roles}

    def live_properties(self):
        roles = assigned(self, self.actor, self.resource_id)
        return {self.actor: self.resource_id, 'roles': roles}

    def delete_object(self):
        yield from assign(
            self,
            f'{self.actor}s/{self.stored_property(self.actor)}',
            self.stored_property('roles'),
            (),
        )


class KeystoneGroupRoleAssignment(RoleAssignment):
    """The assignment of roles to a group."""

    resource_type = 'OS::Keystone::GroupRoleAssignment'
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


class KeystoneUserRoleAssignment(RoleAssignment):
    """The assignment of roles to a user."""

    resource_type = 'OS::Keystone::UserRoleAssignment'
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


class GroupMembership(Relation):
    """The membership of a user in a group that this or another stack, or none, has made."""

    resource_type = 'OS::Keystone::GroupMembership'
    since = OURS
    default_client_name = 'keystone'
    path = '/groups/{group}/users/{user}'

    properties_schema = {
        'group': string('Group, by name or id.', required=True, ref='keystone.group'),
        'user': string('User, by name or id.', required=True, ref='keystone.user'),
    }


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
