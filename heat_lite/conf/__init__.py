"""What can be configured. One module an area; each has GROUPS, a mapping of group name to its options.

``register(conf)`` makes all of them known; reading values is the business of the edges (entry points, endpoints, sessions).
"""

from oslo_config import cfg

from heat_lite.conf import api, caches, clients, identity, limits, server, service, software

MODULES = (service, limits, software, identity, api, caches, clients, server)


def register(conf=cfg.CONF):
    """Make all options known to ``conf``. Doing it again changes nothing."""
    for group, opts in _groups().items():
        conf.register_opts(opts, group=None if group == 'DEFAULT' else group)
    return conf


def list_opts():
    """(group, options) pairs: what oslo-config-generator writes into the sample file."""
    groups = _groups()
    for group, opts in identity.auth_opts().items():
        groups[group] = [*groups.get(group, ()), *opts]
    return list(groups.items())


def find_files(prog):
    """The configuration files that a program reads when it is told none."""
    found = cfg.find_config_files(project='heat_lite', prog='heat-lite') + cfg.find_config_files(project='heat_lite', prog=prog)
    return list(dict.fromkeys(found))


def load(args, prog, conf=cfg.CONF):
    """Register all options and read the command line and the files; the usual first step of an entry point."""
    register(conf)
    conf(args, project='heat_lite', prog=prog, default_config_files=find_files(prog))
    return conf


def _groups():
    groups = {}
    for module in MODULES:
        for group, opts in module.GROUPS.items():
            groups[group] = [*groups.get(group, ()), *opts]
    return groups
