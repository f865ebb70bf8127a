"""The stacks that this engine works on now: their jobs, their locks, and the messages to their walkers."""

import collections
import logging
import threading

from heat_lite.engine import scheduler, stack_lock

LOG = logging.getLogger(__name__)
CANCEL, CANCEL_WITH_ROLLBACK, STOP = 'cancel', 'cancel_with_rollback', 'stop'


class Inbox:
    """The message queue of one stack's walker; a message wakes it."""

    def __init__(self):
        self._messages = collections.deque()
        self._job = None

    def attach(self, job):
        self._job = job
        job.wake()

    def send(self, message):
        self._messages.append(message)
        self.wake()

    def receive(self):
        """The oldest message, None when there is none."""
        return self._messages.popleft() if self._messages else None

    def wake(self):
        if self._job is not None:
            self._job.wake()


class Running:
    """Starts the work on stacks, under their locks, and reaches it again by the stack's id."""

    def __init__(self, pool, engine_id, alive):
        self._pool = pool
        self._engine_id = engine_id
        self._alive = alive
        self._guard = threading.Lock()
        self._work = {}

    def start_with_lock(self, stack, work, begin=None):
        """Take the stack's lock (ActionInProgress if that fails), call ``begin`` and give ``work(inbox)``, a generator, to the pool.

        Whatever becomes of the work, the lock is released at its end.
        """
        lock = stack_lock.StackLock(stack.context, stack, self._engine_id, self._alive)
        lock.acquire()
        try:
            if begin is not None:
                begin()
            return self._spawn(stack, work, lock)
        except BaseException:
            lock.release()
            raise

    def _spawn(self, stack, work, lock):
        inbox = Inbox()
        ended = threading.Event()
        with self._guard:
            self._work[stack.id] = (inbox, ended)

        def on_end(_result, error):
            if error is not None:
                LOG.error('The work on stack %s (%s) ended by an error', stack.name, stack.id, exc_info=error)
            self._end(stack, lock, ended)

        job = self._pool.spawn(scheduler.TaskRunner(work(inbox), name=f'stack {stack.name}'), on_end=on_end)
        inbox.attach(job)
        return job

    def _end(self, stack, lock, ended):
        with self._guard:
            self._work.pop(stack.id, None)
        try:
            lock.release()
        finally:
            ended.set()

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
        inbox, ended = work
        inbox.send(STOP)
        return ended.wait(seconds)

    def stack_ids(self):
        with self._guard:
            return list(self._work)
