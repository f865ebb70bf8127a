"""The configuration options: one module per area, each with GROUPS (options by group).

``register(conf)`` declares the options. Entry points, endpoints and sessions read their values.
"""

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path

from oslo_config import cfg

from heat_lite.conf import (
    api,
    caches,
    clients,
    identity,
    limits,
    metrics,
    server,
    service,
    software,
    traces,
)

MODULES = (service, limits, software, identity, api, caches, clients, server, metrics, traces)


def register(conf: cfg.ConfigOpts = cfg.CONF) -> cfg.ConfigOpts:
    """Register all options with ``conf``, which is returned. A second call changes nothing."""
    for group, opts in groups().items():
        conf.register_opts(opts, group=None if group == 'DEFAULT' else group)
    return conf


def list_opts() -> list[tuple[str, list[cfg.Opt]]]:
    """Return (group, options) pairs for oslo-config-generator, which writes the sample file."""
    found = groups()
    for group, opts in identity.auth_opts().items():
        found[group] = [*found.get(group, ()), *opts]
    return list(found.items())


def find_config_files(prog: str) -> list[str]:
    """Return the configuration files that a program reads when no --config-file is given."""
    found = cfg.find_config_files(project='heat_lite', prog='heat-lite') + cfg.find_config_files(
        project='heat_lite', prog=prog
    )
    return list(dict.fromkeys(found))


def load(
    args: Sequence[str],
    prog: str,
    conf: cfg.ConfigOpts = cfg.CONF,
    version: str | None = None,
    description: str | None = None,
    epilog: str | None = None,
) -> cfg.ConfigOpts:
    """Register all options and read the command line and the files: the start of an entry point.

    ``version`` is what ``--version`` prints. ``description`` and ``epilog`` stand in the help,
    above and below the options. Raises cfg.Error and OSError for a file that cannot be read.
    """
    register(conf)
    files = find_config_files(prog)
    try:
        conf(
            args,
            project='heat_lite',
            prog=prog,
            version=version,
            default_config_files=files,
            description=description,
            epilog=epilog,
        )
    except UnicodeDecodeError:
        raise cfg.ConfigFileParseError(
            file_without_text([*files, *_given_files(args)]), 'it is not UTF-8 text'
        ) from None
    return conf


def _given_files(args: Sequence[str]) -> list[str]:
    """Return the values of --config-file. The parser itself keeps none of them after an error."""
    top = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    top.add_argument('--config-file', action='append', default=[])
    return top.parse_known_args(list(args))[0].config_file


def file_without_text(files: Iterable[str]) -> str:
    """Return the first file that is not UTF-8 text."""
    for name in files:
        try:
            Path(name).expanduser().read_text(encoding='utf-8')
        except UnicodeDecodeError:
            return name
        except OSError:
            continue
    return 'a configuration file'


def groups() -> dict[str, list[cfg.Opt]]:
    """Return the options of heat_lite by group, without those of libraries."""
    found: dict[str, list[cfg.Opt]] = {}
    for module in MODULES:
        for group, opts in module.GROUPS.items():
            found[group] = [*found.get(group, ()), *opts]
    return found
