"""Passes the configuration object through Paste, whose configuration holds text only."""

import itertools
from collections.abc import Callable, Mapping
from typing import TypeVar

from oslo_config import cfg

from heat_lite.api import wsgi

#: what a factory of Paste returns: it puts a filter in front of an application
Filter = Callable[[wsgi.WsgiApp], wsgi.WsgiApp]
#: the defaults of a pipelines file, which ``global_conf_of`` gives
GlobalConf = Mapping[str, str]
Made = TypeVar('Made')

KEY = 'heat_lite_configuration'

_known: dict[str, cfg.ConfigOpts] = {}
_numbers = itertools.count()


def global_conf_of(conf: cfg.ConfigOpts) -> dict[str, str]:
    """Return the global configuration of Paste from which factories get ``conf``."""
    for key, known in _known.items():
        if known is conf:
            return {KEY: key}
    key = str(next(_numbers))
    _known[key] = conf
    return {KEY: key}


def from_global_conf(global_conf: GlobalConf) -> cfg.ConfigOpts:
    """Return the configuration of the application that Paste loads."""
    return _known.get(global_conf.get(KEY, ''), cfg.CONF)


def make_factory(build: Callable[[cfg.ConfigOpts], Made]) -> Callable[..., Made]:
    """Return the factory that Paste calls for what is built from the configuration only."""

    def factory(global_conf: GlobalConf, **local_conf: str) -> Made:
        return build(from_global_conf(global_conf))

    return factory
