"""The environment of a stack.

It holds parameter values, the resource registry with hooks and restricted actions, and event sinks.
"""

from collections.abc import Mapping

from heat_lite.common.value_texts import quoted
from heat_lite.common.value_types import Value
from heat_lite.template.resource_registry import PER_RESOURCE, TypeRegistry

PARAMETERS, PARAMETER_DEFAULTS, RESOURCE_REGISTRY = (
    'parameters',
    'parameter_defaults',
    'resource_registry',
)
ENCRYPTED, EVENT_SINKS = 'encrypted_param_names', 'event_sinks'
#: {type of event sink: its required keys}; plug-ins add their types
SINK_TYPES: dict[str, tuple[str, ...]] = {'zaqar-queue': ('target',)}


class Environment:
    """Parsed sections of an environment. Read-only.

    ``data`` is the environment as given; store it and parse it again to restore the environment.
    ``base`` is the operator's environment; its registry applies after the user's. Raises
    AttributeError for a section of the wrong type, which the API answers with 400.
    """

    def __init__(
        self, data: Mapping[str, Value] | None = None, base: 'Environment | None' = None
    ) -> None:
        self.data = data or {}
        self.params = _map(self.data, PARAMETERS)
        self.param_defaults = _map(self.data, PARAMETER_DEFAULTS)
        self.encrypted_param_names = _names(self.data)
        self.event_sinks = _event_sinks(self.data)
        self.base = base
        self.registry: TypeRegistry = TypeRegistry(
            _map(self.data, RESOURCE_REGISTRY), base.registry if base else None
        )

    def as_dict(self) -> dict[str, Value]:
        """Return the environment as GET .../environment shows it, including resolved types.

        The caller masks the values of hidden parameters.
        """
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
        params: Mapping[str, Value] | None = None,
        excluded_type: str | None = None,
        types: Mapping[str, str] | None = None,
    ) -> 'Environment':
        """Return the environment of the nested stack of a resource.

        ``params`` are the parameters that the resource passes on. Of the registry entries for
        single resources, the nested stack gets those below ``resource_name``. All other sections
        are inherited. ``excluded_type`` is not mapped in the nested stack, so that a template can
        use the built-in type that it replaces. ``types`` are additional registry entries.
        """
        made = Environment(
            {
                PARAMETERS: dict(params or {}),
                PARAMETER_DEFAULTS: self.param_defaults,
                RESOURCE_REGISTRY: {
                    **self.registry.nested(resource_name, excluded_type),
                    **(types or {}),
                },
                EVENT_SINKS: self.event_sinks,
            },
            self.base,
        )
        made.registry.replaced = self.registry.replaced | (
            {excluded_type} if excluded_type else set()
        )
        return made


def _map(data: Mapping[str, Value], section: str) -> Mapping[str, Value]:
    value = data.get(section)
    if value is None or (section == PARAMETER_DEFAULTS and not value):
        return {}
    if not isinstance(value, Mapping):
        raise AttributeError(f'The section {section} of the environment must be a map')
    return value


def _names(data: Mapping[str, Value]) -> list[Value]:
    names = data.get(ENCRYPTED) or []
    if not isinstance(names, list | str):
        raise AttributeError(f'The {ENCRYPTED} of an environment must be a list')
    return list(names)


def _event_sinks(data: Mapping[str, Value]) -> list[Value]:
    sinks = data.get(EVENT_SINKS) or []
    if not isinstance(sinks, list) or not all(isinstance(sink, Mapping) for sink in sinks):
        raise AttributeError('The event_sinks of an environment must be a list of maps')
    for sink in sinks:
        if not isinstance(sink.get('type'), str) or sink['type'] not in SINK_TYPES:
            raise ValueError(
                f'Unknown event sink type {quoted(sink.get("type"))}, '
                f'it should be one of: {", ".join(SINK_TYPES)}'
            )
        for name in SINK_TYPES[sink['type']]:
            if name not in sink:
                raise ValueError(f'The event sink of type "{sink["type"]}" has no {name}')
    return sinks


__all__ = ['PER_RESOURCE', 'Environment']
