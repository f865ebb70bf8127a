"""The resource types of Keystone."""

from heat_lite.common import status
from heat_lite.common.value_types import without_none
from heat_lite.resources.base.cloud import CloudResource, Rest, ServiceResource
from heat_lite.resources.base.property_rules import (
    conflict,
    for_each,
    given,
    missing,
    refuse,
)
from heat_lite.template.schema import (
    OURS,
    boolean_attribute,
    description_property,
    list_,
    map_,
    name_property,
    reference,
    string,
    switch,
    text,
)

#: the key of the scope of assignments below a domain or a project
INHERITED = 'OS-INHERIT:inherited_to'


def _rest(kind):
    return Rest('keystone', f'/{kind}s', kind, update='PATCH')


def domain_property(noun):
    """Return the schema of the domain of an object."""
    return string(
        f'Domain of the {noun}, by name or id.',
        default='default',
        update_allowed=True,
        ref='keystone.domain',
        wire='domain_id',
    )


def roles_property(description, place, role, **options):
    """Return the schema of a list of roles, each with its project or domain. ``place`` and ``role``
    are parts of the descriptions of its keys.
    """
    keys = {
        'domain': string(f'Domain {place}, by name or id.', ref='keystone.domain'),
        'project': string(f'Project {place}, by name or id.', ref='keystone.project'),
        'role': string(f'{role}, by name or id.', required=True, ref='keystone.role'),
    }
    return list_(description, keys, update_allowed=True, **options)


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
        present = self._assigned(stored[self.actor])
        roles = [each for each in stored['roles'] or () if without_none(each) in present]
        return {**stored, 'roles': roles}

    def live_properties(self):
        return {self.actor: self.resource_id, 'roles': self._assigned(self.resource_id)}

    def _assigned(self, actor):
        """Return the roles of a user or a group, without inherited ones."""
        query = {f'{self.actor}.id': actor}
        return [
            {'role': each['role']['id'], scope: each['scope'][scope]['id']}
            for each in self.client().list('/role_assignments', 'role_assignments', **query)
            for scope in ('project', 'domain')
            if scope in each['scope'] and INHERITED not in each['scope']
        ]

    def delete_object(self):
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
    rest = _rest('role')

    properties_schema = {
        'name': name_property(),
        'domain': reference(
            'keystone.domain', 'Domain of the role, by name or id.', since='16.0.0'
        ),
        'description': description_property(since=OURS),
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


class KeystoneUser(CloudResource):
    """A user."""

    resource_type = 'OS::Keystone::User'
    since = '2015.1'
    rest = _rest('user')

    property_rules = ROLE_RULES
    properties_schema = {
        'name': name_property(),
        'default_project': reference(
            'keystone.project', 'Default project of the user, by name or id.', update_allowed=True
        ),
        'description': description_property(default=''),
        'domain': domain_property('user'),
        'email': string('E-mail address of the user.', update_allowed=True),
        'enabled': switch('Whether the user is enabled.'),
        'groups': list_(
            'Groups of the user, by name or id.',
            string(ref='keystone.group'),
            update_allowed=True,
            sent=False,
        ),
        'options': map_(
            'Options of the user, for example ignore_password_expiry: true.',
            update_allowed=True,
            since=OURS,
        ),
        'password': string('Password of the user.', update_allowed=True),
        'roles': roles_property(
            'Roles that are assigned to the user.',
            'in which the user has the role',
            'Role of the user',
            sent=False,
        ),
    }
    attributes_schema = {
        'default_project_id': text('Id of the default project of the user.', since='9.0.0'),
        'domain_id': text('Id of the domain of the user.', since='9.0.0'),
        'enabled': boolean_attribute('Whether Keystone shows the user as enabled.', since='9.0.0'),
        'name': text('Name of the user.', since='9.0.0'),
        'password_expires_at': text('Time at which the password expires.', since='9.0.0'),
    }

    def changes(self, changed, diff):
        if 'options' in changed:  # Keystone keeps the options that a request does not name
            before = dict.fromkeys(self.stored_property('options') or ())
            changed['options'] = {**before, **(changed['options'] or {})}
        return changed

    def follow_up(self, action, diff):
        new = action == status.CREATE
        if 'groups' in diff:
            yield from self._update_groups(
                set(() if new else self.stored_property('groups') or ()), set(diff['groups'] or ())
            )
        if 'roles' in diff:
            yield from assign(
                self,
                f'users/{self.resource_id}',
                () if new else self.stored_property('roles'),
                diff['roles'],
            )

    def _update_groups(self, before, after):
        for group in sorted(before - after):
            yield from self.delete_if_present(
                self.client().request_json, 'DELETE', f'/groups/{group}/users/{self.resource_id}'
            )
        for group in sorted(after - before):
            yield from self.send('PUT', f'/groups/{group}/users/{self.resource_id}')


class KeystoneGroup(CloudResource):
    """A group of users."""

    resource_type = 'OS::Keystone::Group'
    since = '2015.1'
    rest = _rest('group')

    property_rules = ROLE_RULES
    properties_schema = {
        'name': name_property(),
        'description': description_property(default=''),
        'domain': domain_property('group'),
        'roles': roles_property(
            'Roles that are assigned to the group.',
            'in which the group has the role',
            'Role of the group',
            sent=False,
        ),
    }

    def follow_up(self, action, diff):
        if 'roles' in diff:
            before = () if action == status.CREATE else self.stored_property('roles')
            yield from assign(self, f'groups/{self.resource_id}', before, diff['roles'])


class KeystoneProject(CloudResource):
    """A project: the owner of objects in a cloud."""

    resource_type = 'OS::Keystone::Project'
    since = '2015.1'
    rest = _rest('project')

    properties_schema = {
        'name': name_property(),
        'description': description_property(default=''),
        'domain': domain_property('project'),
        'enabled': switch('Whether the project is enabled.'),
        'parent': reference('keystone.project', 'Parent project, by name or id.', since='6.0.0'),
        'tags': list_('Tags of the project.', default=[], update_allowed=True, since='10.0.0'),
    }
    attributes_schema = {
        'domain_id': text('Id of the domain of the project.', since='10.0.0'),
        'enabled': boolean_attribute(
            'Whether Keystone shows the project as enabled.', since='10.0.0'
        ),
        'is_domain': boolean_attribute('Whether the project acts as a domain.', since='10.0.0'),
        'name': text('Name of the project.', since='10.0.0'),
        'parent_id': text('Id of the parent project.', since='10.0.0'),
    }


class KeystoneDomain(CloudResource):
    """A domain: a collection of projects, users and groups."""

    resource_type = 'OS::Keystone::Domain'
    since = '8.0.0'
    rest = _rest('domain')

    properties_schema = {
        'name': name_property(),
        'description': description_property(),
        'enabled': switch('Whether the domain is enabled.'),
    }

    def delete_object(self):
        """A generator: disable the domain first; Keystone refuses to delete an enabled one."""
        yield from self.delete_if_present(
            self.client().update,
            self.object_path(),
            self.rest.key,
            {'enabled': False},
            self.rest.update,
        )
        yield from super().delete_object()


class KeystoneService(CloudResource):
    """A service in the catalog."""

    resource_type = 'OS::Keystone::Service'
    since = '5.0.0'
    rest = _rest('service')

    properties_schema = {
        'name': name_property(),
        'type': string(
            'Type of the service, for example "compute".', required=True, update_allowed=True
        ),
        'description': description_property(),
        'enabled': switch('Whether the service is enabled.', since='6.0.0'),
    }


class KeystoneEndpoint(CloudResource):
    """An endpoint: the URL of a service in the catalog."""

    resource_type = 'OS::Keystone::Endpoint'
    since = '5.0.0'
    rest = _rest('endpoint')

    properties_schema = {
        'name': name_property(),
        'interface': string(
            'Interface of the endpoint: public, internal or admin.',
            required=True,
            update_allowed=True,
            allowed=['public', 'internal', 'admin'],
        ),
        'service': reference(
            'keystone.service',
            'Service of the endpoint, by name or id.',
            required=True,
            update_allowed=True,
        ),
        'url': string('URL of the endpoint.', required=True, update_allowed=True),
        'enabled': switch('Whether the endpoint is enabled.', since='6.0.0'),
        'region': reference(
            'keystone.region', 'Region of the endpoint, by id.', update_allowed=True
        ),
    }


class KeystoneRegion(CloudResource):
    """A region: a part of a cloud with its own endpoints."""

    resource_type = 'OS::Keystone::Region'
    since = '6.0.0'
    rest = _rest('region')

    properties_schema = {
        'description': description_property(),
        'enabled': switch('Whether the region is enabled.'),
        'id': string('Id of the region. If omitted, Keystone generates one.'),
        'parent_region': reference('keystone.region', 'Parent region, by id.', update_allowed=True),
    }

    def body(self, values):
        return {'id': self.record.uuid, **values}

    def can_be_found(self):
        return self.stored_property('id') is None

    def find_existing(self):
        """Return the id of the region that an interrupted create has made, or None. Raises
        Interrupted for an id of the template: the region may belong to something else.
        """
        wanted = self.stored_property('id') or self.record.uuid
        if all(each['id'] != wanted for each in self.client().list('/regions', 'regions')):
            return None
        return wanted if self.can_be_found() else super().find_existing()
