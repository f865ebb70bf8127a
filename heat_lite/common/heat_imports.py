"""The import hook that offers modules by Heat's names to plug-ins, e.g. ``heat.engine.resource``.

See docs/decisions/0015-plug-ins-import-heat.md. Where Heat itself is installed there is no hook.
"""

import contextlib
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

HEAT = 'heat'
#: Heat's name of the package with the modules of plugin_dirs
PLUGINS = 'heat.engine.plugins'
#: the module with the table of the names, which imports most of the service
SURFACE = 'heat_lite.plugin.heat.surface'


class HeatImporter(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds ``heat`` and its modules. ``plugins`` is the package of the modules of plugin_dirs."""

    def __init__(self, plugins: str) -> None:
        self._plugins = plugins

    def find_spec(
        self, name: str, path: Any = None, target: Any = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return the spec of a module of Heat. Raises ModuleNotFoundError for an unknown one."""
        if name.partition('.')[0] != HEAT:
            return None
        if _is_in(name, PLUGINS):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        surface = importlib.import_module(SURFACE)
        if surface.names(name) is None:
            raise ModuleNotFoundError(
                f'heat_lite offers no module {name} to plug-ins (see docs/plugins.md)', name=name
            )
        return importlib.machinery.ModuleSpec(name, self, is_package=surface.is_package(name))

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        name = module.__name__
        if _is_in(name, PLUGINS):
            found = vars(importlib.import_module(self._plugins + name.removeprefix(PLUGINS)))
            names = {key: value for key, value in found.items() if not key.startswith('__')}
        else:
            names = importlib.import_module(SURFACE).names(name)
        vars(module).update(names)


def _is_in(name: str, package: str) -> bool:
    return name == package or name.startswith(f'{package}.')


def is_heat_installed() -> bool:
    """Return whether Heat itself can be imported."""
    found = None if HEAT in sys.modules and _importer() else importlib.util.find_spec(HEAT)
    return found is not None and found.origin is not None


def _importer() -> HeatImporter | None:
    return next((each for each in sys.meta_path if isinstance(each, HeatImporter)), None)


@contextlib.contextmanager
def offered(plugins: str) -> Iterator[None]:
    """Offer the modules of Heat while plug-ins are loaded.

    They remain if a plug-in has imported one: its functions may import others when they run.
    """
    if _importer() is not None or is_heat_installed():
        yield
        return
    importer = HeatImporter(plugins)
    sys.meta_path.insert(0, importer)
    try:
        yield
    finally:
        if HEAT not in sys.modules:
            sys.meta_path.remove(importer)


def forget_plugins() -> None:
    """Forget the modules of plugin_dirs by their names in Heat, before they are loaded again."""
    for name in [each for each in sys.modules if _is_in(each, PLUGINS)]:
        del sys.modules[name]
