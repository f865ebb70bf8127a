"""The entry points by which tools of oslo find Heat: ``heat.*`` for options, ``heat`` for rules.

An option is listed in the namespace where Heat has it; options that Heat lacks are in
``heat.common.config``. Beside Heat the rules are those of Heat, and no option is listed twice.
"""

from functools import partial

from oslo_config import cfg
from oslo_db import options as database
from oslo_policy import policy

from heat_lite import conf as options
from heat_lite.cmd.aliases import commands
from heat_lite.common import heat_imports
from heat_lite.conf import caches
from heat_lite.policies import enforcer, rules

Groups = list[tuple[str, list[cfg.Opt]]]
DEFAULT = ('DEFAULT',)


def _of(groups: tuple[str, ...], *names: str) -> Groups:
    """Return the options of ``groups`` that have one of the names; without names, all."""
    return [
        (group, [opt for opt in opts if not names or opt.dest in names])
        for group, opts in _all()
        if group in groups
    ]


def _all() -> Groups:
    return [] if heat_imports.is_heat_installed() else options.list_opts()


ec2token = partial(_of, ('ec2authtoken',))
cache = partial(_of, tuple(caches.GROUPS))
context = partial(_of, ('trustee',))
crypt = partial(_of, DEFAULT, 'auth_encryption_key')
wsgi = partial(_of, DEFAULT, 'max_json_body_size')
clients = partial(_of, DEFAULT, 'cloud_backend')
keystone = partial(_of, DEFAULT, 'keystone_backend')
functions = partial(_of, ('yaql',))
notification = partial(_of, DEFAULT, 'default_notification_level', 'default_publisher_id')
resources = partial(_of, DEFAULT, 'loadbalancer_template')


def config() -> Groups:
    """Return the options that no other namespace lists, and those of the database, as Heat does."""
    others = (ec2token, cache, context, crypt, wsgi, clients, keystone, functions, notification)
    listed = {
        (group, opt.dest) for each in (*others, resources) for group, opts in each() for opt in opts
    }
    own = [
        (group, [opt for opt in opts if (group, opt.dest) not in listed]) for group, opts in _all()
    ]
    return [*own, *(database.list_opts() if own else ())]


def list_rules() -> list[policy.RuleDefault]:
    """Return the default rules, for oslopolicy-sample-generator and the like."""
    of_heat = commands.command_of_heat('oslo.policy.policies', commands.PROJECT)
    return (of_heat or rules.list_rules)()


def get_policy_enforcer() -> policy.Enforcer:
    """Return the rules of the configuration of Heat, for oslopolicy-policy-generator and the like.

    The files that the command line of such a tool names are those of the tool.
    """
    of_heat = commands.command_of_heat('oslo.policy.enforcer', commands.PROJECT)
    if of_heat is not None:
        return of_heat()
    conf = options.load(commands.config_arguments('heat-api', ()), 'heat-lite-api')
    found = enforcer.Enforcer(conf).rules
    path = conf.find_file(found.policy_file)
    if path:
        # oslopolicy-validator opens the name, wherever it was called
        conf.set_override('policy_file', path, 'oslo_policy')
    return found
