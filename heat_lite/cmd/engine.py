"""``heat-lite-engine``: the engine processes."""

import importlib
import os
import sys

from heat_lite.server import program, supervisor

MIN_WORKERS = 2


def main(argv=None):
    """Run engines until a stop signal. Return the exit status if the start fails."""
    return program.run(argv, 'heat-lite-engine', _supervise)


def _supervise(conf):
    # Loaded once, before the fork: the workers share the memory, and an error in a file ends the
    # program instead of each worker in turn.
    engine_worker = importlib.import_module('heat_lite.server.engine_worker')
    count = conf.num_engine_workers or max(MIN_WORKERS, os.cpu_count() or 1)
    monitor = importlib.import_module('heat_lite.server.monitoring.monitor')
    inherited = supervisor.inherited_listeners(monitor.adopt_socket) or []
    shown = monitor.create(conf, conf.metrics.port, count, inherited)
    return supervisor.Supervisor(
        engine_worker.prepare(conf, shown),
        count,
        grace=conf.heat_lite.graceful_shutdown_timeout,
        delay=conf.heat_lite.worker_restart_delay,
        limits=(conf.heat_lite.engine_silence_limit, conf.heat_lite.engine_memory_limit),
        listeners=shown.sockets,
    )


if __name__ == '__main__':
    sys.exit(main())
