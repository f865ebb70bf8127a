"""One engine: the parts put together, started, and stopped again."""

import gc
import importlib
import uuid

from heat_lite.cmd import operator_types, settings
from heat_lite.db import session
from heat_lite.engine import service as engine_service
from heat_lite.rpc import messaging

# what each engine would load for itself otherwise, as soon as it runs: the first line for a broker, then Keystone, then the executors
NEEDED = (
    'kombu.transport.pyamqp',
    'keystoneauth1.loading._plugins.identity.generic',
    'oslo_policy._external',
    'concurrent.futures.thread',
    'futurist._thread',
)


def prepare(conf):
    """What all engines of a program share; gives the function that runs one."""
    registry = operator_types.registry(conf)
    # drivers are loaded once, here; connections are opened by each process for itself
    session.configure(conf)
    messaging.setup(conf)
    messaging.cleanup()
    session.dispose()
    for name in NEEDED:
        importlib.import_module(name)
    # the collector would write into every page that the processes share
    gc.collect()
    gc.freeze()
    gc.enable()
    return lambda number, signals: run(conf, registry, signals)


def run(conf, registry, signals):
    """Be an engine until the stream of signals ends."""
    service = start(conf, registry)
    try:
        for _ in signals:
            settings.reload(conf)
            service.reset()
    finally:
        stop(service, conf.heat_lite.graceful_shutdown_timeout)


def start(conf, registry, url=None):
    """A running engine, on the transport of ``url`` or else of the configuration. Connections are made here, after any fork."""
    session.configure(conf)
    messaging.setup(conf, url)
    service = engine_service.EngineService(conf, registry, engine_id=str(uuid.uuid4()))
    service.start()
    return service


def stop(service, grace):
    """Let it finish what it does, ``grace`` seconds at most, and close what ``start`` opened."""
    service.stop(grace)
    messaging.cleanup()
    session.dispose()
