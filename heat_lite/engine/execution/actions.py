"""The actions on a stack: what each one checks, how it begins, and which work it does.

``start`` hands an action to the task manager, which acquires the stack lock; the task of the stack
then calls ``Action.work``. An action with a new target for the stack preempts the running one; the
others, which would lose its rest, raise ActionInProgress.
The work itself is in ``action_work``.

Tests: tests/functional/test_engine.py.
"""

import dataclasses
import logging
from collections.abc import Callable

from heat_lite.common import exception, status
from heat_lite.common.value_types import Value, Values
from heat_lite.db import locks, stacks as db_stacks
from heat_lite.engine import deferred_auth
from heat_lite.engine.execution import action_work, plan_facts, recovery
from heat_lite.engine.execution.mailbox import ActionRequest
from heat_lite.engine.execution.stack_task import StackTask
from heat_lite.engine.resource import failures, fingerprint
from heat_lite.engine.scheduler import Work
from heat_lite.engine.stack import stack_lock, stack_storage
from heat_lite.engine.stack.action_run import FORMER_TAGS, ActionRun
from heat_lite.engine.stack.stack import Stack, StackChanged
from heat_lite.engine.validation import validation
from heat_lite.template.template import Template

LOG = logging.getLogger(__name__)
#: how long another engine may take to stop its work on a stack, in seconds
STOP_SECONDS = 10
#: how often an abandon stops an action that another engine has begun meanwhile
DELETE_ATTEMPTS = 3
#: gives the running action up; no action of a stack's state
CANCEL = 'CANCEL'

ActionMethod = Callable[[StackTask], Work]


def start(stack: Stack, action: str, **options: Value) -> None:
    """Begin an action (a key of ACTIONS); ``options`` are fields of ActionRun.

    Returns when the beginning is stored. Raises ActionInProgress, and what the action's check
    raises.
    """
    options.setdefault('stack_depth', stack.context.stack_depth)
    run = ActionRun(stack.action if action == CANCEL else action, **options)
    row = ACTIONS[action] if run.facts is None else PLANNED_UPDATE
    request = ActionRequest(stack, run, row)
    stack.runtime.task_manager.start(request)


def create(stack: Stack, adopted: bool = False) -> None:
    """Begin to create, or to adopt, a stack that was stored as CREATE_ or ADOPT_IN_PROGRESS."""
    start(stack, status.ADOPT if adopted else status.CREATE)


def update(
    stack: Stack,
    template: Template,
    values: Values,
    action: str = status.UPDATE,
    template_id: int | None = None,
    **options: Value,
) -> None:
    """Begin to change the stack to what ``template`` describes (UPDATE, RESTORE).

    ``values`` are further columns of the stack's row, and ``tags``. ``template_id`` is the row of
    the template where it is stored already. ``options``: ``converge``, ``forbid_replacement``,
    ``base``, ``facts``, ``restored``, ``kept``, ``not_applied``, ``replaced``.
    """
    template_id = template_id or stack.runtime.templates.store(template)
    start(stack, action, template=template, template_id=template_id, values=values, **options)


def delete(stack: Stack, force: bool = False, abandoning: bool = False) -> None:
    """Begin to delete the stack, whatever action is running; ``abandoning`` leaves its objects.

    A running delete simply goes on. Raises StackProtected, and ActionInProgress where another
    engine works on the stack: that one begins the delete. Only what must happen here,
    ``abandoning``, stops it.
    """
    if stack.protected:
        raise exception.StackProtected(stack_name=stack.name)
    is_deleting = stack.state == (status.DELETE, status.IN_PROGRESS)
    if is_deleting and not force and not abandoning and _is_at_work(stack):
        return
    options = {
        'force': force,
        'abandoning': abandoning,
        'request_id': stack.context.request_id,
    }
    for _ in range(DELETE_ATTEMPTS):
        try:
            return start(stack, status.DELETE, **options)
        except exception.ActionInProgress:
            if not abandoning:
                raise
            _stop_elsewhere(stack)
    start(stack, status.DELETE, **options)


def suspend(stack: Stack) -> None:
    """Begin to suspend the stack, unless it is suspended."""
    if stack.state != (status.SUSPEND, status.COMPLETE):
        start(stack, status.SUSPEND)


def resume(stack: Stack) -> None:
    """Begin to resume the stack, unless it was resumed last."""
    if stack.state != (status.RESUME, status.COMPLETE):
        start(stack, status.RESUME)


def check(stack: Stack) -> None:
    """Begin to check the resources of the stack against their real objects."""
    start(stack, status.CHECK)


def cancel(stack: Stack, with_rollback: bool) -> None:
    """Give the running action up, then roll back if wanted; handlers at work end by themselves."""
    start(stack, status.ROLLBACK if with_rollback else CANCEL)


def retry(stack: Stack) -> None:
    """Continue a failed action where it failed. Raises NothingToRetry."""
    work = ACTIONS[stack.action].retry if stack.action in ACTIONS else None
    if stack.status != status.FAILED or work is None:
        names = ', '.join(name.lower() for name, row in ACTIONS.items() if row.retry)
        state = f'{stack.action}_{stack.status}'
        raise exception.NothingToRetry(stack_name=stack.name, state=state, actions=names)
    if stack.action == status.DELETE:
        return delete(stack, stack.run.force, stack.run.abandoning)
    run = ActionRun.from_column(stack.action, stack.plan)
    run.expected_state = stack.state
    action = Action(work=work, begin=_begin_retry, preempts=False)
    stack.runtime.task_manager.start(ActionRequest(stack, run, action))


def continue_after_takeover(stack: Stack) -> None:
    """Continue the action of an engine that is gone; this engine has the stack's lock already."""
    row = ACTIONS[stack.action]
    run = ActionRun.from_column(stack.action, stack.plan)
    action = Action(work=row.resume or row.work, begin=recovery.begin, preempts=False)
    stack.runtime.task_manager.start(ActionRequest(stack, run, action))


def protect(stack: Stack, protected: bool) -> None:
    """Protect the stack from deletion, or stop protecting it; works during any action."""
    db_stacks.update(stack.id, {'protected': protected})


# --------------------------------------------------------------- beginnings


def store_in_progress(stack: Stack) -> None:
    """Store the state IN_PROGRESS; only then is the request answered."""
    announce(stack)
    stack.journal.stack(asker=deferred_auth.requester(stack, stack.run.action))
    stack.journal.flush()


def announce(stack: Stack) -> None:
    """Set IN_PROGRESS; it is stored with the first turn, since the row of a new stack has it."""
    action = stack.run.action
    stack.state_set(action, status.IN_PROGRESS, f'Stack {action} started')


def _begin_update(stack: Stack) -> None:
    run = stack.run
    failures.clear(stack)
    run.converge = run.converge or stack.limits.observe_on_update
    # a restored object may differ though its definition does not
    visits = run.converge or run.restored is not None or run.replaced
    run.noop = not visits and fingerprint.changes_nothing(stack, run.template)
    target = (stack.template, stack.template_id) if run.noop else (run.template, run.template_id)
    values = {**run.values, 'plan': run.as_column()}
    if values.setdefault('tags', stack.tags) != stack.tags:
        values['plan'] = {**(values['plan'] or {}), FORMER_TAGS: stack.tags}
    else:
        del values['tags']
    stack.change(run.action, *target, **values)
    store_in_progress(stack)


def _begin_planned(stack: Stack) -> None:
    _require_rest(stack)
    stack.forget_rows()
    _check_updatable(stack, stack.run)
    plan_facts.require(stack, stack.run.facts or (), [plan_facts.stored(stack)])
    _begin_update(stack)


def _begin_at_rest(stack: Stack) -> None:
    _require_rest(stack)
    store_in_progress(stack)


def _begin_snapshot(stack: Stack) -> None:
    _require_rest(stack)
    stack.run.snapshot.begin()
    store_in_progress(stack)


def _require_rest(stack: Stack) -> None:
    """Raise ActionInProgress for an action that waits for an engine to continue it."""
    stack_storage.refresh(stack)
    validation.at_rest(stack)


def _begin_delete(stack: Stack) -> None:
    if stack.status == status.IN_PROGRESS:
        stack.state_set(stack.action, status.FAILED, f'Stack {stack.action} cancelled')
    action_work.store_options(stack)
    store_in_progress(stack)


def _begin_rollback(stack: Stack) -> None:
    action_work.return_to_previous_template(stack)
    store_in_progress(stack)


def _begin_cancel(stack: Stack) -> None:
    stack.state_set(stack.action, status.FAILED, f'Stack {stack.action} cancelled')
    stack.journal.flush()


def _begin_retry(stack: Stack) -> None:
    stack_storage.refresh(stack)
    if stack.state != stack.run.expected_state:
        raise exception.action_in_progress(stack)
    store_in_progress(stack)


# --------------------------------------------------------------- checks


def _allow(stack: Stack, run: ActionRun) -> None:
    """An action without conditions."""


def _check_updatable(stack: Stack, run: ActionRun) -> None:
    validation.updatable(stack)
    if run.base not in (None, stack.update_base):
        raise StackChanged


def _check_settled(stack: Stack, run: ActionRun) -> None:
    validation.not_exclusive(stack)


def _check_cancellable(stack: Stack, run: ActionRun) -> None:
    validation.cancellable(stack, with_rollback=run.action == status.ROLLBACK)


# --------------------------------------------------------------- the table


@dataclasses.dataclass(frozen=True)
class Action:
    """How an action is executed.

    ``check(stack, run)`` raises what forbids it, ``begin(stack)`` stores its beginning, and
    ``work(task)`` is the generator of its steps. ``retry`` is the work after a failure (None: a
    retry is refused), ``resume`` the work after a take-over if that is not ``work``. An action
    that ``preempts`` interrupts the stack's current action; any other is refused meanwhile.
    """

    work: ActionMethod
    begin: Callable[[Stack], None] = store_in_progress
    check: Callable[[Stack, ActionRun], None] = _allow
    retry: ActionMethod | None = None
    resume: ActionMethod | None = None
    preempts: bool = True


ACTIONS = {
    status.CREATE: Action(
        action_work.create, begin=announce, retry=action_work.create, preempts=False
    ),
    status.ADOPT: Action(action_work.adopt, preempts=False),
    status.UPDATE: Action(
        action_work.update, begin=_begin_update, check=_check_updatable, retry=action_work.update
    ),
    # a suspended stack may be restored: its resources keep their state unless the snapshot differs
    status.RESTORE: Action(
        action_work.update, begin=_begin_update, check=_check_settled, retry=action_work.update
    ),
    status.ROLLBACK: Action(
        action_work.roll_back,
        begin=_begin_rollback,
        check=_check_cancellable,
        retry=action_work.resume_rollback,
        resume=action_work.resume_rollback,
    ),
    status.DELETE: Action(action_work.delete, begin=_begin_delete, retry=action_work.delete),
    status.SNAPSHOT: Action(
        action_work.snapshot,
        begin=_begin_snapshot,
        resume=action_work.resume_snapshot,
        preempts=False,
    ),
    status.SUSPEND: Action(action_work.walk_backward, begin=_begin_at_rest, preempts=False),
    status.RESUME: Action(action_work.walk_forward, begin=_begin_at_rest, preempts=False),
    status.CHECK: Action(action_work.walk_forward, begin=_begin_at_rest, preempts=False),
    CANCEL: Action(action_work.settle, begin=_begin_cancel, check=_check_cancellable),
}
#: does what a plan says, so the state of the stack must be that of the plan
PLANNED_UPDATE = Action(action_work.update, begin=_begin_planned, preempts=False)


# --------------------------------------------------------------- other engines


def _is_at_work(stack: Stack) -> bool:
    """Whether a living engine holds the stack's lock."""
    runtime = stack.runtime
    holder = locks.holder(stack.id)
    if holder == runtime.engine_id:
        return stack.id in runtime.task_manager.stack_ids()
    return holder is not None and runtime.listener.is_alive(stack.context, holder)


def _stop_elsewhere(stack: Stack) -> None:
    """Have the engine that works on the stack stop, and read the state that it leaves."""
    holder = stack_lock.live_holder_elsewhere(stack.runtime, stack.context, stack.id)
    if holder is not None:
        try:
            stack.runtime.listener.stop_stack(stack.context, holder, stack.identifier().as_dict())
        except (exception.StopActionFailed, exception.EngineTimeout):
            raise exception.action_in_progress(stack) from None
        stack_storage.refresh(stack)
