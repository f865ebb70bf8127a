"""The APIs for any WSGI server, e.g. ``gunicorn 'heat_lite.cmd.wsgi:application()'``."""

import importlib
import logging
import os
import sys

from heat_lite.common import log_context
from heat_lite.server import program
from heat_lite.server.monitoring import traces
from heat_lite.startup import concurrency

CONFIG_FILE_VARIABLE = 'HEAT_LITE_CONFIG_FILE'

LOG = logging.getLogger(__name__)


def application(args=None):
    """Return the configured WSGI application of the REST API.

    ``args``: the command line of the program. Without it, the environment variable
    HEAT_LITE_CONFIG_FILE names the configuration file; otherwise the default files are read. No
    connection is opened here, so the server may fork afterwards.
    """
    return _load(args, 'heat-lite-api')


def cfn_application(args=None):
    """Return the WSGI application for signed URLs, as ``application`` does."""
    return _load(args, 'heat-lite-api-cfn', 'heat-api-cfn')


def cloudwatch_application(args=None):
    """Return the WSGI application for measurements of alarms, as ``application`` does."""
    return _load(args, 'heat-lite-api-cloudwatch', 'heat-api-cloudwatch')


def _load(args, name, pipeline=None):
    concurrency.use_native_threads()
    config_file = os.environ.get(CONFIG_FILE_VARIABLE)
    if config_file or args is None:
        args = ['--config-file', config_file] if config_file else []
    conf = program.begin(args, name)
    traces.require(conf)
    traces.start(conf)
    # Imported late: oslo.messaging looks for eventlet when it is imported.
    importlib.import_module('heat_lite.rpc.messaging').setup(conf)
    LOG.info('Python %s', sys.version.split()[0])
    app = importlib.import_module('heat_lite.api.deploy').load_app(conf, pipeline)

    app = importlib.import_module('heat_lite.api.request_metrics').measured(app)

    def with_own_log_lines(environ, start_response):
        log_context.forget_request()
        return app(environ, start_response)

    return with_own_log_lines
