"""Options of authentication: users of stacks, trusts, passwords and keys."""

import importlib
import types

from oslo_config import cfg

#: The default encryption key. It is public, so it protects nothing.
WELL_KNOWN_KEY = 'notgood but just long enough i t'
DEFAULT = [
    cfg.StrOpt(
        'auth_encryption_key',
        default=WELL_KNOWN_KEY,
        secret=True,
        help='Key that encrypts credentials and private data of resources in the database, 32 '
        'characters long. The default is public: engines and API processes do not start with it '
        'unless accept_public_key of [heat_lite] is set. The manage command generate_key prints a '
        'new key.',
    ),
    cfg.BoolOpt(
        'encrypt_parameters_and_properties',
        default=False,
        help='If true, parameters, properties and the data derived from them are encrypted in the '
        'database.',
    ),
    cfg.StrOpt(
        'deferred_auth_method',
        choices=['password', 'trusts'],
        default='trusts',
        deprecated_for_removal=True,
        deprecated_since='9.0.0',
        deprecated_reason='Trusts are the recommended method.',
        help='Method by which the service acts for the user of a stack after the request has '
        'ended: with a stored password or with a trust.',
    ),
    cfg.StrOpt(
        'reauthentication_auth_method',
        choices=['', 'trusts'],
        default='',
        help='Method by which an action continues when the token of its request expires. If '
        'empty, the value of deferred_auth_method is used.',
    ),
    cfg.BoolOpt(
        'allow_trusts_redelegation',
        default=False,
        help='If true, trusts that the service creates can be redelegated.',
    ),
    cfg.ListOpt(
        'trusts_delegated_roles',
        default=[],
        help='Names of the roles that a trust delegates. If empty, a trust delegates all roles of '
        'the user.',
    ),
    cfg.StrOpt(
        'heat_stack_user_role',
        default='heat_stack_user',
        help='Keystone role of the users that the service creates for servers and signals.',
    ),
    cfg.StrOpt(
        'stack_user_domain_id',
        help='Id of the Keystone domain that holds the users and projects of stacks.',
    ),
    cfg.StrOpt(
        'stack_user_domain_name',
        help='Name of the Keystone domain that holds the users and projects of stacks. The option '
        'stack_user_domain_id overrides it.',
    ),
    cfg.StrOpt(
        'stack_domain_admin',
        help='Name of the Keystone user that manages the users and projects of the stack domain.',
    ),
    cfg.StrOpt(
        'stack_domain_admin_password',
        secret=True,
        help='Password of the user that stack_domain_admin names.',
    ),
]

AUTH_PASSWORD = [
    cfg.BoolOpt(
        'multi_cloud',
        default=False,
        help='If true, a request can name the Keystone that authenticates it.',
    ),
    cfg.ListOpt(
        'allowed_auth_uris',
        item_type=cfg.types.URI(),
        default=[],
        help='URLs of the Keystones that a request can name when multi_cloud is true.',
    ),
]

EC2 = [
    cfg.StrOpt(
        'auth_uri',
        deprecated_for_removal=True,
        deprecated_reason='Use auth_type with a login, and endpoint_override.',
        help='URL of the Keystone that validates EC2 signatures, with or without a version and '
        '/ec2tokens.',
    ),
    cfg.BoolOpt(
        'multi_cloud',
        default=False,
        help='If true, each of the clouds is asked for the user of an EC2 credential, until one '
        'knows it.',
    ),
    cfg.ListOpt(
        'clouds',
        default=[],
        help='Names of the clouds if multi_cloud is true, at least one. Each has a group '
        '[ec2authtoken.NAME] with the options of [ec2authtoken] for the login and the connection '
        'to its Keystone.',
    ),
]

NOAUTH = [
    cfg.StrOpt(
        'token_response',
        default='',
        help='JSON body of the token that every request has in the pipeline without Keystone.',
    )
]

HEAT_LITE = [
    cfg.MultiStrOpt(
        'former_encryption_keys',
        default=[],
        secret=True,
        help='Former values of auth_encryption_key, one in each line. Data that they have '
        'encrypted can be read; new data is encrypted with auth_encryption_key. '
        'After "heat-lite-manage rotate_encryption_key", which engines need not be stopped for, '
        'the former keys can be removed.',
    ),
    cfg.BoolOpt(
        'accept_public_key',
        default=False,
        help='Whether programs start with the default of auth_encryption_key, which is public, and '
        'warn about it. The default is true for the commands and WSGI modules with names of Heat, '
        'e.g. heat-engine, as Heat starts with it.',
    ),
]

GROUPS = {
    'DEFAULT': DEFAULT,
    'auth_password': AUTH_PASSWORD,
    'ec2authtoken': EC2,
    'noauth': NOAUTH,
    'heat_lite': HEAT_LITE,
}


def register_auth(conf: cfg.ConfigOpts, group: str) -> types.ModuleType:
    """Register the options of keystoneauth in a group such as 'trustee'.

    Return ``keystoneauth1.loading``, which is imported on the first call only.
    """
    loading = importlib.import_module('keystoneauth1.loading')
    loading.register_session_conf_options(conf, group)
    loading.register_auth_conf_options(conf, group)
    return loading


def auth_opts() -> dict[str, list[cfg.Opt]]:
    """Return the options of keystoneauth by group, for the sample file."""
    loading = importlib.import_module('keystoneauth1.loading')
    auth = [
        *loading.get_auth_common_conf_options(),
        *loading.get_auth_plugin_conf_options('password'),
    ]
    session = [*loading.get_session_conf_options(), *loading.get_adapter_conf_options()]
    return {'trustee': auth, 'ec2authtoken': [*auth, *session]}


def versioned(url: str) -> str:
    """Return the URL of version 3 of Keystone by its URL with or without a version."""
    url = url.rstrip('/').removesuffix('/ec2tokens')
    return f'{url.removesuffix("/v3").removesuffix("/v2.0")}/v3'
