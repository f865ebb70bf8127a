"""The task pool: a few threads step many tasks, so a task that waits holds no thread.

A task yields ``None`` (soon: the pause grows), a number of seconds, ``UNTIL_WOKEN``, or a
``scheduler.Wakeup``.
"""

import collections
import heapq
import itertools
import logging
import math
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from heat_lite.common import log_context, long_work, metrics, tracing
from heat_lite.engine.scheduler import TaskRunner

LOG = logging.getLogger(__name__)
UNTIL_WOKEN = math.inf
OnStep = Callable[[], None]
OnEnd = Callable[[Any, BaseException | None], object]
#: ready jobs by their projects, in the order of their turns
Line = dict[str | None, 'collections.deque[Job]']
IDLE_SECONDS = 30.0
#: percent of the threads that the steps of one project may take; of the default number that is as
#: many as one transaction serves (``db.group_commit.MAX_GROUP``)
MAX_SHARE = 75
#: seconds between two checks of ``may_step`` while it is False
BLOCKED_POLL_SECONDS = 0.1


class PoolClosed(RuntimeError):
    """The engine stops: what a task has not begun, another engine will."""


class ConcurrencyLimit:
    """A group of jobs; at most ``limit`` of them are stepped at the same time."""

    def __init__(self, limit: int):
        self.limit = limit
        self.running = 0
        self.queue: collections.deque[Job] = collections.deque()


class Job:
    """A task in the pool.

    ``on_step`` is called after each step that did not end the task, ``on_end(result, error)`` once
    at its end. A job of ``low_priority`` lets the others go first, but for each fourth step of the
    pool. ``subject`` is what the log lines of its steps name.
    """

    def __init__(
        self,
        pool: 'TaskPool',
        runner: TaskRunner,
        limit_group: ConcurrencyLimit | None = None,
        on_step: OnStep | None = None,
        on_end: OnEnd | None = None,
        low_priority: bool = False,
        subject: log_context.Subject | None = None,
    ):
        self.runner = runner
        self._subject = subject
        self._trace = tracing.base()
        context = subject and subject.context
        #: the id of the project whose work it is; None: the engine's own
        self.project = context.project_id if context else None
        self.limit_group = limit_group
        self.low_priority = low_priority
        self.ended = threading.Event()
        self._pool = pool
        self._on_step = on_step
        self._on_end = on_end
        # guarded by the lock of the pool
        self.state = 'new'
        self.ticket = 0

    @property
    def is_stepped(self) -> bool:
        """Whether a thread runs a step of the task now."""
        return self.state in ('running', 'woken')

    def wake(self) -> None:
        """Step the task as soon as a thread is free, regardless of the pause that it requested."""
        self._pool.wake(self)

    def throw(self, error: BaseException) -> None:
        """Raise ``error`` inside the task at its next step, which is due at once."""
        self.runner.throw(error)
        self.wake()

    def step(self) -> float | None:
        """Run to the next wait. Return the pause in seconds, or None when the job has ended."""
        log_context.set_subject(self._subject)
        with tracing.turn(self._trace):
            try:
                return self._step()
            finally:
                self._trace = tracing.base()  # of the action that has begun or ended

    def _step(self) -> float | None:
        try:
            done = self.runner.step()
        except BaseException as error:  # a timeout or a cancellation ends a task as an error does
            self._end(None, error)
            return None
        if done:
            self._end(self.runner.result, None)
            return None
        if self._on_step is not None:
            self._on_step()
        if self.runner.wakeup is not None:
            self.runner.wakeup.on_notify(self.wake)
        return self.runner.pause

    def _end(self, result: object, error: BaseException | None) -> None:
        try:
            if self._on_end is not None:
                self._on_end(result, error)
            elif error is not None:
                LOG.error('Job %s failed', self.runner.name, exc_info=error)
        except Exception:
            LOG.exception('The end handler of job %s failed: its result is lost', self.runner.name)
        finally:
            self.ended.set()


class Queue:
    """The jobs that are ready to be stepped, in two lines: normal and low priority.

    The projects take turns in each line. A project has at most ``share`` steps at a time, so that
    its long steps leave threads to the others.
    """

    def __init__(self, share: int) -> None:
        self._share = share
        self._normal: Line = {}
        self._low_priority: Line = {}
        self._turns = itertools.count(1)
        self._running: collections.Counter[str | None] = collections.Counter()
        #: by project: the jobs without a concurrency limit that are ready or being stepped, and
        #: the jobs with one that are being stepped
        self._unlimited: collections.Counter[str | None] = collections.Counter()
        self._limited: collections.Counter[str | None] = collections.Counter()

    def __bool__(self) -> bool:
        return bool(self._normal or self._low_priority)

    def append(self, job: Job) -> None:
        if job.limit_group is None:
            self._unlimited[job.project] += 1
        line = self._low_priority if job.low_priority else self._normal
        line.setdefault(job.project, collections.deque()).append(job)

    def pop(self) -> Job | None:
        """Return the next job, or None; ``done`` must be called after its step."""
        lines = [self._normal, self._low_priority]
        if self._low_priority and not next(self._turns) % 4:
            lines.reverse()
        return self._next_of(lines[0]) or self._next_of(lines[1])

    def done(self, job: Job) -> None:
        """Count a step of the project as ended."""
        counted = self._unlimited if job.limit_group is None else self._limited
        for counter in (self._running, counted):
            counter[job.project] -= 1
            if not counter[job.project]:
                del counter[job.project]

    def runnable_count(self) -> int:
        """Return how many jobs without a concurrency limit are being stepped or may be now.

        A job that waits until its project has less than its share at work is not counted.
        """
        return sum(
            count if project is None else min(count, self._share - self._limited[project])
            for project, count in list(self._unlimited.items())
        )

    def _next_of(self, line: Line) -> Job | None:
        free = (each for each in line if each is None or self._running[each] < self._share)
        for project in free:
            jobs = line.pop(project)
            job = jobs.popleft()
            if jobs:
                line[project] = jobs  # at the end of the line
            self._running[project] += 1
            if job.limit_group is not None:
                self._limited[project] += 1
            return job
        return None


class Sleepers:
    """The jobs that pause until a time, by ticket: one that ends early is not kept until then."""

    def __init__(self) -> None:
        #: (time, ticket) of each pause; some have ended early
        self._pauses: list[tuple[float, int]] = []
        self._jobs: dict[int, Job] = {}
        self._tickets = itertools.count(1)

    def __len__(self) -> int:
        return len(self._jobs)

    def add(self, job: Job, pause: float) -> None:
        job.ticket = next(self._tickets)
        self._jobs[job.ticket] = job
        heapq.heappush(self._pauses, (time.monotonic() + pause, job.ticket))

    def discard(self, job: Job) -> None:
        self._jobs.pop(job.ticket, None)

    def next_time(self) -> float | None:
        """Return the monotonic time at which the next pause ends; None if there is none."""
        return self._pauses[0][0] if self._pauses else None

    def pop_due(self) -> Iterator[Job]:
        """Yield the jobs whose pause has ended by now."""
        now = time.monotonic()
        while self._pauses and self._pauses[0][0] <= now:
            job = self._jobs.pop(heapq.heappop(self._pauses)[1], None)
            if job is not None:
                yield job


class TaskPool:
    """A pool of at most ``size`` threads.

    A thread is started when there is work for it and ends after ``IDLE_SECONDS`` without work. Each
    thread calls ``prepare`` first.
    """

    def __init__(
        self, size: int = 64, name: str = 'tasks', prepare: Callable[[], object] | None = None
    ):
        self._size = size
        self._name = name
        self._prepare = prepare
        self._changed = threading.Condition()
        self._ready = Queue(max(size * MAX_SHARE // 100, 1))
        self._sleepers = Sleepers()
        self._threads = 0
        self._idle = 0
        self._frozen = False
        self._stepping = 0
        #: a callable that returns whether any job may be stepped now; called before each step
        self.may_step: Callable[[], bool] = lambda: True
        self.jobs: set[Job] = set()

    def spawn(
        self,
        runner: TaskRunner,
        limit_group: ConcurrencyLimit | None = None,
        on_step: OnStep | None = None,
        on_end: OnEnd | None = None,
        low_priority: bool = False,
        subject: log_context.Subject | None = None,
    ) -> Job:
        """Add the task of a TaskRunner, started or not.

        It is stepped as soon as a thread is free. Raises PoolClosed while the engine stops.
        """
        job = Job(self, runner, limit_group, on_step, on_end, low_priority, subject)
        with self._changed:
            if self._frozen:
                raise PoolClosed('The task pool is closed')
            self.jobs.add(job)
            self._make_ready(job)
        return job

    def runnable_count(self) -> int:
        """Return how many jobs without a concurrency limit are being stepped or ready, at most
        ``size``.

        Jobs with a limit are left out: they spend their time waiting for cloud services. So are
        those that the share of their project keeps waiting.
        """
        return min(self._ready.runnable_count(), self._size)

    def counts(self) -> dict[str, int]:
        """Return the number of jobs in each state."""
        with self._changed:
            running, sleeping = self._stepping, len(self._sleepers)
            return {
                'running': running,
                'sleeping': sleeping,
                'ready': max(len(self.jobs) - running - sleeping, 0),
            }

    def wake(self, job: Job) -> None:
        with self._changed:
            if job.state == 'running':
                job.state = 'woken'  # it is ready again after its present step
            elif job.state == 'sleeping':
                self._make_ready(job)

    def freeze(self, seconds: float = 0) -> bool:
        """Accept no new jobs, and step none any more.

        Wait up to ``seconds`` for running steps; return False if some still run.
        """
        deadline = time.monotonic() + seconds
        with self._changed:
            self._frozen = True
            self._changed.notify_all()
            while self._stepping and time.monotonic() < deadline:
                self._changed.wait(deadline - time.monotonic())
            return not self._stepping

    def close_waiting(self) -> None:
        """End the tasks that wait in the frozen pool.

        The collector would close them in the middle of other work, e.g. in a transaction.
        """
        with self._changed:
            waiting = [job for job in self.jobs if not job.is_stepped]
        for job in waiting:
            try:
                job.runner.cancel()
            except Exception:
                LOG.exception('The stop of job %s failed; it ends nevertheless', job.runner.name)

    # Call the methods below with the lock held, except _work and Job.step.

    def _make_ready(self, job: Job) -> None:
        job.state = 'ready'
        self._sleepers.discard(job)
        group = job.limit_group
        if group is not None and group.running >= group.limit:
            group.queue.append(job)
            return
        if group is not None:
            group.running += 1
        self._ready.append(job)
        if self._idle:
            self._changed.notify()
        elif self._threads < self._size:
            self._threads += 1
            threading.Thread(
                target=self._work, name=f'{self._name}-{self._threads}', daemon=True
            ).start()

    def _work(self) -> None:
        if self._prepare is not None:
            self._prepare()
        while True:
            with self._changed:
                job = self._next()
                if job is None:
                    self._threads -= 1
                    return
                job.state = 'running'
                self._stepping += 1
            with metrics.TURNS.time(), long_work.step():
                pause = job.step()
            with self._changed:
                self._stepping -= 1
                self._step_done(job, pause)
                if self._frozen:
                    self._changed.notify_all()
            del job  # else this thread keeps it, and the outputs of its stack, until the next one

    def _next(self) -> Job | None:
        """Return the next job for this thread, or None when the thread should end."""
        idle_deadline = time.monotonic() + IDLE_SECONDS
        while not self._frozen:
            for job in self._sleepers.pop_due():
                self._make_ready(job)
            blocked = self._ready and not self.may_step()
            found = self._ready.pop() if self._ready and not blocked else None
            if found is not None:
                return found
            now = time.monotonic()
            # one thread stays while any job sleeps, to wake it in time
            until = self._sleepers.next_time()
            if now >= idle_deadline and (self._idle or until is None) and not blocked:
                return None
            until = idle_deadline if until is None else until
            until = min(until, now + BLOCKED_POLL_SECONDS) if blocked else until
            self._idle += 1
            self._changed.wait(max(0, min(until, max(idle_deadline, now + 1)) - now))
            self._idle -= 1
        return None

    def _step_done(self, job: Job, pause: float | None) -> None:
        self._ready.done(job)
        group = job.limit_group
        if group is not None:
            group.running -= 1
            if group.queue:
                self._make_ready(group.queue.popleft())
        if pause is None:
            job.state = 'ended'
            self.jobs.discard(job)
        elif job.state == 'woken' or pause <= 0:
            self._make_ready(job)
        else:
            job.state = 'sleeping'
            if pause != UNTIL_WOKEN:
                self._sleepers.add(job, pause)
                if self._idle:
                    self._changed.notify()
