"""The resource types of the service as plug-ins written for Heat subclass them.

``module_types`` gives the classes of a module by their names in Heat. Each is a subclass of both
the type of the service and ``heat_resource.Resource``.
"""

import functools
import pkgutil
import time
from collections.abc import Callable, Iterable
from typing import Any

from heat_lite import resources
from heat_lite.clients.clients import Clients
from heat_lite.clients.rest import Api
from heat_lite.common.value_types import Value, Values
from heat_lite.plugin.heat import class_constants, handler_pairs, heat_resource
from heat_lite.plugin.heat.client_libraries import Client
from heat_lite.plugin.heat.stack_view import DefinitionView, unwrapped
from heat_lite.resources import type_table
from heat_lite.template.definition import ResourceDefinition

PACKAGE = 'heat.engine.resources'


class TypeClient:
    """The client of a subclassed type: the requests of the service's code, and all names of the
    client library.
    """

    def __init__(self, rest: Api, library: Callable[[], Client]) -> None:
        self._rest, self._library = rest, library

    def __getattr__(self, name: str) -> Any:
        if hasattr(type(self._rest), name):
            return getattr(self._rest, name)
        return getattr(self._library(), name)


class _Subclassed(handler_pairs.HandlerPairs, heat_resource.Resource):
    """What each subclassed type overrides. ``service_type`` is the class of the service."""

    service_type: Any = None

    def client(self, name: str | None = None, version: str | None = None) -> Client:
        wanted = name or self.default_client_name
        clients = self.stack.clients()
        library = functools.partial(super().client, wanted, version)
        if wanted is None or clients.third_party_plugin(wanted):
            return library()
        return TypeClient(clients.client(wanted), library)

    @classmethod
    def require_service(cls, clients: Clients, type_name: str) -> None:
        super().require_service(clients, type_name)
        cls.service_type.require_service(clients, type_name)

    def has_interface(self, resource_type: str) -> bool:
        return resource_type == self.service_type.resource_type or super().has_interface(
            resource_type
        )

    def _resolve_attribute(self, name: str) -> Value:
        return self.service_type.resolve_attribute(self, name)

    def _show_resource(self) -> Value:
        return self.service_type.show(self)

    def prepare_for_replace(self, definition: ResourceDefinition | None = None) -> Iterable[float]:
        if definition is not None:
            return self.service_type.prepare_for_replace(self, definition)
        for pause in self.service_type.prepare_for_replace(self, self.definition):
            time.sleep(pause or 0.1)
        return ()


@functools.cache
def subclassable(service_type: type, name: str) -> type:
    """Return the class of a type of the service for plug-ins, with its name in Heat."""
    members: Values = {
        'service_type': service_type,
        'resource_type': None,
        '__doc__': service_type.__doc__,
    }
    for action in handler_pairs.ACTIONS:
        if hasattr(service_type, f'handle_{action}'):
            members |= handler_pairs.pair(action, service_type)
    snapshot_delete = getattr(service_type, 'handle_snapshot_delete', None)
    if snapshot_delete is not None:  # it ends with check_delete_complete
        members['handle_snapshot_delete'] = handler_pairs.beginning('delete', snapshot_delete)
    if hasattr(service_type, 'handle_restore'):
        members['handle_restore'] = _restore
    taken = {*dir(heat_resource.Resource), *dir(service_type)}
    constants = class_constants.constants(service_type)
    members |= {key: value for key, value in constants.items() if key not in taken}
    return type(name, (_Subclassed, service_type), members)


def _restore(self: _Subclassed, definition: DefinitionView, data: Value) -> DefinitionView:
    restored = self.service_type.handle_restore(self, unwrapped(definition), data)
    return DefinitionView(restored, self.stack.real)


@functools.cache
def _modules() -> dict[str, list[str]]:
    """Return ``{module of Heat: its types}``."""
    found: dict[str, list[str]] = {}
    for type_name, module in type_table.HEAT_MODULES.items():
        found.setdefault(f'{PACKAGE}.{module}', []).append(type_name)
    return found


def module_names() -> list[str]:
    """Return the names of the modules of resource types in Heat."""
    return list(_modules())


def module_types(module: str) -> dict[str, type]:
    """Return ``{class name: class}`` of a module. Raises KeyError for an unknown one."""
    found = {}
    for type_name in _modules()[module]:
        location = type_table.TYPES[type_name]
        service_type = pkgutil.resolve_name(f'{resources.__name__}.{location}')
        name = service_type.__name__
        found[name] = subclassable(service_type, name)
    return found
