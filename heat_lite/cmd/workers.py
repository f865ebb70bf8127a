"""A program of several processes: those that work, one that watches over them, and the signals by which they are told what to do.

The first process loads all that the workers share, forks them, and becomes the watchman (``watch``), who keeps nothing of it. A worker that
is started later, in the place of one that died, is the program run from its beginning: it finds its place in the environment, and works in
this very process. A worker whose watchman is gone ends as if told to.
"""

import contextlib
import logging
import os
import select
import signal
import socket
import sys
import threading
import time
import typing

from heat_lite.cmd import concurrency, watch

LOG = logging.getLogger(__name__)

# how much longer than its grace period a process may take to end before it is killed
PATIENCE = 5.0


class Place(typing.NamedTuple):
    """What a worker that is started later is told: its number, how the one before it ended, and what it has from the first process."""

    number: int
    status: str
    life: int  # the end of a pipe that closes with the watchman
    listener: int | None = None  # a listening socket

    @classmethod
    def given(cls):
        """The place that this process is to take; None in the first process of a program."""
        told = os.environ.get(watch.PLACE)
        if told is None:
            return None
        number, status, life, listener = told.split(':')
        return cls(int(number), status, int(life), int(listener) if listener else None)


def handed_down(adopt):
    """The listening socket that a worker has from the first process, made by ``adopt(number)``; None in that process itself."""
    place = Place.given()
    return place and adopt(place.listener)


class Supervisor:
    """Runs ``work(number, signals)`` in each of ``count`` processes until told to stop. ``listener``: a socket that all of them serve.

    ``serve()`` does not return: in the first process another program goes on, and a worker ends there with the status that ``work`` gives.
    """

    def __init__(self, work, count, grace=60, delay=1.0, listener=None):
        self._work = work
        self._count = count
        self._grace = grace
        self._delay = delay
        self._listener = listener

    def serve(self):
        place = Place.given()
        if place is not None:
            self._replace(place)
        # blocked and asked for, signals can neither be lost nor interrupt anything; they stay blocked when the program is another
        signal.pthread_sigmask(signal.SIG_BLOCK, watch.HEEDED)
        life, held = os.pipe()
        workers = [(number, self._fork(number, life, held), time.monotonic()) for number in range(self._count)]
        self._watch(workers, life, held)

    def _fork(self, number, life, held):
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if pid == 0:
            os.close(held)
            concurrency.after_fork()
            self._live(number, life)
        LOG.info('Started process %s, number %s.', pid, number)
        return pid

    def _replace(self, place):
        """Be the worker in the place of one that died."""
        LOG.warning('Number %s: the process before ended with status %s.', place.number, place.status)
        for number in (place.life, place.listener):
            if number is not None:
                os.set_inheritable(number, False)
        del os.environ[watch.PLACE]
        self._live(place.number, place.life)

    def _live(self, number, life):
        """All that happens in a worker; it never returns from here."""
        status = 1
        try:
            for signum in watch.HEEDED:
                signal.signal(signum, signal.SIG_DFL)
            with listening() as signals:
                signal.pthread_sigmask(signal.SIG_UNBLOCK, watch.HEEDED)
                _end_with_watchman(life)
                status = self._work(number, signals) or 0
        except SystemExit as leaving:
            status = leaving.code if isinstance(leaving.code, int) else 1
        except BaseException:
            LOG.exception('Process %s failed', number)
        finally:
            logging.shutdown()
            os._exit(status)

    def _watch(self, workers, life, held):
        """Go on as the watchman, who holds what the next workers need, and the end of the pipe that must close with him."""
        listener = '' if self._listener is None else self._listener.fileno()
        for number in filter(None, (life, held, listener)):
            os.set_inheritable(number, True)
        given = watch.arguments(self._grace + PATIENCE, self._delay, held, f'{life}:{listener}', workers, sys.orig_argv[1:])
        logging.shutdown()
        sys.stdout.flush()
        sys.stderr.flush()
        os.execv(sys.executable, [sys.executable, '-I', '-S', watch.__file__, *given])


@contextlib.contextmanager
def listening():
    """Signals as a stream, for a process of native or green threads alike: ``for signum in signals: ...``.

    Yields SIGHUP each time, and ends at SIGTERM or SIGINT. Python's own handlers would run in the midst of anything.
    """
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    old = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    handlers = {signum: signal.signal(signum, lambda *_: None) for signum in (*watch.STOP, signal.SIGHUP)}
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
            if signum in watch.STOP:
                return
            if signum == signal.SIGHUP:
                yield signum


def _end_with_watchman(life):
    """Take the death of the watchman, which closes the pipe, for a SIGTERM."""

    def wait():
        select.select([life], [], [])
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, name='watchman', daemon=True).start()
