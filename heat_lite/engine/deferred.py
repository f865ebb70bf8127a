"""What a tree of stacks keeps of its user, so that it can go on when his token has ended, or when nobody asks at all.

Most stacks are done long before that, so it is made only when it is needed: for types that act later (``uses_deferred_auth``), when an
action that needs the cloud is still at work after some seconds, and when the token is about to end. It goes with the stack.
"""

import logging
import threading
import time
from concurrent import futures

from heat_lite.clients import errors
from heat_lite.common import exception, status
from heat_lite.db import credentials
from heat_lite.engine import scheduler

LOG = logging.getLogger(__name__)
NOT_KEPT = (
    'stack "{name}" has nobody to act for: whoever began this has no valid token any more, and left nothing to go on with{why}. '
    'Update the stack, or have the action tried again (retry), as a user of its project'
)
REFUSED = (
    'Keystone no longer accepts the {what} by which stack "{name}" acts for user {user} in project {project}: {error}. The user may be '
    'gone or disabled, or may have lost a role. Update or check the stack as a user of its project: that makes a new one'
)
#: how long after it was made nobody asks Keystone whether it is good, in seconds
FRESH_SECONDS = 60
#: how many are made side by side when an engine stops
LEAVING_AT_ONCE = 8


class Deferred:
    """That of the tree that a stack belongs to; the stacks of a tree that know each other share one."""

    def __init__(self, stack):
        self._stack = stack
        self._trusts = stack.runtime.trusts
        self._guard, self._making = threading.Lock(), threading.Lock()
        self._clients = {}
        #: why it could not be made
        self._why = None
        self._fresh_until = 0
        #: whether nothing is to be made any more
        self._gone = False

    def clients(self, context, region):
        """The cloud as ``context`` may use it while it can, and afterwards by what is kept."""
        with self._guard:
            found = self._clients.get((context, region))
            if found is None:
                asking = context if region is None else context.in_region(region)
                found = self._clients[context, region] = self._stack.runtime.clients(asking, _Later(self, context))
            return found

    # ------------------------------------------------------------ make

    def ensure(self, context, verify=False, own=False):
        """See that there is something to go on with; with ``verify`` that it is still good, with ``own`` that it is of the one who asks.
        Raises why there cannot be."""
        if self._trusts is None or self._top_id is None or not _is_asked_by_user(context):
            return
        with self._making:
            kept = None if self._gone else self._kept()
            if not self._gone and (kept is None or self._is_stale(kept, context, verify, own)):
                self._make(context, kept)
                self._fresh_until = time.monotonic() + FRESH_SECONDS

    def _is_stale(self, kept, context, verify, own):
        if own and kept.trustor_user_id != context.user_id:
            return True
        return verify and time.monotonic() > self._fresh_until and self._trusts.refusal(kept) is not None

    def _make(self, context, old):
        try:
            values = self._trusts.make(context)
        except Exception as error:
            self._why = str(error)
            raise
        LOG.info('%s: credentials are kept to go on with for user %s', self._stack, context.user_id)
        made = credentials.keep(context, self._top_id, values, old and old.id)
        if made is not None:
            self._stack.user_creds_id = made
        else:
            old = credentials.CredentialsRow.of(values)  # another engine was quicker, or the stack is gone
        if old is not None:
            try:
                self._trusts.delete(old, context)
            except exception.HeatException as error:
                LOG.warning('%s: a trust that nobody needs stays in Keystone: %s', self._stack, error)

    def ensure_if_possible(self, context, verify=True, own=False):
        """The same. What is missing shows when it is needed, and is told then."""
        try:
            self.ensure(context, verify, own)
            if self._kept() is not None:
                credentials.forget_asker(context, self._top_id)
        except Exception as error:
            LOG.warning('%s: nothing could be kept to go on with later: %s', self._stack, error)

    # ------------------------------------------------------------ use

    def _left(self, context):
        kept = self._kept()
        if kept is None:
            try:
                self.ensure(context)
            except Exception as error:
                LOG.info('%s: %s', self._stack, error)
            kept = self._kept()
        if self._trusts is None or kept is None:
            raise errors.Unauthorized(NOT_KEPT.format(name=self._stack.name, why=self._why and f' ({self._why})' or ''))
        return kept

    def _refused(self, error):
        kept = self._kept()
        # enough of its id to find it by: the whole is kept sealed
        what = f'trust {kept.trust_id[:8]}...' if kept is not None and kept.trust_id else 'password'
        user, project = (kept.username or kept.trustor_user_id, kept.tenant_id) if kept else ('?', self._stack.tenant)
        return errors.Unauthorized(REFUSED.format(what=what, name=self._stack.name, user=user, project=project, error=error))

    def _kept(self):
        return None if self._top_id is None else credentials.of_stack(self._stack.context, self._top_id)

    @property
    def _top_id(self):
        return self._stack.root_id()

    # ------------------------------------------------------------ take away

    def forget(self):
        """The stack goes. Where Keystone refuses, that is no reason to keep it."""
        stack = self._stack
        try:
            with self._making:
                self._gone = True
                kept = self._kept()
            if kept is not None:
                if self._trusts is not None:
                    self._trusts.delete(kept, stack.context)
                credentials.delete(stack.context, kept.id)
        except Exception as error:
            LOG.warning('%s: what it kept of user %s stays in Keystone: %s', stack, stack.username, error)


def asker(stack, action):
    """Who asks for an action that may need him after this engine has died: what the row of the stack keeps of that until there is something
    better. The stacks inside go on by that of the top."""
    return None if stack.owner_id is not None or _patience(stack, action) is None else credentials.sealed_asker(stack.context)


def begin(stack, action):
    """An action begins: see to it in time that it can go on when the token ends. Those that end soon cost nothing."""
    delay = _patience(stack, action)
    if delay is not None:
        stack.runtime.pool.spawn(scheduler.TaskRunner(_watch(stack, action, delay), name=f'credentials of {stack.name}'))


def leave(stacks, seconds):
    """The engine stops in the midst of actions: whoever goes on with them has no token. It takes no longer than so many seconds."""
    wanted = [stack for stack in stacks if _patience(stack, stack.action) is not None]
    if wanted:
        threads = futures.ThreadPoolExecutor(LEAVING_AT_ONCE)
        futures.wait([threads.submit(_left_alone, stack) for stack in wanted], seconds)
        threads.shutdown(wait=False, cancel_futures=True)


def _left_alone(stack):
    stack.tree.deferred.ensure_if_possible(stack.context, verify=False)


def _patience(stack, action):
    """How long an action may be at work before something is kept to go on with; None where nothing is needed."""
    if stack.runtime.trusts is None or not _is_asked_by_user(stack.context):
        return None
    kinds = list(_kinds(stack))
    if action != status.DELETE and any(kind.uses_deferred_auth or kind.requires_deferred_auth for kind in kinds):
        return 0
    return stack.limits.trust_after if any(kind.default_client_name or kind.has_stack_inside for kind in kinds) else None


def _watch(stack, action, delay):
    yield delay
    if (stack.action, stack.status) == (action, status.IN_PROGRESS):
        # who has changed the stack last is the one for whom it acts
        stack.tree.deferred.ensure_if_possible(stack.context, own=action in (status.UPDATE, status.RESTORE))


def _kinds(stack):
    found = {definition.resource_type: definition for definition in stack.definitions.values()}
    for definition in found.values():
        try:
            yield stack.class_of(definition)
        except exception.StackValidationFailed:
            continue  # a type that is not known any more says so when it is its turn


def _is_asked_by_user(context):
    return bool(context.auth_token or context.password)


class _Later:
    """What there is for one who asks when his token ends (see ``clients.session.Relay``)."""

    def __init__(self, deferred, context):
        self._deferred = deferred
        self._context = context
        self._row_id = self._login = None

    def login(self):
        kept = self._deferred._left(self._context)
        if kept.id != self._row_id:
            self._row_id, self._login = kept.id, self._deferred._trusts.login(kept)
        return self._login

    def refused(self, error):
        return self._deferred._refused(error)
