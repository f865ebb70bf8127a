"""The files of cases: their format, read strictly, with the line of each mistake.

docs/testing.md describes the format.
"""

import dataclasses
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from heat_lite.authoring import lint_settings, located_errors
from heat_lite.common.value_types import Value, Values
from heat_lite.template import reader, source_positions
from heat_lite.template.suggest import with_suggestion

VERSION_KEY = 'heat_lite_test'
VERSION = 1
#: the keys that the file and each case may have
INPUTS = {
    'template': str,
    'environments': list,
    'parameters': dict,
    'stack_name': str,
    'stubs': dict,
}
FILE_KEYS = {VERSION_KEY: int, **INPUTS, 'cases': dict}
CASE_KEYS = {**INPUTS, 'expect': dict}
STUB_KEYS = {'id': str, 'attributes': dict}
EXPECTED_KEYS = {
    'conditions': dict,
    'resources': dict,
    'resource_names': list,
    'outputs': dict,
    'errors': list,
}
RESOURCE_KEYS = {
    'exists': bool,
    'type': str,
    'properties': dict,
    'metadata': dict,
    'requires': list,
    'deletion_policy': str,
    'update_policy': dict,
    'external_id': str,
}
NAMES = {dict: 'a map', list: 'a list', str: 'a text', int: 'a number', bool: 'true or false'}
SUFFIXES = ('.test.yaml', '.test.yml')
#: number of files of all folders together
MAX_FILES = 10_000


#: keys and indices from the top of a file, or of a case
Path: TypeAlias = tuple[str | int, ...]


class CaseFileError(Exception):
    """A file of cases is invalid. The text begins with the file and the line."""


@dataclasses.dataclass(frozen=True)
class Case:
    """One case. ``template`` and ``environments`` are relative to the working directory.

    ``path`` leads to the case in its file.
    """

    file: str
    name: str
    template: str
    environments: tuple[str, ...]
    parameters: Mapping[str, Value]
    stack_name: str
    stubs: Mapping[str, Value]
    expect: Mapping[str, Value]
    positions: source_positions.Positions

    def line(self, *path: str | int) -> int:
        """Return the line of a part of the case, by its path below the case."""
        return self.positions.find(('cases', self.name, *path)).line


def expand(names: Iterable[str]) -> list[str]:
    """Return the files among the names and those of the folders among them.

    Raises ValueError for a folder without files of cases, and for too many files.
    """
    files: list[str] = []
    for name in names:
        found = sorted(lint_settings.walk(name, SUFFIXES)) if os.path.isdir(name) else [name]
        if not found:
            raise ValueError(f'{name}: the folder has no files *{SUFFIXES[0]}')
        files += [each for each in found if each not in files]
        if len(files) > MAX_FILES:
            raise ValueError(f'the folders contain more than {MAX_FILES} files: name fewer')
    return files


def parse(text: str, name: str) -> list[Case]:
    """Return the cases in the text of a file. Raises CaseFileError for the first mistake."""
    try:
        data = reader.parse(text, name=name)
    except ValueError as error:
        raise CaseFileError(located_errors.format_error(name, error, text)) from None
    return list(_FileReader(name, data, source_positions.Positions(text)).cases())


@dataclasses.dataclass
class _FileReader:
    """The data of one file, with the positions in its text."""

    _name: str
    _data: Values
    _positions: source_positions.Positions

    def cases(self) -> Iterator[Case]:
        """Yield the cases. Raises CaseFileError."""
        if VERSION_KEY not in self._data:
            raise self._error((), f'not a file of cases: it has no "{VERSION_KEY}: {VERSION}"')
        self._check(self._data, FILE_KEYS, ())
        if self._data[VERSION_KEY] != VERSION:
            raise self._error((VERSION_KEY,), f'the only version is {VERSION}')
        for duplicate in self._positions.duplicates():
            raise self._error(duplicate.path, f'"{duplicate.path[-1]}" stands here twice')
        if not self._data.get('cases'):
            raise self._error(('cases',), 'the file has no cases')
        self._check_stubs(self._data, ())
        for name, given in self._data['cases'].items():
            yield self._case(name, given)

    def _case(self, name: str, given: Value) -> Case:
        path = ('cases', name)
        self._check(given, CASE_KEYS, path)
        self._check_stubs(given, path)
        self._check_expected(given.get('expect'), (*path, 'expect'))
        template = given.get('template', self._data.get('template'))
        if template is None:
            raise self._error(path, 'the case has no template, and neither has the file')
        environments = given.get('environments', self._data.get('environments', ()))
        return Case(
            file=self._name,
            name=name,
            template=self._relative(template),
            environments=tuple(self._relative(each) for each in environments),
            parameters={**self._data.get('parameters', {}), **given.get('parameters', {})},
            stack_name=given.get('stack_name', self._data.get('stack_name', 'stack')),
            stubs={**self._data.get('stubs', {}), **given.get('stubs', {})},
            expect=given['expect'],
            positions=self._positions,
        )

    def _relative(self, reference: str) -> str:
        return os.path.normpath(os.path.join(os.path.dirname(self._name), reference))

    def _check_stubs(self, given: Value, path: Path) -> None:
        for name, stub in given.get('stubs', {}).items():
            self._check(stub, STUB_KEYS, (*path, 'stubs', name))

    def _check_expected(self, given: Value, path: Path) -> None:
        if not given:
            raise self._error(path, 'the case has no expect: it would pass whatever happens')
        self._check(given, EXPECTED_KEYS, path)
        for name, resource in given.get('resources', {}).items():
            self._check(resource, RESOURCE_KEYS, (*path, 'resources', name))
        for name, value in given.get('conditions', {}).items():
            if not isinstance(value, bool):
                raise self._error((*path, 'conditions', name), 'must be true or false')
        if 'errors' in given and len(given) > 1:
            raise self._error(path, 'a case that expects errors can expect nothing else')

    def _check(self, data: Values, keys: Mapping[str, type], path: Path) -> None:
        """Raise CaseFileError for an unknown key and for a value of the wrong type."""
        if not isinstance(data, dict):
            raise self._error(path, f'must be a map, not {_shown(data)}')
        for key, value in data.items():
            if key not in keys:
                text = with_suggestion(f'there is no key "{key}" here.', key, keys)
                raise self._error((*path, key), f'{text} The keys are {", ".join(keys)}')
            if not isinstance(value, keys[key]) or isinstance(value, bool) != (keys[key] is bool):
                raise self._error((*path, key), _wrong_type(keys[key], value))
            for number, each in enumerate(value if isinstance(value, list) else ()):
                if not isinstance(each, str):
                    raise self._error((*path, key, number), _wrong_type(str, each))

    def _error(self, path: Path, text: str) -> CaseFileError:
        line = self._positions.find(path).line
        place = '.'.join(str(part) for part in path)
        return CaseFileError(f'{self._name}:{line}: {place + ": " if place else ""}{text}')


def _wrong_type(wanted: type, value: Value) -> str:
    text = f'must be {NAMES[wanted]}, not {_shown(value)}'
    scalar = wanted is str and value is not None and not isinstance(value, dict | list)
    return f'{text}: write it in quotes' if scalar else text


def _shown(value: Value) -> str:
    return 'nothing' if value is None else f'{value!r:.60}'
