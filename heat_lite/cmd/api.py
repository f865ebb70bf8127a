"""``heat-lite-api``: the processes that serve the REST API."""

import gc
import importlib
import os
import sys

from heat_lite.cmd import concurrency, settings, workers


def main(argv=None):
    """Serve until told to stop; the exit status where it cannot start."""
    return serve(sys.argv[1:] if argv is None else argv, 'heat-lite-api', 'heat_api')


def serve(args, program, group, pipeline=None):
    """The same for any program whose options are in ``group``, with a pipeline of its own or the configured one of the REST API."""
    gc.disable()  # what is loaded from here on stays; looking it through again and again takes a tenth of the time
    concurrency.green()
    conf = settings.load(args, program)
    settings.start_logging(conf)
    web = importlib.import_module('heat_lite.cmd.web')
    options = conf[group]
    try:
        sock = workers.handed_down(web.adopt) or web.listen(options.bind_host, options.bind_port, options)
    except OSError as error:
        print(f'{program}: cannot listen on {options.bind_host}:{options.bind_port}: {error}', file=sys.stderr)
        return 1
    run = importlib.import_module('heat_lite.cmd.api_worker').prepare(conf, sock, options, pipeline)
    supervisor = workers.Supervisor(
        run,
        options.workers or os.cpu_count() or 1,
        grace=conf.heat_lite.graceful_shutdown_timeout,
        delay=conf.heat_lite.worker_restart_delay,
        listener=sock,
    )
    return supervisor.serve()


if __name__ == '__main__':
    sys.exit(main())
