"""What every program does first: options, configuration files, logs."""

import logging

from oslo_config import cfg
from oslo_log import log

from heat_lite import conf as options
from heat_lite.cmd import late

LOG = logging.getLogger(__name__)


def load(args, prog, conf=cfg.CONF):
    """Read the command line and the configuration files."""
    late.load_secrets()
    if 'debug' not in conf:
        log.register_options(conf)
    return options.load(args, prog, conf)


def start_logging(conf):
    """Logs as configured: request ids in every line that has a context."""
    if not (conf.log_file or conf.log_dir or conf.use_journal or conf.use_syslog):
        conf.set_default('use_stderr', True)  # oslo.log would take standard output, which belongs to what a program answers
    # eventlet's trouble with logging comes of native threads beside green ones; we never have both
    log.setup(conf, 'heat_lite', fix_eventlet=False)
    # at its most talkative it tells all that comes with a token, trusts included
    logging.getLogger('keystoneauth.identity').setLevel(logging.INFO)


def reload(conf):
    """Take over what changed in the files; of options that cannot change in a running process, the log tells."""
    LOG.info('Reading the configuration again.')
    conf.mutate_config_files()
