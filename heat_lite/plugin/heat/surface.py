"""The modules of Heat that plug-ins may import, and their names: a table.

``names(module)`` is the only entry. A module of Heat that is not in the table cannot be imported.
"""

import functools
import logging
from types import ModuleType

import yaml

from heat_lite import plugin
from heat_lite.common import context, exception, identifier
from heat_lite.common.context import RequestContext
from heat_lite.common.value_types import Values
from heat_lite.engine import scheduler
from heat_lite.plugin.heat import (
    client_libraries,
    constraint_classes,
    heat_exceptions,
    heat_properties,
    heat_resource,
    neutron_resource,
    service_plugins,
    service_types,
    stack_bases,
    stack_view,
    task_runner,
    template_plugins,
)
from heat_lite.plugin.heat.stack_view import Stack
from heat_lite.template import constraints, environment, function, reader
from heat_lite.template.template import Template

ENGINE, COMMON, RESOURCES = 'heat.engine', 'heat.common', service_types.PACKAGE
_OS = f'{ENGINE}.clients.os'


def _public(module: ModuleType) -> Values:
    return {name: value for name, value in vars(module).items() if not name.startswith('_')}


class LifecyclePlugin:
    """Base of plug-ins that are called before and after each action of a stack."""

    def do_pre_op(
        self,
        cnxt: RequestContext,
        stack: Stack,
        current_stack: Stack | None = None,
        action: str | None = None,
    ) -> None:
        """Called before an action; an exception stops it."""

    def do_post_op(
        self,
        cnxt: RequestContext,
        stack: Stack,
        current_stack: Stack | None = None,
        action: str | None = None,
        is_stack_failure: bool = False,
    ) -> None:
        """Called after an action."""

    def get_ordinal(self) -> int:
        """Return the place in the order of the calls."""
        return 100


def _exceptions() -> Values:
    return {**_public(exception), **_public(heat_exceptions)}


def _scheduler() -> Values:
    return {**_public(scheduler), 'TaskRunner': task_runner.TaskRunner}


def _resource() -> Values:
    names = ('UpdateReplace', 'UpdateInProgress', 'NoActionRequired', 'PollDelay')
    errors = ('ResourceInError', 'ResourceUnknownStatus', 'ResourceFailure')
    return {
        'Resource': heat_resource.Resource,
        **{name: _exceptions()[name] for name in (*names, *errors)},
    }


def _client_plugins() -> dict[str, Values]:
    """Return the modules of the client plug-ins: ``heat.engine.clients.os.nova`` and others."""
    files = {'heat': 'heat_plugin', 'openstack': 'openstacksdk'}
    found: dict[str, Values] = {_OS: {}}
    for name in client_libraries.LIBRARIES:
        cls = service_plugins.plugin_class(name)
        found[f'{_OS}.{files.get(name, name)}'] = {service_plugins.class_name(name): cls}
    for module, classes in constraint_classes.modules().items():
        found.setdefault(f'{_OS}.{module}', {}).update(classes)
    return found


def _common() -> dict[str, Values]:
    parse = {'parse': reader.parse, 'simple_parse': reader.parse, 'yaml': yaml}
    return {
        'config': {},
        'context': {'RequestContext': context.RequestContext},
        'exception': _exceptions(),
        'i18n': dict.fromkeys(('_', '_LE', '_LI', '_LW', '_LC'), str),
        'identifier': {'HeatIdentifier': identifier.HeatIdentifier},
        'template_format': parse,
    }


def _functions() -> Values:
    names = ('Function', 'Macro', 'resolve', 'validate')
    return {name: getattr(template_plugins, name) for name in names}


def _engine() -> dict[str, Values]:
    own = {name: getattr(heat_properties, name) for name in ('Properties', 'Property', 'schemata')}
    custom = {
        'Constraint': constraints.Constraint,
        'BaseCustomConstraint': constraint_classes.BaseCustomConstraint,
    }
    return {
        'attributes': _public(plugin.attributes),
        'clients': {'Clients': service_plugins.HeatClients},
        'clients.client_exception': _public(heat_exceptions),
        'clients.client_plugin': {'ClientPlugin': service_plugins.ClientPlugin},
        'constraints': {**_public(plugin.constraints), **custom},
        'environment': {'Environment': environment.Environment},
        'function': {**_public(function), **_functions()},
        'cfn.functions': template_plugins.CFN_FUNCTIONS,
        'cfn.template': template_plugins.cfn_templates(),
        'hot.functions': template_plugins.HOT_FUNCTIONS,
        'hot.template': template_plugins.hot_templates(),
        'lifecycle_plugin': {'LifecyclePlugin': LifecyclePlugin},
        'properties': {**_public(plugin.properties), **own},
        'resource': _resource(),
        'rsrc_defn': {'ResourceDefinition': stack_view.ResourceDefinition},
        'scheduler': _scheduler(),
        'stack': {'Stack': stack_view.StackView},
        'status': {'ResourceStatus': heat_resource.ResourceStatus},
        'support': _public(plugin.support),
        'template': {'Template': Template},
        'translation': _public(plugin.translation),
    }


def _resource_bases() -> dict[str, Values]:
    waits = ('BaseWaitConditionHandle', 'WaitConditionFailure', 'WaitConditionTimeout')
    return {
        'openstack.neutron.neutron': {'NeutronResource': neutron_resource.NeutronResource},
        'signal_responder': {'SignalResponder': stack_bases.SignalResponder},
        'stack_resource': {'StackResource': stack_bases.StackResource},
        'stack_user': {'StackUser': stack_bases.StackUser},
        'wait_condition': {name: getattr(stack_bases, name) for name in waits},
    }


@functools.cache
def _table() -> dict[str, Values]:
    """Return ``{module: {name: object}}`` of all modules but those of resource types."""
    parts = {COMMON: _common(), ENGINE: _engine(), RESOURCES: _resource_bases()}
    found = {
        f'{package}.{name}': names
        for package, part in parts.items()
        for name, names in part.items()
    }
    return {**found, **_client_plugins()}


@functools.cache
def _packages() -> frozenset[str]:
    modules = (*_table(), *service_types.module_names())
    return frozenset(
        '.'.join(parts[:end])
        for parts in (name.split('.') for name in modules)
        for end in range(1, len(parts))
    )


def is_package(module: str) -> bool:
    return module in _packages()


def names(module: str) -> Values | None:
    """Return ``{name: object}`` of a module of Heat; None if plug-ins cannot import it."""
    found = _table().get(module)
    if found is not None:
        return {'LOG': logging.getLogger(module), '_': str, **found}
    if module in service_types.module_names():
        return {**service_types.module_types(module)}
    return {} if is_package(module) else None
