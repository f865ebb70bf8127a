"""Templates whose resources get other names, or a place in other templates."""

import copy
import typing
from collections.abc import Callable, Collection, Iterator, Mapping

from heat_lite.common.value_types import Value, Values
from heat_lite.template.environment import (
    PARAMETER_DEFAULTS,
    PARAMETERS,
    RESOURCE_REGISTRY,
    Environment,
)
from heat_lite.template.resource_registry import PER_RESOURCE
from heat_lite.template.template import Template

#: functions whose argument, or the first of whose arguments, names a resource
REFERENCES = {'get_resource', 'get_attr', 'Ref', 'Fn::GetAtt'}
PARAMETER_READS = {'get_param', 'Ref'}
FILE_READS = {'get_file'}


class Place(typing.NamedTuple):
    """A resource: the key of its template, and its name in it."""

    template: str
    name: str

    def __str__(self) -> str:
        return f'{self.template}/{self.name}'


def move(
    templates: Mapping[str, Template], moves: Mapping[Place, Place]
) -> tuple[dict[str, Template], dict[str, list[str]]]:
    """Return the templates with the resources at their new places, and what breaks in each.

    References follow their resources within a template. A template gets the parameters and files
    that resources which come from another one read, and its environment their entries.
    """
    mover = _Mover(templates, moves)
    return mover.move(), mover.problems


def rename_entries(environment: Values, names: Mapping[str, str]) -> Values:
    """Return an environment whose entries of single resources have the new names, or paths."""
    entries = copy.deepcopy(_entries(environment))
    taken = [(_take(entries, *old.split('/')), new.split('/')) for old, new in names.items()]
    for entry, (*outer, name) in taken:
        place = entries
        for each in outer if entry is not None else ():
            place = place.setdefault(each, {})
        if entry is not None:
            place[name] = entry
    return environment if entries == _entries(environment) else _with_entries(environment, entries)


def _take(entries: Values, name: str, *path: str) -> Value:
    """Remove an entry, and return it; None without one."""
    if not path or not isinstance(entries.get(name), dict):
        return None if path else entries.pop(name, None)
    return _take(entries[name], *path)


def loses_entries(source: Environment, name: str, target: Environment, new_name: str) -> bool:
    """Return whether a resource would lose a protection or hooks, which an entry gives it."""
    found = target.registry.entries_of(new_name)
    return any(each not in found for each in source.registry.entries_of(name))


def _entries(environment: Values) -> Values:
    return (environment.get(RESOURCE_REGISTRY) or {}).get(PER_RESOURCE) or {}


def _with_entries(environment: Values, entries: Values) -> Values:
    registry = {**(environment.get(RESOURCE_REGISTRY) or {}), PER_RESOURCE: entries}
    return {**environment, RESOURCE_REGISTRY: registry}


class _Mover:
    def __init__(self, templates: Mapping[str, Template], moves: Mapping[Place, Place]) -> None:
        self._templates = templates
        self._moves = moves
        self.problems: dict[str, list[str]] = {key: [] for key in templates}

    def move(self) -> dict[str, Template]:
        resources: dict[str, Values] = {key: {} for key in self._templates}
        borrowed: dict[str, list[tuple[Template, Value]]] = {key: [] for key in self._templates}
        for key, template in self._templates.items():
            for name, snippet in template.resource_snippets.items():
                to = self._moves.get(Place(key, name), Place(key, name))
                resources[to.template][to.name] = self._resource(template, key, to, snippet)
                if to.template != key:
                    borrowed[to.template].append((template, snippet))
        return {
            key: self._changed(key, template, resources[key], borrowed[key])
            for key, template in self._templates.items()
        }

    def _resource(self, template: Template, key: str, to: Place, snippet: Values) -> Values:
        replace = self._replacer(template, key, to.template, str(to))
        moved: Values = _replaced(snippet, replace)
        word = template.version.dialect.resource['depends_on']
        given = snippet.get(word)
        if given is not None:
            moved[word] = replace(given) if isinstance(given, str) else [*map(replace, given)]
        return moved

    def _replacer(self, template: Template, key: str, home: str, user: str) -> Callable[[str], str]:
        """Return the function that gives the name of a resource of ``template`` in ``home``."""

        def replace(name: str) -> str:
            if name not in template.resource_snippets:
                return name
            to = self._moves.get(Place(key, name), Place(key, name))
            if to.template != home:
                self.problems[home].append(f'{user} refers to {name}, whose place is {to}')
            return to.name

        return replace

    def _changed(self, key: str, template: Template, resources: Values, borrowed: list) -> Template:
        words = template.version.dialect.sections
        data = {**template.data, words['resources']: resources}
        if template.output_snippets:
            outputs = template.output_snippets.items()
            data[words['outputs']] = {
                name: _replaced(value, self._replacer(template, key, key, f'output {key}/{name}'))
                for name, value in outputs
            }
        files, environment = template.files, self._moved_entries(key)
        word = template.version.dialect.resource['type']
        for source, snippet in borrowed:
            if not _means_the_same(snippet, source, template):
                self.problems[key].append(f'{key} is written in another version of the language')
            lacking = conditions_read(snippet) & source.section_map('conditions').keys()
            for name in sorted(lacking - template.section_map('conditions').keys()):
                self.problems[key].append(
                    f'{key} has no condition {name}, which would decide there'
                )
            for name in sorted(parameters_read(snippet)):
                environment = self._borrow_parameter(name, source, data, words, environment)
            if reads_files(snippet) or snippet.get(word) in source.files:
                files = {**source.files, **files}
        text = template.text if data == template.data else None
        changed = Template(data, files, Environment(environment), text)
        self._check_settings(key, changed.environment)
        return changed

    def _moved_entries(self, key: str) -> Values:
        """Return the environment of a template with the entries of the resources it will have."""
        environment: Values = self._templates[key].environment.data
        came = {}
        for source, to in self._moves.items():
            given = _entries(self._templates[source.template].environment.data)
            if to.template == key and source.name in given:
                came[to.name] = given[source.name]
        gone = {source.name for source in self._moves if source.template == key}
        before = _entries(environment)
        after = {**{name: each for name, each in before.items() if name not in gone}, **came}
        return environment if after == before else _with_entries(environment, after)

    def _check_settings(self, key: str, environment: Environment) -> None:
        """Note the resources that would lose entries, which a pattern gives them."""
        for source, to in self._moves.items():
            if to.template != key:
                continue
            before = self._templates[source.template].environment
            if loses_entries(before, source.name, environment, to.name):
                self.problems[key].append(
                    f'the environment has entries for {source} that do not match {to}'
                )

    @staticmethod
    def _borrow_parameter(
        name: str, source: Template, data: Values, words: Mapping[str, str], environment: Values
    ) -> Values:
        schema = source.section_map('parameters').get(name)
        declared = data.get(words['parameters']) or {}
        if schema is None or name in declared:
            return environment
        data[words['parameters']] = {**declared, name: schema}
        for section in (PARAMETERS, PARAMETER_DEFAULTS):
            given = source.environment.data.get(section) or {}
            if name in given:
                own = environment.get(section) or {}
                environment = {**environment, section: {name: given[name], **own}}
        return environment


def _means_the_same(snippet: Value, source: Template, target: Template) -> bool:
    """Return whether the functions of a resource are those of another template, too."""
    if source.version is target.version:
        return True
    old, new = source.version.functions, target.version.functions
    same_dialect = source.version.key == target.version.key
    return same_dialect and all(old[name] is new.get(name) for name in _used(snippet, old))


def _used(value: Value, functions: Collection[str]) -> set[str]:
    if isinstance(value, list):
        return set().union(*(_used(each, functions) for each in value))
    if not isinstance(value, dict):
        return set()
    return (value.keys() & functions).union(*(_used(each, functions) for each in value.values()))


def _calls(value: Value, functions: Collection[str]) -> Iterator[str]:
    """Yield the first argument of each call of one of the functions, where it is a text."""
    if isinstance(value, dict):
        for key, argument in value.items():
            first = argument[0] if isinstance(argument, list) and argument else argument
            if len(value) == 1 and key in functions and isinstance(first, str):
                yield first
            yield from _calls(argument, functions)
    elif isinstance(value, list):
        for each in value:
            yield from _calls(each, functions)


def parameters_read(value: Value) -> set[str]:
    """Return the names of the parameters, and maybe resources, that a part of a template reads."""
    return set(_calls(value, PARAMETER_READS))


def conditions_read(value: Value) -> set[str]:
    """Return the names of the conditions, and maybe other texts, that a resource depends on."""
    own = {value.get('condition'), value.get('Condition')} if isinstance(value, dict) else set()
    return {*_calls(value, {'if', 'Fn::If'}), *(each for each in own if isinstance(each, str))}


def reads_files(value: Value) -> bool:
    return any(_calls(value, FILE_READS))


def _replaced(value: Value, replace: Callable[[str], str]) -> Value:
    """Return a copy of a value in which resources have the names that ``replace`` gives."""
    if isinstance(value, list):
        return [_replaced(each, replace) for each in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1 and (key := next(iter(value))) in REFERENCES:
        argument = value[key]
        if isinstance(argument, str):
            return {key: replace(argument)}
        if isinstance(argument, list) and argument and isinstance(argument[0], str):
            return {key: [replace(argument[0]), *_replaced(argument[1:], replace)]}
    return {key: _replaced(each, replace) for key, each in value.items()}
