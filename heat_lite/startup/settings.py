"""The first steps of every program: options, configuration files, logging."""

import glob
import logging
import os
import re
import sys
import typing
from collections.abc import Collection, Sequence

from oslo_config import cfg
from oslo_config.cfg import ConfigOpts
from oslo_log import log

from heat_lite import conf as options
from heat_lite.common import cipher, exception, installation
from heat_lite.conf import identity
from heat_lite.startup import log_format

LOG = logging.getLogger(__name__)

CURE = (
    'Set it to the output of "heat-lite-manage generate_key", the same for all processes. If the '
    'database has stacks already, add the present key to [heat_lite] former_encryption_keys, and '
    'run "heat-lite-manage rotate_encryption_key" afterwards.'
)
DEFAULT_KEY = (
    '[DEFAULT] auth_encryption_key is not set, or is its default, which is public: each reader of '
    f'a copy of the database can read the secrets in it. {CURE}'
)
SHORT_KEY = (
    f'[DEFAULT] auth_encryption_key is shorter than {cipher.KEY_LENGTH} characters; replace it. '
    f'{CURE}'
)
DOLLAR = (
    '[DEFAULT] auth_encryption_key cannot be read: "$" in a configuration file begins the name of '
    'another option. Write "$$" for each "$" of the key.'
)
DOLLAR_IN_VALUE = (
    '{file}: [{group}] {name} cannot be read: "$" in a configuration file begins the name of '
    'another option. Write "$$" for each "$" of the value.'
)
#: how oslo.config refers to an option in a value: $name, $group.name or ${name}
REFERENCE = re.compile(r'\$(?:(?P<escaped>\$)|\{?(?P<name>[_a-z][._a-z0-9]*))', re.IGNORECASE)
#: options that libraries register later, in groups of this project and of the libraries
LATER = frozenset(
    {'transport_url', 'connection', 'slave_connection', 'password', 'username', 'auth_url', 'token'}
)
LATER_GROUPS = (
    'DEFAULT',
    'database',
    'ec2authtoken',
    'keystone_authtoken',
    'oslo_messaging_notifications',
    'trustee',
)

#: options of brief logs: a line for each end of an action, and for each problem
BRIEF = {
    'default_log_levels': [
        *('alembic=WARN', 'heat_lite=WARN', 'heat_lite.engine.execution.action_work=INFO'),
        *log.get_default_log_levels(),
    ],
    'log_date_format': '%H:%M:%S',
    **dict.fromkeys(
        ('logging_default_format_string', 'logging_context_format_string'),
        '%(asctime)s %(message)s',
    ),
    'logging_exception_prefix': '%(asctime)s',
}

#: {program: (description, command of the example)}, for the help
HELP = {
    'heat-lite-api': ('Serve the REST API.', ''),
    'heat-lite-api-cfn': ('Accept signals by signed URLs.', ''),
    'heat-lite-api-cloudwatch': ('Accept measurements of alarms, and serve the alarms.', ''),
    'heat-lite-engine': ('Run engines, which work on the stacks.', ''),
    'heat-lite-manage': ('Administer the database and the engines.', ' db_sync'),
    'heat-lite-status': ('Check whether an upgrade may begin.', ' upgrade check'),
}


def load(args: Sequence[str] | None, prog: str, conf: ConfigOpts = cfg.CONF) -> ConfigOpts:
    """Read the command line and the configuration files. Return the configuration.

    ``args``: None stands for those of the process. Ends the program with a message if a file cannot
    be read.
    """
    if 'debug' not in conf:
        log.register_options(conf)
    description, command = HELP[prog]
    example = f'example: {prog} --config-file /etc/heat_lite/heat-lite.conf{command}'
    version = f'{prog} {installation.revision()}'
    try:
        given = sys.argv[1:] if args is None else args
        options.load(given, prog, conf, version, description, example)
        require_readable(conf)
        return conf
    except (cfg.Error, OSError, exception.ConfigurationError) as error:
        raise SystemExit(f'{prog}: {error}') from None


def require_readable(conf: ConfigOpts) -> None:
    """Raise ConfigurationError for a value that its option does not take.

    The library would do so when the option is read, in a traceback. For ``$`` in a password it
    would name the rest of it as a missing option.
    """
    for file in config_files(conf):
        sections: dict[str, dict[str, list[str]]] = {}
        cfg.ConfigParser(file, sections).parse()
        for group, values in sections.items():
            for name, texts in values.items():
                if (group, name) != ('DEFAULT', 'auth_encryption_key'):
                    _check_references(conf, file, (group, name), ' '.join(texts), values)
                    _check_value(conf, file, group, name)


def config_files(conf: ConfigOpts) -> list[str]:
    """Return the files that were read."""
    folders = [conf.config_dir] if isinstance(conf.config_dir, str) else conf.config_dir or []
    more = [file for each in folders for file in sorted(glob.glob(os.path.join(each, '*.conf')))]
    return [*(conf.config_file or []), *more]


def _check_references(
    conf: ConfigOpts, file: str, place: tuple[str, str], text: str, siblings: Collection[str]
) -> None:
    group, name = place
    later = group in (*LATER_GROUPS, *conf) and name in LATER
    if '$' not in text or not (later or _is_known(conf, group, name)):
        return
    for found in REFERENCE.finditer(text.replace(r'\$', '$$')):
        wanted = found['name'] or ''
        if found['escaped'] or wanted in siblings or _is_known(conf, group, wanted):
            continue
        raise exception.ConfigurationError(
            DOLLAR_IN_VALUE.format(file=file, group=group, name=name)
        )


def _check_value(conf: ConfigOpts, file: str, group: str, name: str) -> None:
    values: typing.Any = conf if group == 'DEFAULT' else conf[group] if group in conf else {}
    try:
        if name in values:
            values[name]
    except cfg.ConfigFileValueError as error:
        reason = str(error).partition(' is not valid: ')[2]
        raise exception.ConfigurationError(f'{file}: [{group}] {name}: {reason}') from None


def _is_known(conf: ConfigOpts, group: str, name: str) -> bool:
    """Return whether a group, or DEFAULT, has an option; ``name`` may be ``group.name``."""
    other, dot, short = name.rpartition('.')
    if dot:
        return other in conf and short in conf[other]
    return name in conf or (group in conf and group != 'DEFAULT' and name in conf[group])


class UnsafeKey(exception.ConfigurationError):
    """The encryption key cannot be used. The text states the reason and the cure."""


def encryption_key(conf: ConfigOpts) -> str:
    """Return auth_encryption_key. Raises UnsafeKey if ``$`` in it names an unknown option."""
    try:
        return conf.auth_encryption_key
    except cfg.NoSuchOptError:
        raise UnsafeKey(DOLLAR) from None


def require_private_key(conf: ConfigOpts) -> None:
    """Log what is wrong with auth_encryption_key. Raises UnsafeKey for one that is refused."""
    warning = key_warning(conf)
    if warning:
        LOG.warning('%s', warning)


def key_warning(conf: ConfigOpts) -> str:
    """Return why auth_encryption_key should be replaced, or ''.

    Raises UnsafeKey for the default, unless [heat_lite] accept_public_key is set, and for a wrong
    length. Keys of 16 and 24 characters are accepted, as in Heat.
    """
    key = encryption_key(conf)
    if key == identity.WELL_KNOWN_KEY:
        if not conf.heat_lite.accept_public_key:
            raise UnsafeKey(DEFAULT_KEY)
        return DEFAULT_KEY
    error = cipher.length_error(key)
    if error:
        raise UnsafeKey(f'[DEFAULT] auth_encryption_key is refused: {error}. {CURE}')
    return SHORT_KEY if len(key) < cipher.KEY_LENGTH else ''


def start_logging(conf: ConfigOpts, is_brief: bool = False) -> None:
    """Set up logging as configured. Lines of a request carry its request id.

    ``is_brief``: lines for a person at a terminal: the time, the stack, the message.
    """
    if is_brief:
        for name, value in BRIEF.items():
            conf.set_default(name, value)
    if not (conf.log_file or conf.log_dir or conf.use_journal or conf.use_syslog):
        # oslo.log would use standard output, which carries the results of a program.
        conf.set_default('use_stderr', True)
    # oslo.log's fix for eventlet is for processes with green and native threads. No process of
    # this project has both.
    log.setup(conf, 'heat_lite', fix_eventlet=False)
    _adjust_loggers(is_brief)


def _adjust_loggers(is_brief: bool = False) -> None:
    """Make lines safe, and silence loggers that write secrets, whatever the configuration says."""
    log_format.install(is_brief)
    # At level DEBUG keystoneauth logs the whole response of a token request, trusts included.
    logging.getLogger('keystoneauth.identity').setLevel(logging.INFO)
    # oslo.db logs the traceback of an error that it raises, too.
    logging.getLogger('oslo_db.sqlalchemy.exc_filters').setLevel(logging.CRITICAL)
    # SQLAlchemy logs rows, which have secrets unless they are encrypted.
    sqlalchemy = logging.getLogger('sqlalchemy.engine')
    sqlalchemy.setLevel(max(sqlalchemy.getEffectiveLevel(), logging.INFO))


def reload(conf: ConfigOpts) -> None:
    """Apply changes of the configuration files to mutable options.

    oslo.config logs the changed options that need a restart. Files with an error change nothing.
    """
    LOG.info('Reloading the configuration files.')
    try:
        conf.mutate_config_files()
        _adjust_loggers()  # the file of log_config_append may have been read again
    except (cfg.Error, log.LogConfigError, ValueError, SystemExit) as error:
        # oslo.config turns errors into exits, whose cause is the error
        LOG.error(
            'The configuration files cannot be read, so all options keep their values: %s',
            error.__context__ if isinstance(error, SystemExit) else error,
        )
