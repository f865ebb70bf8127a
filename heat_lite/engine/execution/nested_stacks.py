"""The nested stack of a resource: created, updated, awaited and deleted on behalf of that resource.

A nested stack is a stack like another; its row names the parent stack as owner. This engine
executes its actions, or another one does (see ``cluster.placement``). While the resource waits, the
end of the nested action notifies it, so nothing is polled; the row is read now and then in case a
notification was lost.

Tests: tests/functional/test_nested_stacks.py.
"""

import contextlib
import logging
import math

from heat_lite.common import exception, status
from heat_lite.engine import scheduler
from heat_lite.engine.execution import actions
from heat_lite.engine.execution.mailbox import cancel_message
from heat_lite.engine.stack import adoption, stack_lock, stack_storage
from heat_lite.engine.stack.nested_stack_view import NestedStackView
from heat_lite.engine.validation import validation
from heat_lite.rpc import api

LOG = logging.getLogger(__name__)
#: how often a waiting resource reads the row of its nested stack, in seconds
POLL_SECONDS = 30.0
#: the same where this engine does not execute the parent, so that no engine may notify it
POLL_SECONDS_ELSEWHERE = 3.0
#: how long a nested stack may take to stop after a cancellation of its parent, in seconds
STOP_SECONDS = 30


class NestedStack(NestedStackView):
    """The nested stack of one resource, to act on."""

    def create(self, template, timeout_mins=None, adopted=None):
        """Store the stack and begin to create it, or to adopt ``adopted`` (see ``adoption``).

        The stacks nested in it are validated when their resources are created.
        """
        drafted = self.draft(template, timeout_mins)
        with _as_resource_failure():
            delegated = adopted is None and self._runtime.placement.should_delegate(
                self._parent, drafted
            )
        if delegated and self._created_elsewhere(drafted):
            return
        with _as_resource_failure():
            validation.nested_values(drafted)
        drafted.created_at = drafted.utcnow()
        if adopted is not None:
            adoption.begin(drafted, adopted)
        # an engine that was asked to create it and did not answer may have stored it
        new = stack_storage.store(drafted, on_behalf_of=self._runtime.engine_id)
        self._resource.resource_id_set(drafted.id)
        if new:
            self._stack = drafted
            actions.create(drafted, adopted is not None)
        else:
            self.refresh()

    def _created_elsewhere(self, drafted):
        """Whether another engine creates it."""
        drafted.timeout_mins = self._minutes_left(drafted)
        with _as_resource_failure():
            made = (
                self._runtime.placement.create(
                    drafted, self._runtime.templates.store(drafted.template)
                )
                or self.find()
            )
        if made is not None:
            self._resource.resource_id_set(made)
            self.refresh()
        return made is not None

    def _minutes_left(self, stack):
        """The minutes left of the parent's time, which another engine cannot know."""
        left = min(
            stack.timeout_seconds(),
            self._parent.run.walk.seconds_left() if self._parent.run.walk else math.inf,
        )
        return max(1, math.ceil(left / 60))

    def update(self, template, timeout_mins=None):
        stack = self._present(status.UPDATE)
        if self._should_go_elsewhere(stack) and self._updated_elsewhere(
            stack, template, timeout_mins
        ):
            return
        changed = self.draft(template, timeout_mins)
        changed.id = stack.id
        values = {} if timeout_mins is None else {'timeout_mins': timeout_mins}
        with _as_resource_failure():
            validation.nested_update(stack, changed)
        forbid = self._parent.run.forbid_replacement
        actions.update(stack, template, values, forbid_replacement=forbid)

    def _updated_elsewhere(self, stack, template, timeout_mins):
        args = {api.PARAM_TIMEOUT: timeout_mins or self._minutes_left(self._parent)}
        if self._parent.run.forbid_replacement:
            args[api.ON_REPLACE] = api.FAIL
        template_id = stack.runtime.templates.store(template)
        with _as_resource_failure():
            return self._begun_elsewhere(
                'update_stack',
                stack,
                template=None,
                params=None,
                files=None,
                args=args,
                template_id=template_id,
            )

    def delete(self, abandoning=False):
        """Begin to delete it, by force where its parent is deleted by force; False where none is.

        ``abandoning`` leaves its objects, and always happens in this engine.
        """
        stack = self.stack  # its state is read again under its lock
        if stack is None or stack.deleted_at is not None:
            return False
        force = self._parent.run.force
        try:
            if not abandoning and self._should_go_elsewhere(stack):
                arguments = {'force': True} if force else {}
                if self._begun_elsewhere('delete_stack', stack, **arguments):
                    return True
            actions.delete(stack, force and not abandoning, abandoning)
        except exception.EntityNotFound:
            return False  # another engine has just finished deleting it
        return True

    def _should_go_elsewhere(self, stack):
        """Return whether another engine, busy with the stack or free, executes the next action."""
        if self._runtime.task_manager.has(stack.id):
            return False
        if (
            stack.status == status.IN_PROGRESS
            and stack_lock.live_holder_elsewhere(self._runtime, stack.context, stack.id) is not None
        ):
            return True
        return self._runtime.placement.should_delegate(self._parent, stack)

    def _begun_elsewhere(self, method, stack, **arguments):
        begun = self._runtime.placement.begin(method, stack, **arguments)
        if begun:
            self.refresh()
        return begun

    def abandon(self):
        """Begin to delete it without its objects; False where there is none."""
        return self.delete(abandoning=True)

    def suspend(self):
        self._begin(status.SUSPEND, 'stack_suspend', actions.suspend)

    def resume(self):
        self._begin(status.RESUME, 'stack_resume', actions.resume)

    def check(self):
        self._begin(status.CHECK, 'stack_check', actions.check)

    def _begin(self, action, method, begin):
        """Call ``begin(stack)``, or the RPC ``method`` where another engine is to execute it."""
        stack = self._present(action)
        if not (self._should_go_elsewhere(stack) and self._begun_elsewhere(method, stack)):
            begin(stack)

    def _present(self, action):
        self.refresh()
        stack = self.stack
        if stack is None or stack.deleted_at is not None:
            raise exception.Error(
                f'Cannot {action.lower()} {self._resource.name}, stack not created'
            )
        return stack

    # ------------------------------------------------------------ waiting

    def ended(self, action):
        """A generator: waits for the end of the action. Raises ResourceFailure where it failed.

        A cancellation of the waiting task cancels the nested action, too.
        """
        try:
            yield from self.at_rest()
        except (scheduler.Cancelled, scheduler.Timeout):
            yield from self._cancel()
            raise
        stack = self.stack
        if stack is None or (stack.action, stack.status) == (action, status.COMPLETE):
            return
        raise exception.ResourceFailure.from_status_reason(stack.status_reason)

    def at_rest(self):
        """A generator: waits until no action of the stack is in progress."""
        waits, tasks = self._runtime.waits, self._runtime.task_manager
        while self._is_at_work():
            name = self._stack.name
            parent = self._parent.id
            is_here = tasks.has(parent) or self._runtime.workers.has(parent)
            seconds = POLL_SECONDS if is_here else POLL_SECONDS_ELSEWHERE
            wakeup = waits.register(name, seconds)
            try:
                if not tasks.notify_on_end(self._stack.id, wakeup):
                    # no task of it runs here: it has just ended, or another engine executes it
                    # and will notify this one
                    self.refresh()
                    if not self._is_at_work():
                        return
                yield wakeup
            finally:
                waits.unregister(name, wakeup)

    def _is_at_work(self):
        return self.stack is not None and self.stack.status == status.IN_PROGRESS

    def _cancel(self):
        """Cancel the nested action and wait for its end, for STOP_SECONDS at most."""
        self.refresh()
        if not self._is_at_work():
            return
        message = cancel_message(self._stack)
        if not self._runtime.task_manager.send(self._stack.id, message):
            holder = stack_lock.holder_elsewhere(self._runtime, self._stack.id)
            if holder is not None:
                self._runtime.listener.send(
                    self._parent.context, holder, self._stack.identifier().as_dict(), message
                )
        waiting = scheduler.TaskRunner(self.at_rest, timeout=STOP_SECONDS)
        try:
            while not waiting.step():
                yield waiting.wakeup or waiting.pause
        except scheduler.Timeout:
            LOG.warning(
                '%s has not stopped within %d s of its cancellation; its parent goes on',
                self._stack,
                STOP_SECONDS,
            )


@contextlib.contextmanager
def _as_resource_failure():
    """Raise a validation error of the nested stack as a failure of its resource."""
    try:
        yield
    except (exception.StackValidationFailed, exception.ImmutableParameterModified) as error:
        raise exception.ResourceFailure(error, kind='') from error
