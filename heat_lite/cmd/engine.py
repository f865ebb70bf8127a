"""``heat-lite-engine``: the processes that do the work."""

import gc
import importlib
import os
import sys

from heat_lite.cmd import concurrency, settings, workers

LEAST_WORKERS = 2


def main(argv=None):
    """Run engines until told to stop; the exit status where it cannot start."""
    gc.disable()  # what is loaded from here on stays; looking it through again and again takes a tenth of the time
    conf = settings.load(sys.argv[1:] if argv is None else argv, 'heat-lite-engine')
    concurrency.use(conf.heat_lite.concurrency)
    settings.start_logging(conf)
    # loaded once, before the processes part: they share the memory, and a mistake in a file ends the program instead of its children
    run = importlib.import_module('heat_lite.cmd.engine_worker').prepare(conf)
    count = conf.num_engine_workers or max(LEAST_WORKERS, os.cpu_count() or 1)
    supervisor = workers.Supervisor(
        run,
        count,
        grace=conf.heat_lite.graceful_shutdown_timeout,
        delay=conf.heat_lite.worker_restart_delay,
    )
    return supervisor.serve()


if __name__ == '__main__':
    sys.exit(main())
