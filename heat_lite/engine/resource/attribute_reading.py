"""Reads of attributes that services answer: side by side, once for all outputs, and in time.

An output may read attributes of hundreds of resources, and each may be a request to a service. The
outputs of a stack and of its nested stacks share one ``AttributeReading``. It starts all reads at
once, so a request waits for the slowest of them instead of their sum.

Tests: tests/unit/engine/resource/test_attribute_reading.py,
tests/functional/test_stored_attributes.py.
"""

import collections
import contextlib
import contextvars
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent import futures

from heat_lite.common import exception, log_context
from heat_lite.common.value_types import Value
from heat_lite.template.functions import budget

#: threads that read for one stack; its nested stacks have threads of their own
THREADS = 32
#: threads that read in one engine: those whose services hang count as well
MAX_THREADS = 256

_slots = threading.BoundedSemaphore(MAX_THREADS)
_current: contextvars.ContextVar['AttributeReading | None'] = contextvars.ContextVar(
    'attribute_reading', default=None
)
#: whether this thread is one that ``AttributeReading.start`` began
_is_reader: contextvars.ContextVar[bool] = contextvars.ContextVar('is_reader', default=False)
Key = tuple[str, str]
#: the keys that a read reads, and the read
Read = tuple[list[Key], Callable[[], Value]]


class _Value:
    """A value that is read once. ``begun``: a thread reads it, or has read it."""

    def __init__(self) -> None:
        self.future: futures.Future = futures.Future()
        self.begun = False

    def fill(self, read: Callable[[], Value]) -> None:
        try:
            self.future.set_result(read())
        except BaseException as error:
            self.future.set_exception(error)
            if not isinstance(error, Exception):
                raise


class AttributeReading:
    """The values that the outputs of one stack tree read, each read once.

    ``seconds`` limits the wait for all of them together; None: without a limit.
    """

    def __init__(self, seconds: float | None = None) -> None:
        self._seconds = seconds
        self._until = None if seconds is None else time.monotonic() + seconds
        self._lock = threading.Lock()
        self._values: dict[Key, _Value] = {}

    def value(self, key: Key, read: Callable[[], Value]) -> Value:
        """Return ``read()``, which is called once for a key (an id, and what is read of it).

        Raises what it raises, and AttributeNotKnown after the time limit.
        """
        with self._lock:
            is_announced = key in self._values
            found = self._values.setdefault(key, _Value())
            # with a time limit, only the threads of ``start`` wait for services
            may_read = not is_announced or self._until is None or _is_reader.get()
            is_mine = may_read and not found.begun
            found.begun = found.begun or is_mine
        if is_mine and self._seconds_left() != 0:
            found.fill(read)
        try:
            return found.future.result(self._seconds_left())
        except futures.TimeoutError:
            if found.future.done():  # the read itself has failed so
                raise
            raise exception.AttributeNotKnown(key=key[1], seconds=self._seconds) from None

    def start(self, reads: Iterable[Read]) -> None:
        """Begin reads in threads. Each has the keys that it is to read, and a function that does.

        A single one without a time limit is left to the thread that needs it.
        """
        jobs = collections.deque(reads)
        if not jobs or (len(jobs) == 1 and self._until is None):
            return
        keys = [key for keys, _ in jobs for key in keys]
        with self._lock:
            for key in keys:
                self._values.setdefault(key, _Value())
        subject = log_context.get_subject()
        started = sum(self._start_thread(jobs, subject) for _ in range(min(THREADS, len(jobs))))
        if not started and self._until is not None:
            self._refuse(keys)

    def _start_thread(self, jobs: collections.deque, subject: log_context.Subject | None) -> bool:
        if not _slots.acquire(blocking=False):
            return False
        context = contextvars.copy_context()
        thread = threading.Thread(
            target=context.run, args=(self._work, jobs, subject), name='attributes', daemon=True
        )
        try:
            thread.start()
        except RuntimeError:  # the process may have no more threads
            _slots.release()
            return False
        return True

    def _work(self, jobs: collections.deque, subject: log_context.Subject | None) -> None:
        _is_reader.set(True)
        log_context.set_subject(subject)
        try:
            while jobs and self._seconds_left() != 0:
                with contextlib.suppress(IndexError):  # another thread has taken the last one
                    _, read = jobs.popleft()
                    # the thread that needs the value raises the error
                    with budget.fresh(budget.limits.outputs), contextlib.suppress(Exception):
                        read()
        finally:
            _slots.release()

    def _refuse(self, keys: list[Key]) -> None:
        """Fail the reads that no thread is left for."""
        with self._lock:
            refused = [self._values[key] for key in keys if not self._values[key].begun]
            for value in refused:
                value.begun = True
        for value in refused:
            value.future.set_exception(exception.TooManyAttributeReads(count=MAX_THREADS))

    def _seconds_left(self) -> float | None:
        return None if self._until is None else max(0.0, self._until - time.monotonic())


@contextlib.contextmanager
def begun(seconds: float | None = None) -> Iterator[AttributeReading]:
    """Give a ``with`` block the reading under way, or a new one with a time limit."""
    reading = _current.get()
    if reading is not None:
        yield reading
        return
    reading = AttributeReading(seconds)
    token = _current.set(reading)
    try:
        yield reading
    finally:
        _current.reset(token)


def read_once(key: Key, read: Callable[[], Value]) -> Value:
    """Return ``read()``; within a reading it is called once for a key."""
    reading = _current.get()
    return read() if reading is None else reading.value(key, read)
