"""Hands the configuration object through Paste, whose own configuration can carry text only."""

import itertools

from oslo_config import cfg

KEY = 'heat_lite_configuration'

_known: dict[str, cfg.ConfigOpts] = {}
_numbers = itertools.count()


def offer(conf):
    """Global configuration for Paste, by which factories find ``conf``."""
    for key, known in _known.items():
        if known is conf:
            return {KEY: key}
    key = str(next(_numbers))
    _known[key] = conf
    return {KEY: key}


def find(global_conf):
    """The configuration of the application that is being loaded."""
    return _known.get(global_conf.get(KEY), cfg.CONF)
