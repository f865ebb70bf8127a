"""The types that several environments map together."""

from collections.abc import Mapping

from heat_lite.common.value_types import Value
from heat_lite.template import resource_registry
from heat_lite.template.environment import RESOURCE_REGISTRY, Environment
from heat_lite.template.lint.document import READ_ERRORS, EnvironmentDocument


def merged(environments: list[EnvironmentDocument], base: Environment | None = None) -> Environment:
    """Return the types of several environments on top of the operator's; later ones win.

    Invalid entries are left out: the rule ``registry-entry`` reports them.
    """
    entries: dict = {}
    per_resource: dict = {}
    for environment in environments:
        for name, value in environment.registry().items():
            if name == resource_registry.PER_RESOURCE and isinstance(value, dict):
                valid = {key: each for key, each in value.items() if _is_valid({name: {key: each}})}
                per_resource.update(valid)
            elif _is_valid({name: value}):
                entries[name] = value
    registry = {**entries, resource_registry.PER_RESOURCE: per_resource}
    return Environment({RESOURCE_REGISTRY: registry}, base)


def _is_valid(entries: Mapping[str, Value]) -> bool:
    try:
        resource_registry.TypeRegistry(entries)
    except READ_ERRORS:
        return False
    return True
