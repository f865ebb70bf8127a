"""The users that a stack has in Keystone for what happens inside servers: each may do little, in a project that is the stack's alone."""

import dataclasses
import logging
import threading

from heat_lite.clients import keystone
from heat_lite.db import stacks as db_stacks

LOG = logging.getLogger(__name__)
#: handlers of one stack run side by side, and all of them may be the first to need the project
_GUARD = threading.Lock()
DESCRIPTION = 'Heat stack user project'


@dataclasses.dataclass(frozen=True)
class Keypair:
    id: str
    access: str
    secret: str


class StackUsers:
    """``domain`` is the domain of all such users (see ``clients.keystone``)."""

    def __init__(self, domain, conf, stack):
        self._domain = domain
        self._conf = conf
        self._stack = stack

    def create(self, name):
        """A new user: its id and its password."""
        password = keystone.password()
        return self._domain.create_user(name, password, self.project_id()), password

    def delete(self, user_id):
        self._domain.delete_user(user_id)

    def enable(self, user_id, enabled):
        self._domain.enable_user(user_id, enabled)

    def create_keypair(self, user_id):
        return Keypair(*self._domain.create_keypair(user_id, self.project_id()))

    def delete_keypair(self, credential_id):
        self._domain.delete_keypair(credential_id)

    def log_in(self, user_id, secret):
        """The token of a user of the stack, its REST API, and where wait conditions are signalled by a signed URL (None: not known)."""
        addresses, project = self._stack.runtime.addresses, self.project_id()
        access = self._domain.log_in(user_id, secret, project)
        rest = addresses.rest_of(project) or self._domain.url_of(access, 'orchestration', self._conf.clients_heat)
        cfn = self._domain.url_of(access, 'cloudformation', self._conf.clients_heat)
        return access.auth_token, rest, addresses.waitcondition or (cfn and f'{cfn.rstrip("/")}/waitcondition')

    @property
    def domain_id(self):
        return self._domain.domain_id

    def project_id(self):
        """The project of the stack's users; it is made when the first of them is."""
        stack = self._stack
        with _GUARD:
            if not stack.stack_user_project_id:
                made = self._domain.create_project(f'{stack.tenant}-{stack.id}', DESCRIPTION)
                db_stacks.update(stack.context, stack.id, {'stack_user_project_id': made})
                stack.stack_user_project_id = made
            return stack.stack_user_project_id

    def delete_project(self):
        """Unless it is that of the stack around it."""
        stack = self._stack
        own = stack.stack_user_project_id
        if own and not (stack.tree.is_nested and stack.tree.parent.stack_user_project_id == own):
            self._domain.delete_project(own)


def forget(stack):
    """The stack goes: so does the project of its users. Where Keystone refuses, that is no reason to keep the stack."""
    users = stack.runtime.users
    try:
        if users is not None:
            users(stack).delete_project()
    except Exception as error:  # whatever keystoneauth raises
        LOG.warning('%s: the project of its users stays: %s', stack, error)
