"""Defers or blocks modules that libraries import and rarely use.

This saves memory in each process and time at each start. ``concurrency`` calls ``install``
before a program imports other modules. Taking a name out of a deferred module
(``from jinja2 import Template``) loads that module, so a wrong entry in these lists costs nothing.
"""

import importlib
import importlib.util
import sys
import threading
import types
import warnings
from collections.abc import Sequence
from typing import Any

#: Modules loaded at first use. jinja2: one page of an oslo.middleware filter that is not used
#: here; psutil: the addresses of network interfaces; yappi: a profiler.
DEFERRED = ('asyncio', 'jinja2', 'psutil', 'yappi')
#: Detectors of text encodings, for responses without one. requests works without them and assumes
#: UTF-8.
BLOCKED = ('charset_normalizer', 'chardet')


def install(more: Sequence[str] = ()) -> None:
    """Defer or block the listed modules from now on. ``more`` are further modules to defer."""
    for name in BLOCKED:
        sys.modules.setdefault(name, None)  # type: ignore[arg-type]
    for name in (*DEFERRED, *more):
        if name not in sys.modules:
            _defer(name)
    warnings.filterwarnings('ignore', 'Unable to find acceptable character detection dependency')


class _DeferredModule(types.ModuleType):
    """A module that is executed at the first access to one of its attributes."""

    def __getattr__(self, name: str) -> Any:
        with _loading:
            if type(self) is _DeferredModule:
                spec: Any = self.__spec__
                self.__class__ = _LoadingModule  # type: ignore[assignment]
                if spec.submodule_search_locations is not None:
                    self.__path__ = spec.submodule_search_locations
                try:
                    spec.loader.exec_module(self)
                finally:
                    self.__class__ = types.ModuleType  # type: ignore[assignment]
            return getattr(self, name)


class _LoadingModule(types.ModuleType):
    """A deferred module during its execution. Other threads wait for the end of it."""

    def __getattr__(self, name: str) -> Any:
        if _loading._is_owned():
            raise AttributeError(
                f'module {self.__name__!r} has no attribute {name!r}', name=name, obj=self
            )
        with _loading:
            return getattr(self, name)


_loading: Any = threading.RLock()


def _defer(name: str) -> None:
    spec = importlib.util.find_spec(name)
    if spec is None:
        return
    module = _DeferredModule(name)
    vars(module).update(vars(importlib.util.module_from_spec(spec)))
    # The import of a submodule reads __path__ first. Without it the access loads the package,
    # which must be loaded before its submodules.
    vars(module).pop('__path__', None)
    sys.modules[name] = module
    package, _, attribute = name.rpartition('.')
    if package:  # an import finds the module in sys.modules and sets no attribute
        setattr(sys.modules[package], attribute, module)
