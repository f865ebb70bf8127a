"""StackUser: a resource with a Keystone user of its own, which may only send signals to the
resource or read its metadata.
"""

import functools
import logging

from heat_lite.clients import errors
from heat_lite.common.local_stack_domain import DISABLED
from heat_lite.engine.resource.resource import Resource

LOG = logging.getLogger(__name__)

PASSWORD, CREDENTIAL, ACCESS, SECRET, USER = (
    'password',
    'credential_id',
    'access_key',
    'secret_key',
    'user_id',
)
#: what the data has of an access key
KEYPAIR = (CREDENTIAL, ACCESS, SECRET)


def keystone_url(stack):
    """Return the URL of Keystone for servers, without a slash at its end.

    It is that of the catalog with the configured interface, or else the configured one.
    """
    endpoints = stack.runtime.endpoints
    found = None
    if endpoints.keystone_interface:
        try:
            found = stack.clients().keystone_url(endpoints.keystone_interface)
        except errors.NoCloud as error:
            LOG.debug('Servers use the configured URL of Keystone: %s', error)
    return found or endpoints.auth_url


def cfn_url(stack, find=None):
    """Return the URL of the CFN API for servers, with its version and a slash; None if unknown.

    It is the configured one, or else ``find()``, by default that of the requester's catalog.
    """
    found = stack.runtime.endpoints.metadata
    try:
        found = found or (find or functools.partial(catalog_cfn_url, stack))()
    except errors.NoCloud as error:
        LOG.debug('%s: there is no catalog with the CFN API: %s', stack, error)
    return found and f'{found.rstrip("/").removesuffix("/v1")}/v1/'


def catalog_cfn_url(stack):
    """Return the URL of the CFN API in the catalog of the requester, or None.

    Raises NoCloud without a catalog.
    """
    return stack.clients().catalog_url('heat', 'cloudformation')


def store_keypair(resource, *values):
    """Store an access key in the data of a resource; ``values`` are those of KEYPAIR."""
    for key, value in zip(KEYPAIR, values, strict=True):
        resource.data_set(key, value, redact=True)


class StackUser(Resource):
    """A resource that is a stack user.

    Without Keystone there is no user: the resource's id is its name, and requests are not
    authenticated.
    """

    uses_deferred_auth = True
    #: True if the create was interrupted: there may be a user without a record
    user_may_be_lost = False

    @property
    def users(self):
        """The users of the stack (see ``engine/stack/stack_users.py``); None without Keystone."""
        users = self.stack.runtime.stack_users
        return None if users is None else users(self.stack)

    @property
    def repeatable(self):
        return self.users is None

    def find_lost_user(self):
        """Return the id of a user that an interrupted create has made and not stored, found by its
        unique name; None without one.
        """
        if self.users is None or not self.user_may_be_lost:
            return None
        return self.users.find(self.physical_resource_name())

    def handle_create(self):
        self.create_user()

    def create_user(self):
        if self.users is None:
            self.keep_user(self.physical_resource_name())
            return
        user_id, password = self.users.create(self.physical_resource_name())
        self.keep_user(user_id)
        self.data_set(PASSWORD, password, redact=True)

    def keep_user(self, user_id):
        """Store the id of the user: it is the id of the resource.

        Types with another id override this method and ``user_id``.
        """
        self.resource_id_set(user_id)

    @property
    def user_id(self):
        # Heat stores the id of the user in the data, too; it is not the id of each resource.
        return self.data().get(USER) or self.resource_id

    def create_keypair(self):
        """Create an access key, to sign URLs and requests that need no token."""
        keypair = self.users.create_keypair(self.user_id)
        store_keypair(self, keypair.id, keypair.access, keypair.secret)

    def keep_keypair(self, access, secret):
        """Store an access key that exists, and its user; none if Keystone does not know it."""
        found = self.users.find_keypair(access)
        if found is None:
            return
        credential_id, user_id = found
        self.keep_user(user_id)
        store_keypair(self, credential_id, access, secret)

    def handle_delete(self):
        self.delete_user()

    def delete_user(self):
        user_id = self.user_id or self.find_lost_user()
        if self.users is None or user_id is None:
            return
        if CREDENTIAL in self.data():
            self.users.delete_keypair(self.data()[CREDENTIAL])
        self.users.delete(user_id)

    def handle_suspend(self):
        self._enable(False)

    def handle_resume(self):
        self._enable(True)

    def _enable(self, enabled):
        if self.users is None or self.user_id is None:
            return
        self.users.enable(self.user_id, enabled)
        if not self.users.in_keystone:
            self._store_disabled(not enabled)

    def _store_disabled(self, disabled):
        if disabled:
            self.data_set(DISABLED, 'true')
        elif DISABLED in self.data():
            self.data_delete(DISABLED)


class SeparateStackUser(StackUser):
    """A resource with a stack user and an id of its own. The user's id is in the resource's
    data.
    """

    def keep_user(self, user_id):
        self.data_set(USER, user_id)

    @property
    def user_id(self):
        return self.data().get(USER)
