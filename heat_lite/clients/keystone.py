"""Keystone v3 as far as stacks have users of their own.

Their projects, users and access keys are in the domain that is reserved for them.
"""

import hashlib
import json
import secrets
import string
import threading
import uuid
from typing import Any

from keystoneauth1 import access as ks_access, adapter, exceptions
from keystoneauth1.identity import v3
from oslo_config import cfg

from heat_lite.clients import keystone_session
from heat_lite.common import exception
from heat_lite.common.value_types import Value

PASSWORD_LENGTH = 32
LETTERS = string.ascii_letters + string.digits
#: options that keep stack users from being locked out, because their passwords never change
OPTIONS = {
    'ignore_password_expiry': True,
    'ignore_lockout_failure_attempts': True,
    'ignore_change_password_upon_first_use': True,
}
INTERFACES = {'publicURL': 'public', 'internalURL': 'internal', 'adminURL': 'admin'}


def generate_password() -> str:
    """Return a password with characters of all kinds, as password policies require."""
    random_part = ''.join(secrets.choice(LETTERS) for _ in range(PASSWORD_LENGTH - 4))
    return f'{random_part}aZ7_'


def stack_domain(conf: cfg.ConfigOpts) -> 'StackDomain | None':
    """Return the domain of stack users; None if there is no Keystone."""
    return StackDomain(conf) if keystone_session.auth_url(conf) else None


class StackDomain:
    """Management of stack users. Deleting an object that does not exist is no error."""

    #: whether other services of the cloud accept the users, too
    in_keystone = True

    def __init__(self, conf: cfg.ConfigOpts) -> None:
        self._conf = conf
        self._lock = threading.Lock()
        self._admin_adapter: adapter.Adapter | None = None
        self._role: str | None = None

    def create_project(self, name: str, description: str) -> str:
        """Create a project, or find the one of that name; return its id."""
        values = {'name': name[:64], 'domain_id': self.domain_id, 'description': description}
        try:
            return self._request('post', '/projects', json={'project': values})['project']['id']
        except exceptions.Conflict:
            query = {'name': values['name'], 'domain_id': self.domain_id}
            return self._request('get', '/projects', params=query)['projects'][0]['id']

    def delete_project(self, project_id: str) -> None:
        self._delete(f'/projects/{project_id}')

    def create_user(self, name: str, secret: str, project_id: str) -> str:
        """Create a user with the role of stack users in the project; return the user's id.

        An existing user of that name is used, with the new password.
        """
        values = {
            'name': name[:255],
            'domain_id': self.domain_id,
            'password': secret,
            'default_project_id': project_id,
        }
        try:
            body = {'user': {**values, 'options': OPTIONS}}
            user_id = self._request('post', '/users', json=body)['user']['id']
        except exceptions.Conflict:
            user_id = self.find_user(name)
            body = {'user': {'password': secret, 'default_project_id': project_id}}
            self._request('patch', f'/users/{user_id}', json=body)
        self._request('put', f'/projects/{project_id}/users/{user_id}/roles/{self._role_id()}')
        return user_id

    def find_user(self, name: str) -> str | None:
        """Return the id of the user of a name; None without one."""
        query = {'name': name[:255], 'domain_id': self.domain_id}
        users = self._request('get', '/users', params=query)['users']
        return users[0]['id'] if users else None

    def user_project(self, user_id: str) -> str | None:
        """Return the project for which a user was created; None without the user."""
        found = self._find(f'/users/{user_id}')
        return found and found['user'].get('default_project_id')

    def keypair_project(self, credential_id: str) -> str | None:
        """Return the project of an access key; None without the key."""
        found = self._find(f'/credentials/{credential_id}')
        return found and found['credential'].get('project_id')

    def project_name(self, project_id: str) -> str | None:
        """Return the name of a project; None without the project."""
        found = self._find(f'/projects/{project_id}')
        return found and found['project']['name']

    def enable_user(self, user_id: str, enabled: bool) -> None:
        self._request('patch', f'/users/{user_id}', json={'user': {'enabled': enabled}})

    def delete_user(self, user_id: str) -> None:
        self._delete(f'/users/{user_id}')

    def create_keypair(self, user_id: str, project_id: str) -> tuple[str, str, str]:
        """Create an access key for signatures; return its id, the key and the secret."""
        access, secret = uuid.uuid4().hex, generate_password()
        blob = json.dumps({'access': access, 'secret': secret})
        values = {'type': 'ec2', 'blob': blob, 'user_id': user_id, 'project_id': project_id}
        created = self._request('post', '/credentials', json={'credential': values})['credential']
        return created['id'], access, secret

    def find_keypair(self, access: str) -> tuple[str, str, str] | None:
        """Return the ids of an access key, of its user and its project; None without the key."""
        # Keystone derives the id from the key
        found = self._find(f'/credentials/{hashlib.sha256(access.encode()).hexdigest()}')
        row = found and found['credential']
        return row and (row['id'], row['user_id'], row['project_id'])

    def delete_keypair(self, credential_id: str) -> None:
        self._delete(f'/credentials/{credential_id}')

    def authenticate(self, user_id: str, secret: str, project_id: str) -> ks_access.AccessInfo:
        """Log in as a stack user; return the token with its catalog."""
        auth = v3.Password(
            keystone_session.auth_url(self._conf),
            user_id=user_id,
            password=secret,
            project_id=project_id,
        )
        return auth.get_access(keystone_session.create_session(self._conf))

    def endpoint_url(
        self, access: ks_access.AccessInfo, service_type: str, options: Any
    ) -> str | None:
        """Return the URL of a service in the catalog of a token, or None.

        ``options`` is the configuration group that may name the interface.
        """
        interface = options.endpoint_type or self._conf.clients.endpoint_type
        urls = access.service_catalog.get_urls(
            service_type=service_type,
            interface=INTERFACES.get(interface, interface),
            region_name=self._conf.region_name_for_services,
        )
        return next(iter(urls), None)

    @property
    def domain_id(self) -> str:
        """The configured domain, or that of the domain administrator."""
        if self._conf.stack_user_domain_id:
            return self._conf.stack_user_domain_id
        session: Any = self._admin().session
        return session.auth.get_access(session).domain_id

    def _admin(self) -> adapter.Adapter:
        with self._lock:
            if self._admin_adapter is None:
                session = keystone_session.domain_admin(self._conf)
                if session is None:
                    raise exception.Error(
                        'Stack users cannot be created: set stack_user_domain_id (or _name), '
                        'stack_domain_admin and stack_domain_admin_password in the configuration '
                        'of the engine'
                    )
                self._admin_adapter = adapter.Adapter(
                    session, endpoint_override=keystone_session.auth_url(self._conf)
                )
            return self._admin_adapter

    def _request(self, method: str, path: str, **args: Any) -> Value:
        # not logged, because requests contain passwords and keys
        response = getattr(self._admin(), method)(path, log=False, **args)
        return response.json() if response.content else None

    def _delete(self, path: str) -> None:
        try:
            self._request('delete', path)
        except exceptions.NotFound:
            return

    def _find(self, path: str) -> Value:
        try:
            return self._request('get', path)
        except exceptions.NotFound:
            return None

    def _role_id(self) -> str:
        if self._role is None:
            name = self._conf.heat_stack_user_role
            found = self._request('get', '/roles', params={'name': name})['roles']
            if not found:
                raise exception.Error(
                    f'Stack users cannot be created: Keystone has no role "{name}". Create it, or '
                    'set heat_stack_user_role'
                )
            self._role = found[0]['id']
        return self._role
