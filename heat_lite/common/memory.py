"""The return of memory to the system after large work, on Linux with glibc.

Memory of work that has ended stays with a process for two reasons. Objects that refer to each other
wait for a full collection of garbage, and the interpreter decides by the number of objects, not by
their size, when to make one: a hundred objects may hold a hundred megabytes. And allocators keep
what was freed between memory that is still in use, so engines load what stays before they work
(``server.engine_worker.preload``).

``configure_allocator`` sets how memory is allocated. ``Reclaimer`` collects and returns it when a
process has become larger and is quiet.
"""

import ctypes
import functools
import gc
import linecache
import os
import re
import sys
import threading
import time
import typing
from collections.abc import Callable, Sequence

from heat_lite.common import lru_cache

#: Settings of mallopt(3) by the environment variable that sets them as well: number and value.
#: The interpreter lock lets one thread allocate at a time, so more arenas only divide the free
#: memory. Large blocks are mapped one by one and return to the system when they are freed; without
#: the setting glibc raises the limit up to 32 MiB as soon as it frees one.
SETTINGS = {
    'MALLOC_ARENA_MAX': (-8, 2),
    'MALLOC_MMAP_THRESHOLD_': (-3, 256 * 1024),
    'MALLOC_TRIM_THRESHOLD_': (-1, 1024 * 1024),
}
#: seconds between two checks
CHECK_SECONDS = 5.0
#: MiB that a process must have grown until its memory is reclaimed
GROWTH = 16
#: MiB of growth between two checks up to which a process is quiet
QUIET_GROWTH = 2
#: seconds after which a large process that has worked since is reclaimed again
REPEAT_SECONDS = 20.0
#: seconds of processor time after which a process has worked
WORK_SECONDS = 0.1
#: the part of the time that collections may take is 1 / PAUSE_FACTOR
PAUSE_FACTOR = 50
#: New objects until a collection of garbage among these, and so on (``gc.set_threshold``). With
#: 700, the default of Python, a create of 10,000 resources takes 15 % more processor time. With 10
#: instead of 50, a preview of 20,000 makes eight full collections, a third of its time.
THRESHOLDS = (2000, 10, 50)
#: A collection keeps what the finalizers of the garbage refer to; the next one takes it.
COLLECTIONS = 2


@functools.cache
def _libc() -> typing.Any:
    """Return glibc, or None on another system."""
    if sys.platform != 'linux':
        return None
    libc = ctypes.CDLL(None)
    return libc if hasattr(libc, 'malloc_trim') and hasattr(libc, 'mallopt') else None


def configure_allocator() -> None:
    """Set how memory is allocated, except by variables of the environment. Before any thread."""
    libc = _libc()
    if libc is None or 'GLIBC_TUNABLES' in os.environ:
        return
    for variable, (number, value) in SETTINGS.items():
        if variable not in os.environ:
            libc.mallopt(number, value)


def exempt_loaded() -> None:
    """Exclude all present objects from collections of garbage, and collect others more seldom.

    A collection takes time for each object, and in a worker it would write to every page that the
    processes share.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)


def resident() -> int:
    """Return the resident memory of this process in MiB; 0 on a system without /proc."""
    try:
        with open('/proc/self/statm') as file:
            return int(file.read().split()[1]) * os.sysconf('SC_PAGE_SIZE') // 2**20
    except OSError:
        return 0


def reclaim(droppers: Sequence[Callable[[], None]] = ()) -> float:
    """Drop idle values of caches, collect all garbage, and return free memory to the system.

    ``droppers`` drop what other parts of the process keep without need. Return the seconds of
    processor time during which no other thread could run.
    """
    for drop in (lru_cache.drop_idle, *droppers):
        drop()
    re.purge()  # up to 512 patterns, and users may have written them
    linecache.clearcache()  # the source files of tracebacks
    held = 0.0
    for _ in range(COLLECTIONS):
        begun = time.thread_time()
        gc.collect()
        held += time.thread_time() - begun
        time.sleep(0)
    libc = _libc()
    if libc is not None:
        libc.malloc_trim(0)
    return held


class Reclaimer:
    """Reclaims the memory of this process when it has grown and grows no more.

    ``reclaim()`` returns for how many seconds it kept all other threads from running,
    ``resident()`` the resident memory in MiB, ``worked()`` the processor time in seconds.
    """

    def __init__(
        self,
        reclaim: Callable[[], float],
        resident: Callable[[], int] = resident,
        clock: Callable[[], float] = time.monotonic,
        worked: Callable[[], float] = time.process_time,
    ) -> None:
        self._resident, self._reclaim, self._clock, self._worked = resident, reclaim, clock, worked
        #: its memory at first, after the last reclaim, and at the last check
        self._small = self._left = self._last = resident()
        self._worked_at = worked()
        self._repeat_at = self._due = clock()
        #: whether what was used last is still in caches, which the next reclaim drops
        self._has_idle = False

    def check(self) -> bool:
        """Reclaim memory if it is due. Return whether it was."""
        resident = self._resident()
        quiet = resident <= self._last + QUIET_GROWTH
        self._last, self._left = resident, min(self._left, resident)
        begun = self._clock()
        has_work = resident > self._left + GROWTH or self._has_worked()
        if not quiet or begun < self._due or not self._is_large(resident, begun):
            return False
        held = self._reclaim()
        self._has_idle = has_work
        ended = self._clock()
        # Not by the clock: on a busy machine it would put off the next one for minutes.
        self._due = ended + PAUSE_FACTOR * held
        self._repeat_at = ended + REPEAT_SECONDS
        self._left = self._last = self._resident()
        self._worked_at = self._worked()
        return True

    def _is_large(self, resident: int, now: float) -> bool:
        if resident > self._left + GROWTH:
            return True
        # What was in use at the last time may be free by now.
        again = now >= self._repeat_at and (self._has_idle or self._has_worked())
        return again and resident > self._small + GROWTH

    def _has_worked(self) -> bool:
        return self._worked() > self._worked_at + WORK_SECONDS

    def run(self) -> None:
        while True:
            time.sleep(CHECK_SECONDS)
            self.check()


def start_reclaimer(droppers: Sequence[Callable[[], None]] = ()) -> None:
    """Reclaim the memory of this process in the background. Call it after any fork.

    ``droppers``: as for ``reclaim``.
    """
    reclaimer = Reclaimer(functools.partial(reclaim, droppers))
    threading.Thread(target=reclaimer.run, name='reclaimer', daemon=True).start()
