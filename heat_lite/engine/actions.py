"""The verbs on a stack. Each takes the stack's lock, says that it has begun, and leaves the walk of its plan to the task pool.

Most verbs take over a stack that is at work on another one (see ``framing``); what is at work on single resources ends by itself, only a
delete stops it. What a walk brings back decides the stack's last state; only here is that written.
"""

import functools
import logging

from heat_lite.common import exception, status
from heat_lite.db import stacks as db_stacks
from heat_lite.engine import (
    credentials,
    failures,
    fingerprint,
    framing,
    plan,
    progress,
    running,
    scheduler,
    snapshots,
    traversal,
    unchanged,
    validation,
)

LOG = logging.getLogger(__name__)
STOP_SECONDS = 10
#: how often a delete stops what somebody else has begun meanwhile
DELETE_ATTEMPTS = 3


def create(stack):
    """Build what the template says. The stack has been stored, in CREATE_IN_PROGRESS."""
    framing.start(stack, status.CREATE, _create, functools.partial(framing.announced, stack, status.CREATE))


def adopt(stack):
    """The same of objects that exist (``stack.adopted``). The stack has been stored, in ADOPT_IN_PROGRESS."""
    framing.start(stack, status.ADOPT, _create)


def update(stack, template, changes, action=status.UPDATE, converge=False, template_id=None):
    """Make of the stack what ``template`` says. ``changes``: further columns of the stack's row, and ``tags``. ``converge``: look at what
    is really there, too. ``template_id``: where the template is stored already."""
    template_id = template_id or stack.store_template(template)

    def begin(live):
        failures.clear(live)
        live.converge = converge or live.limits.observe_on_update
        if live.converge:
            changes['plan'] = {**(changes.get('plan') or {}), 'converge': True}
        live.nothing_new = not live.converge and unchanged.nothing_new(live, template)
        if live.nothing_new:
            live.change(live.template, changes, live.template_id)
        else:
            live.change(template, changes, template_id)
        framing.in_progress(live, action)

    # what is suspended may be restored: its resources stay so unless the snapshot has something else in mind for them
    framing.take_over(stack, action, _update, begin, validation.updatable if action == status.UPDATE else validation.stays)


def restore(stack, template, changes):
    """Make the stack what it was: an update by another name."""
    update(stack, template, changes, status.RESTORE)


def snapshot(stack, taking):
    """Let each resource keep what it can of itself; ``taking`` is the row of that (see ``snapshots``)."""

    def begin():
        taking.begin()
        framing.in_progress(stack, status.SNAPSHOT)

    framing.start(stack, status.SNAPSHOT, functools.partial(_snapshot, taking), begin)


def delete(stack, force=False):
    """Take everything away, whatever else is going on with the stack; with ``force`` what cannot be deleted is forgotten, and listed.

    A delete that is under way already goes on. Raises StackProtected.
    """
    if stack.protected:
        raise exception.StackProtected(stack_name=stack.name)
    if stack.state == (status.DELETE, status.IN_PROGRESS) and not force and not stack.abandoning and framing.is_worked_on(stack):
        return

    def begin(live):
        live.abandoning = stack.abandoning
        if live.status == status.IN_PROGRESS:
            live.state_set(live.action, status.FAILED, f'Stack {live.action} cancelled')
        live.plan = {word: True for word, asked in (('force', force), ('abandon', stack.abandoning)) if asked} or None
        live.journal.stack(plan=live.plan)
        framing.in_progress(live, status.DELETE)

    for _ in range(DELETE_ATTEMPTS):
        try:
            return framing.take_over(stack, status.DELETE, _delete, begin)
        except exception.ActionInProgress:
            framing.stop_elsewhere(stack)
    framing.take_over(stack, status.DELETE, _delete, begin)


def retry(stack):
    """Go on with a failed action where it has stopped. Raises NothingToRetry."""
    work = _retried(stack)
    if stack.action == status.DELETE:
        return delete(stack, stack.forcing)
    known = stack.state

    def begin():
        framing.look_again(stack)
        if stack.state != known:
            raise exception.ActionInProgress(stack_name=stack.name, action=stack.action)
        framing.in_progress(stack, stack.action)

    return framing.start(stack, stack.action, work, begin)


def go_on(stack):
    """Go on with the action of an engine that is gone. The stack's lock is ours already."""

    def begin():
        stack.progress = progress.of(stack)
        asked = stack.plan or {}
        stack.abandoning, stack.converge = bool(asked.get('abandon')), bool(asked.get('converge'))

    framing.start(stack, stack.action, _GONE_ON[stack.action], begin)


def abandon(stack):
    """Forget the stack, whatever else is going on with it: its objects stay."""
    stack.abandoning = True
    delete(stack)


def protect(stack, protected):
    """Protect the stack from being deleted, or no longer. It is no action: it goes at once, whatever else is going on."""
    stack.protected = protected
    db_stacks.update(stack.context, stack.id, {'protected': protected, 'digest': fingerprint.of(stack)})


def suspend(stack):
    """Suspending what is suspended changes nothing, and is no error."""
    if stack.state != (status.SUSPEND, status.COMPLETE):
        framing.take_over(stack, status.SUSPEND, _backward, check=validation.stays)


def resume(stack):
    """The same holds of resuming."""
    if stack.state != (status.RESUME, status.COMPLETE):
        framing.take_over(stack, status.RESUME, _forward, check=validation.stays)


def check(stack):
    framing.take_over(stack, status.CHECK, _forward, check=validation.stays)


def cancel(stack, with_rollback):
    """Give an action up, and go back to what was before it, if so wanted. What has been begun on a resource ends by itself."""
    check = functools.partial(validation.cancellable, with_rollback=with_rollback)
    if with_rollback:
        framing.take_over(stack, status.ROLLBACK, _undo, _begin_rollback, check)
    else:
        framing.take_over(stack, stack.action, _settle, _begin_nothing, check)


def _begin_rollback(live):
    _go_back(live)
    framing.in_progress(live, status.ROLLBACK)


def _begin_nothing(live):
    live.state_set(live.action, status.FAILED, f'Stack {live.action} cancelled')
    live.journal.flush()


def _retried(stack):
    """The work that a retry goes on with."""
    if stack.status == status.FAILED and stack.action in _AGAIN:
        return _AGAIN[stack.action]
    actions = ', '.join(action.lower() for action in _AGAIN)
    raise exception.NothingToRetry(stack_name=stack.name, state=f'{stack.action}_{stack.status}', actions=actions)


# --------------------------------------------------------------- the work


def _create(stack, action, inbox):
    for name in stack.definitions:
        if stack.best_record(name) is None:
            stack.new_record(name)
    outcome = yield from _walk(stack, plan.build(stack.stored_rows(), stack.requirements), action, inbox)
    _finish(stack, action, outcome)
    if action == status.ADOPT:  # the document that was kept is not needed any more
        stack.plan = None
        stack.journal.stack(plan=None)
    if _wants_rollback(stack, outcome):
        stack.going = True
        # what was there before the stack must not go because it could not be adopted
        stack.abandoning = action == status.ADOPT
        stack.plan = {'abandon': True} if stack.abandoning else None
        stack.journal.stack(plan=stack.plan)
        yield from _roll_back(stack, inbox)
    yield from stack.journal.write()


def _update(stack, action, inbox):
    if stack.nothing_new:
        LOG.info('%s: the %s asks for nothing new, so no resource is visited', stack, action)
        outcome = traversal.Outcome()
    else:
        outcome = yield from _walk_all(stack, action, inbox)
    _finish(stack, action, outcome)
    if _wants_rollback(stack, outcome) and stack.previous_template_id is not None:
        _go_back(stack)
        yield from _roll_back(stack, inbox)
    yield from stack.journal.write()


def _go_back(stack):
    """The stack is to be again what it was before its last update."""
    previous = stack.runtime.templates.get(stack.context, stack.previous_template_id)
    stack.redefine(previous, stack.previous_template_id)
    stack.keep_definition()


def _settle(stack, action, inbox):
    """Nothing more to do: what has been begun is waited for by the frame."""
    yield from stack.journal.write()


def _roll_back(stack, inbox):
    """Begins in the same turn in which the action failed: whoever waits for the end of the action never sees a false one."""
    action = status.ROLLBACK
    stack.state_set(action, status.IN_PROGRESS, f'Stack {action} started')
    yield from stack.journal.write()
    yield from _undo(stack, action, inbox)


def _undo_again(stack, action, inbox):
    """A rollback that has failed goes on. What was created from nothing has no template to go back to."""
    stack.going = stack.previous_template_id is None
    yield from _undo(stack, action, inbox)


def _undo(stack, action, inbox):
    """The work of a rollback that has begun."""
    _finish(stack, action, (yield from _walk_all(stack, action, inbox)))
    yield from stack.journal.write()


def _snapshot_again(stack, action, inbox):
    yield from _snapshot(snapshots.under_way(stack), stack, action, inbox)


def _delete(stack, action, inbox):
    stack.going = True
    for walk in stack.leftovers:
        walk.throw(scheduler.Cancelled())
    outcome = yield from _delete_snapshots(stack)
    if not outcome.errors:
        outcome = yield from _walk_all(stack, action, inbox)
    if not (outcome.errors or outcome.stopped or stack.abandoning):
        credentials.forget(stack)
    if stack.forcing:
        outcome = failures.leave_behind(stack, outcome)
    _finish(stack, action, outcome)
    if stack.status == status.COMPLETE:
        if not stack.tree.is_nested:
            stack.tree.deferred.forget()
        stack.deleted_at = stack.utcnow()
        stack.journal.stack(deleted_at=stack.deleted_at)
    yield from stack.journal.write()


def _delete_snapshots(stack):
    """They go first: what they keep may hold on to the resources."""
    try:
        if stack.abandoning:
            snapshots.forget_all(stack)
        else:
            yield from snapshots.delete_all(stack)
    except Exception as error:
        if not stack.forcing:
            return traversal.Outcome([error])
        failures.note_end(stack, status.DELETE, error)
        snapshots.forget_all(stack)
    return traversal.Outcome()


def _snapshot(taking, stack, action, inbox):
    try:
        outcome = yield from _walk(stack, plan.forward(stack.requirements), action, inbox)
        _finish(stack, action, outcome)
    except framing.TakenOver:
        yield from taking.end(status.FAILED, f'Stack {action} cancelled')
        raise
    except Exception as error:
        yield from taking.end(status.FAILED, f'{type(error).__name__}: {error}')
        raise
    yield from taking.end(stack.status, stack.status_reason)
    yield from stack.journal.write()


def _forward(stack, action, inbox):
    outcome = yield from _walk(stack, plan.forward(stack.requirements), action, inbox)
    _finish(stack, action, outcome)
    yield from stack.journal.write()


def _backward(stack, action, inbox):
    outcome = yield from _walk(stack, plan.backward(stack.stored_rows()), action, inbox)
    _finish(stack, action, outcome)
    yield from stack.journal.write()


def _walk_all(stack, action, inbox):
    """Make the stack what it is wanted to be, and take the rest away."""
    while True:
        rows = stack.stored_rows()
        outcome = yield from _walk(stack, plan.build(rows, {} if stack.going else stack.requirements), action, inbox)
        # a handler that an earlier walk had begun may have made another row meanwhile
        unseen = [row for row in stack.stored_rows() if row not in rows and not stack.is_wanted(row)]
        if outcome.stopped or outcome.errors or not unseen:
            return outcome


def _walk(stack, graph, action, inbox):
    return (yield from framing.walker(stack, graph, action, inbox).walk())


#: what a retry goes on with
_AGAIN = {status.CREATE: _create, status.UPDATE: _update, status.RESTORE: _update, status.ROLLBACK: _undo_again, status.DELETE: _delete}
#: what an engine goes on with that has taken a stack over
_GONE_ON = {
    **_AGAIN,
    status.ADOPT: _create,
    status.SUSPEND: _backward,
    status.RESUME: _forward,
    status.CHECK: _forward,
    status.SNAPSHOT: _snapshot_again,
}


# --------------------------------------------------------------- ending


def _finish(stack, action, outcome):
    """The state in which the walk has left the stack; written with the journal's next turn."""
    failed = bool(outcome.stopped or outcome.errors)
    reason = _reason(action, outcome)
    if failed:
        failures.note_walk(stack, action, outcome, reason)
    elif action == status.DELETE:
        reason += failures.left_behind(stack)
    if action == status.CHECK:
        reason += failures.found(stack.current_resources())
    stack.state_set(action, status.FAILED if failed else status.COMPLETE, reason)
    if not stack.going:
        stack.keep_outputs()


def _reason(action, outcome):
    if outcome.stopped == traversal.TIMEOUT:
        return 'Timed out'
    if outcome.stopped:
        return f'Stack {action} cancelled'
    if not outcome.errors:
        return f'Stack {action} completed successfully'
    if action == status.CHECK and all(isinstance(each, exception.ResourceFailure) for each in outcome.errors):
        return f'Resource CHECK failed: {"; ".join(f"{each.path[1]}: Resource CHECK failed: {each}" for each in outcome.errors)}'
    error = outcome.errors[0]
    if isinstance(error, exception.ResourceFailure):
        return f'Resource {error.action} failed: {error}'
    return f'Stack {action} failed: {error}'


def _wants_rollback(stack, outcome):
    if outcome.stopped == running.CANCEL_WITH_ROLLBACK:
        return True
    return stack.status == status.FAILED and not stack.disable_rollback and outcome.stopped in (None, traversal.TIMEOUT)
