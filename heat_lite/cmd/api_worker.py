"""One worker process of the REST API."""

import gc
import time

from heat_lite.api import deploy
from heat_lite.cmd import concurrency, settings, wsgi_connection, wsgi_server
from heat_lite.common import health_checks, memory, urlfetch
from heat_lite.rpc import messaging
from heat_lite.template.functions import budget

#: seconds that an API which stops waits for a broker that does not answer
AWAY_SECONDS = 1.0


def prepare(conf, sock, options=None, name=None):
    """Load what all worker processes share. Return ``run_worker(number, signals)``.

    ``options``: the configuration group of the server, by default ``[heat_api]``.
    ``name``: the name of the paste pipeline, by default that of the REST API.
    """
    app = deploy.load_app(conf, name)
    options = options or conf.heat_api

    def run_worker(number, signals):
        run(conf, app, sock, signals, options)

    # Loads the messaging driver before the fork. Each worker opens its own connections.
    messaging.setup(conf)
    messaging.cleanup()
    gc.collect()
    gc.freeze()
    gc.enable()
    return run_worker


def run(conf, app, sock, signals, options):
    """Serve until the stream of signals ends, then finish the requests in progress."""
    messaging.setup(conf)
    urlfetch.use_resolver(concurrency.resolver())
    budget.set_clocks(time.thread_time, time.monotonic)
    server = wsgi_server.Server(sock, app, wsgi_connection.limits_of(conf), options)
    server.start()
    memory.start_reclaimer(concurrency.runner())
    try:
        for _ in signals:
            settings.reload(conf)
    finally:
        server.stop(conf.heat_lite.request_shutdown_timeout)
        broker = health_checks.Health({'broker': messaging.probe})
        health_checks.finish(messaging.cleanup, broker, AWAY_SECONDS)
