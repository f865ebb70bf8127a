"""Stack users without Keystone: the service itself issues and checks their credentials.

Nothing is stored. The id of a user is a keyed hash of its project and password, so a password can
be checked against the id. Tokens and access keys contain the project and the user, and a signature.
A user has no rights beyond the resources that exist in its stack, so a deleted resource ends them.
"""

import hashlib
import hmac
import re
import secrets
import time
import types
import uuid
from collections.abc import Sequence
from typing import Any, NamedTuple

#: seconds; longer than the longest timeout of a wait condition
TOKEN_SECONDS = 24 * 3600
ROLE = 'heat_stack_user'
#: the key of a resource's data as long as its user is disabled
DISABLED = 'user_disabled'
_ID = '[0-9a-f]{32}'
_TOKEN = re.compile(
    rf'stackuser\.(?P<project>{_ID})\.(?P<user>{_ID})\.(?P<expires>[0-9]{{1,12}})\.(?P<mac>{_ID})'
)
_ACCESS = re.compile(rf'(?P<project>{_ID})-(?P<user>{_ID})-[0-9a-f]{{8}}')


class StackUserIdentity(NamedTuple):
    """The ids of a stack user and of its project."""

    user_id: str
    project_id: str


class LocalStackDomain:
    """The interface of ``clients.keystone: StackDomain``, and the checks of the credentials.

    ``keys``: the encryption key of the service, then former ones, whose credentials are accepted.
    """

    domain_id = 'local'
    in_keystone = False

    def __init__(self, keys: Sequence[str]) -> None:
        self._keys = [_mac(key.encode(), 'stack users').encode() for key in keys]

    # ------------------------------------------------------------ creation

    def create_project(self, name: str, description: str) -> str:
        return uuid.uuid4().hex

    def create_user(self, name: str, secret: str, project_id: str) -> str:
        return _user_id(self._keys[0], secret, project_id)

    def create_keypair(self, user_id: str, project_id: str) -> tuple[str, str, str]:
        """Return the id of an access key, the key and its secret."""
        access = f'{project_id}-{user_id}-{secrets.token_hex(4)}'
        return access, access, _mac(self._keys[0], f'access {access}')

    def find_keypair(self, access: str) -> tuple[str, str, str] | None:
        """Return the ids of an access key, of its user and its project; None for another text."""
        found = self.identity_of_access(access)
        return found and (access, found.user_id, found.project_id)

    def find_user(self, name: str) -> None:
        """Return None: a user is nothing that could be found."""

    def user_project(self, user_id: str) -> None:
        """Return None: a user is nothing that could be changed."""

    def keypair_project(self, credential_id: str) -> None:
        """Return None: a key is nothing that could be changed."""

    def project_name(self, project_id: str) -> None:
        """Return None: a project is a number in the row of a stack."""

    def delete_project(self, project_id: str) -> None:
        """Do nothing: only the row of the stack has the project."""

    def delete_user(self, user_id: str) -> None:
        """Do nothing: only the row of the resource has the user."""

    def delete_keypair(self, credential_id: str) -> None:
        """Do nothing: the key serves for a resource that does not exist any more."""

    def enable_user(self, user_id: str, enabled: bool) -> None:
        """Do nothing: the data of the resource tell it (``DISABLED``)."""

    # ------------------------------------------------------------ checks

    def authenticate(self, user_id: str, secret: str, project_id: str) -> Any:
        """Return an object with ``auth_token`` and ``expires`` (seconds since 1970).

        None for a wrong password.
        """
        known = (_user_id(key, secret, project_id) for key in self._keys)
        if not any(hmac.compare_digest(user_id.encode(), each.encode()) for each in known):
            return None
        expires = int(time.time()) + TOKEN_SECONDS
        text = f'{project_id}.{user_id}.{expires}'
        token = f'stackuser.{text}.{_mac(self._keys[0], f"token {text}")}'
        return types.SimpleNamespace(auth_token=token, expires=expires)

    def endpoint_url(self, access: Any, service_type: str, options: Any) -> None:
        """Return None: this service is in no catalog."""

    def identity_of_token(self, token: str) -> StackUserIdentity | None:
        """Return the user of a token; None if it is none of these or has expired."""
        found = _TOKEN.fullmatch(token)
        if found is None or int(found['expires']) < time.time():
            return None
        text = f'token {found["project"]}.{found["user"]}.{found["expires"]}'
        valid = any(hmac.compare_digest(found['mac'], _mac(key, text)) for key in self._keys)
        return StackUserIdentity(found['user'], found['project']) if valid else None

    def identity_of_access(self, access: str) -> StackUserIdentity | None:
        """Return the user of an access key; only its secret proves it."""
        found = _ACCESS.fullmatch(access)
        return found and StackUserIdentity(found['user'], found['project'])

    def secrets_of(self, access: str) -> list[str]:
        """Return the possible secrets of an access key, by the present key and former ones."""
        return [_mac(key, f'access {access}') for key in self._keys]


def _user_id(key: bytes, password: str, project_id: str) -> str:
    return _mac(key, f'user {project_id} {password}')


def _mac(key: bytes, text: str) -> str:
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()[:32]
