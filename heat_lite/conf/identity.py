"""Who acts: users of stacks, trusts, passwords, keys."""

import importlib

from oslo_config import cfg

#: who has not chosen a key has one that everybody knows
WELL_KNOWN_KEY = 'notgood but just long enough i t'
DEFAULT = [
    cfg.StrOpt(
        'auth_encryption_key',
        default=WELL_KNOWN_KEY,
        secret=True,
        help='Key of the credentials and hidden parameters that the database keeps. 32 characters; change it before the first stack.',
    ),
    cfg.BoolOpt('encrypt_parameters_and_properties', default=False, help='Keep parameters, properties and what is made of them encrypted.'),
    cfg.StrOpt(
        'deferred_auth_method',
        choices=['password', 'trusts'],
        default='trusts',
        deprecated_for_removal=True,
        deprecated_since='9.0.0',
        deprecated_reason='Trusts are the way.',
        help='How the service acts for a user who is no longer there.',
    ),
    cfg.StrOpt(
        'reauthentication_auth_method',
        choices=['', 'trusts'],
        default='',
        help='By what an action goes on when its token ends. Empty: as deferred_auth_method says.',
    ),
    cfg.BoolOpt('allow_trusts_redelegation', default=False, help='Whether trusts made by the service may be handed on.'),
    cfg.ListOpt('trusts_delegated_roles', default=[], help='Roles that a trust hands over. Empty: all that the user has.'),
    cfg.StrOpt('heat_stack_user_role', default='heat_stack_user', help='Role of the users that are made for servers and signals.'),
    cfg.StrOpt('stack_user_domain_id', help='Domain of the users that are made for stacks, by id.'),
    cfg.StrOpt('stack_user_domain_name', help='The same by name, where no id is given.'),
    cfg.StrOpt('stack_domain_admin', help='User that manages the users of that domain.'),
    cfg.StrOpt('stack_domain_admin_password', secret=True, help='Password of that user.'),
]

AUTH_PASSWORD = [
    cfg.BoolOpt('multi_cloud', default=False, help='Whether a request may name the Keystone that it was authenticated by.'),
    cfg.ListOpt('allowed_auth_uris', item_type=cfg.types.URI(), default=[], help='The Keystones that a request may name.'),
]

EC2 = [
    cfg.BoolOpt('multi_cloud', default=False, help='Whether EC2 keys of several clouds are accepted.'),
    cfg.ListOpt('clouds', default=[], help='Names of the clouds; each has a group of its name with the options of this one.'),
]

NOAUTH = [cfg.StrOpt('token_response', default='', help='JSON body that stands for a validated token in the pipeline without Keystone.')]

GROUPS = {'DEFAULT': DEFAULT, 'auth_password': AUTH_PASSWORD, 'ec2authtoken': EC2, 'noauth': NOAUTH}


def register_auth(conf, group):
    """Make the options of keystoneauth known for a group such as 'trustee'. The library is loaded only now, when someone needs it."""
    loading = importlib.import_module('keystoneauth1.loading')
    loading.register_session_conf_options(conf, group)
    loading.register_auth_conf_options(conf, group)
    return loading


def auth_opts():
    """The options of keystoneauth in the groups that use it: for the sample file."""
    loading = importlib.import_module('keystoneauth1.loading')
    auth = [*loading.get_auth_common_conf_options(), *loading.get_auth_plugin_conf_options('password')]
    session = [*loading.get_session_conf_options(), *loading.get_adapter_conf_options()]
    return {'trustee': auth, 'ec2authtoken': [*auth, *session]}
