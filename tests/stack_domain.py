"""A fake Keystone with a domain of stack users: projects, users, roles and access keys."""

import hashlib
import json
import uuid

from tests import identity

ADMIN, PASSWORD, DOMAIN = 'domain_admin', 'secret', {'id': 'stacks', 'name': 'Stacks'}
ROLE = {'id': 'role-1', 'name': 'heat_stack_user'}


class Identity(identity.Identity):
    """``projects``, ``people`` and ``keys`` are the created objects by id.

    All requests but authentication need the domain's administrator.
    """

    ROUTES = (
        ('GET', '/v3/roles', 'roles'),
        ('POST', '/v3/projects', 'make_project'),
        ('DELETE', '/v3/projects/([^/]+)', 'drop_project'),
        ('GET', '/v3/projects/([^/]+)', 'show_project'),
        ('GET', '/v3/users', 'find_users'),
        ('GET', '/v3/users/([^/]+)', 'show_user'),
        ('GET', '/v3/credentials/([^/]+)', 'show_key'),
        ('POST', '/v3/users', 'make_user'),
        ('PATCH', '/v3/users/([^/]+)', 'change_user'),
        ('DELETE', '/v3/users/([^/]+)', 'drop_user'),
        ('PUT', '/v3/projects/([^/]+)/users/([^/]+)/roles/([^/]+)', 'grant'),
        ('POST', '/v3/credentials', 'make_key'),
        ('DELETE', '/v3/credentials/([^/]+)', 'drop_key'),
        *identity.Identity.ROUTES,
    )

    def __init__(self, services, users=None):
        super().__init__(
            {**(users or {}), ADMIN: {'password': PASSWORD, 'project': ADMIN, 'roles': ['admin']}},
            services,
        )
        self.made, self.people, self.keys, self.grants = {}, {}, {}, set()

    def log_in(self, environ, body):
        if 'password' not in body['auth']['identity']['methods']:
            return super().log_in(environ, body)
        given = body['auth']['identity']['password']['user']
        person = self.people.get(given.get('id'))
        if person is None:
            status, answer, headers = super().log_in(environ, body)
            if given.get('name') != ADMIN:
                return status, answer, headers
            answer['token'].update(domain=DOMAIN, roles=[{'id': 'admin', 'name': 'admin'}])
            return status, answer, headers
        project = body['auth']['scope']['project']['id']
        if (
            person['password'] != given['password']
            or not person['enabled']
            or (project, person['id']) not in self.grants
        ):
            raise identity.Refused(401, 'The request you have made requires authentication.')
        self.users[person['name']] = {
            'password': person['password'],
            'project': project,
            'roles': [ROLE['name']],
        }
        status, answer, headers = self.issue(person['name'], {'project': {}}, ['password'])
        answer['token']['user'].update(id=person['id'], domain=DOMAIN)
        answer['token']['catalog'] = self.entries(project)
        return status, answer, headers

    def admin(self, environ):
        if self.asker(environ)['user']['name'] != ADMIN:
            raise identity.Refused(403, 'You are not authorized to perform the requested action.')

    def _drop(self, environ, things, key):
        self.admin(environ)
        if things.pop(key, None) is None:
            raise identity.Refused(404, f'Could not find {key}.')
        return 204, None, []

    def _make(self, environ, things, noun, values):
        self.admin(environ)
        made = {**values, 'id': uuid.uuid4().hex}
        things[made['id']] = made
        return 201, {noun: made}, []

    def _show(self, environ, things, noun, key):
        self.admin(environ)
        if key not in things:
            raise identity.Refused(404, f'Could not find {key}.')
        return 200, {noun: things[key]}, []

    def show_project(self, environ, body, project_id):
        if project_id in self.made:
            return self._show(environ, self.made, 'project', project_id)
        return self.project(environ, body, project_id)

    def show_user(self, environ, body, user_id):
        return self._show(environ, self.people, 'user', user_id)

    def show_key(self, environ, body, key_id):
        return self._show(environ, self.keys, 'credential', key_id)

    def roles(self, environ, body):
        self.admin(environ)
        return 200, {'roles': [ROLE]}, []

    def make_project(self, environ, body):
        return self._make(environ, self.made, 'project', body['project'])

    def drop_project(self, environ, body, project_id):
        return self._drop(environ, self.made, project_id)

    def find_users(self, environ, body):
        self.admin(environ)
        return (
            200,
            {
                'users': [
                    each
                    for each in self.people.values()
                    if f'name={each["name"]}' in environ['QUERY_STRING']
                ]
            },
            [],
        )

    def make_user(self, environ, body):
        values = body['user']
        if any(each['name'] == values['name'] for each in self.people.values()):
            raise identity.Refused(409, 'Conflict occurred attempting to store user.')
        return self._make(environ, self.people, 'user', {'enabled': True, **values})

    def change_user(self, environ, body, user_id):
        self.admin(environ)
        if user_id not in self.people:
            raise identity.Refused(404, f'Could not find user: {user_id}.')
        self.people[user_id].update(body['user'])
        return 200, {'user': self.people[user_id]}, []

    def drop_user(self, environ, body, user_id):
        dropped = self._drop(environ, self.people, user_id)
        for key in [each['id'] for each in self.keys.values() if each['user_id'] == user_id]:
            del self.keys[key]
        return dropped

    def grant(self, environ, body, project_id, user_id, role_id):
        self.admin(environ)
        assert role_id == ROLE['id']
        self.grants.add((project_id, user_id))
        return 204, None, []

    def make_key(self, environ, body):
        self.admin(environ)
        values = body['credential']
        blob = json.loads(values['blob'])
        key = hashlib.sha256(blob['access'].encode()).hexdigest()
        self.keys[key] = {**values, **blob, 'id': key}
        return 201, {'credential': self.keys[key]}, []

    def drop_key(self, environ, body, key_id):
        return self._drop(environ, self.keys, key_id)
