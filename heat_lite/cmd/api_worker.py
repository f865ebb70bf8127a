"""One process of the REST API."""

import gc

from heat_lite.api import deploy
from heat_lite.cmd import settings, web
from heat_lite.rpc import messaging


def prepare(conf, sock):
    """What all processes share; gives the function that serves in one."""
    app = deploy.load_app(conf)
    gc.collect()
    gc.freeze()
    return lambda number, signals: run(conf, app, sock, signals)


def run(conf, app, sock, signals):
    """Serve until the stream of signals ends, then finish what has begun."""
    messaging.setup(conf)
    server = web.Server(sock, app, conf.heat_api)
    server.start()
    try:
        for _ in signals:
            settings.reload(conf)
    finally:
        server.stop(conf.heat_lite.graceful_shutdown_timeout)
        messaging.cleanup()
