"""The frame of all work on a stack: its lock, one verb after another as they take each other over, and an end whatever happens.

A stack at work is one job of the pool. Another verb goes on with it by the same job and under the same lock: handlers that have been begun
are not disturbed, the new walk waits with each resource until nobody works on it (see ``traversal``).
"""

import functools
import logging
import math
import time

from heat_lite.common import exception, status
from heat_lite.db import journal, locks
from heat_lite.db import stacks as db_stacks
from heat_lite.engine import deferred, failures, hooks, progress, stack_lock, traversal
from heat_lite.engine.inbox import TakenOver, Verb

LOG = logging.getLogger(__name__)
MOMENT = 5  # in seconds


def start(stack, action, work, begin=None):
    """For verbs that wait their turn: ActionInProgress where another one is at work."""
    verb = Verb(action, work, begin or functools.partial(in_progress, stack, action))
    stack.runtime.running.start_when_free(stack, lambda inbox: _framed(stack, verb, inbox), verb.begin)


def take_over(stack, action, work, begin=None, check=None):
    """``check(live)`` raises what speaks against it, ``begin(live)`` says that it has begun; ``live`` is the stack as whoever works on it
    knows it."""

    def check_there(live):
        _still_there(live, stack)
        if check is not None:
            check(live)

    def begin_there(live):
        check_there(live)
        live.context = stack.context
        (begin or functools.partial(in_progress, action=action))(live)
        stack.action, stack.status, stack.status_reason = live.action, live.status, live.status_reason

    verb = Verb(action, work, begin_there, check_there)
    stack.runtime.running.take_over_or_start(stack, verb, _framed)


def in_progress(stack, action):
    """The state IN_PROGRESS, stored before the caller hears that the action has been accepted."""
    announced(stack, action)
    stack.journal.stack(asker=stack.tree.asker(action))
    stack.journal.flush()


def announced(stack, action):
    """The same for a stack that has just been stored in that state: only the event is left to write, with the first turn."""
    stack.state_set(action, status.IN_PROGRESS, f'Stack {action} started')


def walker(stack, graph, action, inbox):
    """The walker of the stack. There is one kind so far: this engine's own."""
    deadline = min(stack.deadline() - progress.age(stack), _deadline_around(stack))
    stack.walk = traversal.Traversal(stack, progress.arranged(stack, graph), action, inbox, stack.runtime.pool, deadline)
    return stack.walk


def _deadline_around(stack):
    """A stack inside another has the time of that one, and a moment more: so it is that one which tells that time was up."""
    around = stack.tree.parent
    if around is None or around.walk is None:
        return math.inf
    return time.monotonic() + around.walk.seconds_left() + MOMENT


def _framed(stack, verb, inbox):
    """One verb after the other, as they take each other over, until nothing is at work any more, or another engine has the stack."""
    try:
        while verb is not None:
            yield from _performed(stack, verb, inbox)
            verb = yield from _next(stack, inbox)
    except journal.Superseded:
        LOG.warning('%s: another engine has taken it over, so its work here ends', stack)


def _performed(stack, verb, inbox):
    """Whatever goes wrong in our own code must not leave the stack in progress."""
    plugins = stack.runtime.plugins
    try:
        plugins.before(stack, verb.action)
        deferred.begin(stack, verb.action)
        yield from verb.work(stack, verb.action, inbox)
        plugins.after(stack, verb.action)
    except TakenOver:
        plugins.after(stack, verb.action, failed=True)
    except journal.Superseded:
        plugins.after(stack, verb.action, failed=True)
        raise
    except Exception as error:
        LOG.exception('%s of stack %s broke', verb.action, stack.id)
        yield from _broken(stack, error)
        plugins.after(stack, verb.action, failed=True)


def _broken(stack, error):
    failures.note_end(stack, stack.action, error)
    _set_failed(stack, error)
    try:
        yield from stack.journal.write()
    except journal.Superseded:
        raise
    except Exception as unwritten:
        LOG.exception('%s: what it has done last cannot be stored, so that is lost', stack)
        stack.journal.give_up()
        _set_failed(stack, unwritten)
        yield from stack.journal.write()


def _set_failed(stack, error):
    stack.state_set(stack.action, status.FAILED, f'Stack {stack.action} failed: {type(error).__name__}: {error}')


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
        stack.going = stack.nothing_new = stack.abandoning = False
        stack.progress = None
        verb.begin(stack)
    except Exception as error:
        if was[1] == status.IN_PROGRESS:  # what it wanted to take over has been given up already
            yield from _broken(stack, error)
        verb.end(error=error)
        return False
    verb.end()
    return True


# --------------------------------------------------------------- others at work


def _still_there(live, stack):
    """Raises EntityNotFound where the stack is gone meanwhile."""
    if live is stack:
        look_again(stack)
    elif live.deleted_at is not None:
        raise exception.EntityNotFound(entity='Stack', name=live.name)


def look_again(stack):
    """Under the lock: what somebody else may have written since the stack was read. Raises EntityNotFound where it is gone."""
    row = db_stacks.whole(stack.context, stack.id)
    if row is None or row.deleted_at is not None:
        raise exception.EntityNotFound(entity='Stack', name=stack.name)
    stack.action, stack.status, stack.failures = row.action, row.status, row.failures


def is_worked_on(stack):
    """Whether some engine that lives has the stack's lock."""
    runtime = stack.runtime
    holder = locks.holder(stack.context, stack.id)
    if holder == runtime.engine_id:
        return stack.id in runtime.running.stack_ids()
    return holder is not None and runtime.listener.alive(stack.context, holder)


def stop_elsewhere(stack):
    """Have another engine that works on the stack stop it."""
    holder = stack_lock.at_work_elsewhere(stack.runtime, stack.context, stack.id)
    if holder is not None:
        stack.runtime.listener.stop_stack(stack.context, holder, stack.identifier().as_dict())
        look_again(stack)
