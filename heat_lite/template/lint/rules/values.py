"""Rules about names and values: parameters, conditions, functions, references."""

from heat_lite.common import exception
from heat_lite.template import conditions, parameter_types
from heat_lite.template import versions as language
from heat_lite.template.functions import refs
from heat_lite.template.lint.document import UNREADABLE
from heat_lite.template.lint.finding import WARNING
from heat_lite.template.lint.rules.base import Rule, meant, reaches, text_of
from heat_lite.template.parameters import RESERVED, Parameters


class ParameterSchema(Rule):
    """A parameter has a known type, known keys and constraints that fit it."""

    name = 'parameter-schema'

    def check(self, document):
        for name in document.section('parameters'):
            error = _schema_fault(document, name)
            if error is not None:
                yield _inside(document, (document.word('parameters'), name), str(error)), text_of(error)


def _schema_fault(document, name):
    word = document.word('parameters')
    try:
        Parameters(document.schemata_of({word: {name: document.data[word][name]}})).validate(validate_value=False)
    except UNREADABLE as error:
        return error
    return None


def _inside(document, path, text):
    """The key of a parameter that an error names, else the parameter."""
    data = document.section('parameters')[path[1]]
    quoted = [key for key in data if f"'{key}'" in text] if isinstance(data, dict) else []
    return (*path, *quoted[:1])


class ParameterDefault(Rule):
    """The default of a parameter is of its type."""

    name = 'parameter-default'

    def check(self, document):
        for name, schema in document.parameters.items():
            try:
                if schema.default is not None and _schema_fault(document, name) is None:
                    parameter_types.parse(schema.type, schema.default)
            except (ValueError, TypeError) as error:
                yield (document.word('parameters'), name, 'default'), f'The default is no {schema.declared_type}: {error}'


class UnusedParameter(Rule):
    """Every parameter is used somewhere in the template."""

    name = 'unused-parameter'
    level = WARNING

    def check(self, document):
        used = {name for _, name in parameter_uses(document)}
        if any(name is None for name in used):
            return  # a name that is computed may be any
        for name in document.section('parameters'):
            if name not in used:
                yield (document.word('parameters'), name), f'The parameter "{name}" is never used'


class UnknownParameter(Rule):
    """Only parameters that the template declares are asked for."""

    name = 'unknown-parameter'

    def check(self, document):
        known = [*document.section('parameters'), *RESERVED]
        for call, name in parameter_uses(document):
            if name is not None and name not in known:
                also = list(document.resources) if call.node.name == 'Ref' else []
                yield call.path, meant(f'There is no parameter "{name}"', name, known + also)


def parameter_uses(document):
    """Each call that asks for a parameter, with its name; None for a name that is computed."""
    for call in document.calls.calls:
        if isinstance(call.node, refs.GetParam | refs.ParamRef):
            args = call.node.args
            name = args[0] if isinstance(args, list) and args else args
            yield call, name if isinstance(name, str) else None


class FunctionCall(Rule):
    """Functions get the arguments that they can work with, in the places where they may stand."""

    name = 'function'

    def check(self, document):
        for fault in document.calls.faults:
            if not isinstance(fault.error, exception.InvalidTemplateReference | exception.InvalidTemplateAttribute):
                yield fault.path, fault.text


class UnknownReference(Rule):
    """Only resources of the template are referred to."""

    name = 'unknown-reference'

    def check(self, document):
        for fault in document.calls.faults:
            if isinstance(fault.error, exception.InvalidTemplateReference):
                name = fault.error.kwargs.get('resource')
                yield fault.path, self._text(document, name)
        for name, snippet in document.resources.items():
            yield from self._depends_on(document, (document.word('resources'), name, document.part('depends_on')), snippet)

    def _depends_on(self, document, path, snippet):
        needed = snippet.get(path[-1])
        listed = isinstance(needed, list)
        for index, other in enumerate(needed if listed else [needed] if isinstance(needed, str) else ()):
            if isinstance(other, str) and other not in document.section('resources'):
                yield (*path, index) if listed else path, self._text(document, other)

    @staticmethod
    def _text(document, name):
        name = str(name)
        if name in document.section('parameters'):
            return f'There is no resource "{name}"; "{name}" is a parameter'
        return meant(f'There is no resource "{name}"', name, document.section('resources'))


class UnknownAttribute(Rule):
    """A resource has the attributes that are asked of it."""

    name = 'unknown-attribute'

    def check(self, document):
        for fault in document.calls.faults:
            if isinstance(fault.error, exception.InvalidTemplateAttribute):
                resource, attribute = fault.error.kwargs['resource'], fault.error.kwargs['key']
                type_name = document.resources.get(resource, {}).get(document.part('type'))
                kind = document.type_of(type_name, resource) if isinstance(type_name, str) else None
                known = list(kind.attributes) if kind is not None and kind.attributes is not None else ()
                yield fault.path, meant(f'"{resource}" ({type_name}) has no attribute "{attribute}"', attribute, known)


class MisspeltFunction(Rule):
    """What looks like a call of a function is one: a name that this version does not know is plain data."""

    name = 'misspelt-function'
    level = WARNING

    def check(self, document):
        known = [name for name in document.version.functions]
        for path, name in _single_keys(document):
            if name in known:
                continue
            since = _elsewhere(name, document.version)
            if since:
                yield path, f'"{name}" is plain data in this version of templates: the function is there in {since}'
            elif '_' in name or '::' in name:
                if hint := meant('', name, known):
                    yield path, f'"{name}" is plain data, and no function{hint}'


def _single_keys(document):
    """Maps of one key, which calls would be, in the values of resources and outputs."""
    parts = [(document.word('resources'), name, document.part('properties')) for name in document.resources]
    parts += [(document.word('outputs'), name, document.version.dialect.output['value']) for name in document.section('outputs')]
    for section, name, word in parts:
        snippet = document.section('resources' if section == document.word('resources') else 'outputs')[name]
        if not isinstance(snippet, dict):
            continue
        found = snippet.get(word)
        declared = isinstance(found, dict) and section == document.word('resources')
        waiting = [((section, name, word, key), value) for key, value in found.items()] if declared else [((section, name, word), found)]
        while waiting:
            path, value = waiting.pop()
            if isinstance(value, dict):
                waiting.extend(((*path, key), inner) for key, inner in value.items())
                if len(value) == 1:
                    yield (*path, *value), next(iter(value))
            elif isinstance(value, list):
                waiting.extend(((*path, index), inner) for index, inner in enumerate(value))


def _elsewhere(name, version):
    """The version of the same dialect that brought a function; only names that no data would have are looked for."""
    if not ('_' in name or '::' in name):
        return None
    others = [other for other in language.TABLE[version.key].values() if name in other.functions]
    return min((other.name for other in others), default=None)


class Condition(Rule):
    """Conditions are true or false, and are used by names that are defined."""

    name = 'condition'

    def check(self, document):
        if not document.version.has_conditions:
            return
        defined = document.section('conditions')
        for path, name in document.calls.condition_names:
            if name not in defined:
                yield path, meant(f'There is no condition "{name}"', name, defined)
        for name, definition in defined.items():
            if not document.calls.is_condition(definition) and not isinstance(definition, bool):
                yield (document.word('conditions'), name), text_of(conditions.invalid_definition(name, definition))


class ConditionCycle(Rule):
    """No condition needs itself, directly or by way of others."""

    name = 'condition-cycle'

    def check(self, document):
        section = document.word('conditions')
        defined = document.section('conditions') if document.version.has_conditions else {}
        edges = {name: [] for name in defined}
        for path, name in document.calls.condition_names:
            if path[0] == section and name in defined:
                edges[path[1]].append(name)
        for name in defined:
            if reaches(edges, name, name):
                yield (section, name), f'The condition "{name}" needs itself'
                return


class UnusedCondition(Rule):
    """Every condition is used somewhere."""

    name = 'unused-condition'
    level = WARNING

    def check(self, document):
        used = {name for _, name in document.calls.condition_names}
        for name in document.section('conditions') if document.version.has_conditions else ():
            if name not in used:
                yield (document.word('conditions'), name), f'The condition "{name}" is never used'


class MissingFile(Rule):
    """Files that the template reads are there."""

    name = 'missing-file'

    def check(self, document):
        for call in document.calls.calls:
            if isinstance(call.node, refs.GetFile) and isinstance(call.node.args, str):
                file = document.files.join(document.name, call.node.args)
                if document.files.has(file) is False:
                    yield call.path, f'There is no file "{call.node.args}" ({file})'
