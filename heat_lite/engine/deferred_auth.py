"""Deferred authentication: the trust or password with which a stack tree acts for its user later.

It is needed after the user's token has expired, and for signals and alarms that carry no token.
Most actions end long before that, so credentials are stored only when needed: for types that act
later (``uses_deferred_auth``), for actions that run longer than ``trust_after`` seconds, when the
token is about to expire, and when the engine stops. They are deleted with the root stack.

Tests: tests/functional/test_trusts.py.
"""

import logging
import threading
import time
from collections.abc import Collection, Iterator
from concurrent import futures
from typing import TYPE_CHECKING, Any

from heat_lite.clients import errors
from heat_lite.common import exception, status
from heat_lite.common.context import RequestContext
from heat_lite.common.value_types import Value
from heat_lite.db import credentials, stacks as db_stacks
from heat_lite.engine import scheduler

if TYPE_CHECKING:
    from heat_lite.clients.clients import Clients
    from heat_lite.engine.resource.resource import Resource
    from heat_lite.engine.stack.stack import Stack

LOG = logging.getLogger(__name__)
NO_CREDENTIALS = (
    'stack "{name}" has no usable credentials: the token of its requester has expired '
    'and no trust was stored{why}. '
    'Update the stack or retry the action (retry) as a user of its project'
)
REFUSED = (
    'Keystone no longer accepts the {what} by which stack "{name}" acts for user {user} '
    'in project {project}: {error}. The user may be gone or disabled, or may have lost a role. '
    'Update or check the stack as a user of its project: that makes a new one'
)
#: seconds after creation for which credentials are not verified with Keystone
VERIFIED_SECONDS = 60
#: number of threads that store credentials when an engine stops
STORE_THREADS = 8


class DeferredAuth:
    """The stored credentials of the tree of a stack. The loaded stacks of a tree share one."""

    def __init__(self, stack: 'Stack') -> None:
        self._stack = stack
        #: the TrustStore; None if none are made
        self._trusts: Any = stack.runtime.trusts
        self._clients_lock, self._store_lock = threading.Lock(), threading.Lock()
        self._clients: dict[tuple[RequestContext, str | None], Clients] = {}
        #: the error that prevented the storing of credentials
        self._error: str | None = None
        self._verified_until = 0.0
        #: whether the stack is deleted, so that nothing may be stored any more
        self._deleted = False

    def clients(self, context: RequestContext, region: str | None) -> 'Clients':
        """Return clients that use ``context`` while its token is valid, then the stored
        credentials.
        """
        with self._clients_lock:
            found = self._clients.get((context, region))
            if found is None:
                regional = context if region is None else context.in_region(region)
                found = self._clients[context, region] = self._stack.runtime.clients(
                    regional, _FallbackLogin(self, context)
                )
            return found

    # ------------------------------------------------------------ creation

    def ensure(self, context: RequestContext, verify: bool = False, own: bool = False) -> None:
        """Store credentials of the user of ``context`` if there are none.

        ``verify`` replaces credentials that Keystone refuses, ``own`` those of another user. Raises
        the error that prevents it.
        """
        if self._trusts is None or self._top_id is None or not _has_login(context):
            return
        with self._store_lock:
            stored = None if self._deleted else self._stored()
            if not self._deleted and (
                stored is None or self._is_stale(stored, context, verify, own)
            ):
                self._create(context, stored)
                self._verified_until = time.monotonic() + VERIFIED_SECONDS

    def _is_stale(
        self, stored: 'credentials.CredentialsRow', context: RequestContext, verify: bool, own: bool
    ) -> bool:
        if own and stored.trustor_user_id != context.user_id:
            return True
        return (
            verify
            and time.monotonic() > self._verified_until
            and self._trusts.login_error(stored) is not None
        )

    def _create(self, context: RequestContext, old: 'credentials.CredentialsRow | None') -> None:
        try:
            values = self._trusts.create(context)
        except Exception as error:
            self._error = str(error)
            raise
        LOG.info('%s: credentials of user %s are stored', self._stack, context.user_id)
        made = credentials.replace_for_stack(self._top_id, values, old and old.id)
        if made is not None:
            self._stack.user_creds_id = made
        else:
            old = credentials.CredentialsRow.of(
                values
            )  # another engine stored its own first, or the stack is deleted
        if old is not None:
            try:
                self._trusts.delete(old, context)
            except exception.HeatException as error:
                LOG.warning(
                    '%s: an unused trust could not be deleted and stays in Keystone: %s',
                    self._stack,
                    error,
                )

    def ensure_or_keep(self, context: RequestContext) -> None:
        """Do the same as ``ensure``, but accept that Keystone makes no trust for the token of a
        signature: that is kept (see ``kept_requester``).
        """
        try:
            self.ensure(context)
        except errors.Unauthorized as error:
            if not context.auth_token_info:
                raise
            LOG.warning(
                '%s: acts later only until the token of its requester expires: %s',
                self._stack,
                error,
            )

    def ensure_if_possible(
        self, context: RequestContext, verify: bool = True, own: bool = False
    ) -> None:
        """Do the same as ``ensure``, but log errors.

        They are raised when the credentials are needed.
        """
        try:
            self.ensure(context, verify, own)
            if self._stored() is not None:
                credentials.clear_requester(self._top_id)
        except Exception as error:
            LOG.warning(
                '%s: no credentials could be stored, work after the token expires will fail: %s',
                self._stack,
                error,
            )

    # ------------------------------------------------------------ use

    def require(self, context: RequestContext) -> 'credentials.CredentialsRow':
        """Return the stored credentials; store them now if possible. Raises Unauthorized."""
        stored = self._stored()
        if stored is None:
            try:
                self.ensure(context)
            except Exception as error:
                LOG.info('%s: %s', self._stack, error)
            stored = self._stored()
        if self._trusts is None or stored is None:
            raise errors.Unauthorized(
                NO_CREDENTIALS.format(
                    name=self._stack.name, why=self._error and f' ({self._error})' or ''
                )
            )
        return stored

    def kept_login(self) -> Value:
        """Return the auth plug-in by the kept token of the last requester; None without one that
        is valid.
        """
        row = None if self._top_id is None else db_stacks.get_row(self._top_id)
        requester = row and credentials.decrypt_requester(row.asker)
        if self._trusts is None or not requester or not requester.auth_token_info:
            return None
        return self._trusts.token_login(requester)

    def login_refused(self, error: BaseException) -> 'errors.Unauthorized':
        """Return the error for credentials that Keystone refuses."""
        stored = self._stored()
        # the first characters identify the trust; the whole id is a secret
        what = (
            f'trust {stored.trust_id[:8]}...'
            if stored is not None and stored.trust_id
            else 'password'
        )
        user, project = (
            (stored.username or stored.trustor_user_id, stored.tenant_id)
            if stored
            else ('?', self._stack.tenant)
        )
        return errors.Unauthorized(
            REFUSED.format(
                what=what, name=self._stack.name, user=user, project=project, error=error
            )
        )

    def _stored(self) -> 'credentials.CredentialsRow | None':
        return None if self._top_id is None else credentials.get_by_stack(self._top_id)

    @property
    def _top_id(self) -> Value:
        """The id of the root stack; None until that is stored."""
        return self._stack.root_id()

    # ------------------------------------------------------------ deletion

    def forget(self) -> None:
        """Delete the credentials with the stack. An error of Keystone does not stop the delete."""
        stack = self._stack
        try:
            with self._store_lock:
                self._deleted = True
                stored = self._stored()
            if stored is not None:
                if self._trusts is not None:
                    self._trusts.delete(stored, stack.context)
                credentials.delete(stored.id)
        except Exception as error:
            LOG.warning(
                '%s: the credentials of user %s could not be deleted and stay in Keystone: %s',
                stack,
                stack.username,
                error,
            )


def requester(stack: 'Stack', action: str) -> str | None:
    """Return the encrypted context of the requester of an action, for the row of the stack.

    Another engine continues with it if this one dies before credentials are stored. None for nested
    stacks, which use that of the root, and for actions that need no credentials.
    """
    return (
        None
        if stack.owner_id is not None or _delay(stack, action) is None
        else credentials.encrypt_requester(stack.context)
    )


def kept_requester(stack: 'Stack', action: str) -> str | None:
    """Return the encrypted context of the requester for the time after the action; None if it is
    not needed.

    Keystone makes no trust for the token of a signature, so the token serves until it expires.
    """
    if stack.owner_id is not None or not stack.context.auth_token_info:
        return None
    if stack.user_creds_id is not None or _delay(stack, action) != 0:
        return None
    return credentials.encrypt_requester(stack.context)


def begin(stack: 'Stack', action: str | None) -> None:
    """Schedule the storing of credentials for an action that begins.

    An action that ends soon needs none.
    """
    delay = _delay(stack, action)
    if delay is not None:
        stack.runtime.pool.spawn(
            scheduler.TaskRunner(
                _store_later(stack, action, delay), name=f'credentials of {stack.name}'
            )
        )


def store(stacks: 'Collection[Stack]', seconds: float) -> None:
    """Store credentials for the actions under way when the engine stops, within ``seconds``: the
    next engine has no token.
    """
    wanted = [stack for stack in stacks if _delay(stack, stack.action) is not None]
    if wanted:
        threads = futures.ThreadPoolExecutor(STORE_THREADS)
        futures.wait([threads.submit(_store_one, stack) for stack in wanted], seconds)
        threads.shutdown(wait=False, cancel_futures=True)


def _store_one(stack: 'Stack') -> None:
    stack.tree.deferred.ensure_if_possible(stack.context, verify=False)


def _delay(stack: 'Stack', action: str | None) -> float | None:
    """Return the seconds after which an action needs stored credentials; None if it never does."""
    if stack.runtime.trusts is None or not _has_login(stack.context):
        return None
    classes = list(_classes(stack))
    if action != status.DELETE and any(
        cls.uses_deferred_auth or cls.requires_deferred_auth for cls in classes
    ):
        return 0
    return (
        stack.limits.trust_after
        if any(cls.default_client_name or cls.has_nested_stack for cls in classes)
        else None
    )


def _store_later(stack: 'Stack', action: str | None, delay: float) -> scheduler.Work[None]:
    yield delay
    if (stack.action, stack.status) == (action, status.IN_PROGRESS):
        # a stack acts for the user who changed it last
        stack.tree.deferred.ensure_if_possible(
            stack.context, own=action in (status.UPDATE, status.RESTORE)
        )


def _classes(stack: 'Stack') -> 'Iterator[type[Resource]]':
    found = {definition.resource_type: definition for definition in stack.definitions.values()}
    for definition in found.values():
        try:
            yield stack.class_of(definition)
        except exception.StackValidationFailed:
            continue  # an unknown type is reported when its resource is handled


def _has_login(context: RequestContext) -> bool:
    return bool(context.auth_token or context.password)


class _FallbackLogin:
    """The login that replaces an expired token (see ``clients.keystone_session``)."""

    def __init__(self, deferred: DeferredAuth, context: RequestContext) -> None:
        self._deferred = deferred
        self._context = context
        self._row_id: int | None = None
        self._login: Value = None

    def login(self) -> Value:
        try:
            stored = self._deferred.require(self._context)
        except errors.Unauthorized:
            kept = self._deferred.kept_login()
            if kept is None:
                raise
            return kept
        if stored.id != self._row_id:
            self._row_id, self._login = stored.id, self._deferred._trusts.login(stored)
        return self._login

    def refused(self, error: BaseException) -> 'errors.Unauthorized':
        return self._deferred.login_refused(error)
