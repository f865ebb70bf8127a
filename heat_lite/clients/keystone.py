"""Identity v3, as far as stacks have users of their own: projects, users and access keys in the domain that is kept for them."""

import json
import secrets
import string
import threading
import uuid

from keystoneauth1 import adapter, exceptions
from keystoneauth1.identity import v3

from heat_lite.clients import session
from heat_lite.common import exception

PASSWORD_LENGTH = 32
LETTERS = string.ascii_letters + string.digits
#: what keeps these users from being locked out: nobody is there to change their passwords
OPTIONS = {'ignore_password_expiry': True, 'ignore_lockout_failure_attempts': True, 'ignore_change_password_upon_first_use': True}
INTERFACES = {'publicURL': 'public', 'internalURL': 'internal', 'adminURL': 'admin'}


def password():
    """One that no policy for passwords refuses."""
    made = ''.join(secrets.choice(LETTERS) for _ in range(PASSWORD_LENGTH - 4))
    return f'{made}aZ7_'


def stack_domain(conf):
    """The domain for the users of stacks; None where there is no Keystone at all."""
    return StackDomain(conf) if session.auth_url(conf) else None


class StackDomain:
    """Manages the users of stacks. Whoever has gone already is no error when he is to go."""

    def __init__(self, conf):
        self._conf = conf
        self._guard = threading.Lock()
        self._identity = None
        self._role = None

    # ------------------------------------------------------------ projects

    def create_project(self, name, description):
        """The id of the project of that name, made where it is not there."""
        values = {'name': name[:64], 'domain_id': self.domain_id, 'description': description}
        try:
            return self._ask('post', '/projects', json={'project': values})['project']['id']
        except exceptions.Conflict:
            return self._ask('get', '/projects', params={'name': values['name'], 'domain_id': self.domain_id})['projects'][0]['id']

    def delete_project(self, project_id):
        self._take_away(f'/projects/{project_id}')

    # ------------------------------------------------------------ users

    def create_user(self, name, secret, project_id):
        """The id of a user with the role of stack users in the project; one of that name is taken over, with the new password."""
        values = {'name': name[:255], 'domain_id': self.domain_id, 'password': secret, 'default_project_id': project_id}
        try:
            user = self._ask('post', '/users', json={'user': {**values, 'options': OPTIONS}})['user']
        except exceptions.Conflict:
            user = self._ask('get', '/users', params={'name': values['name'], 'domain_id': self.domain_id})['users'][0]
            self._ask('patch', f'/users/{user["id"]}', json={'user': {'password': secret, 'default_project_id': project_id}})
        self._ask('put', f'/projects/{project_id}/users/{user["id"]}/roles/{self._role_id()}')
        return user['id']

    def enable_user(self, user_id, enabled):
        self._ask('patch', f'/users/{user_id}', json={'user': {'enabled': enabled}})

    def delete_user(self, user_id):
        self._take_away(f'/users/{user_id}')

    def create_keypair(self, user_id, project_id):
        """An access key for signatures: its id, the key and the secret."""
        access, secret = uuid.uuid4().hex, password()
        blob = json.dumps({'access': access, 'secret': secret})
        values = {'type': 'ec2', 'blob': blob, 'user_id': user_id, 'project_id': project_id}
        return self._ask('post', '/credentials', json={'credential': values})['credential']['id'], access, secret

    def delete_keypair(self, credential_id):
        self._take_away(f'/credentials/{credential_id}')

    # ------------------------------------------------------------ acting as such a user

    def log_in(self, user_id, secret, project_id):
        """The token of a user, with the catalog that comes with it."""
        login = v3.Password(session.auth_url(self._conf), user_id=user_id, password=secret, project_id=project_id)
        return login.get_access(session.plain(self._conf))

    def url_of(self, access, service_type, options):
        """What the catalog of a token says where a service is, by the interface in ``options``; None where it is not in it."""
        interface = options.endpoint_type or self._conf.clients.endpoint_type
        region = self._conf.region_name_for_services
        catalog, interface = access.service_catalog, INTERFACES.get(interface, interface)
        return next(iter(catalog.get_urls(service_type=service_type, interface=interface, region_name=region)), None)

    # ------------------------------------------------------------ how

    @property
    def domain_id(self):
        """The configured one, or the one that the administrator has logged in to."""
        return self._conf.stack_user_domain_id or self._admin().session.auth.get_access(self._admin().session).domain_id

    def _admin(self):
        with self._guard:
            if self._identity is None:
                logged_in = session.domain_admin(self._conf)
                if logged_in is None:
                    raise exception.Error(
                        'Users of stacks cannot be made: set stack_user_domain_id (or _name), stack_domain_admin and '
                        'stack_domain_admin_password in the configuration of the engine'
                    )
                self._identity = adapter.Adapter(logged_in, endpoint_override=session.auth_url(self._conf))
            return self._identity

    def _ask(self, method, path, **args):
        # passwords and keys are in what is sent: no log may have that
        answer = getattr(self._admin(), method)(path, log=False, **args)
        return answer.json() if answer.content else None

    def _take_away(self, path):
        try:
            self._ask('delete', path)
        except exceptions.NotFound:
            return

    def _role_id(self):
        if self._role is None:
            name = self._conf.heat_stack_user_role
            found = self._ask('get', '/roles', params={'name': name})['roles']
            if not found:
                raise exception.Error(f'Keystone has no role "{name}" (heat_stack_user_role), which users of stacks need')
            self._role = found[0]['id']
        return self._role
