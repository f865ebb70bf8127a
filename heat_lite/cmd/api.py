"""``heat-lite-api``: the processes that serve the REST API."""

import importlib
import os
import sys

from heat_lite.common import exception
from heat_lite.server import program, supervisor


def main(argv=None):
    """Serve the REST API until a stop signal. Return the exit status if the start fails."""
    return serve(argv, 'heat-lite-api', 'heat_api')


def serve(args, name, group, pipeline=None):
    """Serve a paste pipeline with the options of a configuration group.

    ``pipeline``: the name of the pipeline; None selects the REST API's by
    ``[paste_deploy] flavor``.
    """
    return program.run(args, name, lambda conf: _supervise(conf, group, pipeline), serves_http=True)


def _supervise(conf, group, pipeline):
    wsgi_server = importlib.import_module('heat_lite.server.wsgi_server')
    options = conf[group]
    try:
        sock, *inherited = supervisor.inherited_listeners(wsgi_server.adopt_socket) or [
            wsgi_server.listen(options.bind_host, options.bind_port, options)
        ]
    except OSError as error:
        place = (options.bind_host, options.bind_port, f'[{group}] bind_port')
        text = supervisor.describe_listen_error(error, *place)
        raise exception.ConfigurationError(text) from error
    api_worker = importlib.import_module('heat_lite.server.api_worker')
    monitor = importlib.import_module('heat_lite.server.monitoring.monitor')
    count = options.workers or os.cpu_count() or 1
    shown = monitor.create(conf, monitor.api_port(conf, group), count, inherited)
    return supervisor.Supervisor(
        api_worker.prepare(conf, sock, options, pipeline, shown),
        count,
        grace=conf.heat_lite.request_shutdown_timeout,
        delay=conf.heat_lite.worker_restart_delay,
        listeners=(sock, *shown.sockets),
    )


if __name__ == '__main__':
    sys.exit(main())
