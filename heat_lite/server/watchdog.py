"""The watchdog: the program of a first process after it has forked its workers.

``supervisor`` starts this file by ``exec`` in its own process. That keeps the process id and the
children, and frees the memory that the workers were forked from. This module therefore imports
nothing of heat_lite and as few other modules as possible. A worker that died is replaced by a new
process that runs the command line of the program.

SIGTERM and SIGINT stop all workers gracefully; a second one kills them. SIGHUP and SIGUSR2 are
forwarded to the workers; a standalone program stops at the SIGHUP of a terminal that is closed,
unless nohup has started it. A worker that died young is replaced after a delay, which doubles each
time.

A worker writes the time into its slot of a file in memory each second (``beat``). One that is
silent for too long, or takes too much memory, is ended and replaced as one that died. A silent one
first gets SIGABRT, at which it writes what its threads do to standard error. The slot also has the
name of the worker, and whether it kills itself; its replacement gets both in the environment.

Started by systemd (``NOTIFY_SOCKET``), it tells when all workers are ready, when it stops, and, for
``WatchdogSec``, that it runs and hears of a worker.

A ``standalone`` program has one worker, which is the program for its user: when the worker exits by
itself, so does the watchdog, with its exit status.
"""

import importlib
import os
import signal
import struct
import sys
import time

#: environment variable that assigns a slot to a replacement; see ``supervisor.WorkerSlot``
SLOT_VARIABLE = 'HEAT_LITE_WORKER'
STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)
#: signals that are passed on to the workers
PASSED_SIGNALS = (signal.SIGHUP, signal.SIGUSR2)
HANDLED_SIGNALS = {*STOP_SIGNALS, *PASSED_SIGNALS, signal.SIGCHLD}
#: in seconds; a worker that lived longer did not fail to start
MIN_LIFETIME = 10.0
#: in seconds
MAX_DELAY = 30.0
#: seconds between two checks of the workers
CHECK_SECONDS = 1.0
#: seconds that a new worker has at least for its first sign of life
START_SECONDS = 60.0
#: seconds from the SIGABRT to the SIGKILL for a silent worker
ABORT_SECONDS = 1.0
#: the slot of a worker: the times of its last sign of life and of its readiness, its name, and
#: whether it kills itself
SLOT = struct.Struct('dd36s?')
BEAT = struct.Struct('d')
NAME = struct.Struct('36s?')
#: the exit statuses of a worker that was stopped or killed by another process
ENDED_BY_OTHERS = (0, -signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT, -signal.SIGHUP)
#: seconds without a sign of life of any worker after which systemd hears nothing either
QUIET_SECONDS = 10.0
#: seconds after which systemd takes a program as started that waits for its database or broker
READY_SECONDS = 20.0
#: environment variable with the folder in which workers report their health; it ends with us
FOLDER_VARIABLE = 'HEAT_LITE_MONITORING'


def arguments(grace, delay, limits, standalone, name, inherited, workers, command):
    """Return the command line arguments of this file.

    ``grace``: seconds until workers that do not stop are killed
    ``delay``: seconds until a worker that died young is replaced
    ``limits``: (seconds of silence, MiB of memory) after which a worker is ended; 0: no limit
    ``standalone``: whether the program ends when its worker exits by itself
    ``name``: the path of the program, by whose name tools find its processes
    ``inherited``: what replacements get, as text: the id of this process, file descriptors
    ``workers``: (number, process id, monotonic start time) of each worker
    ``command``: the command line of the program
    """
    workers = ','.join(f'{number}:{pid}:{started}' for number, pid, started in workers)
    return [
        f'grace={grace}',
        f'delay={delay}',
        f'silence={limits[0]}',
        f'memory={limits[1]}',
        f'standalone={int(standalone)}',
        f'name={name}',
        f'inherited={inherited}',
        f'workers={workers}',
        '--',
        *command,
    ]


def main(args):
    """Supervise until a stop signal. Return the exit status. HANDLED_SIGNALS are blocked."""
    separator = args.index('--')
    options = dict(each.split('=', 1) for each in args[:separator])
    set_name(options['name'])
    watchdog = Watchdog(
        [Worker(*each.split(':')) for each in options['workers'].split(',')],
        float(options['grace']),
        float(options['delay']),
        options['inherited'],
        args[separator + 1 :],
        (float(options['silence']), int(options['memory'])),
        options['standalone'] == '1',
    )
    return watchdog.run()


class Worker:
    """One worker slot: its process, or the time at which the next process is due."""

    def __init__(self, number, pid, started_at):
        self.number = number
        self.pid = int(pid)
        self.started_at = float(started_at)
        self.due_at = 0.0
        self.delay = 0.0
        self.exit_status = None
        #: whether it ended by what it has done itself, and not by another process
        self.ended_itself = False
        #: whether SIGABRT was sent
        self.aborted = False
        #: when SIGKILL follows the first signal of the watchdog; None: none was sent
        self.kill_at = None

    def has_exited(self):
        """Whether the last process has ended by itself, not by a signal or for the watchdog."""
        ended = self.pid is None and self.exit_status is not None
        return ended and self.exit_status >= 0 and self.kill_at is None


class Watchdog:
    """Replaces workers that died, and forwards signals to them."""

    def __init__(self, workers, grace, delay, inherited, command, limits=(0, 0), standalone=False):
        self._workers = workers
        self._grace = grace
        self._delay = delay
        self._inherited = inherited
        self._beats = int(inherited.rpartition(':')[2] or -1)
        self._command = command
        self._silence, self._memory = limits
        self._standalone = standalone
        self._checked_at = self._awake_since = time.monotonic()
        self._oom_kills = oom_kills()
        self._systemd = Systemd(os.environ)
        is_ignored = signal.getsignal(signal.SIGHUP) == signal.SIG_IGN  # by nohup
        self._ends_with_terminal = standalone and not is_ignored and has_terminal()

    def run(self):
        try:
            while self._run_once() not in STOP_SIGNALS:
                if self._standalone and self._workers[0].has_exited():
                    return self._workers[0].exit_status
            self._systemd.tell('STOPPING=1')
            self._stop()
            return self._final_status()
        finally:
            remove_folder(os.environ.get(FOLDER_VARIABLE))

    def _run_once(self):
        """Start due workers, wait for a signal, and reap children. Return the signal."""
        # The signals are blocked and read with sigwait: none is lost, none interrupts the code.
        now = time.monotonic()
        for worker in self._workers:
            if worker.pid is None and worker.due_at <= now:
                self._start(worker)
        due = [worker.due_at for worker in self._workers if worker.pid is None]
        if self._silence or self._memory or self._systemd.listens:
            due.append(now + CHECK_SECONDS)
        signum = _wait_for_signal(min(due) - now if due else None)
        self._reap()
        self._check()
        if self._systemd.listens:
            self._tell_systemd()
        if signum == signal.SIGHUP and self._ends_with_terminal and not has_terminal():
            return signal.SIGTERM
        if signum in PASSED_SIGNALS:
            self._signal_all(signum)
        return signum

    def _check(self):
        """End the workers that are silent or take too much memory."""
        now = time.monotonic()
        if now - self._checked_at > 5 * CHECK_SECONDS:  # the whole machine was paused
            self._awake_since = now
        self._checked_at, self._oom_kills = now, oom_kills()
        for worker in self._workers:
            if worker.pid is None:
                continue
            last = self._slot(worker)[0]
            silent = now - max(worker.started_at, last, self._awake_since)
            limit = self._silence if last > worker.started_at else max(self._silence, START_SECONDS)
            if self._silence and silent > limit:
                self._end_silent(worker, now, silent)
            elif self._memory:
                self._check_memory(worker, now)

    def _end_silent(self, worker, now, silent):
        if not worker.aborted:
            log(f'Process {worker.pid} gave no sign of life for {silent:.0f} s: it is killed.')
            worker.kill_at, worker.aborted = now + ABORT_SECONDS, True
            os.kill(worker.pid, signal.SIGABRT)
        elif now >= worker.kill_at:
            os.kill(worker.pid, signal.SIGKILL)

    def _check_memory(self, worker, now):
        used = resident_memory(worker.pid)
        if used <= self._memory:
            return
        if worker.kill_at is None:
            log(f'Process {worker.pid} takes {used} MiB, more than {self._memory}: it is replaced.')
            worker.kill_at = now + self._grace
            worker.ended_itself = True
            os.kill(worker.pid, signal.SIGTERM)
        if now >= worker.kill_at or used > 2 * self._memory:
            os.kill(worker.pid, signal.SIGKILL)

    def _slot(self, worker):
        """Return the content of the slot of a worker (see SLOT)."""
        if self._beats < 0:
            return time.monotonic(), time.monotonic(), b'', False
        value = os.pread(self._beats, SLOT.size, int(worker.number) * SLOT.size)
        return SLOT.unpack(value.ljust(SLOT.size, b'\0'))

    def _previous(self, worker):
        """Return the status, the name and the own end of a worker as text; empty its slot."""
        *_, name, killed_itself = self._slot(worker)
        if self._beats >= 0:
            name_at = int(worker.number) * SLOT.size + 2 * BEAT.size
            os.pwrite(self._beats, bytes(NAME.size), name_at)
        status = '' if worker.exit_status is None else worker.exit_status
        ended_itself = int(killed_itself or worker.ended_itself)
        return f'{status}:{name.rstrip(bytes(1)).decode()}:{ended_itself}'

    def _tell_systemd(self):
        slots = [(worker, *self._slot(worker)[:2]) for worker in self._workers]
        ready = [worker for worker, _, since in slots if worker.pid and since > worker.started_at]
        quiet = time.monotonic() - max(beat_at for _, beat_at, _ in slots)
        self._systemd.tell_state(len(ready), len(slots), quiet < QUIET_SECONDS)

    def _start(self, worker):
        worker.started_at = time.monotonic()
        slot = f'{worker.number}:{self._previous(worker)}:{self._inherited}'
        worker.kill_at, worker.aborted, worker.ended_itself = None, False, False
        try:
            worker.pid = os.posix_spawn(
                sys.executable,
                [sys.executable, *self._command],
                {**os.environ, SLOT_VARIABLE: slot},
            )
        except OSError as error:
            log(f'Cannot start worker number {worker.number}: {error}')
            self._schedule_restart(worker)

    def _reap(self):
        for worker in self._workers:
            exit_status = _exit_status(worker.pid)
            if exit_status is not None:
                pid, worker.pid, worker.exit_status = worker.pid, None, exit_status
                if exit_status not in ENDED_BY_OTHERS or oom_kills() > self._oom_kills:
                    worker.ended_itself = True
                if self._standalone and worker.has_exited():
                    continue
                self._schedule_restart(worker)
                log(
                    f'Process {pid}, number {worker.number}, ended with status {exit_status};'
                    f' its replacement starts in {worker.delay:.0f} s.'
                )

    def _schedule_restart(self, worker):
        now = time.monotonic()
        died_young = now - worker.started_at < MIN_LIFETIME
        worker.delay = min(max(worker.delay * 2, self._delay), MAX_DELAY) if died_young else 0.0
        worker.due_at = now + worker.delay

    def _signal_all(self, signum):
        for worker in self._workers:
            if worker.pid is not None:
                # The child is not reaped yet, so no other process can have its id.
                os.kill(worker.pid, signum)

    def _stop(self):
        """Stop the workers. Kill them after the grace period or at a second stop signal."""
        self._signal_all(signal.SIGTERM)
        deadline = time.monotonic() + self._grace
        while any(worker.pid is not None for worker in self._workers):
            left = deadline - time.monotonic()
            signum = _wait_for_signal(left) if left > 0 else signal.SIGTERM
            for worker in self._workers:
                exit_status = _exit_status(worker.pid)
                if exit_status is not None:
                    worker.pid, worker.exit_status = None, exit_status
            if signum in STOP_SIGNALS:
                self._signal_all(signal.SIGKILL)

    def _final_status(self):
        """Return the exit status of a standalone worker, as a shell gives it; 0 for others."""
        status = self._workers[0].exit_status
        if not self._standalone or status is None:
            return 0
        return status if status >= 0 else 128 - status


class Systemd:
    """The datagrams for systemd, as of sd_notify(3). ``listens``: whether systemd has asked."""

    def __init__(self, environ):
        address = environ.get('NOTIFY_SOCKET', '')
        self.listens = address.startswith(('/', '@'))
        self._address = address.replace('@', '\0', 1) if address.startswith('@') else address
        ours = environ.get('WATCHDOG_PID', str(os.getpid())) == str(os.getpid())
        #: seconds between two signs of life; None: systemd expects none
        self._interval = int(environ.get('WATCHDOG_USEC', 0)) / 3e6 if ours else 0
        self._last = 0.0
        self._ready_by = time.monotonic() + READY_SECONDS
        self._started = False
        self._status = None

    def tell_state(self, ready, count, lively):
        """Tell what has changed. ``ready`` of ``count`` workers are; ``lively``: one moves."""
        now = time.monotonic()
        if not self._started and (ready == count or now > self._ready_by):
            self._started = True
            self.tell('READY=1')
        status = f'STATUS={ready} of {count} workers are ready'
        if status != self._status:
            self._status = status
            self.tell(status)
        if self._interval and lively and now - self._last >= self._interval:
            self._last = now
            self.tell('WATCHDOG=1')

    def tell(self, text):
        if not self.listens:
            return
        # ``socket`` would cost a megabyte for what this module does
        sockets = importlib.import_module('_socket')
        sock = sockets.socket(sockets.AF_UNIX, sockets.SOCK_DGRAM | sockets.SOCK_CLOEXEC)
        try:
            sock.sendto(text.encode(), self._address)
        except OSError as error:
            log(f'Cannot tell systemd {text}: {error}')
        finally:
            sock.close()


def beat(fileno, number):
    """Write the time of a sign of life into the slot of a worker."""
    os.pwrite(fileno, BEAT.pack(time.monotonic()), number * SLOT.size)


def tell_ready(fileno, number):
    """Write the time of its readiness into the slot of a worker."""
    os.pwrite(fileno, BEAT.pack(time.monotonic()), number * SLOT.size + BEAT.size)


def set_name(program):
    """Name this process as a shell does that starts the program; the kernel takes 15 bytes."""
    with open('/proc/self/comm', 'w') as file:
        file.write(os.path.basename(program))


def has_terminal():
    """Return whether the process has a controlling terminal that is still open."""
    try:
        os.close(os.open('/dev/tty', os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True


def oom_kills():
    """Return how many processes the kernel has killed for want of memory; 0: unknown."""
    try:
        with open('/proc/vmstat') as file:
            return int(dict(line.split() for line in file).get('oom_kill', 0))
    except OSError:
        return 0


def remove_folder(path):
    """Remove a folder of plain files, if there is one."""
    if path is None:
        return
    try:
        for name in os.listdir(path):
            os.unlink(os.path.join(path, name))
        os.rmdir(path)
    except OSError as error:
        log(f'Cannot remove {path}: {error}')


def resident_memory(pid):
    """Return the resident memory of a process in MiB; 0 if it has ended."""
    try:
        with open(f'/proc/{pid}/statm') as file:
            return int(file.read().split()[1]) * os.sysconf('SC_PAGE_SIZE') // 2**20
    except (OSError, IndexError):
        return 0


def log(text):
    """Write a line to standard error. The log files belong to the workers."""
    os.write(2, f'{time.strftime("%Y-%m-%d %H:%M:%S")} {os.getpid()} {text}\n'.encode())


def _wait_for_signal(seconds):
    """Return the next signal, or None after ``seconds``. None as ``seconds``: no limit."""
    if seconds is None:
        return signal.sigwait(HANDLED_SIGNALS)
    received = signal.sigtimedwait(HANDLED_SIGNALS, max(seconds, 0))
    return received.si_signo if received else None


def _exit_status(pid):
    """Return the exit status of a child, negative for a signal; None while the child runs."""
    if pid is None:
        return None
    ended, status = os.waitpid(pid, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if ended else None


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
