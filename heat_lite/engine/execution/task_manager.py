"""The stacks at work in this engine: their tasks, their locks, and the messages to their tasks."""

import collections
import logging
import random
import threading
import time
import weakref
from collections.abc import Callable, Iterable, MutableMapping
from typing import TYPE_CHECKING

from heat_lite.common import exception, long_work, status
from heat_lite.common.value_types import Value
from heat_lite.db import journal, locks, stacks as db_stacks
from heat_lite.engine import event, scheduler
from heat_lite.engine.execution.mailbox import (
    SECONDS,
    ActionRequest,
    Callback,
    Mailbox,
    Request,
    unavailable,
)
from heat_lite.engine.execution.stack_task import StackTask
from heat_lite.engine.stack import stack_lock
from heat_lite.engine.stack.stack import Stack
from heat_lite.engine.stack.stack_lock import StackLock
from heat_lite.engine.task_pool import PoolClosed, TaskPool

if TYPE_CHECKING:
    from heat_lite.engine.cluster.membership import EngineMembership
    from heat_lite.engine.execution.workers import Workers

LOG = logging.getLogger(__name__)
#: how long to wait for the lock of an engine whose work on the stack has ended, in seconds
ENDING_SECONDS = 3
#: how long a reserved slot is kept for a nested stack that has not begun, in seconds
BEGIN_SECONDS = 5
CANCEL, CANCEL_WITH_ROLLBACK, STOP = 'cancel', 'cancel_with_rollback', 'stop'


class _Entry:
    """A stack at work: its mailbox, its lock, and an event that is set at its end."""

    def __init__(self, manager: 'ThreadGroupManager', stack: Stack, lock: StackLock) -> None:
        self.stack = stack
        self.lock = lock
        self.mailbox = Mailbox()
        self.ended = threading.Event()
        self.began = time.monotonic()
        self._manager = manager

    def on_end(self, _result: object, error: BaseException | None) -> None:
        """Called by the task pool, once."""
        if isinstance(error, PoolClosed):
            return  # the lock stays with this engine, so that another one takes the stack over
        if error is not None:
            LOG.error('The task of %s ended by an error', self.stack, exc_info=error)
        self._manager.finish(self)


class ThreadGroupManager:
    """Starts the tasks of stacks under their locks and reaches them by the ids of the stacks.

    ``notify_parent(stack)`` is called after the end of a task.
    """

    def __init__(
        self,
        pool: TaskPool,
        engine_id: str,
        membership: 'EngineMembership',
        notify_parent: Callable[[Stack], None] = lambda stack: None,
    ) -> None:
        self._pool = pool
        self._engine_id = engine_id
        self._membership = membership
        self._notify_parent = notify_parent
        #: the work on stacks that other engines have locked (``workers.Workers``)
        self._workers: Workers | None = None
        self._guard = threading.Lock()
        self._entries: dict[str, _Entry] = {}
        #: by the id of a stack: the lock by which one action begins after the other
        self._turns: MutableMapping[str, threading.Lock] = weakref.WeakValueDictionary()
        #: the number of nested stacks at work
        self._nested = 0
        #: ``{name: monotonic time}`` until which a slot is kept for a nested stack
        self._reserved: dict[str, float] = {}
        self._wakeups: dict[str, list[scheduler.Wakeup]] = collections.defaultdict(list)

    def use(self, workers: 'Workers') -> None:
        """Let the end of the engine flush the changes of ``workers``, too."""
        self._workers = workers

    # ------------------------------------------------------------ starting

    def start(self, request: ActionRequest) -> None:
        """Have the task of the stack execute an ActionRequest; start a task where none runs.

        Raises ActionInProgress, and what the beginning of the action raises.
        """
        if request.action.preempts:
            self._preempt_or_start(request)
        else:
            self._start_when_free(request)

    def start_with_lock(self, request: ActionRequest) -> None:
        """Acquire the stack lock, begin the action, and give its task to the pool.

        A take-over may have begun the action of a stack that was stored with its lock. Raises
        LockHeld where a living engine has the lock. The end of the task releases the lock.
        """
        stack = request.stack
        with long_work.locked(self._turn(stack.id)):
            if stack.stored_locked and self._entry(stack.id):
                return
            lock = stack_lock.StackLock(stack, self._engine_id, self._membership.is_gone)
            lock.acquire()
            stack.journal.holder = self._engine_id
            try:
                request.begin(stack)
                self._spawn(request, lock)
            except PoolClosed:
                lock.release()  # the beginning is stored, so another engine goes on
            except journal.LockLost:
                # the stack was taken over, reset or purged in between; there is nothing to release
                raise stack_lock.held(stack) from None
            except BaseException:
                lock.release()
                raise

    def _turn(self, stack_id: str) -> threading.Lock:
        """Return the lock by which one action begins at a time; the stack counts as at work then.

        The database may make a beginning wait for long, and a lock of the stack without work is
        resumed. A take-over has the lock of the stack before its turn; no other action can use it.
        """
        with self._guard:
            return self._turns.setdefault(stack_id, threading.Lock())

    def _start_when_free(self, request: ActionRequest) -> None:
        """Start; a task whose end is stored already and only has to release the lock is awaited."""
        until = time.monotonic() + ENDING_SECONDS
        while True:
            try:
                return self.start_with_lock(request)
            except exception.ActionInProgress:
                if time.monotonic() > until or not _has_ended(request.stack):
                    raise
                long_work.sleep(random.uniform(0.005, 0.05))

    def _preempt_or_start(self, request: ActionRequest) -> None:
        """Give the request to the running task; where none runs, start one.

        Raises LockHeld where another engine decides, and ServiceUnavailable after SECONDS.
        """
        stack = request.stack
        until = time.monotonic() + SECONDS
        while not self._ask(stack, request, Mailbox.put_action):
            try:
                return self.start_with_lock(request)
            except stack_lock.LockHeld:
                holder = locks.holder(stack.id)
                left = until - time.monotonic()
                if holder not in (None, self._engine_id) and self._decides(stack, holder, left):
                    raise
                if left < 0:
                    raise unavailable(stack) from None
                if holder == self._engine_id:
                    # a task of this engine that takes no more requests is about to end
                    self._await_end(stack.id)
                else:
                    long_work.sleep(random.uniform(0.01, 0.1))

    def _decides(self, stack: Stack, holder: str, left: float) -> bool:
        """Whether another engine works on the stack: it answers, and does not only release."""
        if left > SECONDS - ENDING_SECONDS and _has_ended(stack):
            return False
        return self._membership.answers(holder)

    def _spawn(self, request: ActionRequest, lock: StackLock) -> None:
        stack = request.stack
        entry = _Entry(self, stack, lock)
        with self._guard:
            self._entries[stack.id] = entry
            self._nested += stack.owner_id is not None
            self._reserved.pop(stack.name, None)
        task = StackTask(stack, request, entry.mailbox)
        job = self._pool.spawn(
            scheduler.TaskRunner(task.run, name=f'stack {stack.name}'),
            on_end=entry.on_end,
            low_priority=stack.owner_id is not None,
            subject=stack.log_subject,
        )
        entry.mailbox.attach(job)

    # ------------------------------------------------------------ the end

    def finish(self, entry: _Entry) -> None:
        """Release the lock of an ended task and notify those that wait for its end."""
        self._release(entry)
        self._notify_parent(entry.stack)
        event.trim(entry.stack)
        entry.stack.drop_resources()

    def _release(self, entry: _Entry) -> None:
        stack_id = entry.stack.id
        try:
            entry.lock.release()
        finally:
            with self._guard:
                self._nested -= entry.stack.owner_id is not None
                # the lock is free, so another task of the stack may have begun already
                if self._entries.get(stack_id) is entry:
                    del self._entries[stack_id]
            entry.ended.set()
            entry.mailbox.shut()
            # only now: a waiting thread may act on the stack at once
            with self._guard:
                wakeups = self._wakeups.pop(stack_id, ())
            for wakeup in wakeups:
                wakeup.notify()

    def notify_on_end(self, stack_id: str, wakeup: scheduler.Wakeup) -> bool:
        """Notify ``wakeup`` at the end of a stack's task; False where none runs here."""
        with self._guard:
            if stack_id in self._entries or stack_id in self._wakeups:
                self._wakeups[stack_id].append(wakeup)
                return True
            return False

    def _await_end(self, stack_id: str) -> None:
        entry = self._entry(stack_id)
        if entry is None:
            long_work.sleep(0.05)  # the task is just beginning, or has just ended
        else:
            with long_work.waiting():
                entry.ended.wait(SECONDS)

    # ------------------------------------------------------------ requests

    def call(self, stack: Stack, function: Callable[[Stack], Value]) -> Value:
        """Call ``function(stack)`` in the task of the stack, or here, under its lock, where none
        runs.

        Its changes are stored when this returns. Raises ActionInProgress where another engine has
        the lock, and ServiceUnavailable after SECONDS.
        """
        callback, until = Callback(function), time.monotonic() + SECONDS
        while not self._ask(stack, callback, Mailbox.put_callback):
            holder = locks.acquire(stack.id, self._engine_id)
            if holder is None:
                return self._call_under_lock(stack, function)
            if holder != self._engine_id:
                raise exception.action_in_progress(stack)
            if time.monotonic() > until:
                raise unavailable(stack)
            self._await_end(stack.id)  # it begins, or takes no more requests
        return callback.result

    def _call_under_lock(self, stack: Stack, function: Callable[[Stack], Value]) -> Value:
        try:
            stack.forget_rows()
            stack.journal.holder = self._engine_id
            result = function(stack)
            stack.journal.flush()
            return result
        except journal.LockLost:
            raise stack_lock.held(stack) from None
        finally:
            stack.journal.holder = None
            locks.release(stack.id, self._engine_id)

    def _ask(self, stack: Stack, request: Request, put: Callable[[Mailbox, Request], bool]) -> bool:
        """Whether the running task of the stack has served the request."""
        entry = self._entry(stack.id)
        if entry is None or not put(entry.mailbox, request):
            return False
        return entry.mailbox.await_served(stack, request, entry.ended.is_set)

    def send(self, stack_id: str, message: str) -> bool:
        """Send a message to the task of a stack; False where none runs here."""
        entry = self._entry(stack_id)
        if entry is None:
            return False
        entry.mailbox.send(message)
        return True

    def stop(self, stack_id: str, seconds: float) -> bool:
        """Ask the task of a stack to stop; True when it ends within ``seconds``, or none runs."""
        entry = self._entry(stack_id)
        if entry is None:
            return True
        entry.mailbox.send(STOP)
        return entry.ended.wait(seconds)

    # ------------------------------------------------------------ all of them

    def reserve_slot(self, stack: Stack, limit: int) -> bool:
        """Reserve a slot for one more nested stack; False where ``limit`` of them are at work.

        Many are reserved before the first of them begins, so each is kept for BEGIN_SECONDS.
        """
        now = time.monotonic()
        with self._guard:
            self._reserved = {name: until for name, until in self._reserved.items() if until > now}
            if self._nested + len(self._reserved) >= limit:
                return False
            self._reserved[stack.name] = now + BEGIN_SECONDS
            return True

    def drop_lost_locks(self, held: Callable[[], Iterable[str]]) -> None:
        """End the tasks of stacks that another engine has taken over.

        ``held()`` returns the ids of the stacks whose locks this engine has.
        """
        entries = self.entries()
        # read after the entries: each of them had its lock, so a missing one is lost or released
        locked = set(held())
        for entry in entries:
            if entry.stack.id in locked or entry.ended.is_set():
                continue
            LOG.warning('%s: another engine has taken over; the task here ends', entry.stack)
            if entry.stack.run.walk is not None:
                entry.stack.run.walk.abandon()
            entry.mailbox.wake()

    def flush(self, seconds: float) -> list[Stack]:
        """Freeze the task pool, wait ``seconds`` for the running steps, and store their results.

        Tasks that wait are closed, and the creates that the end cuts off are noted. Another engine
        can resume all of it then. Returns the stacks at work.
        """
        if not self._pool.freeze(seconds):
            LOG.warning(
                'Some tasks are still running after %s s; the next engine will recover them.',
                seconds,
            )
        stacks = [entry.stack for entry in self.entries()]
        helped = [] if self._workers is None else self._workers.stacks()
        for stack in (*stacks, *helped):
            try:
                for walk in filter(None, (stack.run.walk, *stack.run.draining)):
                    walk.note_cut_off()
                stack.journal.flush()
            except Exception:
                LOG.exception('The last changes of %s could not be stored', stack)
        self._pool.close_waiting()
        return stacks

    def has(self, stack_id: str) -> bool:
        """Whether a task of the stack runs in this engine."""
        return self._entry(stack_id) is not None

    def count(self, tenant: str | None = None) -> int:
        """Return the number of stacks at work, of all projects or of one."""
        return sum(tenant in (None, entry.stack.tenant) for entry in self.entries())

    def entries(self) -> list[_Entry]:
        """Return the stacks at work, with their tasks."""
        with self._guard:
            return list(self._entries.values())

    def stack_ids(self) -> set[str]:
        """Return the ids of the stacks that are at work, or begin to be."""
        with self._guard:
            return {*self._entries, *self._turns}

    def _entry(self, stack_id: str) -> _Entry | None:
        with self._guard:
            return self._entries.get(stack_id)


def _has_ended(stack: Stack) -> bool:
    """Whether the final state is stored, so that the holder of the lock is about to release it."""
    row = db_stacks.get(stack.context, stack.id, show_deleted=True)
    return row is None or row.status != status.IN_PROGRESS
