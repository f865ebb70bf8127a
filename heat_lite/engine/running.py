"""The stacks that this engine works on now: their jobs, their locks, and the messages to their walkers."""

import collections
import logging
import random
import threading
import time

from heat_lite.common import exception, status
from heat_lite.db import locks
from heat_lite.db import stacks as db_stacks
from heat_lite.engine import event, scheduler, stack_lock
from heat_lite.engine.inbox import SECONDS, Inbox, Visit

LOG = logging.getLogger(__name__)
#: how long the lock of another engine is waited for whose work on the stack has ended, in seconds
ENDING_SECONDS = 3
#: how long room is kept for work that has not begun, in seconds
BEGIN_SECONDS = 5
CANCEL, CANCEL_WITH_ROLLBACK, STOP = 'cancel', 'cancel_with_rollback', 'stop'


class Running:
    """Starts the work on stacks, under their locks, and reaches it again by the stack's id. ``tell_end(stack)`` is called after the end."""

    def __init__(self, pool, engine_id, neighbours, tell_end=lambda stack: None):
        self._pool = pool
        self._engine_id = engine_id
        self._neighbours = neighbours
        self._tell_end = tell_end
        self._guard = threading.Lock()
        self._work = {}
        #: how many stacks inside resources it works on, and the names of those that it is about to, with the time until when that counts
        self._nested = 0
        self._expected = {}
        self._bells = collections.defaultdict(list)

    def make_room(self, stack, most):
        """Whether there is room for one more stack inside a resource where ``most`` may be at work; if so it is kept for this one.

        Many are asked for at once, before the first of them begins.
        """
        now = time.monotonic()
        with self._guard:
            self._expected = {name: until for name, until in self._expected.items() if until > now}
            if self._nested + len(self._expected) >= most:
                return False
            self._expected[stack.name] = now + BEGIN_SECONDS
            return True

    def start_with_lock(self, stack, work, begin=None):
        """Take the stack's lock (ActionInProgress if that fails), call ``begin`` and give ``work(inbox)``, a generator, to the pool.

        Whatever becomes of the work, the lock is released at its end.
        """
        if stack.stored_locked and stack.id in self.stack_ids():
            raise exception.ActionInProgress(stack_name=stack.name, action=stack.action)
        lock = stack_lock.StackLock(stack.context, stack, self._engine_id, self._neighbours.is_gone)
        lock.acquire()
        stack.journal.holder = self._engine_id
        try:
            if begin is not None:
                begin()
            return self._spawn(stack, work, lock)
        except BaseException:
            lock.release()
            raise

    def start_when_free(self, stack, work, begin=None):
        """The same, but work whose end is stored already, and that only has to let go of the lock, is waited for."""
        until = time.monotonic() + ENDING_SECONDS
        while True:
            try:
                return self.start_with_lock(stack, work, begin)
            except exception.ActionInProgress:
                if time.monotonic() > until or not _has_ended(stack):
                    raise
                time.sleep(random.uniform(0.005, 0.05))

    def take_over_or_start(self, stack, verb, frame):
        """Have the work on the stack go on with ``verb``; where there is none, begin one as ``start_with_lock`` does.

        ``frame(stack, verb, inbox)`` is the generator of new work. Raises what the verb's beginning raises.
        """
        until = time.monotonic() + SECONDS
        while not self._ask(stack, verb, Inbox.take_over):
            try:
                return self.start_with_lock(stack, lambda inbox: frame(stack, verb, inbox), lambda: verb.begin(stack))
            except exception.ActionInProgress:
                # work of our own that takes nothing more is about to end
                holder = locks.holder(stack.context, stack.id)
                if holder in (None, self._engine_id) and time.monotonic() < until:
                    self._await_end(stack.id)
                elif not self._frees_it_soon(stack, holder, until):
                    raise
                else:
                    time.sleep(random.uniform(0.01, 0.1))

    def _frees_it_soon(self, stack, holder, until):
        """Whether another engine is about to release its lock, or does not answer: then it may turn out to be gone."""
        left = until - time.monotonic()
        if left > SECONDS - ENDING_SECONDS and _has_ended(stack):
            return True
        return left > 0 and not self._neighbours.answers(holder)

    def visit(self, stack, errand):
        """Call ``errand(stack)`` where the stack is at work, or right here where it is not; what it changes is stored."""
        visit = Visit(errand)
        if self._ask(stack, visit, Inbox.visit):
            return visit.result
        result = errand(stack)
        stack.journal.flush()
        return result

    def _ask(self, stack, request, put):
        """Whether the work on the stack has seen to it."""
        with self._guard:
            work = self._work.get(stack.id)
        if work is None or not put(work[0], request):
            return False
        while not request.wait():
            if work[0].withdraw(request):
                raise exception.ActionInProgress(stack_name=stack.name, action=stack.action)
            if work[1].is_set():
                return request.wait(0)
        return True

    def _await_end(self, stack_id):
        with self._guard:
            work = self._work.get(stack_id)
        if work is None:
            time.sleep(0.05)  # it is just beginning, or has just ended
        else:
            work[1].wait(SECONDS)

    def _spawn(self, stack, work, lock):
        inbox = Inbox()
        ended = threading.Event()
        with self._guard:
            self._work[stack.id] = (inbox, ended, stack)
            self._nested += stack.owner_id is not None
            self._expected.pop(stack.name, None)

        def on_end(_result, error):
            if error is not None:
                LOG.error('The work on stack %s (%s) ended by an error', stack.name, stack.id, exc_info=error)
            self._end(stack, lock, ended)
            self._tell_end(stack)
            event.trim(stack)

        job = self._pool.spawn(
            scheduler.TaskRunner(work(inbox), name=f'stack {stack.name}'), on_end=on_end, late=stack.owner_id is not None
        )
        inbox.attach(job)
        return job

    def _end(self, stack, lock, ended):
        try:
            lock.release()
        finally:
            with self._guard:
                self._nested -= stack.owner_id is not None
                # somebody may have begun anew since the lock is free
                if self._work.get(stack.id, (None, None))[1] is ended:
                    del self._work[stack.id]
            ended.set()
            # only now: whoever waited for the end may act on the stack at once
            with self._guard:
                bells = self._bells.pop(stack.id, ())
            for bell in bells:
                bell.ring()

    def tell_end(self, stack_id, bell):
        """Ring the bell when the work on a stack ends. False when this engine does not work on it."""
        with self._guard:
            if stack_id in self._work or stack_id in self._bells:
                self._bells[stack_id].append(bell)
                return True
            return False

    def has(self, stack_id):
        """Whether this engine works on the stack."""
        with self._guard:
            return stack_id in self._work

    def send(self, stack_id, message):
        """False when this engine does not work on the stack."""
        with self._guard:
            work = self._work.get(stack_id)
        if work is None:
            return False
        work[0].send(message)
        return True

    def stop(self, stack_id, seconds):
        """Ask the work on a stack to stop and wait for it. True when it has ended, or there was none."""
        with self._guard:
            work = self._work.get(stack_id)
        if work is None:
            return True
        inbox, ended, _ = work
        inbox.send(STOP)
        return ended.wait(seconds)

    def keep_only(self, held):
        """Others may have taken stacks over from this engine: what it does for any but those that ``held()`` gives ends at once."""
        with self._guard:
            work = list(self._work.values())
        # asked for only now: what has begun meanwhile has its lock, and what has none has lost it, or has ended
        locked = set(held())
        for inbox, ended, stack in work:
            if stack.id in locked or ended.is_set():
                continue
            LOG.warning('%s has been taken over by another engine', stack)
            if stack.walk is not None:
                stack.walk.abandon()
            inbox.wake()

    def hand_over(self, seconds):
        """Let no task take another step, wait ``seconds`` for those under way, and store what they have brought: then another engine can go
        on with everything. Gives the stacks that are left to others."""
        if not self._pool.freeze(seconds):
            LOG.warning('Some tasks are in the midst of a step after %s seconds; whoever goes on with them looks what came of it', seconds)
        with self._guard:
            stacks = [stack for _, _, stack in self._work.values()]
        for stack in stacks:
            try:
                stack.journal.flush()
            except Exception:
                LOG.exception('The last changes of stack %s could not be stored', stack.id)
        return stacks

    def count(self, tenant=None):
        """How many stacks this engine works on, of all projects or of one."""
        with self._guard:
            return sum(tenant in (None, stack.tenant) for _, _, stack in self._work.values())

    def stack_ids(self):
        with self._guard:
            return list(self._work)


def _has_ended(stack):
    """Whether the last state is stored: then whoever has the lock is about to release it."""
    row = db_stacks.get(stack.context, stack.id, show_deleted=True)
    return row is None or row.status != status.IN_PROGRESS
