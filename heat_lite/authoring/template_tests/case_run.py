"""The run of a case: its errors, or its values compared with the expected ones."""

import collections
import dataclasses
import functools
import os
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence

from heat_lite.authoring import offline_types
from heat_lite.authoring.template_tests import case_file, case_stack
from heat_lite.cli import stack_files
from heat_lite.cli.errors import FileError
from heat_lite.common import exception
from heat_lite.common.value_types import Value, Values
from heat_lite.engine.validation import offline_validation, validation
from heat_lite.template import function, reader
from heat_lite.template.environment import Environment
from heat_lite.template.suggest import suggest
from heat_lite.template.template import Template

#: what an invalid template, environment or parameter raises
REFUSALS = (exception.HeatException, reader.FormatError, FileError, *function.ARGUMENT_ERRORS)
NOTHING = object()
#: the begin of types that are templates in files
FILE_URL = 'file://'


@dataclasses.dataclass(frozen=True)
class Failure:
    """A difference: the line of the expectation and its path.

    ``text`` says what is wrong where there are no two values to compare.
    """

    line: int
    path: str
    text: str = ''
    expected: Value = NOTHING
    actual: Value = NOTHING


@dataclasses.dataclass(frozen=True)
class Result:
    """The end of a case; without failures it has passed."""

    case: case_file.Case
    seconds: float
    failures: tuple[Failure, ...]


@dataclasses.dataclass
class Runner:
    """Runs cases. ``_read`` returns the bytes of a file by its name, and raises ValueError."""

    _types: offline_types.OfflineTypes
    _read: Callable[[str], bytes]

    def run(self, case: case_file.Case) -> Result:
        begin = time.monotonic()
        failures = tuple(self._failures(case))
        return Result(case, time.monotonic() - begin, failures)

    def _failures(self, case: case_file.Case) -> Iterator[Failure]:
        try:
            stack = self._stack(case)
            found = list(refusals(stack))
        except REFUSALS as error:
            stack, found = None, [str(error)]
        if found or 'errors' in case.expect:
            yield from _compare_errors(case, found)
        elif stack is not None:
            stack.stubs.is_strict = True
            yield from _unused_stubs(case, stack)
            yield from _Comparison(case, stack).failures()

    def _stack(self, case: case_file.Case) -> case_stack.CaseStack:
        """Return the stack of a case. Raises one of REFUSALS."""
        files = stack_files.StackFiles(self._read)
        text = files.template(case.template)
        environment: Value = {}
        for name in case.environments:
            environment = stack_files.merge(environment, files.environment(name))
        given = {**(environment.get('parameters') or {}), **case.parameters}
        template = Template(
            reader.parse(text, name=case.template),
            files.contents,
            Environment({**environment, 'parameters': given}, self._types.base),
        )
        stubs = case_stack.Stubs(case.stubs)
        return case_stack.build(self._types, template, case.stack_name, stubs)


def refusals(stack: case_stack.CaseStack) -> Iterator[str]:
    """Yield the errors of a stack for which the service would refuse it.

    An error of the template or of the parameters ends the search; others are errors of resources.
    """
    with stack.foreseen():
        yield from _errors_of(stack)
    stack.drop_resources()


def _errors_of(stack: case_stack.CaseStack) -> Iterator[str]:
    stack.template.validate()
    _ = stack.bound
    stack.parameters.validate(lookup=stack.lookup)
    stack.template.validate_declarations()
    for name in validation.dependency_graph(stack).order():
        try:
            run = validation.ValidationPass()
            validation.single_resource(stack, stack.bound.resources[name], run)
        except offline_validation.VALIDATION_ERRORS as error:
            if not offline_validation.needs_cloud(error):
                yield str(error)
        except offline_validation.CloudRequired:
            continue  # only the cloud knows whether the resource is valid
    for definition in stack.bound.outputs.values():
        definition.validate(stack.scope)


def _compare_errors(case: case_file.Case, found: Sequence[str]) -> Iterator[Failure]:
    """Yield the expected errors that are missing, and the errors that were not expected."""
    expected = case.expect.get('errors', ())
    line, path = case.line('expect', 'errors'), 'expect.errors'
    for number, text in enumerate(expected):
        if not any(text in error for error in found):
            there = f'; the errors are: {"; ".join(found)}' if found else ': there are no errors'
            place = case.line('expect', 'errors', number)
            yield Failure(place, f'{path}[{number}]', f'no error contains {text!r}{there}')
    for error in found:
        if not any(text in error for text in expected):
            yield Failure(line, path, f'unexpected error: {error}')


def _unused_stubs(case: case_file.Case, stack: case_stack.CaseStack) -> Iterator[Failure]:
    """Yield a failure for each stub of a resource or of an attribute that does not exist."""
    for path, stub in case.stubs.items():
        try:
            item = stack.find(path)
        except exception.HeatException as error:
            # A stub of the file may belong to a resource that a condition disables here.
            outer = path.partition('/')[0]
            if outer not in stack.template.resource_snippets:
                yield Failure(case.line('stubs', path), f'stubs.{path}', str(error))
            continue
        for name in stub.get('attributes', ()):
            if not item.has_attribute(name):
                place = ('stubs', path, 'attributes', name)
                unknown = exception.NotFound(what=f'The attribute "{name}" of {item.type()}')
                unknown = unknown.with_hint(suggest(name, item.all_attributes_schema()))
                yield Failure(case.line(*place), '.'.join(place), str(unknown))


@dataclasses.dataclass
class _Comparison:
    """The expectations of a case, and the stack that they are about."""

    _case: case_file.Case
    _stack: case_stack.CaseStack

    def failures(self) -> Iterator[Failure]:
        expect = self._case.expect
        for name, expected in expect.get('conditions', {}).items():
            read = functools.partial(self._is, name)
            yield from self._value(('conditions', name), expected, read)
        if 'resource_names' in expect:
            names = sorted(self._stack.definitions)
            yield from self._differ(('resource_names',), sorted(expect['resource_names']), names)
        for path, wanted in expect.get('resources', {}).items():
            yield from self._resource(path, wanted)
        for name, expected in expect.get('outputs', {}).items():
            read = functools.partial(self._output, name)
            yield from self._value(('outputs', name), expected, read)

    def _is(self, name: str) -> bool:
        known = self._stack.bound.conditions
        if name not in known:
            raise exception.NotFound(what=f'The condition "{name}"').with_hint(suggest(name, known))
        return known.is_enabled(name)

    def _output(self, name: str) -> Value:
        outputs = self._stack.bound.outputs
        if name not in outputs:
            raise exception.NotFound(what=f'The output "{name}"').with_hint(suggest(name, outputs))
        return outputs[name].result(self._stack.scope)

    def _resource(self, path: str, wanted: Values) -> Iterator[Failure]:
        place = ('resources', path)
        try:
            item = self._stack.find(path)
        except exception.ResourceNotFound as error:
            if wanted.get('exists', True):
                yield self._failure(place, text=str(error))
            return
        if not wanted.get('exists', True):
            yield self._failure((*place, 'exists'), expected=False, actual=True)
        if 'type' in wanted:
            yield from self._type((*place, 'type'), wanted['type'], item.type())
        for part, read in _parts(item).items():
            if part in wanted:
                expected = sorted(wanted[part]) if part == 'requires' else wanted[part]
                yield from self._value((*place, part), expected, read)
        for part, read_key in _maps(item).items():
            for key, expected in wanted.get(part, {}).items():
                read = functools.partial(read_key, key)
                yield from self._value((*place, part, key), expected, read)

    def _type(self, path: case_file.Path, expected: str, actual: str) -> Iterator[Failure]:
        """Compare a type; that of a file is relative to the template of the case."""
        if actual.startswith(FILE_URL):
            folder = os.path.dirname(os.path.abspath(self._case.template))
            actual = os.path.relpath(urllib.request.url2pathname(actual[len(FILE_URL) :]), folder)
            expected = os.path.normpath(expected)
        yield from self._differ(path, expected, actual)

    def _value(
        self, path: case_file.Path, expected: Value, read: Callable[[], Value]
    ) -> Iterator[Failure]:
        try:
            actual = read()
        except REFUSALS as error:
            yield self._failure(path, text=str(error) or type(error).__name__)
            return
        except offline_validation.CloudRequired:
            yield self._failure(path, text='only a cloud knows this value: do not compare it')
            return
        yield from self._differ(path, expected, actual)

    def _differ(self, path: case_file.Path, expected: Value, actual: Value) -> Iterator[Failure]:
        if plain(expected) != plain(actual):
            yield self._failure(path, expected=plain(expected), actual=plain(actual))

    def _failure(self, path: case_file.Path, **more: Value) -> Failure:
        line = self._case.line('expect', *path)
        return Failure(line, '.'.join(('expect', *map(str, path))), **more)


def _parts(item: Value) -> dict[str, Callable[[], Value]]:
    """Return ``{key of a resource: function that reads it}`` of the parts compared as a whole."""
    return {
        'requires': lambda: sorted(item.stack.requirements[item.name]),
        'deletion_policy': lambda: item.definition.deletion_policy,
        'external_id': item.external_id,
    }


def _maps(item: Value) -> dict[str, Callable[[str], Value]]:
    """Return ``{key of a resource: function that reads one value of it}``."""
    metadata: Values = {}

    def read_metadata(key: str) -> Value:
        if not metadata:
            metadata.update(item.stack.resolve(item.definition.metadata) or {})
        return metadata.get(key)

    return {
        'properties': lambda key: _property(item, key),
        'metadata': read_metadata,
        'update_policy': lambda key: item.update_policy()[key],
    }


def _property(item: Value, key: str) -> Value:
    """Return the value of a property as its type gets it: converted, with its default."""
    schema = item.properties_schema
    if getattr(item, 'accepts_any_property', False):
        return item.stack.resolve((item.definition.properties or {}).get(key))
    if key not in schema:
        error = exception.NotFound(what=f'The property "{key}" of {item.type()}')
        raise error.with_hint(suggest(key, schema))
    return item.properties[key]


def plain(value: Value) -> Value:
    """Return a value as YAML shows it: maps as dicts, other sequences as lists.

    Keys without a value are left out: types add all keys of the maps in their properties.
    """
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items() if each is not None}
    if isinstance(value, list | tuple | set | frozenset | collections.abc.KeysView):
        return [plain(each) for each in value]
    return value
