"""The supervisor with real processes. Each case is a program."""

import contextlib
import os
import signal
import subprocess
import sys
import textwrap

import pytest

from heat_lite.conf import server
from heat_lite.server import supervisor
from tests.timeouts import WAIT_SECONDS, wait_until

PROGRAM = """
import os, sys, threading, time
from heat_lite.server import supervisor

def report(*words):
    os.write(1, (' '.join(map(str, words)) + '\\n').encode())

{work}
supervisor.KILL_DELAY = {kill_delay}
program = supervisor.Supervisor(work, {count}, grace={grace}, delay=0.1, limits={limits})
report('parent', os.getpid())
sys.exit(program.serve())
"""
WAIT = """
def work(number, signals):
    report('start', number, os.getpid())
    for _ in signals:
        report('reload', number)
    time.sleep(0.1)
    report('stop', number)
"""
STUCK = """
def work(number, signals):
    report('start', number, os.getpid())
    for _ in signals:
        pass
    report('stopping', number)
    time.sleep(600)
"""
DIES = """
def work(number, signals):
    report('start', number, os.getpid(), time.monotonic())
    return 3
"""
BUSY = """
def work(number, signals):
    done = []
    def toil():
        time.sleep(0.5)
        done.append('toil')
    thread = threading.Thread(target=toil)
    thread.start()
    report('start', number, os.getpid())
    for _ in signals:
        pass
    thread.join()
    report('stop', number, *done)
"""


class Program:
    def __init__(self, process):
        self.process = process
        self.lines = []

    def read(self, prefix, count=1):
        """Read until ``count`` lines start with ``prefix``. Return all lines that do."""
        while len(self.all(prefix)) < count:
            line = self.process.stdout.readline()
            assert line, f'ended after {self.lines}: {self.process.stderr.read()}'
            self.lines.append(line.strip())
        return self.all(prefix)

    def all(self, prefix):
        return [line for line in self.lines if line.startswith(prefix)]

    def pids(self, count):
        return [int(line.split()[2]) for line in self.read('start', count)]

    def end(self, signum=signal.SIGTERM):
        self.process.send_signal(signum)
        rest, _ = self.process.communicate(timeout=WAIT_SECONDS)
        self.lines += rest.splitlines()
        return self.process.returncode


@pytest.fixture
def program():
    with contextlib.ExitStack() as stack:

        def run(work, count=2, grace=5, limits=(0, 0), kill_delay=0.3):
            text = PROGRAM.format(
                work=textwrap.dedent(work),
                count=count,
                grace=grace,
                limits=limits,
                kill_delay=kill_delay,
            )
            command = [sys.executable, '-W', 'ignore', '-c', text]
            process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
            stack.enter_context(process)
            stack.callback(process.kill)
            return Program(process)

        yield run


def alive(pid):
    """Whether a process runs. False for a zombie."""
    try:
        with open(f'/proc/{pid}/stat') as stat:
            return stat.read().rpartition(')')[2].split()[0] != 'Z'
    except FileNotFoundError:
        return False


@pytest.mark.parametrize('signum', [signal.SIGTERM, signal.SIGINT])
def test_stop_signal_stops_all_workers_gracefully(program, signum):
    running = program(WAIT)
    pids = running.pids(2)
    assert running.end(signum) == 0
    assert sorted(running.all('stop')) == ['stop 0', 'stop 1']
    assert not any(alive(pid) for pid in pids)


def test_stop_signal_lets_running_work_finish(program):
    running = program(BUSY, count=1)
    running.pids(1)
    assert running.end() == 0
    assert running.all('stop') == ['stop 0 toil']


def test_worker_that_died_is_replaced(program):
    running = program(WAIT)
    first = running.pids(2)
    os.kill(first[0], signal.SIGKILL)
    pids = running.pids(3)
    assert alive(pids[2]) and alive(first[1]) and not alive(first[0])
    assert running.lines.count(running.read('start', 3)[2]) == 1
    assert (
        running.read('start', 3)[2].split()[1]
        == running.read('start', 3)[pids.index(first[0])].split()[1]
    )
    assert running.end() == 0


NAMED = """
def work(number, signals):
    previous = supervisor.previous_worker()
    name = 'first' if previous is None else previous[0] + '+'
    supervisor.write_name(name)
    report('start', number, os.getpid(), previous)
    if name == 'first':
        {end}
    for _ in signals:
        pass
"""


@pytest.mark.parametrize(
    'end, is_own',
    [
        ('os.kill(os.getpid(), 9)', True),
        ('os.abort()', True),
        ('os._exit(3)', True),
        ('import ctypes; ctypes.string_at(1)', True),
        ('time.sleep(600)', False),
        ('os.system(f"kill -9 {os.getpid()}")', False),
    ],
)
def test_replacement_knows_the_worker_before_it_and_its_own_end(program, end, is_own):
    running = program(NAMED.format(end=end), count=1, limits=(60, 0))
    (first,) = running.pids(1)
    if 'sleep' in end:
        os.kill(first, signal.SIGKILL)
    assert running.read('start', 2)[1].endswith(f"('first', {is_own})")
    # the next one is told of the second one only
    os.kill(running.pids(2)[1], signal.SIGKILL)
    assert running.read('start', 3)[2].endswith("('first+', False)")


def test_worker_that_dies_young_is_replaced_after_growing_delays(program):
    running = program(DIES, count=1)
    # the times of the workers: this process may read their lines late
    times = [float(line.split()[3]) for line in running.read('start', 4)]
    gaps = [after - before for before, after in zip(times[1:], times[2:], strict=False)]
    assert gaps[0] > 0.15 and gaps[1] > 0.3
    assert running.end() == 0


def test_sighup_reaches_all_workers(program):
    running = program(WAIT)
    before = running.pids(2)
    running.process.send_signal(signal.SIGHUP)
    running.read('reload', 2)
    assert sorted(running.all('reload')) == ['reload 0', 'reload 1']
    assert all(alive(pid) for pid in before)
    assert running.end() == 0


def test_worker_beyond_the_grace_period_is_killed(program):
    running = program(STUCK, grace=0)
    pids = running.pids(2)
    assert running.end() == 0
    assert not any(alive(pid) for pid in pids)


def test_worker_beyond_the_grace_period_has_the_delay_to_stop(program):
    running = program(WAIT, grace=0, kill_delay=WAIT_SECONDS)
    running.pids(2)
    assert running.end() == 0
    assert sorted(running.all('stop')) == ['stop 0', 'stop 1']


def test_second_stop_signal_kills_workers(program):
    running = program(STUCK, grace=60)
    pids = running.pids(2)
    running.process.send_signal(signal.SIGTERM)
    # a second signal while the first one is pending would be lost
    running.read('stopping', 2)
    assert running.process.poll() is None
    assert running.end() == 0
    assert not any(alive(pid) for pid in pids)


def test_workers_stop_when_the_watchdog_dies(program):
    running = program(WAIT)
    pids = running.pids(2)
    running.process.kill()
    wait_until(lambda: not any(alive(pid) for pid in pids))
    running.process.communicate(timeout=WAIT_SECONDS)


# --------------------------------------------------------------- standalone


@pytest.fixture
def standalone(program, monkeypatch):
    """Run the program of one worker that is the program for its user."""

    def run(work, limits=(0, 0)):
        options = 'delay=0.1, standalone=True'
        monkeypatch.setitem(globals(), 'PROGRAM', PROGRAM.replace('delay=0.1', options))
        return program(work, count=1, limits=limits)

    return run


def test_standalone_program_exits_with_the_status_of_its_worker(standalone):
    running = standalone(DIES)
    assert running.process.wait(WAIT_SECONDS) == 3
    assert len(running.process.stdout.read().splitlines()) == 2  # of the parent and one start


def test_standalone_worker_that_a_signal_ended_is_replaced(standalone):
    running = standalone(WAIT)
    (first,) = running.pids(1)
    os.kill(first, signal.SIGKILL)
    second = running.pids(2)[1]
    assert second != first and running.end() == 0
    assert not alive(second)


def test_standalone_worker_that_takes_too_much_memory_is_replaced(standalone):
    # far above the limit, and far below twice of it
    running = standalone(f"kept = b'x' * 150 * 2**20\n{WAIT}", limits=(0, 130))
    running.read('stop', 2)  # it stopped cleanly, which does not end the program
    running.process.kill()


def test_standalone_worker_dies_with_the_watchdog_even_if_it_hangs(standalone):
    running = standalone(WAIT)
    (pid,) = running.pids(1)
    os.kill(pid, signal.SIGSTOP)
    # only after its exec has the first process nothing of the worker's
    wait_until(lambda: b'watchdog' in _command_line(running.process.pid))
    running.process.kill()
    wait_until(lambda: not alive(pid))


def _command_line(pid):
    with open(f'/proc/{pid}/cmdline', 'rb') as file:
        return file.read()


def test_engine_ends_within_the_time_that_kubernetes_gives():
    opts = {opt.dest: opt.default for opt in server.HEAT_LITE}
    assert opts['graceful_shutdown_timeout'] + supervisor.KILL_DELAY < 30
