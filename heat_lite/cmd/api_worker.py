"""One process of the REST API."""

import gc

from heat_lite.api import deploy
from heat_lite.cmd import settings, web
from heat_lite.rpc import messaging


def prepare(conf, sock, options=None, name=None):
    """What all processes share; gives the function that serves in one. ``options`` of its group of configuration, ``name`` of its pipeline:
    the REST API's unless told otherwise."""
    app = deploy.load_app(conf, name)
    options = options or conf.heat_api
    # the driver is loaded once, here; connections are opened by each process for itself
    messaging.setup(conf)
    messaging.cleanup()
    gc.collect()
    gc.freeze()
    gc.enable()
    return lambda number, signals: run(conf, app, sock, signals, options)


def run(conf, app, sock, signals, options):
    """Serve until the stream of signals ends, then finish what has begun."""
    messaging.setup(conf)
    server = web.Server(sock, app, options)
    server.start()
    try:
        for _ in signals:
            settings.reload(conf)
    finally:
        server.stop(conf.heat_lite.graceful_shutdown_timeout)
        messaging.cleanup()
