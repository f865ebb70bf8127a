"""The users of a stack in Keystone, for signals from servers.

They live in a project of the stack, with few rights.

Tests: tests/functional/test_stack_users.py.
"""

import dataclasses
import logging
import re
import threading

from oslo_config import cfg

from heat_lite.clients import keystone
from heat_lite.clients.keystone import StackDomain
from heat_lite.common import exception
from heat_lite.common.local_stack_domain import LocalStackDomain
from heat_lite.db import stacks as db_stacks
from heat_lite.engine.stack.stack import Stack

LOG = logging.getLogger(__name__)
#: Handlers of one stack run in parallel: each may be the first to need the project.
_LOCK = threading.Lock()
DESCRIPTION = 'Heat stack user project'


@dataclasses.dataclass(frozen=True)
class Keypair:
    id: str
    access: str
    secret: str


@dataclasses.dataclass
class StackUsers:
    """``domain`` is the Keystone domain of all stack users (see ``clients.keystone``), or the
    service's own (``common.local_stack_domain``).
    """

    domain: StackDomain | LocalStackDomain
    conf: cfg.ConfigOpts
    stack: Stack

    def create(self, name: str) -> tuple[str, str]:
        """Create a user. Return its id and its password."""
        password = keystone.generate_password()
        return self.domain.create_user(name, password, self.project_id()), password

    def find(self, name: str) -> str | None:
        """Return the id of the user of a name; None without one."""
        return self.domain.find_user(name)

    def delete(self, user_id: str) -> None:
        if self._is_own(self.domain.user_project(user_id), f'The user {user_id}'):
            self.domain.delete_user(user_id)

    def enable(self, user_id: str, enabled: bool) -> None:
        if self._is_own(self.domain.user_project(user_id), f'The user {user_id}'):
            self.domain.enable_user(user_id, enabled)

    def create_keypair(self, user_id: str) -> Keypair:
        return Keypair(*self.domain.create_keypair(user_id, self.project_id()))

    def find_keypair(self, access: str) -> tuple[str, str] | None:
        """Return the id of an access key of this stack and that of its user; None without it."""
        found = self.domain.find_keypair(access)
        if found is None or not self._is_own(found[2], f'The key {found[0]}'):
            return None
        return found[:2]

    def delete_keypair(self, credential_id: str) -> None:
        if self._is_own(self.domain.keypair_project(credential_id), f'The key {credential_id}'):
            self.domain.delete_keypair(credential_id)

    def _is_own(self, project_id: str | None, subject: str) -> bool:
        """Whether the users of a project are of this stack, or of another one of its project.

        The administrator of the domain may change all users, but adopted documents and
        ``external_id`` may name those of another project, which must stay as they are.
        """
        if project_id is None:
            return False
        stack = self.stack
        if project_id == stack.stack_user_project_id:
            return True
        name = self.domain.project_name(project_id) or ''
        if re.fullmatch(f'{re.escape(stack.tenant)}-[0-9a-f-]+', name):
            return True
        LOG.warning('%s: %s is not of this project. It stays as it is.', stack, subject)
        return False

    def log_in(self, user_id: str, secret: str) -> tuple[str | None, ...]:
        """Return the token of a stack user, the URL of the REST API, and that for wait
        conditions (or None).
        """
        endpoints, project = self.stack.runtime.endpoints, self.project_id()
        access = self.domain.authenticate(user_id, secret, project)
        rest = endpoints.rest_url(project) or self.domain.endpoint_url(
            access, 'orchestration', self.conf.clients_heat
        )
        cfn = self.domain.endpoint_url(access, 'cloudformation', self.conf.clients_heat)
        return (
            access.auth_token,
            rest,
            endpoints.waitcondition or (cfn and f'{cfn.rstrip("/")}/waitcondition'),
        )

    def cfn_url(self, user_id: str, secret: str) -> str | None:
        """Return the URL of the CFN API in the catalog of a stack user, or None."""
        access = self.domain.authenticate(user_id, secret, self.project_id())
        return self.domain.endpoint_url(access, 'cloudformation', self.conf.clients_heat)

    @property
    def domain_id(self) -> str:
        return self.domain.domain_id

    @property
    def in_keystone(self) -> bool:
        """Whether other services of the cloud accept the users."""
        return self.domain.in_keystone

    def project_id(self) -> str:
        """Return the project of the users of the stack. It is created with the first user.

        Nested stacks share the project of their root, as in Heat: it deletes no other one after
        ``give_back``. Raises EntityNotFound if another engine has deleted the stack meanwhile.
        """
        stack = self.stack
        with _LOCK:
            if not stack.stack_user_project_id:
                root = stack.tree.top
                shared = _stored_project(root) or self._create_project(root)
                stack.stack_user_project_id = (
                    shared if root is stack else _store_project(stack, shared)
                )
            return stack.stack_user_project_id

    def _create_project(self, root: Stack) -> str:
        """Create the project of a root stack. Of those of several engines the first one stays."""
        made = self.domain.create_project(f'{root.tenant}-{root.id}', DESCRIPTION)
        stored = db_stacks.store_user_project(root.id, made)
        if stored != made:
            self.domain.delete_project(made)
        return _require_stored(root, stored)

    def delete_project(self) -> None:
        """Delete the project, unless other stacks have users in it."""
        own = _stored_project(self.stack)
        if own and not db_stacks.shares_user_project(self.stack.id, own):
            self.domain.delete_project(own)


def _stored_project(stack: Stack) -> str | None:
    """Return the project that the row of a stack names.

    The row is read again: the task of another engine may have stored the project last.
    """
    row = db_stacks.get_row(stack.id)
    return stack.stack_user_project_id if row is None else row.stack_user_project_id


def _store_project(stack: Stack, project_id: str) -> str:
    stored = db_stacks.store_user_project(stack.id, project_id)
    return _require_stored(stack, stored)


def _require_stored(stack: Stack, project_id: str | None) -> str:
    if project_id is None:
        raise exception.no_stack(stack.name)
    return project_id


def forget(stack: Stack) -> None:
    """Delete the project of a deleted stack.

    An error of Keystone does not stop the delete of the stack.
    """
    users = stack.runtime.stack_users
    try:
        if users is not None:
            users(stack).delete_project()
    except Exception as error:  # whatever keystoneauth raises
        LOG.warning(
            '%s: the project of its users could not be deleted and stays in Keystone: %s',
            stack,
            error,
        )
