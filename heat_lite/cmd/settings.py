"""The first steps of every program: options, configuration files, logging."""

import logging

from oslo_config import cfg
from oslo_log import log

from heat_lite import conf as options
from heat_lite.cmd import lazy_imports, log_format
from heat_lite.common import cipher, exception, installation
from heat_lite.conf import identity

LOG = logging.getLogger(__name__)

CURE = (
    'Set it to the output of "heat-lite-manage generate_key", the same for all processes. If the '
    'database has stacks already, add the present key to [heat_lite] former_encryption_keys, and '
    'run "heat-lite-manage rotate_encryption_key" afterwards.'
)
DEFAULT_KEY = (
    '[DEFAULT] auth_encryption_key is not set, or is its default, which is public: secrets in the '
    f'database would be readable by each reader of its copy. {CURE}'
)
DOLLAR = (
    '[DEFAULT] auth_encryption_key cannot be read: "$" in a configuration file begins the name of '
    'another option. Write "$$" for each "$" of the key.'
)

#: {program: (description, command of the example)}, for the help
HELP = {
    'heat-lite-api': ('Serve the REST API.', ''),
    'heat-lite-api-cfn': ('Accept signals by signed URLs.', ''),
    'heat-lite-api-cloudwatch': ('Accept measurements of alarms, and serve the alarms.', ''),
    'heat-lite-engine': ('Run engines, which work on the stacks.', ''),
    'heat-lite-manage': ('Administer the database and the engines.', ' db_sync'),
}


def load(args, prog, conf=cfg.CONF):
    """Read the command line and the configuration files. Return the configuration.

    Ends the program with a message if a file cannot be read.
    """
    lazy_imports.load_strutils()
    if 'debug' not in conf:
        log.register_options(conf)
    description, command = HELP[prog]
    example = f'example: {prog} --config-file /etc/heat_lite/heat-lite.conf{command}'
    version = f'{prog} {installation.revision()}'
    try:
        return options.load(args, prog, conf, version, description, example)
    except (cfg.Error, OSError) as error:
        raise SystemExit(f'{prog}: {error}') from None


class UnsafeKey(exception.ConfigurationError):
    """The encryption key cannot be used. The text states the reason and the cure."""


def encryption_key(conf):
    """Return auth_encryption_key. Raises UnsafeKey if ``$`` in it names an unknown option."""
    try:
        return conf.auth_encryption_key
    except cfg.NoSuchOptError:
        raise UnsafeKey(DOLLAR) from None


def require_private_key(conf):
    """Raise UnsafeKey for the default auth_encryption_key or one of a wrong length.

    Keys of 16 and 24 characters are accepted with a warning, as in Heat.
    """
    key = encryption_key(conf)
    if key == identity.WELL_KNOWN_KEY:
        raise UnsafeKey(DEFAULT_KEY)
    error = cipher.length_error(key)
    if error:
        raise UnsafeKey(f'[DEFAULT] auth_encryption_key is refused: {error}. {CURE}')
    if len(key) < cipher.KEY_LENGTH:
        LOG.warning(
            '[DEFAULT] auth_encryption_key has %d characters only; replace it by one of %d. %s',
            len(key),
            cipher.KEY_LENGTH,
            CURE,
        )


def start_logging(conf):
    """Set up logging as configured. Lines of a request carry its request id."""
    if not (conf.log_file or conf.log_dir or conf.use_journal or conf.use_syslog):
        # oslo.log would use standard output, which carries the results of a program.
        conf.set_default('use_stderr', True)
    # oslo.log's fix for eventlet is for processes with green and native threads. No process of
    # this project has both.
    log.setup(conf, 'heat_lite', fix_eventlet=False)
    log_format.install(conf)
    # At level DEBUG keystoneauth logs the whole response of a token request, trusts included.
    logging.getLogger('keystoneauth.identity').setLevel(logging.INFO)
    # SQLAlchemy logs rows, which have secrets unless they are encrypted.
    sqlalchemy = logging.getLogger('sqlalchemy.engine')
    sqlalchemy.setLevel(max(sqlalchemy.getEffectiveLevel(), logging.INFO))


def reload(conf):
    """Apply changes of the configuration files to mutable options.

    oslo.config logs the changed options that need a restart.
    """
    LOG.info('Reloading the configuration files.')
    conf.mutate_config_files()
