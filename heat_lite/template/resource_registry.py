"""The resource_registry of an environment: mappings of types, and settings of single resources.

A mapping is an alias (``My::Server: OS::Nova::Server``), a template
(``My::Server: file:///server.yaml``) or a pattern that ends in a star
(``OS::Networking::*: OS::Neutron::*``). The key ``resources`` holds mappings, hooks and restricted
actions and lifecycles by name of resource.
"""

import dataclasses
import fnmatch
import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from heat_lite.common import exception, lru_cache
from heat_lite.common.value_texts import quoted
from heat_lite.common.value_types import Value
from heat_lite.template import checks, constraints
from heat_lite.template.checks import Violation
from heat_lite.template.suggest import suggest, with_keyword_suggestion

PER_RESOURCE = 'resources'
HOOKS, RESTRICTED_ACTIONS, LIFECYCLE = 'hooks', 'restricted_actions', 'lifecycle'
LIFECYCLE_KEYS = PREVENT_DESTROY, IGNORE_CHANGES = 'prevent_destroy', 'ignore_changes'
HOOK_TYPES = ('pre-create', 'pre-update', 'pre-delete', 'post-create', 'post-update', 'post-delete')
RESTRICTABLE = ('update', 'replace')
TEMPLATE, TYPE = 'template', 'type'
TEMPLATE_SUFFIXES = ('.yaml', '.template')
#: entries that the resolution of one type may follow; a pattern can make a name grow for ever
MAX_LINKS = 20
#: entries that are tried before one is found that leads to a type
MAX_TRIED = 1000
MAX_TARGET = 1024
#: characters of a pattern of names of resources: no name is longer
MAX_PATTERN = 255


class Resolution(NamedTuple):
    """The target of a type name.

    ``kind`` is TYPE, with the name of a built-in type, or TEMPLATE, with a file name or URL.
    """

    kind: str
    target: str


class TypeRegistry:
    """Mappings of type names; ``base`` is the registry for names without a mapping here.

    With ``records``, ``as_dict`` has the names that were resolved, too: not for a registry that
    outlives the stacks, as it would grow with their names.
    """

    def __init__(
        self,
        data: Mapping[str, Value] | None = None,
        base: 'TypeRegistry | None' = None,
        records: bool = True,
    ) -> None:
        data = data or {}
        self._resources = _resources(data.get(PER_RESOURCE))
        self._entries = _entries({key: value for key, value in data.items() if key != PER_RESOURCE})
        self._patterns = {
            name: target
            for name, target in self._entries.items()
            if name.endswith('*') and isinstance(target, str) and not is_template(target)
        }
        self._prefix_lengths = sorted({len(name) - 1 for name in self._patterns})
        self._settings: dict[tuple[str, str], list[Value]] = {}
        self._base, self._records = base, records
        self._resolved: dict[str, str] = {}
        #: the types whose place the templates around the stack take: they are not mapped here
        self.replaced: frozenset[str] = frozenset()
        #: results that the owner of the types keeps here
        self.found: dict[Value, Resolution] = {}

    # ------------------------------------------------------------ types

    def resolve(
        self, type_name: str, resource_name: str | None, known: Callable[[str], bool]
    ) -> Resolution:
        """Return the target of the type of a resource.

        Entries that lead to no type are passed over, as in Heat: the next one counts.
        ``known(name)`` returns whether a built-in type of that name exists. Raises EntityNotFound
        for an unknown type, StackValidationFailed for circular mappings and too many of them.
        """
        search = _Search(self, type_name, resource_name, known)
        found = search.resolve(type_name, (type_name,))
        if found is None:
            raise exception.EntityNotFound(entity='Resource Type', name=type_name)
        return found

    def next_entry(
        self, name: str, resource_name: str | None, known: Callable[[str], bool]
    ) -> tuple[str, str] | None:
        """Return (entry as it is given, its target) of the first entry that leads to a type; None
        if there is none or it maps the name to itself.
        """
        search = _Search(self, name, resource_name, known)
        for given, target in self.entries_for(name, resource_name):
            if search.follow(name, target, (name,)) is not None:
                self.record_unless_given(name, given)
                return None if target == name else (given, target)
        return None

    def entries_for(self, name: str, resource_name: str | None) -> Iterator[tuple[str, str]]:
        """Yield (entry as it is given, its target) of the entries for a type, the first to count
        first.
        """
        for pattern, given in self._matching_entries(name, resource_name):
            grows = pattern.endswith('*') and given.endswith('*')
            yield given, given[:-1] + name[len(pattern) - 1 :] if grows else given
        if self._base:
            yield from self._base.entries_for(name, resource_name)

    def _matching_entries(self, name: str, resource_name: str | None) -> Iterator[tuple]:
        own = (
            self._resources.get(resource_name, {}).get(name) if resource_name is not None else None
        )
        if isinstance(own, str):
            yield name, own
        # as in Heat: patterns sort before the names that they match, and so override them
        prefixes = (name[:size] for size in self._prefix_lengths if size <= len(name))
        for pattern in sorted(f'{each}*' for each in prefixes):
            if pattern in self._patterns:
                yield pattern, self._patterns[pattern]
        if isinstance(self._entries.get(name), str):
            yield name, self._entries[name]

    def record_unless_given(self, name: str, given: str) -> None:
        """Show from now on which entry counts for a name that has no entry of its own."""
        if self._entries.get(name) != given:
            self.record(name, given)

    def names_resource(self, resource_name: str | None) -> bool:
        """Return whether there are entries for this resource alone."""
        return resource_name in self._resources or bool(
            self._base and self._base.names_resource(resource_name)
        )

    def hides(self, name: str) -> bool:
        """Return whether the entry of a type is empty. An empty entry of the operator hides it."""
        return self._entries.get(name) == ''

    def record(self, name: str, target: str) -> None:
        """Show from now on what a name has been resolved to."""
        if self._records:
            self._resolved[name] = target

    def without(self, target: str) -> 'TypeRegistry':
        """Return a copy without the entries that name a template: it resolves to what they hide."""
        data = {
            **_without(self._entries, target),
            PER_RESOURCE: {
                name: _without(entries, target) for name, entries in self._resources.items()
            },
        }
        base = self._base.without(target) if self._base else None
        return TypeRegistry(data, base, self._records)

    # ------------------------------------------------------------ single resources

    def hooks(self, resource_name: str) -> set[str]:
        """Return the hooks of a resource."""
        return _texts(self._settings_of(resource_name, HOOKS))

    def restricted_actions(self, resource_name: str) -> set[str]:
        """Return the restricted actions of a resource: ``update``, ``replace``."""
        return _texts(self._settings_of(resource_name, RESTRICTED_ACTIONS))

    def lifecycles(self, resource_name: str) -> list[dict[str, Value]]:
        """Return the lifecycles of a resource, one for each entry that has one."""
        return self._settings_of(resource_name, LIFECYCLE)

    def lifecycle_of_name(self, resource_name: str) -> Mapping[str, Value]:
        """Return the lifecycle of the entry with this very name, no pattern; {} without one."""
        return self._resources.get(resource_name, {}).get(LIFECYCLE) or {}

    def _settings_of(self, resource_name: str, key: str) -> list[Value]:
        """Return the values of a key in the entries of a resource; do not change them."""
        if not self._matches:
            return []
        if (resource_name, key) not in self._settings:
            entries = self.entries_of(resource_name)
            self._settings[resource_name, key] = [each[key] for each in entries if key in each]
        return self._settings[resource_name, key]

    def entries_of(self, resource_name: str) -> list[dict[str, Value]]:
        """Return the entries whose name or pattern matches a resource."""
        return [entry for is_match, entry in self._matches if is_match(resource_name)]

    @lru_cache.cached_property
    def _matches(self) -> list[tuple[Callable[[str], Value], dict[str, Value]]]:
        """The entries of single resources: (whether a name matches, entry).

        Compiled once: the cache of ``fnmatch`` holds 256 patterns.
        """
        return [
            (_matcher(name) if set(name) & set('*?[') else name.__eq__, entry)
            for name, entry in self._resources.items()
        ]

    # ------------------------------------------------------------ data

    def names(self) -> list[str]:
        """Return the type names that are mapped for all resources, without patterns."""
        own = [name for name in self._entries if name[-1:] != '*' and name not in _SETTINGS]
        return own + (self._base.names() if self._base else [])

    def maps(self, name: str) -> bool:
        """Return whether a type has an entry of its own, not one of a pattern or of ``base``."""
        return name in self._entries

    def hidden_names(self) -> set[str]:
        """Return the type names that ``hides`` is true of."""
        return {name for name, target in self._entries.items() if target == ''}

    def as_dict(self) -> dict[str, Value]:
        """Return the registry as the API shows it.

        Names that were resolved through patterns or for single resources are listed as entries.
        """
        return {PER_RESOURCE: self._resources, **self._entries, **self._resolved}

    def nested(self, resource_name: str, excluded_type: str | None = None) -> dict[str, Value]:
        """Return the registry, as data, of the nested stack of a resource.

        See ``Environment.child``.
        """
        entries = {name: target for name, target in self._entries.items() if name != excluded_type}
        inner: dict[str, Value] = {}
        for entry in self.entries_of(resource_name):
            inner.update({name: value for name, value in entry.items() if isinstance(value, dict)})
        inner.pop(LIFECYCLE, None)
        return {PER_RESOURCE: inner, **entries}


def _texts(values: list[Value]) -> set[str]:
    """Return the texts of values that are each a text or several ones."""
    return {text for each in values for text in ((each,) if isinstance(each, str) else each)}


def _matcher(pattern: str) -> Callable[[str], Value]:
    return re.compile(fnmatch.translate(pattern)).match


@dataclasses.dataclass
class _Search:
    """The search for the type that one type name stands for."""

    registry: TypeRegistry
    type_name: str
    resource_name: str | None
    known: Callable[[str], bool]
    tried: int = 0
    #: names that lead to no type
    unknown: set[str] = dataclasses.field(default_factory=set)

    def resolve(self, name: str, path: tuple) -> Resolution | None:
        """Return the Resolution of a name; None if it leads to no type. ``path``: the names that
        led to it.
        """
        for given, target in self.registry.entries_for(name, self.resource_name):
            found = self.follow(name, target, path)
            if found is not None:
                self.registry.record_unless_given(name, given)
                return found
        return self._own(name)

    def follow(self, name: str, target: str, path: tuple) -> Resolution | None:
        """Return the Resolution of the target of an entry for a name; None if it leads to none."""
        self.tried += 1
        if len(path) > MAX_LINKS or len(target) > MAX_TARGET or self.tried > MAX_TRIED:
            raise exception.StackValidationFailed(
                f'The type {self.type_name[:MAX_PATTERN]} leads to more than {MAX_LINKS} entries '
                f'of the resource_registry, or to a name of more than {MAX_TARGET} characters'
            )
        if is_template(target):
            return Resolution(TEMPLATE, target)
        if target == name:
            return self._own(name)
        if target in path:
            cycle = ' -> '.join([*path, target])
            raise exception.StackValidationFailed(
                f'The types of the resource_registry stand for each other: {cycle}'
            )
        if target in self.unknown:
            return None
        found = self.resolve(target, (*path, target))
        if found is None:
            self.unknown.add(target)
        return found

    def _own(self, name: str) -> Resolution | None:
        if self.known(name):
            return Resolution(TYPE, name)
        if is_template(name):
            self.registry.record(name, name)
            return Resolution(TEMPLATE, name)
        return None


def is_template(target: Value) -> bool:
    """Return whether an entry or a type name is the file name or URL of a template."""
    return isinstance(target, str) and target.endswith(TEMPLATE_SUFFIXES)


def applies(entry: str, type_name: str) -> bool:
    """Return whether the key of an entry is a type name or a pattern of it."""
    return entry == type_name or (entry[-1:] == '*' and type_name.startswith(entry[:-1]))


def _without(entries: Value, target: Value) -> Value:
    return {name: value for name, value in entries.items() if value != target}


def _entries(data: Mapping[str, Value]) -> dict[str, Value]:
    """Return the entries that are not null. Raises for an entry of the wrong type.

    A map leads to no type: it is shown, unless it is empty, and passed over (as in Heat).
    """
    entries = {}
    for name, target in _stated(data):
        if name not in _SETTINGS and not isinstance(target, str | Mapping):
            raise AttributeError(f'The entry "{name}" of the resource_registry must be a string')
        entries[name] = target
    return entries


def _stated(data: Mapping[str, Value]) -> Iterator[tuple[str, Value]]:
    """Yield the entries that are neither null nor empty. Raises for an unknown hook or action."""
    for key, value in data.items():
        if value is not None and not _is_empty(value):
            if key in _SETTINGS:
                _check_setting(key, value)
            yield key, value


def _resources(data: Mapping[str, Value] | None) -> dict[str, Value]:
    if data is None:
        return {}
    if not isinstance(data, Mapping):
        raise AttributeError('The resources of the resource_registry must be a map')
    for name in data:
        if len(name) > MAX_PATTERN:
            raise ValueError(
                f'The name "{name[:MAX_PATTERN]}..." in the resources of the resource_registry has '
                f'more than {MAX_PATTERN} characters'
            )
    return {
        name: _entry(name, value)
        for name, value in data.items()
        if value is not None and not _is_empty(value)
    }


def _entry(name: str, data: Value) -> dict[str, Value]:
    """Return the settings of one resource: entries, hooks, restricted actions, lifecycle, nested
    resources.
    """
    if not isinstance(data, Mapping):
        raise ValueError(
            f'The entry "{name}" of the resources of the resource_registry must be a map'
        )
    checks.raise_first(lifecycle_violations(data.get(LIFECYCLE) or {}))
    return {
        key: _entry(key, value) if isinstance(value, Mapping) and key != LIFECYCLE else value
        for key, value in _stated(data)
    }


def lifecycle_violations(given: Value) -> Iterator[Violation]:
    """Yield what cannot be a lifecycle, unknown keys of one, and values of a wrong type."""
    if not isinstance(given, Mapping):
        yield _violation('A lifecycle must be a map')
        return
    for key, value in given.items():
        if key not in LIFECYCLE_KEYS:
            text = f'"{key}" is not a key of a lifecycle'
            yield _violation(with_keyword_suggestion(text, key, LIFECYCLE_KEYS), key)
        elif key == PREVENT_DESTROY and not isinstance(value, bool):
            yield _violation(f'{key} must be true or false', key)
        elif key == IGNORE_CHANGES and not (
            isinstance(value, list) and all(isinstance(each, str) for each in value)
        ):
            yield _violation(f'{key} must be a list of paths of properties', key)


def import_violations(given: Value, snippet: Mapping[str, Value]) -> Iterator[Violation]:
    """Yield what cannot be the import of a resource."""
    one = given.get('id') if isinstance(given, Mapping) and set(given) == {'id'} else ''
    if one == '' or not isinstance(one, str | int | Mapping | None):
        yield _violation('An import must be a map with an id: {id: ID}')
    elif 'external_id' in snippet:
        yield _violation('A resource with an external_id refers to its object: it imports none')


def property_paths(paths: Value, schemata: Mapping) -> Iterator[Violation]:
    """Yield the paths of ``ignore_changes`` that lead to no property."""
    for index, path in enumerate(paths if isinstance(paths, list) else ()):
        unknown = _unknown_part(str(path).split('.'), schemata)
        if unknown is not None:
            error = exception.StackValidationFailed(f'There is no property "{path}".{unknown}')
            yield Violation('unknown-property', (index,), error)


def _unknown_part(parts: list[str], schemata: Mapping) -> str | None:
    """Return what to say of the part of a path that no schema has; None if there is none."""
    if '' in parts:
        return ' A part of it is empty.'
    known: Value = schemata
    for index, part in enumerate(parts, 1):
        if not isinstance(known, Mapping):
            if not part.isdecimal():
                return f' "{part}" is no index of a list.'
            schema = known
        elif part in known:
            schema = known[part]
            if schema.alias_of:
                return f' "{part}" is called "{schema.alias_of}".'
        else:
            return suggest(part, known)
        known = schema.schema
        if not known:
            is_leaf = schema.type not in (constraints.ANY, constraints.LIST, constraints.MAP)
            return f' "{part}" has no parts.' if is_leaf and index < len(parts) else None
    return None


def member_definition(snippet: Value) -> Iterator[Violation]:
    """Yield the keys of a group's definition of its members that only a resource can have."""
    for key, text in _NOT_OF_MEMBERS.items():
        if isinstance(snippet, Mapping) and key in snippet:
            yield _violation(f'The members of a group have no "{key}": {text}', key)


_NOT_OF_MEMBERS = {
    'import': 'all of them would own one object. Import each object as a resource of its own.',
    'lifecycle': 'give it in the environment, under the name of the group and "*".',
}


def _violation(text: str, *path: str) -> Violation:
    return Violation('resource-definition', path, exception.StackValidationFailed(text))


def _is_empty(value: Value) -> bool:
    """Return whether a map has no values at any depth: such maps are not shown, as in Heat."""
    return isinstance(value, Mapping) and all(_is_empty(each) for each in value.values())


def _check_setting(key: str, given: Value) -> None:
    """Raise for a hook or a restricted action that does not exist."""
    acceptable, error, kind, place = _SETTINGS[key]
    if not _all_in(given, acceptable):
        raise error(
            f'Invalid {kind} type {quoted(given)} for {place}, '
            f'acceptable {kind} types are: {", ".join(acceptable)}'
        )


def _all_in(given: Value, acceptable: tuple) -> bool:
    if isinstance(given, str):
        return given in acceptable
    return isinstance(given, list) and all(item in acceptable for item in given)


#: {key: (values, class of the error, word for a value, word for what has it)}
_SETTINGS: dict[str, tuple[tuple, type[exception.HeatException], str, str]] = {
    HOOKS: (HOOK_TYPES, exception.InvalidBreakPointHook, 'hook', 'resource breakpoint'),
    RESTRICTED_ACTIONS: (
        RESTRICTABLE,
        exception.InvalidRestrictedAction,
        'restricted_action',
        'resource',
    ),
}
