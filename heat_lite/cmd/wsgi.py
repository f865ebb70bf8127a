"""The REST API for any WSGI server: ``gunicorn 'heat_lite.cmd.wsgi:application()'`` or the like."""

import importlib
import logging
import sys

from heat_lite.cmd import concurrency, settings

LOG = logging.getLogger(__name__)


def application(*args):
    """The ready application. ``args`` are those of heat-lite-api; without any, the usual configuration files are read.

    It is served by native threads unless the server has chosen green ones. No connection is made here, so the server may fork afterwards.
    """
    concurrency.native()
    conf = settings.load(list(args), 'heat-lite-api')
    settings.start_logging(conf)
    # oslo.messaging asks for eventlet when it is imported, so it must not be before
    importlib.import_module('heat_lite.rpc.messaging').setup(conf)
    LOG.info('Python %s', sys.version.split()[0])
    return importlib.import_module('heat_lite.api.deploy').load_app(conf)
