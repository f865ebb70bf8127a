"""OS::Keystone::User."""

from heat_lite.common import status
from heat_lite.resources.cloud import CloudResource, Rest
from heat_lite.resources.openstack.keystone import roles
from heat_lite.template import support
from heat_lite.template.schema import boolean, boolean_attribute, list_, map_, string, text


class User(CloudResource):
    """A user."""

    resource_type = 'OS::Keystone::User'
    support_status = support.since('2015.1')
    rest = Rest('keystone', '/users', 'user', update='PATCH')
    entity = 'users'

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.', update_allowed=True),
        'default_project': string(
            'The project that is meant where none is named, by name or id.',
            update_allowed=True,
            ref='keystone.project',
            wire='default_project_id',
        ),
        'description': string('A text that says what it is for.', default='', update_allowed=True),
        'domain': string(
            'The domain that it belongs to, by name or id.', default='default', update_allowed=True, ref='keystone.domain', wire='domain_id'
        ),
        'email': string('The address for mail.', update_allowed=True),
        'enabled': boolean('Whether it can be used.', default=True, update_allowed=True),
        'groups': list_(
            'The groups that the user belongs to, by names or ids.', string(ref='keystone.group'), update_allowed=True, sent=False
        ),
        'password': string('The password.', update_allowed=True),
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
            sent=False,
        ),
    }
    attributes_schema = {
        'default_project_id': text('The id of the project that is meant where none is named.', support=support.since('9.0.0')),
        'domain_id': text('The id of its domain.', support=support.since('9.0.0')),
        'enabled': boolean_attribute('Whether it can be used.', support=support.since('9.0.0')),
        'name': text('Its name.', support=support.since('9.0.0')),
        'password_expires_at': text('When the password ends.', support=support.since('9.0.0')),
    }

    def validate(self):
        super().validate()
        roles.check(self)

    def after(self, action, diff):
        new = action == status.CREATE
        if 'groups' in diff:
            yield from self._belong(set(() if new else self.held('groups') or ()), set(diff['groups'] or ()))
        if 'roles' in diff:
            yield from roles.assign(self, f'users/{self.resource_id}', () if new else self.held('roles'), diff['roles'])

    def _belong(self, before, after):
        for group in sorted(before - after):
            yield from self.take_away(self.client().ask, 'DELETE', f'/groups/{group}/users/{self.resource_id}')
        for group in sorted(after - before):
            yield from self.ask(self.client().ask, 'PUT', f'/groups/{group}/users/{self.resource_id}')
