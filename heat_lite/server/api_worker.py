"""One worker process of the REST API."""

import functools
import gc
import time

from heat_lite.api import deploy
from heat_lite.api.middleware import health
from heat_lite.common import health_checks, memory
from heat_lite.rpc import messaging
from heat_lite.server import wsgi_connection, wsgi_server
from heat_lite.startup import settings
from heat_lite.template.functions import budget

#: seconds that an API which stops waits for a broker that does not answer, as its requests do
AWAY_SECONDS = 2.0


def prepare(conf, sock, options, name, shown):
    """Load what all worker processes share. Return ``run_worker(number, signals)``.

    ``options``: the configuration group of the server. ``name``: the name of the paste pipeline;
    None selects the REST API's. ``shown``: the monitor of the program.
    """
    app = deploy.load_app(conf, name)

    def run_worker(number, signals):
        run(conf, app, sock, signals, options, shown, number)

    # Loads the messaging driver before the fork. Each worker opens its own connections.
    messaging.setup(conf)
    messaging.cleanup()
    memory.exempt_loaded()
    gc.enable()
    return run_worker


def run(conf, app, sock, signals, options, shown, number):
    """Serve until the stream of signals ends, then finish the requests in progress.

    ``shown``: the monitor of the program; ``number``: the number of this worker in it.
    """
    shown.count(number)
    messaging.setup(conf)
    budget.set_clocks(time.thread_time, time.monotonic)
    server = wsgi_server.Server(sock, app, wsgi_connection.limits_of(conf), options)
    server.start()
    memory.start_reclaimer()
    try:
        shown.start(number, health.probes())
        for _ in signals:
            settings.reload(conf)
    finally:
        shown.stop()
        stop(server, conf.heat_lite.request_shutdown_timeout)


def stop(server, seconds):
    """Stop a server after its running requests or ``seconds``, and close the connections.

    While the broker is away, its requests cannot end and are left to the end of the process.
    """
    work = functools.partial(server.stop, seconds)
    broker = health_checks.Health({'broker': messaging.probe})
    health_checks.finish(work, messaging.cleanup, broker, AWAY_SECONDS)
