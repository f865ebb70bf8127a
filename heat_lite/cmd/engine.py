"""``heat-lite-engine``: the engine processes."""

import gc
import importlib
import os
import sys

from heat_lite.common import exception, memory
from heat_lite.server import supervisor
from heat_lite.startup import concurrency, settings

MIN_WORKERS = 2


def main(argv=None):
    """Run engines until a stop signal. Return the exit status if the start fails."""
    # Modules loaded from here on are never freed. Scanning them repeatedly would take a tenth of
    # the start-up time. ``engine_worker.prepare`` switches the collector on again.
    gc.disable()
    memory.configure_allocator()
    concurrency.use_native_threads()
    conf = settings.load(argv, 'heat-lite-engine')
    settings.start_logging(conf)
    importlib.import_module('heat_lite.operate.config_check.option_report').warn_unknown(conf)
    try:
        settings.require_private_key(conf)
    except settings.UnsafeKey as error:
        print(f'heat-lite-engine: {error}', file=sys.stderr)
        return 1
    # Loaded once, before the fork: the workers share the memory, and an error in a file ends the
    # program instead of each worker in turn.
    engine_worker = importlib.import_module('heat_lite.server.engine_worker')
    count = conf.num_engine_workers or max(MIN_WORKERS, os.cpu_count() or 1)
    monitor = importlib.import_module('heat_lite.server.monitoring.monitor')
    inherited = supervisor.inherited_listeners(monitor.adopt_socket) or []
    try:
        shown = monitor.create(conf, conf.metrics.port, count, inherited)
        work = engine_worker.prepare(conf, shown)
    except exception.ConfigurationError as error:
        print(f'heat-lite-engine: {error}', file=sys.stderr)
        return 1
    workers = supervisor.Supervisor(
        work,
        count,
        grace=conf.heat_lite.graceful_shutdown_timeout,
        delay=conf.heat_lite.worker_restart_delay,
        limits=(conf.heat_lite.engine_silence_limit, conf.heat_lite.engine_memory_limit),
        listeners=shown.sockets,
    )
    return workers.serve()


if __name__ == '__main__':
    sys.exit(main())
