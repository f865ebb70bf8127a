"""The begin of the programs that serve: settings, logs, checks, and their workers."""

import gc
import importlib
import sys

from heat_lite.common import exception, memory
from heat_lite.startup import concurrency, settings


def begin(args, name):
    """Return the settings of a program, which logs by them from now on. Raises ConfigurationError
    for an encryption key that is refused.
    """
    conf = settings.load(args, name)
    settings.start_logging(conf)
    importlib.import_module('heat_lite.operate.config_check.option_report').warn_unknown(conf)
    settings.require_private_key(conf)
    return conf


def run(args, name, supervise, serves_http=False):
    """Run the workers of a program until a stop signal. Return the exit status if the start fails.

    ``supervise(conf)`` returns their Supervisor, or raises ConfigurationError.
    """
    # Modules loaded from here on are never freed. Scanning them repeatedly would take a tenth of
    # the start-up time. ``prepare`` of the workers' modules switches the collector on again.
    gc.disable()
    memory.configure_allocator()
    concurrency.use_native_threads(serves_http=serves_http)
    try:
        workers = supervise(begin(args, name))
    except exception.ConfigurationError as error:
        print(f'{name}: {error}', file=sys.stderr)
        return 1
    return workers.serve()
