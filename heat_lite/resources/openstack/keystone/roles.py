"""The roles of Keystone and their assignment to users and groups."""

from heat_lite.resources.base.cloud import CloudResource, Rest, ServiceResource
from heat_lite.resources.base.property_rules import conflict, for_each, given, missing, refuse
from heat_lite.template.schema import list_, map_, name_property, string


def roles_property(description, place, role, **options):
    """Return the schema of a list of roles, each with its project or domain. ``place`` and ``role``
    are parts of the descriptions of its keys.
    """
    keys = {
        'domain': string(f'Domain {place}, by name or id.', ref='keystone.domain'),
        'project': string(f'Project {place}, by name or id.', ref='keystone.project'),
        'role': string(f'{role}, by name or id.', required=True, ref='keystone.role'),
    }
    return list_(description, map_(None, keys), update_allowed=True, **options)


#: each role names either a project or a domain
ROLE_RULES = (
    for_each(
        'roles',
        conflict('project', 'domain'),
        refuse(
            'Either project or domain must be specified for role {role}',
            project=missing,
            domain=missing,
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
    return (
        f'/projects/{role["project"]}'
        if role['project'] is not None
        else f'/domains/{role["domain"]}'
    )


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
        return None if self.record.properties is None else self.stored_property(self.actor)

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

    def handle_delete(self):
        if self.resource_id is not None:
            yield from assign(
                self,
                f'{self.actor}s/{self.stored_property(self.actor)}',
                self.stored_property('roles'),
                (),
            )


class KeystoneRole(CloudResource):
    """A role, which policies grant permissions to."""

    resource_type = 'OS::Keystone::Role'
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
