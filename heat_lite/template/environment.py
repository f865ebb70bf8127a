"""The environment of a stack: values of parameters, which type names stand for what, hooks, restricted actions, event sinks."""

from collections.abc import Mapping
from typing import Any

from heat_lite.template.registry import PER_RESOURCE, TypeRegistry

PARAMETERS, PARAMETER_DEFAULTS, RESOURCE_REGISTRY = 'parameters', 'parameter_defaults', 'resource_registry'
ENCRYPTED, EVENT_SINKS = 'encrypted_param_names', 'event_sinks'
#: kinds of event sinks -> what each must be told; plug-ins add theirs
SINK_TYPES = {'zaqar-queue': ('target',)}


class Environment:
    """Parsed sections of an environment; read it, do not change it.

    ``data`` is what was given, to be stored and parsed again. ``base`` is the operator's environment, whose registry is asked after the
    user's. What is no map where a map belongs raises AttributeError, which the API answers with 400.
    """

    def __init__(self, data: Mapping[str, Any] | None = None, base: 'Environment | None' = None):
        self.data = data or {}
        self.params = _map(self.data, PARAMETERS)
        self.param_defaults = _map(self.data, PARAMETER_DEFAULTS)
        self.encrypted_param_names = _names(self.data)
        self.event_sinks = _event_sinks(self.data)
        self.base = base
        self.registry: TypeRegistry = TypeRegistry(_map(self.data, RESOURCE_REGISTRY), base.registry if base else None)

    def as_dict(self) -> dict[str, Any]:
        """As GET .../environment shows it: with the types that have been resolved. Masking hidden values is the caller's."""
        return {
            RESOURCE_REGISTRY: self.registry.as_dict(),
            PARAMETERS: dict(self.params),
            PARAMETER_DEFAULTS: dict(self.param_defaults),
            EVENT_SINKS: list(self.event_sinks),
            ENCRYPTED: list(self.encrypted_param_names),
        }

    def child(
        self,
        resource_name: str,
        params: Mapping[str, Any] | None = None,
        without: str | None = None,
        types: Mapping[str, str] | None = None,
    ) -> 'Environment':
        """The environment of the stack inside a resource.

        It has the parameters that the resource passes on, all else but its own names of resources, of which it gets what was said
        for resources inside this one. ``without`` is a type that means the built-in one in there: a template may wrap the type that it
        replaces. ``types``: what names of types mean in there besides.
        """
        return Environment(
            {
                PARAMETERS: dict(params or {}),
                PARAMETER_DEFAULTS: self.param_defaults,
                RESOURCE_REGISTRY: {**self.registry.inside(resource_name, without), **(types or {})},
                EVENT_SINKS: self.event_sinks,
            },
            self.base,
        )


def _map(data, section):
    value = data.get(section)
    if value is None or (section == PARAMETER_DEFAULTS and not value):
        return {}
    if not isinstance(value, Mapping):
        raise AttributeError(f'The section {section} of the environment must be a map')
    return value


def _names(data):
    names = data.get(ENCRYPTED) or []
    if not isinstance(names, list | str):
        raise AttributeError(f'The {ENCRYPTED} of an environment must be a list')
    return list(names)


def _event_sinks(data):
    sinks = data.get(EVENT_SINKS) or []
    if not isinstance(sinks, list) or not all(isinstance(sink, Mapping) for sink in sinks):
        raise AttributeError('The event_sinks of an environment must be a list of maps')
    for sink in sinks:
        if sink.get('type') not in SINK_TYPES:
            raise ValueError(f'Unknown event sink type "{sink.get("type")}", it should be one of: {", ".join(SINK_TYPES)}')
        for name in SINK_TYPES[sink['type']]:
            if name not in sink:
                raise ValueError(f'The event sink of type "{sink["type"]}" has no {name}')
    return sinks


__all__ = ['PER_RESOURCE', 'Environment']
