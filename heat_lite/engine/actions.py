"""The verbs on a stack. Each takes the stack's lock, says that it has begun, and leaves the walk of its plan to the task pool.

Most verbs take over a stack that is at work on another one: the work goes on with the new verb, by the same job and under the same lock.
Handlers that have been begun are not disturbed (only a delete stops them); the new walk waits with each resource for them. What a walk
brings back decides the stack's last state; only here is that written.
"""

import functools
import logging

from heat_lite.common import exception, status
from heat_lite.db import locks
from heat_lite.db import stacks as db_stacks
from heat_lite.engine import failures, hooks, plan, running, scheduler, snapshots, traversal, unchanged, validation
from heat_lite.engine.inbox import TakenOver, Verb

LOG = logging.getLogger(__name__)
STOP_SECONDS = 10
#: how often a delete stops what somebody else has begun meanwhile
DELETE_ATTEMPTS = 3


def create(stack):
    """Build what the template says. The stack has been stored, in CREATE_IN_PROGRESS."""
    _start(stack, status.CREATE, _create)


def adopt(stack):
    """The same of objects that exist (``stack.adopted``). The stack has been stored, in ADOPT_IN_PROGRESS."""
    _start(stack, status.ADOPT, _create)


def update(stack, template, changes, action=status.UPDATE, converge=False):
    """Make of the stack what ``template`` says. ``changes``: further columns of the stack's row, and ``tags``. ``converge``: look at what
    is really there, too."""
    template_id = stack.store_template(template)

    def begin(live):
        _still_there(live, stack)
        validation.updatable(live)
        failures.clear(live)
        live.converge = converge or live.limits.observe_on_update
        live.nothing_new = not live.converge and unchanged.nothing_new(live, template)
        if live.nothing_new:
            live.change(live.template, changes, live.template_id)
        else:
            live.change(template, changes, template_id)
        _begin(live, action)

    _take_over(stack, action, _update, begin)


def restore(stack, template, changes):
    """Make the stack what it was: an update by another name."""
    update(stack, template, changes, status.RESTORE)


def snapshot(stack, taking):
    """Let each resource keep what it can of itself; ``taking`` is the row of that (see ``snapshots``)."""

    def begin():
        taking.begin()
        _begin(stack, status.SNAPSHOT)

    _start(stack, status.SNAPSHOT, functools.partial(_snapshot, taking), begin)


def delete(stack, force=False):
    """Take everything away, whatever else is going on with the stack; with ``force`` what cannot be deleted is forgotten, and listed.

    A delete that is under way already goes on. Raises StackProtected.
    """
    if stack.protected:
        raise exception.StackProtected(stack_name=stack.name)
    if stack.state == (status.DELETE, status.IN_PROGRESS) and not force and _is_worked_on(stack):
        return

    def begin(live):
        _still_there(live, stack)
        live.abandoning = stack.abandoning
        if live.status == status.IN_PROGRESS:
            live.state_set(live.action, status.FAILED, f'Stack {live.action} cancelled')
        live.plan = {'force': True} if force else None
        live.journal.stack(plan=live.plan)
        _begin(live, status.DELETE)

    for attempt in range(1, DELETE_ATTEMPTS + 1):
        _stop_elsewhere(stack)
        try:
            return _take_over(stack, status.DELETE, _delete, begin)
        except exception.ActionInProgress:
            if attempt == DELETE_ATTEMPTS:
                raise


def retry(stack):
    """Go on with a failed action where it has stopped. Raises NothingToRetry."""
    work = _retried(stack)
    if stack.action == status.DELETE:
        return delete(stack, stack.forcing)
    known = stack.state

    def begin():
        _look_again(stack)
        if stack.state != known:
            raise exception.ActionInProgress(stack_name=stack.name, action=stack.action)
        _begin(stack, stack.action)

    return _start(stack, stack.action, work, begin)


def abandon(stack):
    """Forget the stack, whatever else is going on with it: its objects stay."""
    stack.abandoning = True
    delete(stack)


def suspend(stack):
    """Suspending what is suspended changes nothing, and is no error."""
    if stack.state != (status.SUSPEND, status.COMPLETE):
        _take_over(stack, status.SUSPEND, _backward)


def resume(stack):
    _take_over(stack, status.RESUME, _forward)


def check(stack):
    _take_over(stack, status.CHECK, _forward)


def cancel(stack, with_rollback):
    """Give an action up, and go back to what was before it, if so wanted. What has been begun on a resource ends by itself."""
    _take_over(stack, status.ROLLBACK if with_rollback else stack.action, _undo if with_rollback else _settle, _begin_cancel(with_rollback))


def walker(stack, graph, action, inbox):
    """The walker of the stack. There is one kind so far: this engine's own."""
    return traversal.Traversal(stack, graph, action, inbox, stack.runtime.pool, stack.deadline())


# --------------------------------------------------------------- beginning


def _start(stack, action, work, begin=None):
    """For verbs that wait their turn: ActionInProgress where another one is at work."""
    verb = Verb(stack.context, action, work, begin or (lambda: _begin(stack, action)))
    stack.runtime.running.start_with_lock(stack, lambda inbox: _framed(stack, verb, inbox), verb.begin)


def _take_over(stack, action, work, begin=None):
    """``begin(live)`` gets the stack as whoever works on it knows it."""

    def begin_there(live):
        live.context = stack.context
        (begin or functools.partial(_begin, action=action))(live)
        stack.action, stack.status, stack.status_reason = live.action, live.status, live.status_reason

    verb = Verb(stack.context, action, work, begin_there)
    stack.runtime.running.take_over_or_start(stack, verb, _framed)


def _begin_cancel(with_rollback):
    def begin(live):
        validation.cancellable(live, with_rollback)
        if with_rollback:
            _go_back(live)
            _begin(live, status.ROLLBACK)
        else:
            live.state_set(live.action, status.FAILED, f'Stack {live.action} cancelled')
            live.journal.flush()

    return begin


def _begin(stack, action):
    """The state IN_PROGRESS, stored before the caller hears that the action has been accepted."""
    stack.state_set(action, status.IN_PROGRESS, f'Stack {action} started')
    stack.journal.flush()


def _framed(stack, verb, inbox):
    """One verb after the other, as they take each other over, until nothing is at work any more."""
    while verb is not None:
        yield from _performed(stack, verb, inbox)
        verb = yield from _next(stack, inbox)


def _performed(stack, verb, inbox):
    """Whatever goes wrong in our own code must not leave the stack in progress."""
    plugins = stack.runtime.plugins
    try:
        plugins.before(stack, verb.action)
        yield from verb.work(stack, verb.action, inbox)
        plugins.after(stack, verb.action)
    except TakenOver:
        plugins.after(stack, verb.action, failed=True)
    except Exception as error:
        LOG.exception('%s of stack %s broke', verb.action, stack.id)
        yield from _broken(stack, error)
        plugins.after(stack, verb.action, failed=True)


def _broken(stack, error):
    failures.note_end(stack, stack.action, error)
    stack.state_set(stack.action, status.FAILED, f'Stack {stack.action} failed: {type(error).__name__}: {error}')
    yield from stack.journal.write()


def _next(stack, inbox):
    """The verb that goes on with the stack, begun; None when all is done."""
    while True:
        try:
            yield from walker(stack, {}, stack.action, inbox).settle()
        except TakenOver:
            LOG.debug('Stack %s: another action goes on', stack.id)
        verb = inbox.next_verb()
        if verb is not None and (yield from _taken_up(stack, verb)):
            return verb
        if verb is None and inbox.close():
            return None


def _taken_up(stack, verb):
    """Whether the verb could begin; whoever asked for it hears of that."""
    was = stack.state
    hooks.release(stack)
    try:
        stack.going = stack.nothing_new = False
        verb.begin(stack)
    except Exception as error:
        if was[1] == status.IN_PROGRESS:  # what it wanted to take over has been given up already
            yield from _broken(stack, error)
        verb.end(error=error)
        return False
    verb.end()
    return True


def _still_there(live, stack):
    """Raises EntityNotFound where the stack is gone meanwhile."""
    if live is stack:
        _look_again(stack)
    elif live.deleted_at is not None:
        raise exception.EntityNotFound(entity='Stack', name=live.name)


def _look_again(stack):
    """Under the lock: what somebody else may have written since the stack was read. Raises EntityNotFound where it is gone."""
    row = db_stacks.get(stack.context, stack.id)
    if row is None:
        raise exception.EntityNotFound(entity='Stack', name=stack.name)
    stack.action, stack.status, stack.failures = row.action, row.status, row.failures


def _is_worked_on(stack):
    """Whether some engine that lives has the stack's lock."""
    runtime = stack.runtime
    holder = locks.holder(stack.context, stack.id)
    if holder == runtime.engine_id:
        return stack.id in runtime.running.stack_ids()
    return holder is not None and runtime.listener.alive(stack.context, holder)


def _retried(stack):
    """The work that a retry goes on with."""
    if stack.status == status.FAILED and stack.action in _AGAIN:
        return _AGAIN[stack.action]
    actions = ', '.join(action.lower() for action in _AGAIN)
    raise exception.NothingToRetry(stack_name=stack.name, state=f'{stack.action}_{stack.status}', actions=actions)


def _stop_elsewhere(stack):
    """Have another engine that works on the stack stop it."""
    runtime = stack.runtime
    holder = locks.holder(stack.context, stack.id)
    if holder is not None and holder != runtime.engine_id and runtime.listener.alive(stack.context, holder):
        runtime.listener.stop_stack(stack.context, holder, stack.identifier().as_dict())
        _look_again(stack)


# --------------------------------------------------------------- the work


def _create(stack, action, inbox):
    for name in stack.definitions:
        if stack.best_record(name) is None:
            stack.new_record(name)
    outcome = yield from _walk(stack, plan.build(stack.stored_rows(), stack.requirements), action, inbox)
    _finish(stack, action, outcome)
    if _wants_rollback(stack, outcome):
        stack.going = True
        # what was there before the stack must not go because it could not be adopted
        stack.abandoning = action == status.ADOPT
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


def _delete(stack, action, inbox):
    stack.going = True
    for walk in stack.leftovers:
        walk.throw(scheduler.Cancelled())
    outcome = yield from _delete_snapshots(stack)
    if not outcome.errors:
        outcome = yield from _walk_all(stack, action, inbox)
    if stack.forcing:
        outcome = failures.leave_behind(stack, outcome)
    _finish(stack, action, outcome)
    if stack.status == status.COMPLETE:
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
        return traversal.Outcome([error])
    return traversal.Outcome()


def _snapshot(taking, stack, action, inbox):
    try:
        outcome = yield from _walk(stack, plan.forward(stack.requirements), action, inbox)
        _finish(stack, action, outcome)
    except Exception as error:
        taking.fail(error)
        raise
    yield from taking.end()
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
    return (yield from walker(stack, graph, action, inbox).walk())


#: what a retry goes on with
_AGAIN = {status.CREATE: _create, status.UPDATE: _update, status.ROLLBACK: _undo_again, status.DELETE: _delete}


# --------------------------------------------------------------- ending


def _finish(stack, action, outcome):
    """The state in which the walk has left the stack; written with the journal's next turn."""
    failed = bool(outcome.stopped or outcome.errors)
    reason = _reason(action, outcome)
    if failed:
        failures.note_walk(stack, action, outcome, reason)
    elif action == status.DELETE:
        reason += failures.left_behind(stack)
    if action == status.CHECK and not all(hasattr(each, 'handle_check') for each in stack.current_resources()):
        reason += ". 'CHECK' not fully supported (see resources)"
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
    error = outcome.errors[0]
    if isinstance(error, exception.ResourceFailure):
        return f'Resource {error.action} failed: {error}'
    return f'Stack {action} failed: {error}'


def _wants_rollback(stack, outcome):
    if outcome.stopped == running.CANCEL_WITH_ROLLBACK:
        return True
    return stack.status == status.FAILED and not stack.disable_rollback and outcome.stopped in (None, traversal.TIMEOUT)
