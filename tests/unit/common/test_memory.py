"""The decision when memory is reclaimed, and the reclaim itself in a process of its own."""

import subprocess
import sys

import pytest

from heat_lite.common import memory


class Process:
    """A process that reaches ``resident`` MiB; each reclaim leaves ``live``.

    It keeps others from running for ``held`` seconds, and takes ``waited`` seconds more.
    """

    held, waited = 1.0, 0.0

    def __init__(self, resident):
        self.resident = self.live = resident
        self.now = self.processor = 0.0
        self.reclaimer = memory.Reclaimer(
            self.reclaim, lambda: self.resident, lambda: self.now, lambda: self.processor
        )

    def reclaim(self):
        self.resident = self.live
        self.now += self.held + self.waited
        return self.held

    def checks(self, *residents):
        """Reach each of these sizes before a check, and return which checks reclaimed."""
        done = []
        for resident in residents:
            self.now += memory.CHECK_SECONDS
            self.resident = resident
            done.append(self.reclaimer.check())
        return done


def test_memory_is_reclaimed_when_the_process_grows_no_more():
    assert Process(80).checks(80, 150, 200, 201, 80, 80) == [False] * 3 + [True] + [False] * 2


def test_small_growth_is_not_reclaimed():
    assert not any(Process(80).checks(80, 80 + memory.GROWTH, 80 + memory.GROWTH))


def test_collections_take_a_small_part_of_the_time():
    process = Process(80)
    checks = process.checks(*[200] * 100)  # each leaves 80, and the next work takes 200 again
    assert sum(checks) * memory.PAUSE_FACTOR <= process.now


def test_reclaim_that_had_to_wait_does_not_put_off_the_next():
    process = Process(80)
    process.held, process.waited = 0.1, 10.0
    checks = process.checks(*[200] * 20)
    # each second check finds that the process grows no more
    assert sum(checks) == 10


def test_memory_that_was_in_use_is_reclaimed_after_further_work():
    process = Process(80)
    process.live = 200
    assert process.checks(200, 200) == [False, True]
    # once more for what has become idle; then nothing can change, since it has not worked
    assert sum(process.checks(*[200] * 100)) == 1
    process.live = 80
    process.processor += 1
    assert process.checks(200) == [True] and process.resident == 80


CYCLES = """
import gc
from heat_lite.common import memory

memory.configure_allocator()
gc.collect()
gc.disable()
before = memory.resident()
for number in range(100):
    cycle = []
    cycle.append((cycle, bytearray(2**20), ['x' * 1000 for _ in range(100)]))
del cycle
grown = memory.resident() - before
memory.reclaim()
print(grown, memory.resident() - before)
"""


@pytest.mark.skipif(memory._libc() is None, reason='this system has not the allocator of glibc')
def test_reclaim_returns_memory_of_garbage_to_the_system():
    done = subprocess.run([sys.executable, '-c', CYCLES], capture_output=True, text=True)
    grown, left = map(int, done.stdout.split())
    assert grown >= 100 and left < 10, (done.stdout, done.stderr)


EXEMPT = """
import gc
from heat_lite.common import memory

loaded = [[] for _ in range(1000)]
memory.exempt_loaded()
print(*gc.get_threshold(), gc.get_freeze_count() > 1000, len(gc.get_objects()) < 1000)
"""


def test_what_is_loaded_is_not_collected_again():
    done = subprocess.run([sys.executable, '-c', EXEMPT], capture_output=True, text=True)
    thresholds = ' '.join(map(str, memory.THRESHOLDS))
    assert done.stdout == f'{thresholds} True True\n', done.stderr
