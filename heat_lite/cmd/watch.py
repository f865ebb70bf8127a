"""What the first process of a program becomes once its workers run. It watches over them, and needs next to nothing for that.

``workers`` starts this file as a program of its own in the same process: ``exec`` keeps the number of the process and its children, and
throws away all that the workers were forked from, which would otherwise stay in memory a second time. So nothing of ours is imported here,
and as little else as can be. A worker that died is replaced by a process that runs the command of the program from its beginning.

SIGTERM and SIGINT end all, gracefully; again, at once. SIGHUP is passed on. If a worker died young, the next one waits, twice as long each
time.
"""

import os
import signal
import sys
import time

#: tells a process that is started here which worker it is to be; see ``workers.Place``
PLACE = 'HEAT_LITE_WORKER'
STOP = (signal.SIGTERM, signal.SIGINT)
HEEDED = {*STOP, signal.SIGHUP, signal.SIGCHLD}
# a process that lived longer than this did not die of its start
YOUNG = 10.0
LONGEST_DELAY = 30.0


def arguments(patience, delay, held, handed_down, workers, command):
    """The arguments with which this file is started.

    ``patience``: seconds in which workers must end; ``delay``: before one that died young is replaced; ``held``: the file by whose closing
    workers learn that nobody watches any more; ``handed_down``: what is told to the next workers, as text; ``workers``: (number, pid, when
    it was born) of each; ``command``: what the program was started with.
    """
    row = ','.join(f'{number}:{pid}:{born}' for number, pid, born in workers)
    return [f'patience={patience}', f'delay={delay}', f'held={held}', f'handed-down={handed_down}', f'workers={row}', '--', *command]


def main(args):
    """Watch until a signal ends it all; the exit status. The signals of HEEDED are blocked."""
    given = dict(each.split('=', 1) for each in args[: args.index('--')])
    os.set_inheritable(int(given['held']), False)
    row = [Worker(*each.split(':')) for each in given['workers'].split(',')]
    watch = Watch(row, float(given['patience']), float(given['delay']), given['handed-down'], args[args.index('--') + 1 :])
    return watch.run()


class Worker:
    """One place in the row: the process in it now, or when the next one is due."""

    def __init__(self, number, pid, born):
        self.number = number
        self.pid = int(pid)
        self.born = float(born)
        self.due = 0.0
        self.delay = 0.0
        self.status = ''


class Watch:
    """Keeps the row full."""

    def __init__(self, workers, patience, delay, handed_down, command):
        self._workers = workers
        self._patience = patience
        self._delay = delay
        self._handed_down = handed_down
        self._command = command

    def run(self):
        while self._turn() not in STOP:
            pass
        return self._end()

    def _turn(self):
        # blocked and asked for, signals can neither be lost nor interrupt anything
        now = time.monotonic()
        for worker in self._workers:
            if worker.pid is None and worker.due <= now:
                self._start(worker)
        due = [worker.due for worker in self._workers if worker.pid is None]
        signum = _wait_for_signal(min(due) - now if due else None)
        self._bury()
        if signum == signal.SIGHUP:
            self._tell(signum)
        return signum

    def _start(self, worker):
        worker.born = time.monotonic()
        environment = {**os.environ, PLACE: f'{worker.number}:{worker.status}:{self._handed_down}'}
        try:
            worker.pid = os.posix_spawn(sys.executable, [sys.executable, *self._command], environment)
        except OSError as error:
            say(f'Cannot start number {worker.number}: {error}')
            self._put_off(worker)

    def _bury(self):
        for worker in self._workers:
            status = _ended(worker.pid)
            if status is not None:
                worker.pid, worker.status, gone = None, status, worker.pid
                self._put_off(worker)
                say(f'Process {gone}, number {worker.number}, ended with status {status}; the next in {worker.delay:.0f} s.')

    def _put_off(self, worker):
        now = time.monotonic()
        young = now - worker.born < YOUNG
        worker.delay = min(max(worker.delay * 2, self._delay), LONGEST_DELAY) if young else 0.0
        worker.due = now + worker.delay

    def _tell(self, signum):
        for worker in self._workers:
            if worker.pid is not None:
                os.kill(worker.pid, signum)  # it is our child and not buried yet, so nobody else can have its number

    def _end(self):
        """Let them end; those that do not in time, or when told again, are killed."""
        self._tell(signal.SIGTERM)
        end = time.monotonic() + self._patience
        while any(worker.pid is not None for worker in self._workers):
            left = end - time.monotonic()
            signum = _wait_for_signal(left) if left > 0 else signal.SIGTERM
            for worker in self._workers:
                if _ended(worker.pid) is not None:
                    worker.pid = None
            if signum in STOP:
                self._tell(signal.SIGKILL)
        return 0


def say(text):
    """To standard error: the logs are the workers'."""
    os.write(2, f'{time.strftime("%Y-%m-%d %H:%M:%S")} {os.getpid()} {text}\n'.encode())


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


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
