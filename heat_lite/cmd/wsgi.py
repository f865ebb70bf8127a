"""The REST API for any WSGI server: ``gunicorn 'heat_lite.cmd.wsgi:application()'`` or the like."""

import importlib
import logging
import os
import sys

from heat_lite.cmd import concurrency, settings

FILE = 'HEAT_LITE_CONFIG_FILE'

LOG = logging.getLogger(__name__)


def application():
    """The ready application, configured by the file that the environment names, or else by the usual ones.

    It is served by native threads unless the server has chosen green ones. No connection is made here, so the server may fork afterwards.
    """
    concurrency.native()
    named = os.environ.get(FILE)
    conf = settings.load(['--config-file', named] if named else [], 'heat-lite-api')
    settings.start_logging(conf)
    # oslo.messaging asks for eventlet when it is imported, so it must not be before
    importlib.import_module('heat_lite.rpc.messaging').setup(conf)
    LOG.info('Python %s', sys.version.split()[0])
    return importlib.import_module('heat_lite.api.deploy').load_app(conf)
