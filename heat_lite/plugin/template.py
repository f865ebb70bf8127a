"""Template versions with functions of plug-ins."""

import dataclasses
from collections.abc import Iterable, Mapping

from heat_lite.template import versions
from heat_lite.template.dialects import Version
from heat_lite.template.function import Function, resolve

HOT = 'heat_template_version'
__all__ = ['HOT', 'Function', 'resolve', 'version']


def version(
    name: str,
    after: str = '2021-04-16',
    functions: Mapping[str, type[Function]] | Iterable[tuple[str, type[Function]]] = (),
) -> Version:
    """Return a copy of the HOT version ``after`` with further ``functions``: ``{name: Function}``.

    A plug-in module registers it by ``template_mapping()``.
    """
    base = versions.TABLE[HOT][after]
    return dataclasses.replace(base, name=name, functions={**base.functions, **dict(functions)})
