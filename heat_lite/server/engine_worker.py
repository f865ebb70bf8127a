"""One engine process: builds the engine, starts it and stops it."""

import functools
import gc
import importlib
import logging
import time
import uuid

from heat_lite.common import health_checks, memory, metrics
from heat_lite.db import connections, session
from heat_lite.engine import engine_metrics, service as engine_service
from heat_lite.operate.heat_database import ownership
from heat_lite.rpc import messaging
from heat_lite.server import supervisor
from heat_lite.server.monitoring import monitor
from heat_lite.startup import global_environment, settings
from heat_lite.template.functions import budget

LOG = logging.getLogger(__name__)
#: modules that each engine would otherwise import for itself after the fork: for a broker, for
#: Keystone, for policy, and for the thread pools
PRELOADED_MODULES = (
    'kombu.transport.pyamqp',
    'keystoneauth1.loading._plugins.identity.generic',
    'oslo_policy._external',
    'concurrent.futures.thread',
    'futurist._thread',
)
#: modules that single requests would otherwise import
LATE_MODULES = (
    'dateutil.parser',
    'email.mime.multipart',
    'email.mime.text',
    'netrc',
)
#: seconds that an engine which stops waits for a database or a broker that does not answer
AWAY_SECONDS = 5.0


def prepare(conf, shown):
    """Load what all engines of a program share. Return ``run_worker(number, signals)``.

    ``shown``: the monitor of the program. Raises ConfigurationError for a database that belongs to
    Heat.
    """
    registry = global_environment.build_registry(conf)

    def run_worker(number, signals):
        return run(conf, registry, signals, shown, number)

    # Loads the drivers before the fork. Each worker opens its own connections.
    session.configure(conf)
    ownership.require_own_database(conf)
    messaging.setup(conf)
    messaging.cleanup()
    session.dispose()
    for name in PRELOADED_MODULES:
        importlib.import_module(name)
    budget.set_limits(yaql_iterators=conf.yaql.limit_iterators, yaql_memory=conf.yaql.memory_quota)
    preload(registry)
    gc.enable()
    return run_worker


def preload(registry):
    """Load what stays for good, and exclude it from collections of garbage.

    What is loaded during heavy work lies between objects of that work, so the memory around it can
    not be returned afterwards.
    """
    registry.load_all()
    for name in LATE_MODULES:
        importlib.import_module(name)
    importlib.import_module('heat_lite.template.functions.yaql').load()
    memory.exempt_loaded()


def run(conf, registry, signals, shown=monitor.HIDDEN, number=0):
    """Run engine ``number`` of a program, with its monitor, until the stream of signals ends.

    Return the exit status.
    """
    shown.count(number)
    try:
        with supervisor.stopped_at_once():
            service = start(conf, registry)
    except connections.ERRORS as error:
        LOG.error('Engine %d cannot start: %s', number, connections.describe_failure(error))
        return 1
    try:
        shown.start(number, service.probes, service.describe_work)
        metrics.LAST_HEARTBEAT.set(time.time())  # its registration is the first one
        for _ in signals:
            settings.reload(conf)
            service.reset()
    finally:
        shown.stop()
        stop(service, conf.heat_lite.graceful_shutdown_timeout)
    return 0


def start(conf, registry, url=None, clouds=None, absent_clouds=()):
    """Start an engine. Must be called after any fork, since it opens connections.

    ``url``: the transport URL; None selects the one of the configuration. ``clouds``: the clouds
    that the embedded service has logins of. ``absent_clouds``: names of clouds that it had before.
    """
    session.configure(conf)
    messaging.setup(conf, url)
    service = engine_service.EngineService(conf, registry, str(uuid.uuid4()), clouds, absent_clouds)
    previous = supervisor.previous_worker()
    if previous is not None:
        service.record_end(*previous)
    supervisor.write_name(service.engine_id)
    service.start()
    metrics.add_sampler(engine_metrics.EngineSampler(service.runtime))
    memory.start_reclaimer([session.drop_idle, messaging.end_idle_threads])
    return service


def stop(service, grace):
    """Stop an engine after its running work or ``grace`` seconds, and close its connections.

    While the database or the broker is away, the rest is left to the end of the process.
    """

    def close():
        messaging.cleanup()
        session.dispose()

    work = functools.partial(service.stop, grace)
    health_checks.finish(work, close, service.health, AWAY_SECONDS)
