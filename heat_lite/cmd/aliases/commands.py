"""The commands under the names of Heat, which the package heat-lite-aliases installs.

They read the configuration files of Heat if no other are given. In an environment that has Heat,
too, they are the commands of Heat: one package has overwritten the scripts of the other.
"""

import importlib
import importlib.metadata
import sys
from collections.abc import Callable, Sequence
from typing import Any

from oslo_config import cfg

from heat_lite.cmd import wsgi
from heat_lite.common import heat_imports
from heat_lite.conf import identity

PROJECT = 'heat'
CONFIG_OPTIONS = ('--config-file', '--config-dir')


def api() -> Any:
    return _run('heat-api', 'heat_lite.cmd.api')


def api_cfn() -> Any:
    return _run('heat-api-cfn', 'heat_lite.cmd.api_cfn')


def api_cloudwatch() -> Any:
    return _run('heat-api-cloudwatch', 'heat_lite.cmd.api_cloudwatch')


def engine() -> Any:
    return _run('heat-engine', 'heat_lite.cmd.engine')


def manage() -> Any:
    return _run('heat-manage', 'heat_lite.operate.manage')


def status() -> Any:
    return _run('heat-status', 'heat_lite.operate.status')


def db_setup() -> Any:
    # It reads no configuration.
    of_heat = command_of_heat('console_scripts', 'heat-db-setup')
    return (of_heat or importlib.import_module('heat_lite.operate.setup_database').main)()


def keystone_setup_domain() -> Any:
    name, module = 'heat-keystone-setup-domain', 'heat_lite.operate.setup_keystone'
    of_heat = command_of_heat('console_scripts', name)
    return (of_heat or importlib.import_module(module).domain)()


def wsgi_api() -> Any:
    return _wsgi('heat-wsgi-api', 'heat-api', wsgi.application)


def wsgi_api_cfn() -> Any:
    return _wsgi('heat-wsgi-api-cfn', 'heat-api-cfn', wsgi.cfn_application)


def wsgi_api_cloudwatch() -> Any:
    return _wsgi('heat-wsgi-api-cloudwatch', 'heat-api-cloudwatch', wsgi.cloudwatch_application)


def _run(name: str, module: str) -> Any:
    of_heat = command_of_heat('console_scripts', name)
    if of_heat is not None:
        return of_heat()
    _accept_public_key()
    return importlib.import_module(module).main([*config_arguments(name, sys.argv), *sys.argv[1:]])


def _wsgi(script: str, name: str, application: Callable[[Sequence[str]], Any]) -> Any:
    of_heat = command_of_heat('wsgi_scripts', script)
    if of_heat is not None:
        return of_heat()
    _accept_public_key()
    # The arguments are those of the server, unless it passes some on to the application.
    own = sys.argv[1:] if _has_config(sys.argv[1:2]) else []
    return application([*config_arguments(name, own), *own])


def _accept_public_key() -> None:
    """Start with a configuration file that has no key, as the files of many deployers."""
    cfg.set_defaults(identity.HEAT_LITE, accept_public_key=True)


def command_of_heat(group: str, name: str) -> Any:
    """Return the function of an entry point of Heat, None where Heat is not installed.

    Raises SystemExit for one that the installed Heat does not have.
    """
    if not heat_imports.is_heat_installed():
        return None
    # more than one if the distribution of that name by this project is in another folder
    for each in importlib.metadata.distributions(name='openstack-heat'):
        for point in each.entry_points.select(group=group, name=name):
            return point.load()
    raise SystemExit(
        f'{name}: OpenStack Heat is installed in this environment and has no such command. Install '
        'heat-lite-aliases in an environment without it, or use the commands heat-lite-*.'
    )


def config_arguments(name: str, args: Sequence[str]) -> list[str]:
    """Return the arguments with the configuration of Heat, e.g. /etc/heat/heat.conf.

    There are none if ``args`` name files, or if Heat has no files: then those of heat_lite are
    read.
    """
    if _has_config(args):
        return []
    files = cfg.find_config_files(project=PROJECT, prog=name)
    folders = cfg.find_config_dirs(project=PROJECT, prog=name)
    return [
        *(word for file in files for word in ('--config-file', file)),
        *(word for folder in folders for word in ('--config-dir', folder)),
    ]


def _has_config(args: Sequence[str]) -> bool:
    return any(arg.partition('=')[0] in CONFIG_OPTIONS for arg in args)
