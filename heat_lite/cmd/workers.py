"""A parent that keeps a number of processes alive, and the signals by which they are told what to do.

To the parent: SIGTERM and SIGINT end all, gracefully; again, at once. SIGHUP reads the configuration again. A process that died is
replaced; if it died young, after a while that doubles each time. A process whose parent is gone ends as if told to.
"""

import contextlib
import dataclasses
import logging
import os
import signal
import socket
import sys
import threading
import time

from heat_lite.cmd import concurrency

LOG = logging.getLogger(__name__)

STOP = (signal.SIGTERM, signal.SIGINT)
HEEDED = {*STOP, signal.SIGHUP, signal.SIGCHLD}
# a process that lived longer than this did not die of its start
YOUNG = 10.0
LONGEST_DELAY = 30.0
# how much longer than its grace period a process may take to end before it is killed
PATIENCE = 5.0


@dataclasses.dataclass
class Worker:
    """One place in the row: the process in it now, or when the next one is due."""

    number: int
    pid: int | None = None
    born: float = 0.0
    due: float = 0.0
    delay: float = 0.0


class Supervisor:
    """Runs ``work(number)`` in each of ``count`` processes until told to stop. ``serve()`` returns the exit status."""

    def __init__(self, work, count, grace=60, delay=1.0, reload=None):
        self._work = work
        self._workers = [Worker(number) for number in range(count)]
        self._grace = grace
        self._delay = delay
        self._reload = reload or (lambda: None)
        self._parent_end, self._child_end = socket.socketpair()

    def serve(self):
        """Start the processes, and watch over them until a signal ends it all."""
        # blocked and asked for, signals can neither be lost nor interrupt anything
        before = signal.pthread_sigmask(signal.SIG_BLOCK, HEEDED)
        self._mask = before
        try:
            while self._turn() not in STOP:
                pass
            return self._end()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def _turn(self):
        now = time.monotonic()
        for worker in self._workers:
            if worker.pid is None and worker.due <= now:
                self._start(worker)
        due = [worker.due for worker in self._workers if worker.pid is None]
        signum = _wait_for_signal(min(due) - now if due else None)
        self._bury()
        if signum == signal.SIGHUP:
            LOG.info('Reading the configuration again.')
            self._reload()
            self._tell(signal.SIGHUP)
        return signum

    def _start(self, worker):
        worker.born = time.monotonic()
        sys.stdout.flush()
        sys.stderr.flush()
        worker.pid = os.fork()
        if worker.pid == 0:
            self._live(worker.number)
        LOG.info('Started process %s, number %s.', worker.pid, worker.number)

    def _live(self, number):
        """All that happens in a child; it never returns from here."""
        status = 1
        try:
            self._parent_end.close()
            for signum in HEEDED:
                signal.signal(signum, signal.SIG_DFL)
            concurrency.after_fork()
            with listening() as signals:
                signal.pthread_sigmask(signal.SIG_SETMASK, self._mask)
                _end_with_parent(self._child_end)
                status = self._work(number, signals) or 0
        except SystemExit as leaving:
            status = leaving.code if isinstance(leaving.code, int) else 1
        except BaseException:
            LOG.exception('Process %s failed', number)
        finally:
            logging.shutdown()
            os._exit(status)

    def _bury(self):
        for worker in self._workers:
            status = _ended(worker.pid)
            if status is None:
                continue
            now = time.monotonic()
            young = now - worker.born < YOUNG
            worker.delay = min(max(worker.delay * 2, self._delay), LONGEST_DELAY) if young else 0.0
            worker.due = now + worker.delay
            LOG.warning('Process %s, number %s, ended with status %s; the next in %.0f s.', worker.pid, worker.number, status, worker.delay)
            worker.pid = None

    def _tell(self, signum):
        for worker in self._workers:
            if worker.pid is not None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(worker.pid, signum)

    def _end(self):
        """Let them end; those that do not in time, or when told again, are killed."""
        LOG.info('Stopping.')
        self._tell(signal.SIGTERM)
        end = time.monotonic() + self._grace + PATIENCE
        while any(worker.pid is not None for worker in self._workers):
            left = end - time.monotonic()
            signum = _wait_for_signal(left) if left > 0 else signal.SIGTERM
            for worker in self._workers:
                if _ended(worker.pid) is not None:
                    worker.pid = None
            if signum in STOP:
                self._tell(signal.SIGKILL)
        return 0


def _wait_for_signal(seconds):
    if seconds is None:
        return signal.sigwait(HEEDED)
    got = signal.sigtimedwait(HEEDED, max(seconds, 0))
    return got.si_signo if got else None


def _ended(pid):
    """The exit status of a child that ended, negative for a signal; None while it lives."""
    if pid is None:
        return None
    ended, status = os.waitpid(pid, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if ended else None


@contextlib.contextmanager
def listening():
    """Signals as a stream, for a process of native or green threads alike: ``for signum in signals: ...``.

    Yields SIGHUP each time, and ends at SIGTERM or SIGINT. Python's own handlers would run in the midst of anything.
    """
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    old = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    handlers = {signum: signal.signal(signum, lambda *_: None) for signum in (*STOP, signal.SIGHUP)}
    try:
        yield _stream(ours)
    finally:
        for signum, handler in handlers.items():
            signal.signal(signum, handler)
        signal.set_wakeup_fd(old)
        ours.close()
        theirs.close()


def _stream(ours):
    while True:
        for signum in ours.recv(64):
            if signum in STOP:
                return
            if signum == signal.SIGHUP:
                yield signum


def _end_with_parent(child_end):
    """Take the death of the parent, which closes its end, for a SIGTERM."""

    def wait():
        child_end.recv(1)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, name='parent', daemon=True).start()
