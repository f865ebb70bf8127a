"""The resource_registry of an environment: what a type name stands for, and what is said about single resources.

An entry is an alias (``My::Server: OS::Nova::Server``), a template (``My::Server: file:///server.yaml``) or a pattern that ends in a star
(``OS::Networking::*: OS::Neutron::*``). Below ``resources`` are entries, hooks and restricted actions for resources by name.
"""

import fnmatch
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from heat_lite.common import exception

PER_RESOURCE = 'resources'
HOOKS, RESTRICTED_ACTIONS = 'hooks', 'restricted_actions'
HOOK_TYPES = ('pre-create', 'pre-update', 'pre-delete', 'post-create', 'post-update', 'post-delete')
RESTRICTABLE = ('update', 'replace')
TEMPLATE, TYPE = 'template', 'type'
TEMPLATE_SUFFIXES = ('.yaml', '.template')


class Resolution(NamedTuple):
    """What a type name stands for: kind TYPE and the name of a built-in type, or TEMPLATE and the name of a file or URL."""

    kind: str
    target: str


class TypeRegistry:
    """Type names and what they stand for. ``base`` is asked for names that this one says nothing of."""

    def __init__(self, data: Mapping[str, Any] | None = None, base: 'TypeRegistry | None' = None):
        data = data or {}
        self._resources = _resources(data.get(PER_RESOURCE))
        self._entries = _entries({key: value for key, value in data.items() if key != PER_RESOURCE})
        self._patterns = sorted(name for name in self._entries if name.endswith('*'))
        self._base = base
        self._resolved: dict[str, str] = {}

    # ------------------------------------------------------------ types

    def resolve(self, type_name: str, resource_name: str | None, known: Callable[[str], bool]) -> Resolution:
        """What the type of a resource stands for; ``known`` tells whether there is a built-in type of a name.

        Raises EntityNotFound where it stands for nothing, StackValidationFailed where names stand for each other in a circle.
        """
        name = type_name
        seen = [name]
        while True:
            target = self._step(name, resource_name)
            if target is None:
                return self._end(type_name, name, known)
            if is_template(target):
                return Resolution(TEMPLATE, target)
            if target in seen:
                circle = ' -> '.join([*seen, target])
                raise exception.StackValidationFailed(f'The types of the resource_registry stand for each other: {circle}')
            seen.append(target)
            name = target

    def _step(self, name, resource_name):
        """What the name stands for by the first entry that fits; None where no entry does, or only one for the name itself."""
        found = self._found(name, resource_name)
        if found is None:
            return self._base._step(name, resource_name) if self._base else None
        pattern, target = found
        if self._entries.get(name) != target:
            self._resolved[name] = target
        if pattern.endswith('*') and target.endswith('*'):
            target = target[:-1] + name[len(pattern) - 1 :]
        return None if target == name else target

    def _found(self, name, resource_name):
        own = self._resources.get(resource_name, {}).get(name) if resource_name is not None else None
        if isinstance(own, str):
            return name, own
        # patterns sort before the names that they cover, and so they always have won over them
        for pattern in self._patterns:
            if name.startswith(pattern[:-1]) and not is_template(self._entries[pattern]):
                return pattern, self._entries[pattern]
        return (name, self._entries[name]) if isinstance(self._entries.get(name), str) else None

    def _end(self, type_name, name, known):
        if known(name):
            return Resolution(TYPE, name)
        if is_template(name):
            self._resolved[name] = name
            return Resolution(TEMPLATE, name)
        raise exception.EntityNotFound(entity='Resource Type', name=type_name)

    # ------------------------------------------------------------ single resources

    def hooks(self, resource_name: str) -> set[str]:
        """The hooks that stop a resource."""
        return self._said_of(resource_name, HOOKS)

    def restricted_actions(self, resource_name: str) -> set[str]:
        """What must not be done to a resource: ``update``, ``replace``."""
        return self._said_of(resource_name, RESTRICTED_ACTIONS)

    def _said_of(self, resource_name, what):
        result = set()
        for pattern, entry in self._resources.items():
            if fnmatch.fnmatchcase(resource_name, pattern):
                said = entry.get(what, ())
                result.update((said,) if isinstance(said, str) else said)
        return result

    # ------------------------------------------------------------ data

    def names(self) -> list[str]:
        """The names that entries for all resources give to types, patterns not among them."""
        own = [name for name in self._entries if name not in self._patterns and name not in _CHECKS]
        return own + (self._base.names() if self._base else [])

    def as_dict(self) -> dict[str, Any]:
        """As the API shows it: names that were resolved through patterns or for single resources appear as entries of their own."""
        return {PER_RESOURCE: self._resources, **self._entries, **self._resolved}

    def inside(self, resource_name: str, without: str | None = None) -> dict[str, Any]:
        """The registry, as data, of the stack inside a resource (see ``Environment.child``)."""
        entries = {name: target for name, target in self._entries.items() if name != without}
        inner: dict[str, Any] = {}
        for pattern, entry in self._resources.items():
            if fnmatch.fnmatchcase(resource_name, pattern):
                inner.update({name: value for name, value in entry.items() if isinstance(value, dict)})
        return {PER_RESOURCE: inner, **entries}


def is_template(target: Any) -> bool:
    """Whether an entry, or a type as such, names a template by its file or URL."""
    return isinstance(target, str) and target.endswith(TEMPLATE_SUFFIXES)


def _entries(data):
    """The entries for types, without those that are null."""
    entries = {}
    for name, target in data.items():
        if target is None:
            continue
        if name in _CHECKS:
            _CHECKS[name](target)
        elif not isinstance(target, str):
            raise AttributeError(f'The entry "{name}" of the resource_registry must be a string')
        entries[name] = target
    return entries


def _resources(data):
    if data is None:
        return {}
    if not isinstance(data, Mapping):
        raise AttributeError('The resources of the resource_registry must be a map')
    return {name: _entry(name, value) for name, value in data.items() if value is not None}


def _entry(name, data):
    """What is said about one resource: entries, hooks, restricted actions, and the same for resources inside it."""
    if not isinstance(data, Mapping):
        raise ValueError(f'The entry "{name}" of the resources of the resource_registry must be a map')
    result = {}
    for key, value in data.items():
        if value is None:
            continue
        if key in _CHECKS:
            _CHECKS[key](value)
        result[key] = _entry(key, value) if isinstance(value, Mapping) else value
    return result


def _check_hooks(given):
    if not _all_in(given, HOOK_TYPES):
        raise exception.InvalidBreakPointHook(
            f'Invalid hook type "{given}" for resource breakpoint, acceptable hook types are: {HOOK_TYPES}'
        )


def _check_restricted(given):
    if not _all_in(given, RESTRICTABLE):
        raise exception.InvalidRestrictedAction(
            f'Invalid restricted_action type "{given}" for resource, acceptable restricted_action types are: {RESTRICTABLE}'
        )


def _all_in(given, acceptable):
    if isinstance(given, str):
        return given in acceptable
    return isinstance(given, list) and all(item in acceptable for item in given)


_CHECKS = {HOOKS: _check_hooks, RESTRICTED_ACTIONS: _check_restricted}
