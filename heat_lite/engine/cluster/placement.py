"""Placement: which engine works on a nested stack.

An engine that works on as many nested stacks as it may delegates further ones to the queue of all
engines, with the arguments that Heat's engines use among themselves, except stacks with next to
nothing to do. The engine that works on the parent is notified of the end. It is found by its lock,
so it may change meanwhile.

Tests: tests/functional/test_placement_rpc.py.
"""

import logging
import time
from collections.abc import Iterable

import oslo_messaging

from heat_lite.common import exception
from heat_lite.common.context import RequestContext
from heat_lite.common.value_types import Value
from heat_lite.engine.cluster.membership import EngineMembership
from heat_lite.engine.resource import resource
from heat_lite.engine.runtime import Runtime
from heat_lite.engine.stack import stack_lock
from heat_lite.engine.stack.stack import Stack
from heat_lite.rpc import api, client as rpc_client

LOG = logging.getLogger(__name__)
#: timeout of a delegated call, in seconds
BEGIN_TIMEOUT = 15
#: seconds for which the answer to "are there other engines" is cached; short for "no", since
#: engines that start together find each other soon
CACHE_SECONDS = {True: 10, False: 1}
#: errors after which the work is done here: no engine has taken it, or the reply is missing
NOT_TAKEN = (
    exception.EngineBusy,
    exception.TooManyStacksAtWork,
    exception.EngineTimeout,
    exception.ServiceUnavailable,
    oslo_messaging.MessageUndeliverable,
)


class Placement:
    """Delegates nested stacks to other engines.

    If all engines run in this process (``membership.alone``), nothing is delegated.
    """

    def __init__(self, runtime: Runtime, membership: EngineMembership) -> None:
        self._runtime = runtime
        self._membership = membership
        self._client = rpc_client.PeerClient(timeout=BEGIN_TIMEOUT)
        self._others = False, 0.0
        self._alive: set[str] = set()
        #: engines that have said that they help
        self._helpers: set[str] = set()

    # ------------------------------------------------------------ delegation

    def should_delegate(self, stack: Stack, nested: Stack) -> bool:
        """Return whether the next action of ``nested``, a stack in ``stack``, is another
        engine's work.
        """
        limit, task_manager = self._runtime.limits.nested_stacks_at_work, self._runtime.task_manager
        # the notification of the end goes to the engine that holds the lock of the parent
        if (
            limit < 0
            or not (task_manager.has(stack.id) or self._runtime.workers.has(stack.id))
            or task_manager.reserve_slot(nested, limit)
        ):
            return False
        return limit == 0 or self._has_others() and not _is_small(nested)

    def _has_others(self) -> bool:
        if self._membership.alone:
            return False
        known, until = self._others
        if time.monotonic() > until:
            known = bool(self._membership.alive_ids() - {self._runtime.engine_id})
            self._others = known, time.monotonic() + CACHE_SECONDS[known]
        return known

    def helpers(self, context: RequestContext) -> list[str]:
        """Return the ids of the other living engines that run steps for this one, sorted."""
        if not self._has_others():
            return []
        others = self._membership.alive_ids() - {self._runtime.engine_id}
        new = others - self._helpers
        self._helpers |= {each for each in new if self._runtime.listener.helps(context, each)}
        return sorted(others & self._helpers)

    def gone_engines(self, engine_ids: Iterable[str]) -> set[str]:
        """Return those of the engines that are gone."""
        return {engine_id for engine_id in engine_ids if self._membership.is_gone(engine_id)}

    def create(self, stack: Stack, template_id: int) -> str | None:
        """Let some engine create a drafted stack.

        Return its id, or None if it must be created here.
        """
        args = {
            'timeout_mins': stack.timeout_mins,
            'disable_rollback': stack.disable_rollback,
            api.ON_BEHALF_OF: self._runtime.engine_id,
        }
        try:
            return self._client.create_stack(
                stack.context,
                stack_name=stack.name,
                template=None,
                params=None,
                files=None,
                args=args,
                owner_id=stack.owner_id,
                nested_depth=stack.nested_depth,
                user_creds_id=stack.user_creds_id,
                stack_user_project_id=stack.stack_user_project_id,
                parent_resource_name=stack.parent_resource_name,
                template_id=template_id,
            )['stack_id']
        except NOT_TAKEN as error:
            LOG.info(
                'Nested stack %s of stack %s is created here, no other engine took it: %s',
                stack.parent_resource_name,
                stack.owner_id,
                error,
            )
            return None

    def begin(self, method: str, stack: Stack, **arguments: Value) -> bool:
        """Let some engine begin ``method`` of the engine API on a stack.

        Return False if it must be done here.
        """
        try:
            getattr(self._client, method)(
                stack.context, stack_identity=stack.identifier().as_dict(), **arguments
            )
        except NOT_TAKEN as error:
            LOG.info('%s: no other engine took %s, it is done here: %s', stack, method, error)
            return False
        return True

    # ------------------------------------------------------------ notification of the end

    def check_departures(self) -> None:
        """Wake all waiting tasks if an engine has gone.

        It may have gone between the end of a stack and the notification of it.
        """
        if self._membership.alone or not self._runtime.waits:
            return
        alive = self._membership.alive_ids()
        if self._alive - alive:
            self._runtime.waits.notify_all()
        self._alive = alive

    def notify_parent(self, stack: Stack) -> None:
        """The work on a nested stack has ended here: wake the task that waits for it, in any
        engine.
        """
        runtime = self._runtime
        if (
            stack.owner_id is None
            or runtime.waits.notify(stack.name)
            or runtime.task_manager.has(stack.owner_id)
            and not stack.convergence
        ):
            return
        try:
            for engine in stack_lock.engines_elsewhere(runtime, stack.owner_id):
                runtime.listener.cast_message(
                    stack.context, engine, stack.identifier().as_dict(), api.THREAD_ENDED
                )
        except Exception as error:  # of the database or the broker; waiting tasks also poll
            LOG.warning(
                'The engine of the parent could not be notified of the end of %s; it polls: %s',
                stack,
                error,
            )


def _is_small(stack: Stack) -> bool:
    """Return whether no resource of the stack calls a service: then delegation costs more than
    the work.
    """
    return all(
        resource.class_or_unknown(stack.class_of, definition).local
        for definition in stack.definitions.values()
    )
