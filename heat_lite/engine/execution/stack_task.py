"""The task of one stack: it executes an action, then those that preempt it, under one stack lock.

A preempting action is executed by the same task under the same lock. The handlers at work are not
disturbed: the new walk waits with each resource until its handler has ended (see ``traversal``).

Tests: tests/functional/test_hooks_cancel_preempt.py.
"""

import logging
import math
import time

from heat_lite.common import metrics, status, tracing
from heat_lite.db import journal
from heat_lite.engine import deferred_auth, task_pool
from heat_lite.engine.execution import plan, planned_walk, recovery, traversal
from heat_lite.engine.execution.local_runner import LocalRunner
from heat_lite.engine.execution.mailbox import ActionRequest, Mailbox, Preempted
from heat_lite.engine.execution.shared_runner import SharedRunner
from heat_lite.engine.resource import failures
from heat_lite.engine.scheduler import Work
from heat_lite.engine.stack import hooks
from heat_lite.engine.stack.stack import Stack

LOG = logging.getLogger(__name__)
#: how much longer a nested stack may take than its parent: the parent then reports the timeout
PARENT_MARGIN = 5


class StackTask:
    """The work on one stack, as a generator for the task pool.

    ``request`` is the ActionRequest to begin with; its beginning is stored. Further ones come
    through ``mailbox``.
    """

    def __init__(self, stack: Stack, request: ActionRequest, mailbox: Mailbox) -> None:
        self.stack = stack
        self.mailbox = mailbox
        self._request: ActionRequest | None = request

    def run(self) -> Work[None]:
        """Execute one action after another until none is left or another engine has the lock."""
        request = self._request
        yield from planned_walk.end_own_worker(self.stack)
        try:
            while request is not None:
                yield from self._execute(request)
                request = yield from self._next_request()
        except journal.LockLost:
            LOG.warning('%s: another engine has taken over; the task here ends', self.stack)

    def walk(self, graph: plan.Graph, held: dict[int, str]) -> Work[traversal.Outcome]:
        """A generator: walk ``graph`` (see ``plan``). Returns the Outcome.

        ``held`` are the rows that other engines hold, with these engines (convergence).
        """
        graph = recovery.reorder(self.stack, graph)
        if graph and self.stack.convergence:
            return (yield from self._walker(graph, SharedRunner(self.stack, graph, held)).walk())
        planned_walk.end_traversal(self.stack)
        return (yield from self._walker(graph, LocalRunner(self.stack)).walk())

    def _walker(self, graph: plan.Graph, runner: LocalRunner) -> traversal.Traversal:
        """The walk of the present action."""
        stack = self.stack
        stack.run.walk = traversal.Traversal(
            stack,
            graph,
            runner,
            self.mailbox,
            min(
                time.monotonic() + stack.timeout_seconds() - recovery.age(stack),
                _parent_deadline(stack),
            ),
            # these go on after a failure; only the resources that a failed one uses are left out
            collects_errors=stack.action in (status.DELETE, status.CHECK),
        )
        return stack.run.walk

    def _execute(self, request: ActionRequest) -> Work[None]:
        """Execute one action. An internal error fails the stack, so it never stays IN_PROGRESS."""
        stack, name = self.stack, request.run.action
        began, outcome = time.monotonic(), 'preempted'
        facts = {'heat.stack.name': stack.name, 'heat.stack.id': stack.id}
        traced = tracing.begin_action(request.trace, f'{name} stack', facts)
        plugins = stack.runtime.lifecycle_plugins
        try:
            plugins.before(stack, name)
            deferred_auth.begin(stack, name)
            yield from request.action.work(self)
            yield from stack.journal.write()
            outcome = stack.status.lower()
            plugins.after(stack, name)
        except Preempted:
            plugins.after(stack, name, failed=True)
        except (journal.LockLost, task_pool.PoolClosed):
            outcome = 'left'
            plugins.after(stack, name, failed=True)
            raise
        except Exception as error:
            LOG.exception(
                '%s of %s failed by an internal error; the stack becomes FAILED', name, stack
            )
            outcome = 'failed'
            yield from self._fail(error)
            plugins.after(stack, name, failed=True)
        finally:
            metrics.STACK_ACTIONS.add(time.monotonic() - began, str(name), outcome)
            tracing.end_action(traced, outcome)
            tracing.set_base(request.trace)

    def _fail(self, error: Exception) -> Work[None]:
        stack = self.stack
        failures.note_end(stack, stack.action, error)
        self._set_failed(error)
        try:
            yield from stack.journal.write()
        except journal.LockLost:
            raise
        except Exception as unwritten:
            LOG.exception('%s: its last changes cannot be stored and are dropped', stack)
            stack.journal.give_up()
            self._set_failed(unwritten)
            yield from stack.journal.write()

    def _set_failed(self, error: Exception) -> None:
        action = self.stack.action
        reason = f'Stack {action} failed: {type(error).__name__}: {error}'
        self.stack.state_set(action, status.FAILED, reason)

    def _next_request(self) -> Work[ActionRequest | None]:
        """Wait for the handlers at work; return the action that goes on, begun, or None."""
        while True:
            try:
                yield from self._walker({}, LocalRunner(self.stack)).settle()
                yield from planned_walk.await_workers(self.stack, self.mailbox)
            except Preempted:
                LOG.debug('%s: another action goes on', self.stack)
            request = self.mailbox.next_action()
            if request is not None and (yield from self._begin(request)):
                return request
            if request is None and self.mailbox.close():
                return None

    def _begin(self, request: ActionRequest) -> Work[bool]:
        """Begin a preempting action and release its requester. Returns whether it could begin.

        Raises LockLost; the requester then asks the engine that has got the lock.
        """
        was_in_progress = self.stack.status == status.IN_PROGRESS
        hooks.release(self.stack)
        try:
            request.begin(self.stack)
        except journal.LockLost:
            request.give_back()
            raise
        except Exception as error:
            if was_in_progress:  # the preempted action has been given up already
                yield from self._fail(error)
            request.end(error=error)
            return False
        request.end()
        return True


def _parent_deadline(stack: Stack) -> float:
    """The deadline that the parent's walk sets, by the monotonic clock; infinite without one."""
    parent = stack.tree.parent
    if parent is None or parent.run.walk is None:
        return math.inf
    return time.monotonic() + parent.run.walk.seconds_left() + PARENT_MARGIN
