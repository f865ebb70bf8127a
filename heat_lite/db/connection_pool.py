"""A pool of connections that keeps those of a burst of requests for a while.

To connect to a database server takes more processor time than most requests, e.g. 30 milliseconds
for the certificates of a TLS context. The pool of SQLAlchemy closes each connection beyond its size
when it is returned, so under load almost every request would connect anew.

Tests: tests/unit/db/test_connection_pool.py.
"""

import time
import typing

from sqlalchemy import pool
from sqlalchemy.util import queue

from heat_lite.common.value_types import Row

#: seconds after which an unused connection beyond the size of the pool is closed
IDLE_SECONDS = 30
RETURNED = 'heat_lite.returned'


class _Queue(queue.Queue):  # type: ignore[type-arg]
    """The queue of unused connections, which takes those beyond the size of the pool as well."""

    def _full(self) -> bool:
        return False

    def take_oldest(self, least: int, returned_before: float) -> typing.Any:
        """Return and remove the connection that has been unused longest.

        None if there are no more than ``least``, or it was returned later.
        """
        with self.mutex:
            if len(self.queue) <= least or self.queue[0].info[RETURNED] > returned_before:
                return None
            return self.queue.popleft()


class BurstPool(pool.QueuePool):
    """A pool that closes connections beyond its size after IDLE_SECONDS, when one is returned."""

    # else its messages of each connection would be those of a module of this service
    _sqla_logger_namespace = 'sqlalchemy.pool.BurstPool'

    def __init__(self, *args: typing.Any, **options: typing.Any) -> None:
        super().__init__(*args, **options)
        self._pool: typing.Any = _Queue(self._pool.maxsize, self._pool.use_lifo)

    def _do_return_conn(self, record: Row) -> None:
        record.info[RETURNED] = now = time.monotonic()
        super()._do_return_conn(record)
        while self.size() and (oldest := self._pool.take_oldest(self.size(), now - IDLE_SECONDS)):
            try:
                oldest.close()
            finally:
                self._dec_overflow()
