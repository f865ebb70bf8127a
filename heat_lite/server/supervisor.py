"""The supervisor of a program with several worker processes.

The first process loads what all workers share, forks them, and becomes the watchdog
(``watchdog.py``), which keeps none of that memory. A worker that replaces another one is a new run
of the program: it finds its slot in the environment and works in that very process. A worker
stops, as after SIGTERM, when the watchdog dies.

A standalone program has one worker and looks like one process: it exits with the status of the
worker, and the worker is killed when the first process is.
"""

import contextlib
import ctypes
import errno
import faulthandler
import logging
import os
import signal
import socket
import sys
import threading
import time
import typing

from heat_lite.server import watchdog

LOG = logging.getLogger(__name__)

#: seconds after the grace period until a worker is killed
KILL_DELAY = 5.0
#: seconds between two signs of life of a worker
BEAT_SECONDS = 1.0
#: prctl(2): the signal that a process gets when its parent ends
PR_SET_PDEATHSIG = 1


class WorkerSlot(typing.NamedTuple):
    """The assignment of a replacement: its number, and what it inherits from the first process."""

    number: int
    previous_status: str  # exit status of the worker that it replaces
    previous_name: str  # of that worker; empty: unknown
    ended_itself: bool  # whether that worker did: by a crash, memory or a hang
    watchdog_pid: int
    listeners: tuple[int, ...] = ()  # file descriptors of listening sockets
    beats: int | None = None  # of the file in memory for signs of life

    @classmethod
    def from_environment(cls):
        """Return the slot of this process; None in the first process of a program."""
        value = os.environ.get(watchdog.SLOT_VARIABLE)
        if value is None:
            return None
        number, previous_status, name, ended, pid, listeners, beats = value.split(':')
        filenos = tuple(int(each) for each in listeners.split(',') if each)
        return cls(
            int(number),
            previous_status,
            name,
            ended == '1',
            int(pid),
            filenos,
            int(beats) if beats else None,
        )


def is_supported():
    """Return whether the system has what a watchdog needs: memfd_create, sigtimedwait, prctl."""
    return sys.platform == 'linux'


def inherited_listeners(adopt_socket):
    """Return the listening sockets of the first process; None in the first process itself.

    ``adopt_socket(fileno)`` makes a socket of a file descriptor.
    """
    slot = WorkerSlot.from_environment()
    return slot and [adopt_socket(each) for each in slot.listeners]


class _Process:
    """What this process knows of the watchdog."""

    #: the file in memory and the number of this worker; None: no watchdog reads it
    place: tuple[int, int] | None = None
    #: the slot of a replacement
    slot: WorkerSlot | None = None


def describe_listen_error(error, host, port, option):
    """Return the line for an operator: why an address cannot be used; ``option`` sets the port."""
    in_use = error.errno == errno.EADDRINUSE
    reason = f'it is in use; select another with {option}' if in_use else error.strerror
    return f'cannot listen on {host}:{port}: {reason}'


def tell_ready():
    """Tell the watchdog, which tells systemd, that this worker does its work from now on."""
    if _Process.place is not None:
        watchdog.tell_ready(*_Process.place)


def write_name(name):
    """Have the watchdog know this worker by its name, at most 36 characters.

    A SIGKILL that this process sends itself is noted as its own end, too.
    """
    if _Process.place is None:
        return
    beats, number = _Process.place
    name_at = number * watchdog.SLOT.size + 2 * watchdog.BEAT.size

    def write(kills_itself):
        os.pwrite(beats, watchdog.NAME.pack(name.encode(), kills_itself), name_at)

    def note(event, arguments):
        if event == 'os.kill' and arguments == (os.getpid(), signal.SIGKILL):
            write(True)

    write(False)
    sys.addaudithook(note)


def previous_worker():
    """Return the name of the worker that this one replaces, and whether it has ended itself.

    None where there was none, or nothing is known of it.
    """
    slot = _Process.slot
    return (slot.previous_name, slot.ended_itself) if slot and slot.previous_name else None


class Supervisor:
    """Runs ``work(number, signals)`` in ``count`` processes until a stop signal.

    ``grace``: seconds for running work after a stop signal
    ``delay``: seconds until a worker that died young is replaced; doubles each time
    ``listeners``: the sockets that all workers serve
    ``limits``: (seconds of silence, MiB of memory) after which a worker is replaced; 0: no limit
    ``standalone``: whether the only worker is the program for its user
    """

    def __init__(
        self, work, count, grace=60, delay=1.0, listeners=(), limits=(0, 0), standalone=False
    ):
        self._work = work
        self._count = count
        self._grace = grace
        self._delay = delay
        self._listeners = listeners
        self._limits = limits
        self._standalone = standalone
        self._beats = None

    def serve(self):
        """Run the workers. Does not return.

        The first process becomes the watchdog. A worker exits with the status that ``work``
        returns.
        """
        slot = WorkerSlot.from_environment()
        if slot is not None:
            self._run_replacement(slot)
        # The signals are blocked and read with sigwait: none is lost, none interrupts the code.
        # They stay blocked across exec.
        signal.pthread_sigmask(signal.SIG_BLOCK, watchdog.HANDLED_SIGNALS)
        if self._limits[0] or 'NOTIFY_SOCKET' in os.environ:
            self._beats = os.memfd_create('heartbeats')
        workers = []
        for number in range(self._count):
            started_at = time.monotonic()  # before the first sign of life
            workers.append((number, self._fork(number), started_at))
        self._become_watchdog(workers)

    def _fork(self, number):
        sys.stdout.flush()
        sys.stderr.flush()
        watchdog_pid = os.getpid()
        pid = os.fork()
        if pid == 0:
            self._run_worker(number, watchdog_pid)
        level = logging.DEBUG if self._standalone else logging.INFO
        LOG.log(level, 'Started worker number %s as process %s.', number, pid)
        return pid

    def _run_replacement(self, slot):
        LOG.warning(
            'Worker number %s: the previous process ended with status %s.',
            slot.number,
            slot.previous_status,
        )
        self._beats, _Process.slot = slot.beats, slot
        for fileno in (*slot.listeners, slot.beats):
            if fileno is not None:
                os.set_inheritable(fileno, False)
        del os.environ[watchdog.SLOT_VARIABLE]
        watchdog.set_name(sys.argv[0])
        self._run_worker(slot.number, slot.watchdog_pid)

    def _run_worker(self, number, watchdog_pid):
        """Run the work of one process, then exit the process."""
        status = 1
        try:
            for signum in watchdog.HANDLED_SIGNALS:
                signal.signal(signum, signal.SIG_DFL)
            signal.signal(signal.SIGUSR2, signal.SIG_IGN)  # until the worker can report
            # a stop signal that has come before ends the process here
            signal.pthread_sigmask(signal.SIG_UNBLOCK, watchdog.STOP_SIGNALS)
            with signal_stream() as signals:
                signal.pthread_sigmask(signal.SIG_UNBLOCK, watchdog.HANDLED_SIGNALS)
                _end_with_watchdog(
                    watchdog_pid, signal.SIGKILL if self._standalone else signal.SIGTERM
                )
                faulthandler.enable()
                self._give_signs_of_life(number)
                status = self._work(number, signals) or 0
        except SystemExit as error:
            status = error.code if isinstance(error.code, int) else 1
        except BaseException:
            LOG.exception('Worker number %s failed; its process ends.', number)
        finally:
            logging.shutdown()
            os._exit(status)

    def _give_signs_of_life(self, number):
        """Write the time each second, in a thread that stands still when the process hangs."""
        if self._beats is None:
            return

        def run():
            while True:
                time.sleep(BEAT_SECONDS)
                watchdog.beat(self._beats, number)

        watchdog.beat(self._beats, number)  # from now on the limit of silence counts
        _Process.place = (self._beats, number)
        threading.Thread(target=run, name='signs-of-life', daemon=True).start()

    def _become_watchdog(self, workers):
        """Replace this process by the watchdog, which keeps the file descriptors open."""
        listeners = [each.fileno() for each in self._listeners]
        beats = '' if self._beats is None else self._beats
        for fileno in filter(None, (*listeners, beats)):
            os.set_inheritable(fileno, True)
        arguments = watchdog.arguments(
            self._grace + KILL_DELAY,
            self._delay,
            self._limits,
            self._standalone,
            sys.argv[0],
            f'{os.getpid()}:{",".join(map(str, listeners))}:{beats}',
            workers,
            sys.orig_argv[1:],
        )
        logging.shutdown()
        sys.stdout.flush()
        sys.stderr.flush()
        command = [sys.executable, '-I', '-S', watchdog.__file__, *arguments]
        os.execv(sys.executable, command)


@contextlib.contextmanager
def signal_stream():
    """Signals as an iterator: ``for signum in signals: ...``.

    Yields each SIGHUP, and ends at SIGTERM or SIGINT. A Python signal handler would run between
    any two instructions of the main thread.
    """
    reader, writer = socket.socketpair()
    writer.setblocking(False)
    previous_fd = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    previous_handlers = {
        signum: signal.signal(signum, _ignore) for signum in (*watchdog.STOP_SIGNALS, signal.SIGHUP)
    }
    try:
        yield _read_signals(reader)
    finally:
        for signum, handler in previous_handlers.items():
            signal.signal(signum, handler)
        signal.set_wakeup_fd(previous_fd)
        reader.close()
        writer.close()


@contextlib.contextmanager
def stopped_at_once():
    """Let a stop signal end the process at once while there is nothing to finish.

    A start may wait long for a database or a broker.
    """
    handlers = {signum: signal.signal(signum, signal.SIG_DFL) for signum in watchdog.STOP_SIGNALS}
    yield
    for signum, handler in handlers.items():
        signal.signal(signum, handler)


def _ignore(signum, frame):
    """A handler that does nothing; without a handler nothing is written to the wakeup fd."""


def _read_signals(reader):
    while True:
        for signum in reader.recv(64):
            if signum in watchdog.STOP_SIGNALS:
                return
            if signum == signal.SIGHUP:
                yield signum


def _end_with_watchdog(watchdog_pid, signum):
    """Have the kernel send a signal to this process when the watchdog ends, even while it hangs."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signum)
    if os.getppid() != watchdog_pid:  # it has ended before
        os.kill(os.getpid(), signum)
