"""The work of each action: a generator that walks the plan and sets the state that results.

Each takes the StackTask that executes it, which stores the last changes in the end.

Tests: tests/functional/test_engine.py.
"""

import logging
import time
from collections.abc import Mapping

from heat_lite.common import exception, status
from heat_lite.common.value_types import Value
from heat_lite.engine import deferred_auth, scheduler
from heat_lite.engine.execution import plan, planned_walk, recovery, task_manager
from heat_lite.engine.execution.mailbox import Preempted
from heat_lite.engine.execution.stack_task import StackTask
from heat_lite.engine.execution.traversal import Outcome
from heat_lite.engine.resource import failures
from heat_lite.engine.resource.failures import TIMEOUT
from heat_lite.engine.scheduler import Work
from heat_lite.engine.stack import adoption, snapshots, stack_users
from heat_lite.engine.stack.action_run import FORMER_TAGS, KEPT, NOT_APPLIED, REPLACED
from heat_lite.engine.stack.stack import Stack

LOG = logging.getLogger(__name__)


def create(task: StackTask) -> Work:
    stack = task.stack
    outcome = yield from _walk_new(task)
    if _wants_rollback(stack, outcome):
        stack.run.deleting = True
        yield from _begin_rollback(task)


def adopt(task: StackTask) -> Work:
    stack = task.stack
    stack.run.adopted = adoption.stored_resources(stack)
    outcome = yield from _walk_new(task)
    # the adopted document is not needed any more
    store_options(stack)
    if _wants_rollback(stack, outcome):
        # a rollback must not delete objects that existed before the stack
        stack.run.deleting = stack.run.abandoning = True
        store_options(stack)
        yield from _begin_rollback(task)


def _walk_new(task: StackTask) -> Work:
    """Make a row for each resource without one, and apply all. Returns the Outcome."""
    stack = task.stack
    if not stack.convergence:
        planned_walk.add_rows(stack)
    _, outcome = yield from planned_walk.walk(task, stack.requirements)
    _finish(stack, outcome)
    return outcome


def update(task: StackTask) -> Work:
    stack = task.stack
    outcome = Outcome() if stack.run.noop else (yield from _walk_all(task))
    _finish(stack, outcome)
    if _wants_rollback(stack, outcome) and stack.previous_template_id is not None:
        return_to_previous_template(stack)
        yield from _begin_rollback(task)


def return_to_previous_template(stack: Stack) -> None:
    template_id: Value = stack.previous_template_id
    tags = (stack.plan or {}).get(FORMER_TAGS, stack.tags)
    template = stack.runtime.templates.get(template_id)
    plan = {k: v for k, v in (stack.plan or {}).items() if k not in (NOT_APPLIED, REPLACED)}
    stack.run.kept, stack.run.replaced = frozenset(plan.get(KEPT, ())), ()
    stack.change(status.ROLLBACK, template, template_id, tags=tags, plan=plan or None)


def settle(task: StackTask) -> Work:
    """The work of a cancel: the task itself waits for the handlers at work."""
    planned_walk.end_traversal(task.stack)
    yield from task.stack.journal.write()


def _begin_rollback(task: StackTask) -> Work:
    """Roll back in the turn in which the action failed, so no client sees the action as ended."""
    stack = task.stack
    action = status.ROLLBACK
    stack.run.began = time.monotonic()
    stack.state_set(action, status.IN_PROGRESS, f'Stack {action} started')
    yield from stack.journal.write()
    yield from roll_back(task)


def resume_rollback(task: StackTask) -> Work:
    """Continue a rollback. A stack whose create failed has no template to go back to."""
    task.stack.run.deleting = task.stack.previous_template_id is None
    yield from roll_back(task)


def roll_back(task: StackTask) -> Work:
    _finish(task.stack, (yield from _walk_all(task)))


def delete(task: StackTask) -> Work:
    stack, run = task.stack, task.stack.run
    run.deleting = True
    for walk in run.draining:
        walk.throw(scheduler.Cancelled())
    outcome = yield from _delete_snapshots(stack)
    if not outcome.errors:
        outcome = yield from _walk_all(task)
    if not (outcome.errors or outcome.stopped or run.abandoning):
        stack_users.forget(stack)
    if run.force:
        outcome = failures.abandon_remaining(stack, outcome)
    _finish(stack, outcome)
    if stack.status == status.COMPLETE:
        if not stack.tree.is_nested:
            stack.tree.deferred.forget()
        stack.store(deleted_at=stack.utcnow())
    yield from stack.journal.write()
    if stack.deleted_at is not None:
        stack.runtime.forget_stack(stack.id)


def _delete_snapshots(stack: Stack) -> Work:
    """Delete the snapshots first: they may still use the resources."""
    try:
        if stack.run.abandoning:
            snapshots.forget_all(stack)
        else:
            yield from snapshots.delete_all(stack)
    except Exception as error:
        if not stack.run.force:
            return Outcome([error])
        failures.note_end(stack, status.DELETE, error)
        snapshots.forget_all(stack)
    return Outcome()


def snapshot(task: StackTask) -> Work:
    stack = task.stack
    taking = stack.run.snapshot
    try:
        outcome = yield from planned_walk.walk_kept(task, _forward)
        _finish(stack, outcome)
    except Preempted:
        yield from taking.end(status.FAILED, f'Stack {status.SNAPSHOT} cancelled')
        raise
    except Exception as error:
        yield from taking.end(status.FAILED, f'{type(error).__name__}: {error}')
        raise
    yield from taking.end(stack.status, stack.status_reason)


def resume_snapshot(task: StackTask) -> Work:
    task.stack.run.snapshot = snapshots.find_unfinished(task.stack)
    yield from snapshot(task)


def walk_forward(task: StackTask) -> Work:
    """The work of CHECK and RESUME."""
    _finish(task.stack, (yield from planned_walk.walk_kept(task, _forward)))


def walk_backward(task: StackTask) -> Work:
    """The work of SUSPEND."""
    _finish(task.stack, (yield from planned_walk.walk_kept(task, _backward)))


def _forward(stack: Stack) -> plan.Graph:
    return plan.forward(stack.requirements)


def _backward(stack: Stack) -> plan.Graph:
    return plan.backward(stack.records.stored())


def _walk_all(task: StackTask) -> Work:
    """Apply the wanted definition and delete all other rows. Returns the Outcome."""
    stack = task.stack
    while True:
        wanted: Mapping[str, plan.Names] = {} if stack.run.deleting else stack.requirements
        if wanted and stack.action == status.RESTORE:
            wanted = plan.with_order(wanted, _restore_order(stack))
        rows, outcome = yield from planned_walk.walk(task, wanted)
        # a handler of an earlier walk may have made another row meanwhile
        known = {row.id for row in rows}
        new = [
            row
            for row in stack.records.stored()
            if row.id not in known and not stack.is_wanted(row)
        ]
        if outcome.stopped or outcome.errors or not new:
            return outcome


def _restore_order(stack: Stack) -> list[tuple[str, str]]:
    """Return pairs of resource names: a restore changes the second before the first."""
    resources = map(stack.resource_for, stack.definitions)
    return [pair for resource in resources for pair in resource.restore_order()]


def store_options(stack: Stack) -> None:
    """Store the options of the run in ``stack.plan``, for a take-over."""
    stack.store(plan=stack.run.as_column())


# --------------------------------------------------------------- the end


def _finish(stack: Stack, outcome: Outcome) -> None:
    """Set the state in which the walk leaves the stack; stored with the journal's next turn."""
    action = stack.action
    failed = bool(outcome.stopped or outcome.errors)
    reason = _reason(action, outcome)
    if not stack.tree.is_nested:
        # The beginning is known here: a changed state is stored with its time.
        seconds = recovery.age(stack) or time.monotonic() - stack.run.began
        more = f': {stack.redact(reason)}' if failed else ', nothing changed' * stack.run.noop
        LOG.info('%s %s %.1fs%s', action, 'failed' if failed else 'complete', seconds, more)
    if failed:
        failures.note_walk(stack, action, outcome, reason)
    elif action == status.DELETE:
        reason += failures.remaining_summary(stack)
    if action == status.CHECK:
        reason += failures.check_summary(stack.current_resources())
    stack.state_set(action, status.FAILED if failed else status.COMPLETE, reason)
    kept = deferred_auth.kept_requester(stack, action)
    if kept is not None:
        stack.journal.stack(asker=kept)
    if failed and stack.convergence:
        # as in Heat, a failed stack has no traversal
        stack.store(current_traversal='')
    elif stack.convergence:
        # no rollback goes back behind a complete action
        stack.store(previous_template_id=None)
    if stack.run.deleting:
        stack.outputs.stored = None  # those of a failed create are gone with its resources
        stack.journal.stack(outputs=None)
    else:
        stack.outputs.store()


def _reason(action: str, outcome: Outcome) -> str:
    if outcome.stopped == TIMEOUT:
        return 'Timed out'
    if outcome.stopped:
        return f'Stack {action} cancelled'
    if not outcome.errors:
        return f'Stack {action} completed successfully'
    if action == status.CHECK and all(
        isinstance(each, exception.ResourceFailure) and each.path for each in outcome.errors
    ):
        found = '; '.join(
            f'{each.path[1]}: Resource CHECK failed: {each}' for each in outcome.errors
        )
        return f'Resource CHECK failed: {found}'
    error = outcome.errors[0]
    if isinstance(error, exception.ResourceFailure):
        return f'Resource {error.action} failed: {error}'
    return f'Stack {action} failed: {error}'


def _wants_rollback(stack: Stack, outcome: Outcome) -> bool:
    if outcome.stopped == task_manager.CANCEL_WITH_ROLLBACK:
        return True
    return (
        stack.status == status.FAILED
        and not stack.disable_rollback
        and outcome.stopped in (None, TIMEOUT)
    )
