"""Plug-ins of third parties: modules in ``plugin_dirs``, and entry points. What cannot be loaded is named in the log and left out.

A module says by functions what it brings: ``resource_mapping()`` or ``available_resource_mapping()``, ``constraint_mapping()``,
``client_mapping()``, ``template_mapping()``, ``event_sink_mapping()``. Each answers a map of names to classes.
"""

import importlib
import logging
import pathlib
import pkgutil
import sys
import types

from heat_lite.clients import plugged
from heat_lite.common import points
from heat_lite.engine import resource
from heat_lite.template import environment, versions

LOG = logging.getLogger(__name__)
#: modules of plugin_dirs are imported as parts of this package, so that they can import each other
PACKAGE = 'heat_lite_plugins'
MODULES = ('heat_lite.resources',)
CONSTRAINTS = ('heat_lite.constraints', 'heat.constraints')
CLIENTS = ('heat_lite.clients', 'heat.clients')
TEMPLATES = ('heat_lite.templates', 'heat.templates')
SINKS = ('heat_lite.event_sinks', 'heat.event_sinks')
#: Heat itself may be installed beside this service: what it brings is no plug-in
HEATS_OWN = ('heat.', 'heat:')


def install(registry, folders):
    """Add all that plug-ins bring to a registry."""
    found = Found(registry)
    for name, load in (*_in_folders(folders), *_points(MODULES)):
        found.attempt(f'The plug-in module {name}', lambda load=load: found.take_module(load()))
    for groups, take in ((CONSTRAINTS, found.constraint), (CLIENTS, found.client), (TEMPLATES, found.template), (SINKS, found.sink)):
        for name, load in _points(groups):
            found.attempt(f'The plug-in {name}', lambda name=name, load=load, take=take: take(name, load()))
    return registry


class Found:
    """Puts what plug-ins bring where it belongs. Raises TypeError for what is not what it should be."""

    def __init__(self, registry):
        self._registry = registry

    @staticmethod
    def attempt(what, step):
        """Whether it went well; if not, the log says why."""
        try:
            step()
        except (Exception, SystemExit) as error:
            LOG.error('%s cannot be used, and is left out: %s: %s', what, type(error).__name__, error, exc_info=error)

    def take_module(self, module):
        """All that the functions of a module name. One that is wrong does not keep the others away."""
        types_of = 'available_resource_mapping' if hasattr(module, 'available_resource_mapping') else 'resource_mapping'
        takers = {
            types_of: self.type,
            'constraint_mapping': self.constraint,
            'client_mapping': self.client,
            'template_mapping': self.template,
            'event_sink_mapping': self.sink,
        }
        for function, take in takers.items():
            for name, value in (getattr(module, function, dict)() or {}).items():
                self.attempt(f'{name} of the plug-in module {module.__name__}', lambda name=name, value=value, take=take: take(name, value))

    def type(self, name, kind):
        _want(kind, resource.Resource, 'resource type')
        self._registry.register(name, kind)

    def constraint(self, name, kind):
        if not callable(getattr(kind, 'validate', None)):
            raise TypeError(f'{kind!r} has no validate(value, context)')
        self._registry.add_check(name, _check_of(kind))

    def client(self, name, kind):
        _want(kind, plugged.ClientPlugin, 'client plug-in')
        self._registry.client_plugins[name] = kind

    def sink(self, name, kind):
        if not callable(getattr(kind, 'consume', None)):
            raise TypeError(f'{kind!r} has no consume(context, event)')
        self._registry.event_sinks[name] = kind
        environment.SINK_TYPES.setdefault(name, ())

    def template(self, name, version):
        """``name`` is (key, version), or both with a dot between them."""
        key, label = name.split('.', 1) if isinstance(name, str) else name
        versions.add(key, label, version)


def _want(kind, base, what):
    if not (isinstance(kind, type) and issubclass(kind, base)):
        raise TypeError(f'{kind!r} is no {what}: it should be a class derived from {base.__module__}.{base.__name__}')


def _check_of(kind):
    """How the registry asks a custom constraint: None, or why the value is none of its kind."""

    def check(stack, value):
        rule, clients = kind(), stack.clients()
        return None if rule.validate(value, plugged.Asking(stack.context, clients)) else rule.error(value)

    return check


def _in_folders(folders):
    """(name, how to load it) of each module and package in the folders, those in packages too."""
    there = [str(pathlib.Path(folder).expanduser()) for folder in folders if pathlib.Path(folder).expanduser().is_dir()]
    if not there:
        return
    for name in [each for each in sys.modules if each.startswith(f'{PACKAGE}.')]:
        del sys.modules[name]
    package = types.ModuleType(PACKAGE, 'Modules of plugin_dirs.')
    package.__path__ = there
    sys.modules[PACKAGE] = package
    for found in pkgutil.walk_packages(there, f'{PACKAGE}.', onerror=lambda name: None):
        yield found.name, lambda name=found.name: importlib.import_module(name)


def _points(groups):
    """(name, how to load it) of each entry point of the groups."""
    for group in groups:
        for point in points.of(group):
            if not point.value.startswith(HEATS_OWN):
                yield point.name, point.load
