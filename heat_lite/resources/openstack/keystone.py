"""The resource types of Keystone."""

from heat_lite.common import status
from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.resources.openstack.role_relations import (
    ROLE_RULES,
    assign,
    assigned,
    roles_property,
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


class WithExtra(CloudResource):
    """An object with further values, which Keystone keeps for the property ``extra``."""

    observed_keys = {'extra': 'extra'}
    #: the keys of the object that are not further values
    own_keys: frozenset[str]

    def body(self, values):
        return {**(self.properties['extra'] or {}), **values}

    def changes(self, changed, diff):
        before = dict.fromkeys(self.stored_property('extra') or ())
        return {**before, **(diff['extra'] or {}), **changed} if 'extra' in diff else changed

    def normalize(self, found):
        """Return the object with its further values in one map."""
        others = {key: found[key] for key in found.keys() - self.own_keys if found[key] is not None}
        return {**found, 'extra': others}


def extra_property(noun):
    return map_(
        f'Further values of the {noun}, which Keystone keeps and shows.',
        update_allowed=True,
        since=OURS,
        sent=False,
    )


class KeystoneRole(CloudResource):
    """A role, which policies grant permissions to."""

    resource_type = 'OS::Keystone::Role'
    since = '2015.1'
    rest = _rest('role')
    entity = 'roles'

    properties_schema = {
        'name': name_property(),
        'domain': reference(
            'keystone.domain', 'Domain of the role, by name or id.', since='16.0.0'
        ),
        'description': description_property(since=OURS),
    }


class KeystoneUser(WithExtra):
    """A user."""

    resource_type = 'OS::Keystone::User'
    since = '2015.1'
    rest = _rest('user')
    entity = 'users'
    own_keys = frozenset(
        'default_project_id description domain_id email enabled federated id links name options '
        'password_expires_at'.split()
    )

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
        'extra': extra_property('user'),
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
    parts = ('groups', 'roles')

    def fetch_part(self, name):
        if name == 'roles':
            return assigned(self, 'user', self.resource_id)
        return [each['id'] for each in self.client().list(f'{self.object_path()}/groups', 'groups')]

    def changes(self, changed, diff):
        if 'options' in changed:  # Keystone keeps the options that a request does not name
            before = dict.fromkeys(self.stored_property('options') or ())
            changed['options'] = {**before, **(changed['options'] or {})}
        return super().changes(changed, diff)

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
    entity = 'groups'

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
    parts = ('roles',)

    def fetch_part(self, name):
        return assigned(self, 'group', self.resource_id)

    def follow_up(self, action, diff):
        if 'roles' in diff:
            before = () if action == status.CREATE else self.stored_property('roles')
            yield from assign(self, f'groups/{self.resource_id}', before, diff['roles'])


class KeystoneProject(WithExtra):
    """A project: the owner of objects in a cloud."""

    resource_type = 'OS::Keystone::Project'
    since = '2015.1'
    rest = _rest('project')
    entity = 'projects'
    own_keys = frozenset(
        'description domain_id enabled id is_domain links name options parent_id tags'.split()
    )

    properties_schema = {
        'name': name_property(),
        'description': description_property(default=''),
        'domain': domain_property('project'),
        'enabled': switch('Whether the project is enabled.'),
        'extra': extra_property('project'),
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

    def normalize(self, found):
        """Return the project without the parent that each one without another has: its domain."""
        top = found['parent_id'] == found['domain_id']
        return {**super().normalize(found), **({'parent_id': None} if top else {})}


class KeystoneDomain(CloudResource):
    """A domain: a collection of projects, users and groups."""

    resource_type = 'OS::Keystone::Domain'
    since = '8.0.0'
    rest = _rest('domain')
    entity = 'domains'

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
    entity = 'services'

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
    entity = 'endpoints'

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
    entity = 'regions'

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
