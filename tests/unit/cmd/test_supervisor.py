"""The supervisor with real processes: each case is a small program of its own, with native and with green threads."""

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

from tests.waiting import PATIENCE

PROGRAM = """
import os, sys, threading, time
from heat_lite.cmd import concurrency, workers
concurrency.use({kind!r})

def say(*words):
    os.write(1, (' '.join(map(str, words)) + '\\n').encode())

{work}
workers.PATIENCE = 0.3
supervisor = workers.Supervisor(work, {count}, grace={grace}, delay=0.1)
say('parent', os.getpid())
sys.exit(supervisor.serve())
"""
WAIT = """
def work(number, signals):
    say('start', number, os.getpid())
    for _ in signals:
        say('reload', number)
    time.sleep(0.1)
    say('stop', number)
"""
STUCK = """
def work(number, signals):
    say('start', number, os.getpid())
    for _ in signals:
        pass
    time.sleep(60)
"""
DIES = """
def work(number, signals):
    say('start', number, os.getpid())
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
    say('start', number, os.getpid())
    for _ in signals:
        pass
    thread.join()
    say('stop', number, *done)
"""


class Program:
    def __init__(self, process):
        self.process = process
        self.lines = []

    def read(self, prefix, count=1):
        """Read until so many lines begin with ``prefix``; all that do."""
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
        rest, _ = self.process.communicate(timeout=PATIENCE)
        self.lines += rest.splitlines()
        return self.process.returncode


@pytest.fixture(params=['threading', 'eventlet'])
def program(request):
    with contextlib.ExitStack() as stack:

        def run(work, count=2, grace=5):
            text = PROGRAM.format(kind=request.param, work=textwrap.dedent(work), count=count, grace=grace)
            command = [sys.executable, '-W', 'ignore', '-c', text]
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            stack.enter_context(process)
            stack.callback(process.kill)
            return Program(process)

        yield run


def alive(pid):
    """Whether a process lives; one that is dead and not yet buried does not."""
    try:
        with open(f'/proc/{pid}/stat') as stat:
            return stat.read().rpartition(')')[2].split()[0] != 'Z'
    except FileNotFoundError:
        return False


def wait_until(condition, seconds=PATIENCE):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    assert condition()


@pytest.mark.parametrize('signum', [signal.SIGTERM, signal.SIGINT])
def test_all_start_and_all_end_in_good_order(program, signum):
    running = program(WAIT)
    pids = running.pids(2)
    assert running.end(signum) == 0
    assert sorted(running.all('stop')) == ['stop 0', 'stop 1']
    assert not any(alive(pid) for pid in pids)


def test_work_under_way_is_finished(program):
    running = program(BUSY, count=1)
    running.pids(1)
    assert running.end() == 0
    assert running.all('stop') == ['stop 0 toil']


def test_one_that_died_is_replaced(program):
    running = program(WAIT)
    first = running.pids(2)
    os.kill(first[0], signal.SIGKILL)
    pids = running.pids(3)
    assert alive(pids[2]) and alive(first[1]) and not alive(first[0])
    assert running.lines.count(running.read('start', 3)[2]) == 1
    assert running.read('start', 3)[2].split()[1] == running.read('start', 3)[pids.index(first[0])].split()[1]
    assert running.end() == 0


def test_one_that_dies_at_once_is_given_more_and_more_time(program):
    running = program(DIES, count=1)
    times = []
    for count in range(1, 5):
        running.read('start', count)
        times.append(time.monotonic())
    gaps = [after - before for before, after in zip(times[1:], times[2:], strict=False)]
    assert gaps[0] > 0.15 and gaps[1] > 0.3
    assert running.end() == 0


def test_reading_the_configuration_again(program):
    running = program(WAIT)
    before = running.pids(2)
    running.process.send_signal(signal.SIGHUP)
    running.read('reload', 2)
    assert sorted(running.all('reload')) == ['reload 0', 'reload 1']
    assert all(alive(pid) for pid in before)
    assert running.end() == 0


def test_what_does_not_end_in_time_is_killed(program):
    running = program(STUCK, grace=0)
    pids = running.pids(2)
    began = time.monotonic()
    assert running.end() == 0
    assert time.monotonic() - began > 0.2
    assert not any(alive(pid) for pid in pids)


def test_a_second_signal_ends_at_once(program):
    running = program(STUCK, grace=60)
    pids = running.pids(2)
    running.process.send_signal(signal.SIGTERM)
    time.sleep(0.2)
    assert running.process.poll() is None
    assert running.end() == 0
    assert not any(alive(pid) for pid in pids)


def test_without_a_parent_they_end(program):
    running = program(WAIT)
    pids = running.pids(2)
    running.process.kill()
    wait_until(lambda: not any(alive(pid) for pid in pids))
    running.process.communicate(timeout=PATIENCE)
