"""The reading of compose files: variables, extends, include, env_file, profiles, overrides."""

import collections
import itertools
import operator
import os
import pathlib
import re
from collections.abc import Callable, Iterator, Mapping

import yaml

from heat_lite.authoring import compose_service, compose_values as values, located_errors
from heat_lite.cli import errors
from heat_lite.common.value_types import Value, Values, without_none
from heat_lite.template.conversion.cfn_reader import construct_untagged

#: files that are merged into a compose file beside them, as compose does
OVERRIDES = {
    'compose.yaml': ('compose.override.yaml', 'compose.override.yml'),
    'compose.yml': ('compose.override.yml', 'compose.override.yaml'),
    'docker-compose.yml': ('docker-compose.override.yml', 'docker-compose.override.yaml'),
    'docker-compose.yaml': ('docker-compose.override.yaml', 'docker-compose.override.yml'),
}
#: the start of a variable: $$, $NAME, or the brace of ${NAME...}
VARIABLE = re.compile(r'\$(?:(?P<dollar>\$)|(?P<plain>[A-Za-z_]\w*)|(?P<brace>\{))')
NAME = re.compile(r'(?P<name>[A-Za-z_]\w*)(?P<sign>:?[-+?])?')
#: lists whose items compose keeps from both files
LISTS = ('ports', 'expose', 'dns', 'dns_search', 'tmpfs', 'external_links', 'cap_add', 'env_file')
BY_TARGET = ('volumes', 'devices', 'secrets', 'configs')
MAPPINGS = ('environment', 'labels', 'args', 'sysctls', 'extra_hosts')
SECTIONS = ('services', 'networks', 'volumes', 'secrets', 'configs')
TEXTS = 'container_name domainname hostname network_mode pid ipc platform working_dir'.split()
#: {keys of a service: the types of their values}
KINDS: dict[tuple[str, ...], tuple[type, ...]] = {
    ('ports', 'expose', 'external_links', 'cap_add', 'group_add', *BY_TARGET): (list,),
    ('deploy', 'healthcheck', 'logging', 'ulimits'): (dict,),
    ('depends_on', 'networks', *MAPPINGS): (list, dict),
    ('command', 'dns', 'dns_search', 'entrypoint', 'env_file', 'tmpfs'): (list, str),
    ('image', *TEXTS): (str,),
    ('user', 'cpuset'): (str, int),
    ('restart',): (str, bool),
}
#: {keys of a service: the function that reads their values}
READERS: dict[tuple[str, ...], Callable[[Value], Value]] = {
    ('scale', *compose_service.NUMBERS): values.integer,
    tuple(compose_service.SIZES): values.mebibytes,
    ('command', 'entrypoint'): values.command,
    ('cpus',): values.number,
    ('stop_grace_period',): values.whole_seconds,
    ('extra_hosts',): values.hosts,
    ('healthcheck',): values.health_check,
    ('ulimits',): values.ulimits,
}
KIND_WORDS = {dict: 'a map', list: 'a list', str: 'a text', int: 'a number', bool: 'no'}
MAX_DEPTH = 20


class Yaml12Loader(yaml.SafeLoader):
    """Reads the values of YAML 1.2: 22:22 and yes are texts, 0440 is an octal number."""

    yaml_implicit_resolvers: dict = {}


for _tag, _pattern, _first in (
    ('bool', r'true|True|TRUE|false|False|FALSE', 'tTfF'),
    ('int', r'[-+]?(?:0|[1-9][0-9]*|0o?[0-7]+|0x[0-9a-fA-F]+)', '-+0123456789'),
    ('float', r'[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+)(?:[eE][-+]?[0-9]+)?', '-+0123456789.'),
    ('null', r'~|null|Null|NULL|', ['~', 'n', 'N', '']),
    ('merge', r'<<', '<'),
):
    Yaml12Loader.add_implicit_resolver(
        f'tag:yaml.org,2002:{_tag}', re.compile(f'^(?:{_pattern})$'), list(_first)
    )
Yaml12Loader.add_constructor('!reset', lambda loader, node: None)
Yaml12Loader.add_multi_constructor(
    '!', lambda loader, suffix, node: construct_untagged(loader, node)
)


def parse(text: str, name: str) -> dict:
    """Return a document as a map. Raises FileError."""
    try:
        data = yaml.load(text, Loader=Yaml12Loader)
    except (yaml.YAMLError, ValueError) as error:
        mark = getattr(error, 'problem_mark', None)
        place = f'{name}:{mark.line + 1}:{mark.column + 1}' if mark else name
        raise errors.FileError(f'{place}: {getattr(error, "problem", None) or error}') from None
    if not isinstance(data, dict):
        raise errors.FileError(f'{name}: a compose file is a map')
    return data


def _check(path: pathlib.Path, text: str, data: Values) -> None:
    """Raise LocatedError for the first part of a document that is wrong."""
    wrong = next(itertools.chain(_of_other_kinds(data), _unreadable(data)), None)
    if wrong is not None:
        subject = located_errors.quoted_in(wrong[1])
        raise located_errors.at_path(os.path.relpath(path), *wrong, text, subject)


def _of_other_kinds(data: Values) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the path and the error of each part that is of another type."""
    for place, value, kinds in _kinds(data):
        if value is not None and not isinstance(value, kinds):
            words = ' or '.join(KIND_WORDS[kind] for kind in kinds)
            yield place, f'"{place[-1]}" must be {words}'


def _unreadable(data: Values) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the path and the error of each value of a service that cannot be read."""
    for name, given in (data.get('services') or {}).items():
        for key, read in ((key, read) for keys, read in READERS.items() for key in keys):
            try:
                read((given or {}).get(key))
            except ValueError as error:
                yield ('services', name, key), f'{key}: {error}'
            except (AttributeError, KeyError, TypeError):
                yield ('services', name, key), f'{key}: it has another form in compose files'


def _kinds(data: Values) -> Iterator[tuple]:
    """Yield the path, the value and the types of each part of a document."""
    for section in SECTIONS:
        yield (section,), data.get(section), (dict,)
        for name, given in (data.get(section) or {}).items():
            yield (section, name), given, (dict,)
    for name, given in (data.get('services') or {}).items():
        for keys, kinds in KINDS.items():
            for key in keys:
                yield ('services', name, key), (given or {}).get(key), kinds


class Reader:
    """Reads a compose file and the files that it names into one document.

    ``notes`` are what the author must look at, ``used`` the files that were read.
    """

    def __init__(self, environ: Mapping[str, str], profiles: list[str]) -> None:
        self._environ = environ
        self._profiles = {*profiles, *environ.get('COMPOSE_PROFILES', '').split(',')} - {''}
        self.notes: list[str] = []

    def read(self, path: pathlib.Path, text: str | None = None) -> dict:
        """Return the document of a file and of the override beside it."""
        folder = path.parent
        variables = Variables({**dotenv(folder / '.env', self._environ), **self._environ})
        data = self._document(path, variables, text, 0)
        for name in OVERRIDES.get(path.name, ()):
            if text is None and (folder / name).is_file():
                data = merged(data, self._document(folder / name, variables, None, 0))
                self.notes.append(f'{name} beside it is merged into it')
                break
        for name in sorted(variables.unset):
            self.notes.append(
                f'the variable {name} is empty: the environment, .env and the file give it no value'
            )
        data['services'] = self._enabled(data.get('services') or {})
        return data

    def _document(
        self, path: pathlib.Path, variables: 'Variables', text: str | None, depth: int
    ) -> Values:
        if depth > MAX_DEPTH:
            raise errors.FileError(f'{path}: "include" or "extends" lead back to the same file')
        given = _text(path) if text is None else text
        data = variables.replaced(parse(given, str(path)))
        _check(path, given, data)
        services = data.get('services') or {}
        data['services'] = {
            name: self._absolute(
                self._extended(name, services, path, variables, depth), path.parent, variables
            )
            for name in services
        }
        for kind in ('secrets', 'configs'):
            for each in (data.get(kind) or {}).values():
                if each and each.get('file'):
                    each['file'] = str(_inside(path.parent, each['file']))
        for each in data.pop('include', None) or ():
            data = merged(self._included(each, path.parent, depth), data)
        return data

    def _included(self, given: Value, folder: pathlib.Path, depth: int) -> Values:
        """Return the documents of an item of ``include``."""
        more = given if isinstance(given, dict) else {'path': given}
        result: dict = {}
        for each in values.names(more['path']):
            path = _inside(folder, each)
            found = dict(dotenv(path.parent / '.env', self._environ))
            for file in values.names(more.get('env_file')):
                found.update(dotenv(_inside(folder, file), self._environ))
            variables = Variables({**found, **self._environ})
            result = merged(result, self._document(path, variables, None, depth + 1))
        return result

    def _extended(
        self, name: str, services: Values, path: pathlib.Path, variables: 'Variables', depth: int
    ) -> Values:
        """Return a service with what it extends."""
        if name not in services:
            raise errors.FileError(f'{path}: there is no service "{name}" to extend')
        service = dict(services[name] or {})
        given = service.pop('extends', None)
        if given is None:
            return service
        if depth > MAX_DEPTH:
            raise errors.FileError(f'{path}: the service {name} extends itself')
        more = given if isinstance(given, dict) else {'service': given}
        if more.get('file'):
            other = _inside(path.parent, more['file'])
            base = self._document(other, variables, None, depth + 1)['services'].get(
                more['service']
            )
            if base is None:
                raise errors.FileError(f'{other}: there is no service "{more["service"]}"')
        else:
            base = self._extended(more['service'], services, path, variables, depth + 1)
        base = {key: each for key, each in base.items() if key not in ('depends_on', 'links')}
        return merged_service(base, service)

    def _absolute(self, service: Values, folder: pathlib.Path, variables: 'Variables') -> Values:
        """Return a service with absolute paths, and with the variables of its env_file."""
        found: dict = {}
        for each in _items(service.pop('env_file', None)):
            more = each if isinstance(each, dict) else {'path': each}
            path = _inside(folder, more['path'])
            if more.get('required', True) and not path.is_file():
                raise errors.FileError(f'{path}, an env_file, does not exist')
            found.update(dotenv(path, variables.values))
        if found or 'environment' in service:
            own = values.mapping(service.get('environment'))
            for name, value in own.items():
                found[name] = variables.values.get(name) if value is None else value
            service['environment'] = without_none(found)
        build = service.get('build')
        if isinstance(build, str):
            build = {'context': build}
        if build and not re.match(r'\w+://|git@', str(build.get('context', '.'))):
            service['build'] = {**build, 'context': str(_inside(folder, build.get('context', '.')))}
        if service.get('volumes'):
            service['volumes'] = [_mount(each, folder) for each in service['volumes']]
        return service

    def _enabled(self, services: Values) -> Values:
        """Return the services without those whose profiles are not chosen."""
        kept = {}
        for name, each in services.items():
            profiles = each.pop('profiles', None) or []
            if profiles and not self._profiles & {*profiles, '*'} and '*' not in self._profiles:
                self.notes.append(
                    f'services.{name}: not converted, its profile is not chosen: --profile '
                    f'{profiles[0]}'
                )
            else:
                kept[name] = each
        return kept


class Variables:
    """The replacement of ${NAME} in the values of a document. ``unset`` has names without value."""

    def __init__(self, given: Mapping[str, str]) -> None:
        self.values = given
        self.unset: set[str] = set()

    def replaced(self, data: Value) -> Value:
        """Return a copy of the data with the variables replaced in all texts but keys."""
        if isinstance(data, dict):
            return {key: self.replaced(each) for key, each in data.items()}
        if isinstance(data, list):
            return [self.replaced(each) for each in data]
        return self._text(data) if isinstance(data, str) and '$' in data else data

    def _text(self, text: str) -> str:
        parts, place = [], 0
        while found := VARIABLE.search(text, place):
            parts.append(text[place : found.start()])
            place = found.end()
            if found['dollar']:
                parts.append('$')
            elif found['plain']:
                parts.append(self._value(found['plain']))
            else:
                inner, place = _braced(text, place)
                parts.append(self._expression(inner))
        return ''.join([*parts, text[place:]])

    def _expression(self, inner: str) -> str:
        found = NAME.match(inner)
        if found is None:
            raise errors.FileError(f'"${{{inner}}}" is not a variable')
        name, sign, rest = found['name'], found['sign'], inner[found.end() :]
        if sign is None:
            return self._value(name)
        value = self.values.get(name)
        if value == '' and sign[0] == ':':
            value = None
        if sign[-1] == '+':
            return '' if value is None else self._text(rest)
        if value is not None:
            return value
        if sign[-1] == '?':
            raise errors.FileError(f'the variable {name} is needed: {self._text(rest)}')
        return self._text(rest)

    def _value(self, name: str) -> str:
        value = self.values.get(name)
        if value is None:
            self.unset.add(name)
        return value or ''


def _braced(text: str, start: int) -> tuple[str, int]:
    """Return what is between a brace and the one that closes it, and the place behind it."""
    depth = 1
    for place in range(start, len(text)):
        depth += {'{': 1, '}': -1}.get(text[place], 0)
        if depth == 0:
            return text[start:place], place + 1
    raise errors.FileError(f'"{text}" has a brace that nothing closes')


def dotenv(path: pathlib.Path, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of a file such as .env; none if it does not exist."""
    if not path.is_file():
        return {}
    found: dict[str, str] = {}
    for line in _text(path).splitlines():
        name, sign, value = line.strip().removeprefix('export ').partition('=')
        if not sign or name.startswith('#'):
            continue
        value = value.strip()
        if value[:1] == "'":
            found[name.strip()] = value[1:].partition("'")[0]
            continue
        if value[:1] == '"':
            value = value[1:].rpartition('"')[0].replace('\\n', '\n').replace('\\"', '"')
        else:
            value = re.split(r'\s#', value)[0].rstrip()
        scope = Variables(collections.ChainMap(dict(environ), found))
        found[name.strip()] = scope.replaced(value)
    return found


def merged(base: dict, over: dict) -> dict:
    """Return a document with another one over it."""
    result = {**base, **over}
    for section in SECTIONS:
        first, second = base.get(section) or {}, over.get(section) or {}
        if first or second:
            merge = merged_service if section == 'services' else operator.or_
            result[section] = {
                name: merge(first.get(name) or {}, second.get(name) or {})
                for name in {**first, **second}
            }
    return result


def merged_service(base: dict, over: dict) -> dict:
    """Return a service with another one over it, by the rules of compose."""
    result = dict(base)
    for key, value in over.items():
        first = base.get(key)
        if first is None or value is None:
            result[key] = value
        elif key in MAPPINGS:
            read = values.hosts if key == 'extra_hosts' else values.mapping
            result[key] = {**read(first), **read(value)}
        elif key == 'depends_on':
            result[key] = {**_conditions(first), **_conditions(value)}
        elif key == 'networks':
            result[key] = {**_options(first), **_options(value)}
        elif key in BY_TARGET:
            result[key] = list({_target(each): each for each in [*first, *value]}.values())
        elif key in LISTS:
            both = [*_items(first), *_items(value)]
            result[key] = [each for at, each in enumerate(both) if each not in both[:at]]
        elif isinstance(first, dict) and isinstance(value, dict):
            result[key] = merged_service(first, value)
        else:
            result[key] = value
    return result


def _conditions(given: Value) -> Values:
    return {
        name: each or {}
        for name, each in (given if isinstance(given, dict) else _options(given)).items()
    }


def _options(given: Value) -> Values:
    return given if isinstance(given, dict) else dict.fromkeys(given)


def _items(given: Value) -> list:
    return [] if given is None else given if isinstance(given, list) else [given]


def _target(given: Value) -> Value:
    """Return what tells a mount, a device, a secret from others."""
    if isinstance(given, dict):
        return given.get('target') or given.get('source')
    parts = str(given).split(':')
    return parts[1] if len(parts) > 1 else parts[0]


def _mount(given: Value, folder: pathlib.Path) -> Value:
    """Return a mount whose path of the host is absolute."""
    if isinstance(given, dict):
        source = given.get('source')
        if given.get('type') == 'bind' and source:
            return {**given, 'source': str(_inside(folder, source))}
        return given
    source, sign, rest = str(given).partition(':')
    if sign and re.match(r'[.~/]', source):
        return f'{_inside(folder, source)}:{rest}'
    return given


def _inside(folder: pathlib.Path, path: Value) -> pathlib.Path:
    """Return a path as an absolute one; it starts in the folder."""
    return pathlib.Path(os.path.abspath(folder / pathlib.Path(str(path)).expanduser()))


def _text(path: pathlib.Path) -> str:
    try:
        return path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise errors.FileError(f'{path} cannot be read: {error}') from None
