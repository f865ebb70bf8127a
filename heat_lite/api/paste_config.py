"""Passes the configuration object through Paste, whose configuration holds text only."""

import itertools
from typing import Any

from oslo_config import cfg

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


def from_global_conf(global_conf: dict[str, Any]) -> cfg.ConfigOpts:
    """Return the configuration of the application that Paste loads."""
    return _known.get(global_conf.get(KEY, ''), cfg.CONF)
