"""The task pool: the only place of the engine that sleeps. A few threads step many tasks.

A task yields ``None`` (soon: the pause grows), a number of seconds, ``UNTIL_WOKEN``,
or a ``scheduler.Bell``. Works alike on native and green threads.
"""

import collections
import heapq
import itertools
import logging
import math
import threading
import time

LOG = logging.getLogger(__name__)
UNTIL_WOKEN = math.inf
IDLE_SECONDS = 30.0
#: how often it is looked whether tasks may be stepped again
HELD_UP_SECONDS = 0.1


class Lane:
    """Jobs that share a bound: at most ``limit`` of them are stepped at the same moment."""

    def __init__(self, limit):
        self.limit = limit
        self.running = 0
        self.queue = collections.deque()


class Job:
    """A task in the pool. ``on_step`` is called after each step that did not end it, ``on_end(result, error)`` once at the end.

    ``late``: it is one of many, and lets others go first (but for each fourth).
    """

    def __init__(self, pool, runner, lane=None, on_step=None, on_end=None, late=False):
        self.runner = runner
        self.lane = lane
        self.late = late
        self.ended = threading.Event()
        self._pool = pool
        self._on_step = on_step
        self._on_end = on_end
        # guarded by the pool's lock
        self.state = 'new'
        self.woken = False
        self.ticket = 0

    def wake(self):
        """Step it as soon as a thread is free, whatever pause it asked for."""
        self._pool.wake(self)

    def throw(self, error):
        """Let ``error`` come up in the task at its next step, which is now."""
        self.runner.throw(error)
        self.wake()

    def step(self):
        """Run to the next wait. Gives the pause in seconds, or None when the job has ended."""
        try:
            done = self.runner.step()
        except BaseException as error:  # timeouts and cancellations are ends like others
            self._end(None, error)
            return None
        if done:
            self._end(self.runner.result, None)
            return None
        if self._on_step is not None:
            self._on_step()
        if self.runner.bell is not None:
            self.runner.bell.listen(self.wake)
        return self.runner.pause

    def _end(self, result, error):
        try:
            if self._on_end is not None:
                self._on_end(result, error)
            elif error is not None:
                LOG.error('The job %s failed', self.runner.name, exc_info=error)
        except Exception:
            LOG.exception('The end of the job %s could not be told', self.runner.name)
        finally:
            self.ended.set()


class Queue:
    """Jobs that may be stepped: those that go first, and the late ones."""

    def __init__(self):
        self._first, self._late = collections.deque(), collections.deque()
        self._turns = itertools.count(1)

    def __bool__(self):
        return bool(self._first or self._late)

    def append(self, job):
        (self._late if job.late else self._first).append(job)

    def pop(self):
        turn_of_the_late = self._late and not next(self._turns) % 4
        return (self._late if turn_of_the_late or not self._first else self._first).popleft()


class TaskPool:
    """At most ``size`` threads, started when there is work for them and gone when there is none for half a minute. Each calls ``prepare``
    first."""

    def __init__(self, size=64, name='tasks', prepare=None):
        self._size = size
        self._name = name
        self._prepare = prepare
        self._changed = threading.Condition()
        self._ready = Queue()
        self._sleeping = []
        self._tickets = itertools.count(1)
        self._threads = 0
        self._idle = 0
        self._closed = self._frozen = False
        self._stepping = self._crowd = 0
        #: whether anything may be stepped now; looked at before each step
        self.may_step = lambda: True
        self.jobs = set()

    def spawn(self, runner, lane=None, on_step=None, on_end=None, late=False):
        """Add the task of a TaskRunner, begun or not; it is stepped as soon as a thread is free."""
        job = Job(self, runner, lane, on_step, on_end, late)
        with self._changed:
            if self._closed:
                raise RuntimeError('The task pool is closed')
            self.jobs.add(job)
            self._make_ready(job)
        return job

    def crowd(self):
        """How many jobs that do not call anybody outside (they have no lane) are being stepped, or are about to be: as far as there are
        threads."""
        return min(self._crowd, self._size)

    def wake(self, job):
        with self._changed:
            if job.state == 'running':
                job.woken = True
            elif job.state == 'sleeping':
                self._make_ready(job)

    def close(self, seconds=0):
        """Take nothing new; wait up to ``seconds`` for the jobs to end. Gives those that have not."""
        with self._changed:
            self._closed = True
        deadline = time.monotonic() + seconds
        for job in list(self.jobs):
            job.ended.wait(max(0, deadline - time.monotonic()))
        with self._changed:
            self._changed.notify_all()
            return [job for job in self.jobs if not job.ended.is_set()]

    def freeze(self, seconds=0):
        """Step nothing any more; wait up to ``seconds`` for the steps under way. False when some are not over by then."""
        deadline = time.monotonic() + seconds
        with self._changed:
            self._closed = self._frozen = True
            self._changed.notify_all()
            while self._stepping and time.monotonic() < deadline:
                self._changed.wait(deadline - time.monotonic())
            return not self._stepping

    # All below with the lock held, but for _work and the step itself.

    def _make_ready(self, job):
        job.state = 'ready'
        job.ticket = 0
        lane = job.lane
        if lane is not None and lane.running >= lane.limit:
            lane.queue.append(job)
            return
        if lane is None:
            self._crowd += 1
        else:
            lane.running += 1
        self._ready.append(job)
        if self._idle:
            self._changed.notify()
        elif self._threads < self._size:
            self._threads += 1
            threading.Thread(target=self._work, name=f'{self._name}-{self._threads}', daemon=True).start()

    def _work(self):
        if self._prepare is not None:
            self._prepare()
        while True:
            with self._changed:
                job = self._next()
                if job is None:
                    self._threads -= 1
                    return
                job.state, job.woken = 'running', False
                self._stepping += 1
            pause = job.step()
            with self._changed:
                self._stepping -= 1
                self._after(job, pause)
                if self._frozen:
                    self._changed.notify_all()

    def _next(self):
        """The next job for this thread; None when it should end."""
        give_up = time.monotonic() + IDLE_SECONDS
        while not self._frozen:
            self._wake_sleepers()
            held_up = self._ready and not self.may_step()
            if self._ready and not held_up:
                return self._ready.pop()
            now = time.monotonic()
            if self._closed and not self.jobs:
                return None
            # one thread stays while anything sleeps: it is the clock of the others
            if now >= give_up and (self._idle or not self._sleeping) and not held_up:
                return None
            until = self._sleeping[0][0] if self._sleeping else give_up
            until = min(until, now + HELD_UP_SECONDS) if held_up else until
            self._idle += 1
            self._changed.wait(max(0, min(until, max(give_up, now + 1)) - now))
            self._idle -= 1
        return None

    def _wake_sleepers(self):
        now = time.monotonic()
        while self._sleeping and self._sleeping[0][0] <= now:
            _, ticket, job = heapq.heappop(self._sleeping)
            if job.ticket == ticket:  # else it has been woken meanwhile
                self._make_ready(job)

    def _after(self, job, pause):
        lane = job.lane
        if lane is None:
            self._crowd -= 1
        else:
            lane.running -= 1
            if lane.queue:
                self._make_ready(lane.queue.popleft())
        if pause is None:
            job.state = 'ended'
            self.jobs.discard(job)
        elif job.woken or pause <= 0:
            self._make_ready(job)
        else:
            job.state = 'sleeping'
            if pause != UNTIL_WOKEN:
                job.ticket = next(self._tickets)
                heapq.heappush(self._sleeping, (time.monotonic() + pause, job.ticket, job))
                if self._idle:
                    self._changed.notify()
