"""The heartbeat of an engine: a row of the service table that shows other engines that this one
lives.

An engine whose heartbeat is late (its process was paused, or the database was unreachable) steps no
task until it has reported again and has dropped the locks that it lost meanwhile. Other engines
wait longer than that before they take it for dead.

Tests: tests/chaos/test_clock_jumps.py.
"""

import logging
import math
import os
import socket
import threading
import time
from collections.abc import Callable, Sequence

from oslo_config import cfg

from heat_lite.common import context as request_context, metrics
from heat_lite.db import locks, services
from heat_lite.engine.execution.task_manager import ThreadGroupManager
from heat_lite.rpc import api as rpc_api, messaging

LOG = logging.getLogger(__name__)
#: intervals without a heartbeat after which an engine stops working; other engines wait for two
#: (``db.services.is_up``)
FRESH_INTERVALS = 1.8


def interval(conf: cfg.ConfigOpts) -> int:
    """Return the seconds between two heartbeats."""
    return min(conf.periodic_interval, conf.heat_lite.heartbeat_interval)


class Heartbeat:
    """Registers the engine in the service table and reports at each interval.

    After a late heartbeat, ``task_manager`` drops the work on stacks whose locks other engines have
    taken.
    """

    def __init__(
        self, conf: cfg.ConfigOpts, engine_id: str, task_manager: ThreadGroupManager
    ) -> None:
        self._interval = interval(conf)
        self._context = request_context.admin_context()
        self._id = ''
        self._engine_id = engine_id
        self._task_manager = task_manager
        self._host = conf.host
        self._last = time.monotonic()
        self._in_touch_since = -math.inf
        self._others: set[str] = set()
        #: the ids of the other engines of this service, at the last heartbeat
        self.peer_ids: set[str] = set()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name='heartbeat', daemon=True)

    def is_fresh(self) -> bool:
        """Return whether no other engine can have taken this one for dead."""
        return time.monotonic() - self._last < FRESH_INTERVALS * self._interval

    def seconds_in_touch(self) -> float:
        """Return how long ago the last gap in the reports of this engine was; 0 in one."""
        return time.monotonic() - self._in_touch_since if self.is_fresh() else 0

    def start(self) -> None:
        """Register the engine in place of the dead ones of its host, and begin to report."""
        hostname = socket.gethostname()
        removed = services.clean_host(self._host, hostname, services.BINARY)
        if removed:
            LOG.info('%d dead engines of host %s are removed from the list', removed, self._host)
        self._id = self._register()
        self._last = time.monotonic()
        self._thread.start()
        LOG.debug('Service %s of process %d is registered', self._id, os.getpid())

    def _register(self) -> str:
        return services.create(
            engine_id=self._engine_id,
            host=self._host,
            hostname=socket.gethostname(),
            binary=services.BINARY,
            topic=rpc_api.ENGINE_TOPIC,
            report_interval=self._interval,
        )

    def _look_at_others(self) -> None:
        """Note the other engines.

        Log those of another service on this database, which do not know its locks.
        """
        living = services.living()
        own = {row.engine_id for row in living if row.binary == services.BINARY}
        self.peer_ids = own - {self._engine_id}
        others = {services.describe(row) for row in living if row.binary != services.BINARY}
        for other in sorted(others - self._others):
            LOG.error(
                '%s has started on the database of engine %s: both would change the same stacks; '
                'stop one of the services',
                other,
                self._engine_id,
            )
        self._others = others

    def _run(self) -> None:
        while not self._stopping.wait(max(0.1, self._last + self._interval - time.monotonic())):
            try:
                self._report()
            except Exception:  # the database may be unreachable; the next interval retries
                metrics.HEARTBEATS.add('failed')
                LOG.exception(
                    'The heartbeat of engine %s could not be stored: the next interval retries',
                    self._engine_id,
                )

    def _report(self) -> None:
        now = time.monotonic()
        if not services.heartbeat(self._id):
            self._id = self._register()  # another engine has removed the row of a dead engine
        if not self.is_fresh():
            LOG.warning(
                'Engine %s sent no heartbeat for %.0f seconds: it drops the stacks taken over',
                self._engine_id,
                time.monotonic() - self._last,
            )
            self._task_manager.drop_lost_locks(lambda: locks.stack_ids_of(self._engine_id))
            self._in_touch_since = now
        self._look_at_others()
        # the time before the heartbeat was stored, to be on the safe side
        metrics.HEARTBEATS.add('stored' if self.is_fresh() else 'late')
        self._last = now
        metrics.LAST_HEARTBEAT.set(time.time())

    def stop(self) -> None:
        self._stopping.set()
        try:
            services.delete(self._id)
        except Exception:
            LOG.exception(
                'Engine %s could not delete its service row %s: it looks alive for a while',
                self._engine_id,
                self._id,
            )


class RequestIntake:
    """Lets an engine take no requests while it cannot reach the database and another one can.

    ``answers(engine_id)`` asks an engine by RPC whether it works; the database would not answer. If
    all of them are late they go on: reads may work where a heartbeat cannot be written.
    """

    def __init__(
        self, beat: Heartbeat, answers: Callable[[str], bool], servers: Sequence[messaging.Server]
    ) -> None:
        self._beat, self._answers, self._servers = beat, answers, servers
        self._takes = True

    def check(self) -> None:
        """Pause or start the servers."""
        takes = self._beat.is_fresh() or not any(map(self._answers, self._beat.peer_ids))
        if takes != self._takes:
            LOG.warning(
                'This engine takes requests again'
                if takes
                else 'This engine cannot reach the database: it leaves requests to the others'
            )
        self._takes = takes
        for server in self._servers:
            if takes:
                server.start()
            else:
                server.pause()
