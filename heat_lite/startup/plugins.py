"""Third-party plug-ins: modules in ``plugin_dirs``, and entry points.

A module exports its plug-ins by functions that return {name: class}: ``resource_mapping()`` or
``available_resource_mapping()``, ``constraint_mapping()``, ``client_mapping()``,
``template_mapping()``, ``event_sink_mapping()``. A plug-in that cannot be loaded is logged and
skipped.
"""

import functools
import importlib
import logging
import pathlib
import pkgutil
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from heat_lite.clients import client_plugin
from heat_lite.common import exception, heat_imports, installation
from heat_lite.common.value_types import Value
from heat_lite.engine.registry import Registry
from heat_lite.engine.resource import resource
from heat_lite.template import environment, versions

LOG = logging.getLogger(__name__)
#: the package that modules of plugin_dirs are imported into, so that they can import each other
PACKAGE = 'heat_lite_plugins'
MODULES = ('heat_lite.resources',)
CONSTRAINTS = ('heat_lite.constraints', 'heat.constraints')
CLIENTS = ('heat_lite.clients', 'heat.clients')
TEMPLATES = ('heat_lite.templates', 'heat.templates')
#: loaded by the engine; imported here, where the modules of Heat are offered
LIFECYCLE = ('heat_lite.lifecycle_plugins', 'heat.stack_lifecycle_plugins')
SINKS = ('heat_lite.event_sinks', 'heat.event_sinks')
#: the end of each log line about a plug-in that is left out
HELP = ' (docs/plugins.md lists what plug-ins can use)'
OTHER_HEAT = (
    '; Heat itself is installed here, so the plug-in has imported the classes of Heat: install '
    'heat_lite and the plug-in in an environment without Heat'
)
#: prefixes of entry points of Heat itself, which may be installed beside this service; skipped
HEAT_PREFIXES = ('heat.', 'heat:')


def install(registry: Registry, folders: Iterable[str]) -> Registry:
    """Load all plug-ins into a registry. Return the registry."""
    loader = PluginLoader(registry)
    with heat_imports.offered(PACKAGE):
        _load(loader, folders)
    return registry


def _load(loader: 'PluginLoader', folders: Iterable[str]) -> None:
    for name, load in (*_modules_in(folders), *_entry_points(MODULES)):
        loader.attempt(f'The plug-in module {name}', _add_loaded, loader.load_module, load)
    for groups, add in (
        (CONSTRAINTS, loader.add_constraint),
        (CLIENTS, loader.add_client),
        (TEMPLATES, loader.add_template_version),
        (SINKS, loader.add_event_sink),
    ):
        for name, load in _entry_points(groups):
            loader.attempt(f'The plug-in {name}', _add_loaded, add, load, name)
    for name, load in _entry_points(LIFECYCLE):
        loader.attempt(f'The lifecycle plug-in {name}', load)


def _add_loaded(add: Callable[..., None], load: Callable[[], Any], *names: str) -> None:
    add(*names, load())


def load_cloud_backend(name: str) -> Any:
    """Return the class that authenticates requests, by its module and name.

    Call it after ``install``, so that the class may be in a module of ``plugin_dirs``. Raises
    ConfigurationError.
    """
    module, _, attribute = name.rpartition('.')
    try:
        backend = getattr(importlib.import_module(module), attribute)
    except Exception as error:  # any error of the module
        raise exception.ConfigurationError(
            f'cloud_backend = {name} in [DEFAULT] cannot be loaded: {type(error).__name__}: {error}'
        ) from error
    if not callable(getattr(backend, 'authenticated', None)):
        raise exception.ConfigurationError(
            f'cloud_backend = {name} in [DEFAULT] is no backend: it has no method authenticated()'
        )
    return backend


class PluginLoader:
    """Adds plug-ins to a registry. The ``add_...`` methods raise TypeError for a wrong class."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    @staticmethod
    def attempt(subject: str, step: Callable[..., Any], *args: Any) -> None:
        """Call ``step(*args)``. Log any exception, as an error of ``subject``.

        The text says all about a missing module; other errors are logged with their traceback.
        """
        try:
            step(*args)
        except (Exception, SystemExit) as error:
            LOG.error(
                '%s cannot be used, and is left out: %s: %s%s',
                subject,
                type(error).__name__,
                error,
                HELP,
                exc_info=None if isinstance(error, ModuleNotFoundError) else error,
            )

    def load_module(self, module: Any) -> None:
        """Load all plug-ins of a module. A broken one does not affect the others."""
        types_function = (
            'available_resource_mapping'
            if hasattr(module, 'available_resource_mapping')
            else 'resource_mapping'
        )
        adders = {
            types_function: self.add_type,
            'constraint_mapping': self.add_constraint,
            'client_mapping': self.add_client,
            'template_mapping': self.add_template_version,
            'event_sink_mapping': self.add_event_sink,
        }
        for function, add in adders.items():
            for name, value in (getattr(module, function, dict)() or {}).items():
                subject = f'{name} of the plug-in module {module.__name__}'
                self.attempt(subject, add, name, value)

    def add_type(self, name: str, cls: Any) -> None:
        _require_subclass(cls, resource.Resource, 'resource type')
        self._registry.register(name, cls)

    def add_constraint(self, name: str, cls: Any) -> None:
        if not callable(getattr(cls, 'validate', None)):
            raise TypeError(f'{cls!r} has no validate(value, context)')
        self._registry.add_check(name, _constraint_check(cls))

    def add_client(self, name: str, cls: Any) -> None:
        _require_subclass(cls, client_plugin.ClientPlugin, 'client plug-in')
        self._registry.client_plugins[name] = cls

    def add_event_sink(self, name: str, cls: Any) -> None:
        if not callable(getattr(cls, 'consume', None)):
            raise TypeError(f'{cls!r} has no consume(context, event)')
        self._registry.event_sinks[name] = cls
        environment.SINK_TYPES.setdefault(name, ())

    def add_template_version(self, name: str, version: Any) -> None:
        """Add a template version. ``name``: (key, label) or 'key.label'.

        ``version`` may be a template class that is written for Heat.
        """
        key, label = name.split('.', 1) if isinstance(name, str) else name
        if isinstance(version, type) and hasattr(version, 'as_version'):
            version = version.as_version(label)
        versions.register(key, label, version)


def _require_subclass(cls: Any, base: type, noun: str) -> None:
    if not (isinstance(cls, type) and issubclass(cls, base)):
        is_of_heat = any(
            each.__module__.startswith('heat.') for each in getattr(cls, '__mro__', ())
        )
        raise TypeError(
            f'{cls!r} is not a {noun}: a subclass of {base.__module__}.{base.__name__} is required'
            + (OTHER_HEAT if is_of_heat else '')
        )


def _constraint_check(cls: Any) -> Callable[[Any, Any], str | None]:
    """Return ``check(stack, value)``: None if the value is valid, else the reason as text."""

    def check(stack: Any, value: Value) -> str | None:
        constraint, clients = cls(), stack.clients()
        kind = getattr(cls, 'requesting_context', client_plugin.RequestingContext)
        context = kind(stack.context, clients)
        return None if constraint.validate(value, context) else constraint.error(value)

    return check


def _modules_in(folders: Iterable[str]) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield (name, load) of each module and package in the folders, including submodules."""
    existing = [
        str(pathlib.Path(folder).expanduser())
        for folder in folders
        if pathlib.Path(folder).expanduser().is_dir()
    ]
    if not existing:
        return
    for name in [each for each in sys.modules if each.startswith(f'{PACKAGE}.')]:
        del sys.modules[name]
    heat_imports.forget_plugins()
    for name, paths in _packages(existing):
        package = types.ModuleType(name, 'Modules of plugin_dirs.')
        package.__path__ = paths
        sys.modules[name] = package
        for found in pkgutil.walk_packages(paths, f'{name}.', onerror=lambda name: None):
            yield found.name, functools.partial(importlib.import_module, found.name)


def _packages(folders: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Return [(name, folders)] of the packages for the modules of plugin_dirs.

    Most folders share one. A folder with the name of a module that another folder has before it
    (``resources``, for example) gets one of its own, else its module would not be found.
    """
    shared: list[str] = []
    taken: set[str] = set()
    packages = [(PACKAGE, shared)]
    for folder in dict.fromkeys(folders):
        names = {found.name for found in pkgutil.iter_modules([folder])}
        if names & taken:
            packages.append((f'{PACKAGE}.folder_{len(packages) + 1}', [folder]))
        else:
            taken |= names
            shared.append(folder)
    return packages


def _entry_points(groups: Sequence[str]) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield (name, load) of each entry point of the groups."""
    for group in groups:
        for point in installation.entry_points(group):
            if not point.value.startswith(HEAT_PREFIXES):
                yield point.name, point.load
