"""Group commit: concurrent requests of several threads share one transaction.

The cost of a small transaction is its commit and its round trips, so sharing them saves most of it.
"""

import logging
import threading
import time
import typing
from collections.abc import Callable, Collection, Mapping, Sequence

from heat_lite.common import attempt, long_work, tracing
from heat_lite.common.value_types import Value
from heat_lite.db import session

LOG = logging.getLogger(__name__)
#: Maximum number of requests in one transaction.
MAX_GROUP = 64
#: Seconds between two checks for further requests, and the maximum wait for them.
POLL_SECONDS, MAX_WAIT_SECONDS = 0.002, 0.1


class _Threads:
    """The number of runnable threads, and of those that wait for a group."""

    def __init__(self) -> None:
        self.runnable_count = lambda: 0
        self.waiting = 0
        self._guard = threading.Lock()

    def add_waiting(self, number: int) -> None:
        with self._guard:
            self.waiting += number


_threads = _Threads()


def set_runnable_count(count: Callable[[], int]) -> None:
    """Set the function that returns how many threads are runnable and may submit a request.

    The number includes the threads that wait for a group.
    """
    _threads.runnable_count = count


class GroupCommit:
    """Requests that are executed in groups.

    One of the waiting threads becomes the leader: it executes the requests of all waiting threads
    and appoints the next leader. ``execute_many(requests)`` returns their results in the same
    order. When it fails, ``execute_one(request)`` is called for each request, so that only the
    faulty request fails; a thread that retries forever calls it after a lost connection, too.
    """

    def __init__(
        self,
        execute_many: Callable[[list], Sequence],
        execute_one: Callable[[typing.Any], typing.Any],
    ) -> None:
        self._execute_many = execute_many
        self._execute_one = execute_one
        self._guard = threading.Lock()
        self._waiting: list[_Entry] = []
        self._has_leader = self._is_urgent = False

    def submit(self, request: typing.Any) -> typing.Any:
        """Execute a request and return its result. Raises the error of this request."""
        with tracing.span('group of transactions'):
            return self._submit(request)

    def _submit(self, request: typing.Any) -> typing.Any:
        attempt.begin()  # another thread may execute the request
        entry = _Entry(request)
        _threads.add_waiting(1)
        with self._guard:
            self._waiting.append(entry)
            # A thread with limited retries has a client that waits for the response.
            self._is_urgent = self._is_urgent or not session.retries_forever()
            leads, self._has_leader = not self._has_leader, True
        if not leads:
            with long_work.waiting():
                entry.wakeup.wait()
        if not entry.done:
            self._lead()
        if entry.error is None:
            return entry.result
        is_lost = isinstance(entry.error, session.LOST)
        if is_lost and not isinstance(entry.error, session.CommitOutcomeUnknown):
            if session.retries_forever():
                return self._execute_one(request)  # no other thread waits for this one
        raise entry.error

    def _lead(self) -> None:
        self._wait_for_others()
        with self._guard:
            entries, self._waiting = self._waiting[:MAX_GROUP], self._waiting[MAX_GROUP:]
            self._is_urgent = False
        try:
            # Other threads wait for this one, so its retries are limited.
            with session.retry_limited():
                self._execute(entries)
        finally:
            # Count these threads as running before they are woken.
            _threads.add_waiting(-len(entries))
            with self._guard:
                following = self._waiting[:1]
                self._has_leader = bool(following)
            for entry in (*entries, *following):
                entry.wakeup.set()

    def _wait_for_others(self) -> None:
        """Wait for requests of other runnable threads. A single thread does not wait."""
        until = time.monotonic() + MAX_WAIT_SECONDS
        while (
            not self._is_urgent
            and len(self._waiting) < MAX_GROUP
            and _threads.waiting < _threads.runnable_count()
            and time.monotonic() < until
        ):
            with long_work.waiting():
                time.sleep(POLL_SECONDS)

    def _execute(self, entries: list['_Entry']) -> None:
        if len(entries) > 1:
            try:
                results = self._execute_many([entry.request for entry in entries])
                for entry, result in zip(entries, results, strict=True):
                    entry.finish(result)
                return
            except Exception as error:
                LOG.debug(
                    'A group of %d requests failed; executing them one by one: %s',
                    len(entries),
                    error,
                )
        for entry in entries:
            try:
                entry.finish(self._execute_one(entry.request))
            except BaseException as error:
                entry.finish(error=error)


class GroupRead(GroupCommit):
    """Reads that are executed in groups.

    ``read(keys)`` returns a mapping; the result of a missing key is None. A thread with
    limited retries, or in a transaction, reads alone.
    """

    def __init__(self, read: Callable[[Collection], Mapping[typing.Any, typing.Any]]) -> None:
        super().__init__(self._read_many, self._read_one)
        self._read = read

    def get(self, key: typing.Any) -> typing.Any:
        if session.retries_forever() and not session.in_transaction():
            return self.submit(key)
        return self._read_one(key)

    def _read_many(self, keys: list) -> list:
        found = self._read(keys)
        return [found.get(key) for key in keys]

    def _read_one(self, key: typing.Any) -> typing.Any:
        return self._read([key]).get(key)


class _Entry:
    """A request with its result. ``wakeup`` is set when it is done or its thread must lead."""

    def __init__(self, request: typing.Any) -> None:
        self.request = request
        self.wakeup = threading.Event()
        self.done, self.result = False, None
        self.error: BaseException | None = None

    def finish(self, result: Value = None, error: BaseException | None = None) -> None:
        self.result, self.error, self.done = result, error, True
