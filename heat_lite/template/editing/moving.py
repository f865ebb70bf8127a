"""Templates whose resources get other names, or a place in other templates."""

import collections
import copy
import typing
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from heat_lite.common.value_types import Value, Values
from heat_lite.template.editing import former_names, yaml_writer
from heat_lite.template.environment import (
    PARAMETER_DEFAULTS,
    PARAMETERS,
    RESOURCE_REGISTRY,
    Environment,
)
from heat_lite.template.members import render_member
from heat_lite.template.resource_registry import PER_RESOURCE
from heat_lite.template.template import Template

#: functions whose argument, or the first of whose arguments, names a resource
REFERENCES = {'get_resource', 'get_attr', 'Ref', 'Fn::GetAtt'}
PARAMETER_READS = {'get_param', 'Ref'}
FILE_READS = {'get_file'}
_OTHER_VERSION = '{} is written in another version of the language, which lacks what comes there'
#: what the definition of a member has
MEMBER_KEYS = {'type', 'properties', 'metadata'}


class Place(typing.NamedTuple):
    """A resource: the key of its template, and its name in it."""

    template: str
    name: str

    def __str__(self) -> str:
        return f'{self.template}/{self.name}'


def move(
    templates: Mapping[str, Template],
    moves: Mapping[Place, Place],
    files: Mapping[str, str] | None = None,
) -> tuple[dict[str, Template], dict[str, list[str]]]:
    """Return the templates with the resources at their new places, and what breaks in each.

    References follow their resources within a template. A template gets the parameters and files
    that resources which come from another one read, and its environment their entries.

    The key of a nested template is the place of the resource that has it. ``files`` has for those
    whose parents shall change with them the name of the file that it is; '' for one of the members
    of a group.
    """
    mover = _Mover(templates, moves, files or {})
    return mover.move(), mover.problems


def rename_entries(environment: Values, names: Mapping[str, str]) -> Values:
    """Return an environment whose entries of single resources have the new names, or paths."""
    entries = copy.deepcopy(_entries(environment))
    taken = [(_take(entries, *old.split('/')), new.split('/')) for old, new in names.items()]
    return _with_entries(environment, _put(entries, taken))


def _put(entries: Values, taken: Iterable[tuple[Value, Sequence[str]]]) -> Values:
    """Add entries, those that are not None, at their paths."""
    for entry, (*outer, name) in taken:
        place = entries
        for each in outer if entry is not None else ():
            place = place.setdefault(each, {})
        if entry is not None:
            place[name] = entry
    return entries


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
    if entries == _entries(environment):
        return environment
    registry = {**(environment.get(RESOURCE_REGISTRY) or {}), PER_RESOURCE: entries}
    return {**environment, RESOURCE_REGISTRY: registry}


class _Mover:
    def __init__(
        self,
        templates: Mapping[str, Template],
        moves: Mapping[Place, Place],
        files: Mapping[str, str],
    ) -> None:
        self._templates = templates
        self._moves = moves
        self._files = files
        self.problems: dict[str, list[str]] = {key: [] for key in templates}
        self._resources: dict[str, Values] = {key: {} for key in templates}
        #: by the key of a template the parts that it gets, with those of the templates they are of
        self._borrowed: dict[str, list[tuple[str, Value]]] = {key: [] for key in templates}
        #: the changed files of nested templates by their stacks
        self._texts: dict[str, dict[str, str]] = collections.defaultdict(dict)

    def move(self) -> dict[str, Template]:
        for key, template in self._templates.items():
            for name, snippet in template.resource_snippets.items():
                to = self._moves.get(Place(key, name), Place(key, name))
                if to.template != key and self._files.get(to.template) == '':
                    self._resources[to.template][to.name] = {}  # the group has the definition
                    continue
                moved, origin = self._resource(template, key, to, snippet), key
                while origin in self._files and not _is_in(to.template, origin):
                    moved, origin = self._raised(moved, origin, to)
                self._resources[to.template][to.name] = moved
                if not self._templates[to.template].version.resource_keys.issuperset(moved):
                    self.problems[to.template].append(_OTHER_VERSION.format(to.template))
                if to.template != origin:
                    self._borrowed[to.template].append((origin, moved))
        changed = {}
        for key in sorted(self._templates, key=lambda key: -key.count('/')):
            changed[key] = self._changed(key, self._templates[key])
            if key in self._files:
                self._change_parent(key, changed[key])
        return {key: changed[key] for key in self._templates}

    def _raised(self, snippet: Values, key: str, to: Place) -> tuple[Values, str]:
        """Return a resource of a nested template in the words of the one around it, and its key."""
        outer, _, name = key.rpartition('/')
        nested, parent = self._templates[key], self._templates[outer]
        if not self._files[key]:  # members have the words of the parent already
            return self._resource(parent, outer, to, snippet), outer
        if not _means_the_same(snippet, nested, parent):
            self.problems[outer].append(_OTHER_VERSION.format(outer))
        for each in sorted(conditions_read(snippet) & nested.section_map('conditions').keys()):
            self.problems[outer].append(f'{to} depends on the condition {each} of {key}')
        given = _properties(parent, parent.resource_snippets[name])
        defaults = {each: schema.default for each, schema in nested.parameter_schemata.items()}
        replace = self._replacer(parent, outer, to.template, str(to))
        values = _replaced({**defaults, **given}, replace)

        def inlined(value: Value) -> Value:
            if isinstance(value, list):
                return [*map(inlined, value)]
            if not isinstance(value, dict):
                return value
            for each in _calls(value, PARAMETER_READS) if value.keys() <= PARAMETER_READS else ():
                if values.get(each) is not None and each in value.values():
                    return values[each]
                if each in defaults:
                    text = f'{to} reads {each}, of {key}, in a way that {outer} cannot'
                    self.problems[to.template].append(text)
            return {each: inlined(part) for each, part in value.items()}

        return inlined(snippet), outer

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

    def _changed(self, key: str, template: Template) -> Template:
        words = template.version.dialect.sections
        data = {**template.data, words['resources']: self._resources[key]}
        if template.moves:
            data['moved'] = former_names.valid(data['moved'], self._resources[key])
        if template.output_snippets:
            outputs = template.output_snippets.items()
            data[words['outputs']] = {
                name: _replaced(value, self._replacer(template, key, key, f'output {key}/{name}'))
                for name, value in outputs
            }
        files, environment = {**template.files, **self._texts[key]}, self._moved_entries(key)
        word = template.version.dialect.resource['type']
        for origin, snippet in self._borrowed[key]:
            source = self._templates[origin]
            if not _means_the_same(snippet, source, template):
                self.problems[key].append(_OTHER_VERSION.format(key))
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
        if key not in self._files:
            self._check_settings(key, changed.environment)
        return changed

    def _change_parent(self, key: str, changed: Template) -> None:
        """Let the template around a nested one give what it has become."""
        outer, _, name = key.rpartition('/')
        parent, before = self._templates[outer], self._templates[key]
        container = self._resources[outer].get(name)
        if changed.data == before.data or container is None:
            return
        properties = _properties(parent, container)
        if self._files[key]:
            self._keep_text(key, changed)
            new = changed.section_map('parameters').keys() - before.section_map('parameters')
            word = 'get_param' if 'get_param' in parent.version.functions else 'Ref'
            reads = {each: {word: each} for each in sorted(new)}
            properties = {**reads, **properties}
            self._borrowed[outer] += [
                (origin, {each: reads[each] for each in parameters_read(snippet) & new})
                for origin, snippet in self._borrowed[key]
                if origin != outer
            ]
        else:
            count = properties.get('count', 1)
            more = len(changed.resource_snippets) - len(before.resource_snippets)
            if not isinstance(count, int):
                self.problems[outer].append(f'the count of {key} is no number in the template')
                return
            properties = {**properties, 'count': count + more}
        if properties:
            word = parent.version.dialect.resource['properties']
            self._resources[outer][name] = {**container, word: properties}

    def _keep_text(self, key: str, changed: Template) -> None:
        """Store the text of a nested template in the file of its root that it is made of."""
        root, file = key.partition('/')[0], self._files[key]
        text = yaml_writer.to_yaml({**changed.data})
        if file not in self._templates[root].files:
            self.problems[root].append(f'{key} has its template from {file}, no file of {root}')
        elif self._texts[root].setdefault(file, text) != text:
            self.problems[root].append(f'{file} would become several templates')

    def _moved_entries(self, key: str) -> Values:
        """Return the environment of a template with the entries of the resources it will have.

        Those of resources in nested stacks are below the names of the resources around these.
        """
        environment: Values = self._templates[key].environment.data
        entries = copy.deepcopy(_entries(environment))
        came = []
        for source, to in self._moves.items():
            given = _entries(self._templates[source.template].environment.data)
            if _is_in(source.template, key):
                _take(entries, *_path(source, key))
            if _is_in(to.template, key):
                came.append((given.get(source.name), _path(to, key)))
        return _with_entries(environment, _put(entries, came))

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


def _is_in(key: str, outer: str) -> bool:
    """Return whether a template is another one, or nested in it."""
    return f'{key}/'.startswith(f'{outer}/')


def _path(place: Place, key: str) -> list[str]:
    return str(place)[len(key) + 1 :].split('/')


def _properties(template: Template, snippet: Values) -> Values:
    return snippet.get(template.version.dialect.resource['properties']) or {}


def group_template(parent: Template, name: str, members: Collection[str]) -> Template | None:
    """Return the members of a ResourceGroup in the words of the template that has it.

    None if these do not tell the definition of one member.
    """
    given = _properties(parent, parent.resource_snippets[name])
    definition, placeholder = given.get('resource_def'), given.get('index_var', '%index%')
    if not isinstance(definition, dict) or 'type' not in definition:
        return None
    words, key = parent.version.dialect, parent.version.key
    member = {words.resource[each]: definition[each] for each in MEMBER_KEYS & definition.keys()}
    made = {each: render_member(member, placeholder, each) for each in members}
    return Template({key: parent.data[key], words.sections['resources']: made}, {}, Environment({}))


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
