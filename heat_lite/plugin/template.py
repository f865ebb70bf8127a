"""Versions of the template language with further functions."""

import dataclasses

from heat_lite.template import versions
from heat_lite.template.function import Function, resolve

HOT = 'heat_template_version'
__all__ = ['HOT', 'Function', 'resolve', 'version']


def version(name, after='2021-04-16', functions=()):
    """What an earlier version of HOT is, and ``functions``: ``{name: Function}``. A module names it in ``template_mapping()``."""
    before = versions.TABLE[HOT][after]
    return dataclasses.replace(before, name=name, functions={**before.functions, **dict(functions)})
