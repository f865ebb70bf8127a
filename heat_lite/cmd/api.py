"""``heat-lite-api``: the processes that serve the REST API."""

import gc
import importlib
import os
import sys

from heat_lite.common import exception, memory
from heat_lite.server import supervisor
from heat_lite.startup import concurrency, settings


def main(argv=None):
    """Serve the REST API until a stop signal. Return the exit status if the start fails."""
    return serve(argv, 'heat-lite-api', 'heat_api')


def serve(args, program, group, pipeline=None):
    """Serve a paste pipeline with the options of a configuration group.

    ``pipeline``: the name of the pipeline; None selects the REST API's by
    ``[paste_deploy] flavor``.
    """
    # Modules loaded from here on are never freed. Scanning them repeatedly would take a tenth of
    # the start-up time. ``api_worker.prepare`` switches the collector on again.
    gc.disable()
    memory.configure_allocator()
    concurrency.use_native_threads(serves_http=True)
    conf = settings.load(args, program)
    settings.start_logging(conf)
    importlib.import_module('heat_lite.operate.config_check.option_report').warn_unknown(conf)
    try:
        settings.require_private_key(conf)
    except settings.UnsafeKey as error:
        print(f'{program}: {error}', file=sys.stderr)
        return 1
    wsgi_server = importlib.import_module('heat_lite.server.wsgi_server')
    options = conf[group]
    try:
        sock, *inherited = supervisor.inherited_listeners(wsgi_server.adopt_socket) or [
            wsgi_server.listen(options.bind_host, options.bind_port, options)
        ]
    except OSError as error:
        place = (options.bind_host, options.bind_port, f'[{group}] bind_port')
        print(f'{program}: {supervisor.describe_listen_error(error, *place)}', file=sys.stderr)
        return 1
    api_worker = importlib.import_module('heat_lite.server.api_worker')
    monitor = importlib.import_module('heat_lite.server.monitoring.monitor')
    count = options.workers or os.cpu_count() or 1
    shown = monitor.create(conf, monitor.api_port(conf, group), count, inherited)
    try:
        work = api_worker.prepare(conf, sock, options, pipeline, shown)
    except exception.ConfigurationError as error:
        print(f'{program}: {error}', file=sys.stderr)
        return 1
    workers = supervisor.Supervisor(
        work,
        count,
        grace=conf.heat_lite.request_shutdown_timeout,
        delay=conf.heat_lite.worker_restart_delay,
        listeners=(sock, *shown.sockets),
    )
    return workers.serve()


if __name__ == '__main__':
    sys.exit(main())
