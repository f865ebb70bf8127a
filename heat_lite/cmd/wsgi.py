"""The REST API for any WSGI server, e.g. ``gunicorn 'heat_lite.cmd.wsgi:application()'``."""

import importlib
import logging
import os
import sys

from heat_lite.cmd import concurrency, settings
from heat_lite.common import log_context

CONFIG_FILE_VARIABLE = 'HEAT_LITE_CONFIG_FILE'

LOG = logging.getLogger(__name__)


def application():
    """Return the configured WSGI application.

    The environment variable HEAT_LITE_CONFIG_FILE names the configuration file; otherwise the
    default files are read. The application uses native threads unless the server has loaded
    eventlet. No connection is opened here, so the server may fork afterwards.
    """
    concurrency.use_native_threads()
    config_file = os.environ.get(CONFIG_FILE_VARIABLE)
    conf = settings.load(['--config-file', config_file] if config_file else [], 'heat-lite-api')
    settings.start_logging(conf)
    settings.require_private_key(conf)
    # Imported late: oslo.messaging looks for eventlet when it is imported.
    importlib.import_module('heat_lite.rpc.messaging').setup(conf)
    LOG.info('Python %s', sys.version.split()[0])
    app = importlib.import_module('heat_lite.api.deploy').load_app(conf)

    def with_own_log_lines(environ, start_response):
        log_context.forget_request()
        return app(environ, start_response)

    return with_own_log_lines
