"""The heartbeat of an engine: by it others know that it lives, and it knows itself whether it may go on.

An engine that has not been able to report for a while (it was stopped, or the database was away) does nothing more until it has, and has
seen which of its stacks others have taken over meanwhile. Others wait longer than that before they take it for dead.
"""

import logging
import os
import socket
import threading
import time

from heat_lite.common import context as request_context
from heat_lite.db import locks, services
from heat_lite.rpc import api as rpc_api

LOG = logging.getLogger(__name__)
BINARY = 'heat-lite-engine'
#: after how many intervals without a beat an engine trusts itself no more; others wait for two (``db.services.is_up``)
SOUND_INTERVALS = 1.8


def interval(conf):
    """Seconds between two beats."""
    return min(conf.periodic_interval, conf.heat_lite.heartbeat_interval)


class Heartbeat:
    """Registers the engine in the service table and says every so often that it lives. ``running`` (see there) is told which stacks
    are still its own when it could not for a while."""

    def __init__(self, conf, engine_id, running):
        self._interval = interval(conf)
        self._context = request_context.admin_context()
        self._id = None
        self._engine_id = engine_id
        self._running = running
        self._host = conf.host
        self._last = time.monotonic()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._beat, name='heartbeat', daemon=True)

    def is_sound(self):
        """Whether nobody can have taken this engine for dead."""
        return time.monotonic() - self._last < SOUND_INTERVALS * self._interval

    def start(self):
        self._id = self._register()
        self._last = time.monotonic()
        self._thread.start()
        LOG.debug('Service %s of process %d is registered', self._id, os.getpid())

    def _register(self):
        return services.create(
            self._context,
            engine_id=self._engine_id,
            host=self._host,
            hostname=socket.gethostname(),
            binary=BINARY,
            topic=rpc_api.ENGINE_TOPIC,
            report_interval=self._interval,
        )

    def _beat(self):
        while not self._stopping.wait(max(0.1, self._last + self._interval - time.monotonic())):
            try:
                self._report()
            except Exception:  # the database may be away for a while; the beat goes on
                LOG.exception('The heartbeat of engine %s could not be stored', self._engine_id)

    def _report(self):
        now = time.monotonic()
        if not services.beat(self._context, self._id):
            self._id = self._register()  # somebody has taken us for dead, and cleaned up
        if not self.is_sound():
            LOG.warning('Engine %s could not report for %.0f seconds', self._engine_id, now - self._last)
            self._running.keep_only(lambda: locks.held_by(self._context, self._engine_id))
        # as of before the beat was stored
        self._last = now

    def stop(self):
        self._stopping.set()
        try:
            services.delete(self._context, self._id)
        except Exception:
            LOG.exception('Engine %s could not sign off', self._engine_id)
