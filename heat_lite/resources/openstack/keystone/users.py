"""OS::Keystone::User and OS::Keystone::Group."""

from heat_lite.common import status
from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.resources.openstack.keystone import roles
from heat_lite.template.schema import (
    boolean_attribute,
    description_property,
    list_,
    name_property,
    string,
    switch,
    text,
)


class KeystoneUser(CloudResource):
    """A user."""

    resource_type = 'OS::Keystone::User'
    since = '2015.1'
    rest = Rest('keystone', '/users', 'user', update='PATCH')
    entity = 'users'

    property_rules = roles.ROLE_RULES
    properties_schema = {
        'name': name_property(),
        'default_project': string(
            'Default project of the user, by name or id.',
            update_allowed=True,
            ref='keystone.project',
            wire='default_project_id',
        ),
        'description': description_property(default=''),
        'domain': string(
            'Domain of the user, by name or id.',
            default='default',
            update_allowed=True,
            ref='keystone.domain',
            wire='domain_id',
        ),
        'email': string('E-mail address of the user.', update_allowed=True),
        'enabled': switch('Whether the user is enabled.'),
        'groups': list_(
            'Groups of the user, by name or id.',
            string(ref='keystone.group'),
            update_allowed=True,
            sent=False,
        ),
        'password': string('Password of the user.', update_allowed=True),
        'roles': roles.roles_property(
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

    def follow_up(self, action, diff):
        new = action == status.CREATE
        if 'groups' in diff:
            yield from self._update_groups(
                set(() if new else self.stored_property('groups') or ()), set(diff['groups'] or ())
            )
        if 'roles' in diff:
            yield from roles.assign(
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
    rest = Rest('keystone', '/groups', 'group', update='PATCH')
    entity = 'groups'

    property_rules = roles.ROLE_RULES
    properties_schema = {
        'name': name_property(),
        'description': description_property(default=''),
        'domain': string(
            'Domain of the group, by name or id.',
            default='default',
            update_allowed=True,
            ref='keystone.domain',
            wire='domain_id',
        ),
        'roles': roles.roles_property(
            'Roles that are assigned to the group.',
            'in which the group has the role',
            'Role of the group',
            sent=False,
        ),
    }

    def follow_up(self, action, diff):
        if 'roles' in diff:
            before = () if action == status.CREATE else self.stored_property('roles')
            yield from roles.assign(self, f'groups/{self.resource_id}', before, diff['roles'])
