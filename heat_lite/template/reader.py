"""The reader of templates and environments in YAML or JSON.

YAML is read from the events of libyaml without recursion, with limits on the depth of nesting and
on the size of expanded aliases. The dialect is YAML 1.1 as Heat reads it: dates stay strings, and
keys become strings as in JSON.
"""

import json
from collections.abc import Iterator, Mapping

from heat_lite.common.exception import append_hint
from heat_lite.common.value_texts import from_json
from heat_lite.common.value_types import Value
from heat_lite.template import checks, yaml_reader
from heat_lite.template.checks import Violation
from heat_lite.template.dialects import VERSION_KEYS
from heat_lite.template.suggest import with_suggestion

ENCRYPTED = 'encrypted_param_names'
ENVIRONMENT_SECTIONS = (
    'parameters',
    'resource_registry',
    'parameter_defaults',
    ENCRYPTED,
    'event_sinks',
    'parameter_merge_strategies',
)
ROOT = '[root stack]'


class FormatError(ValueError):
    """A text is not a valid template or environment; the message is shown by the API.

    ``path``: the path of the faulty part, if it has one.
    """

    def __init__(self, text: str, path: tuple = ()) -> None:
        super().__init__(text)
        self.path = path


#: limits of nested maps and lists, and of characters and nodes with all aliases expanded
MAX_DEPTH, MAX_SIZE = 100, 4 * 1024 * 1024


def parse(text: Value, name: str = ROOT) -> dict:
    """Return a template as a map. Raises FormatError, which contains ``name``, if it is invalid."""
    try:
        data = _read(text)
    except yaml_reader.YAMLError as error:
        raise FormatError(f'Error parsing template {name} {error}') from None
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise FormatError('The template is not a JSON object or YAML mapping.')
    return data


def parse_file(text: Value, name: str) -> dict:
    """Parse a template among the files of another one. It must contain a version key."""
    data = parse(text, name)
    if not any(key in data for key in VERSION_KEYS):
        text = append_hint('Template format version not found.', checks.version_hint(data))
        misspelt = checks.misspelt_version_key(data)
        raise FormatError(text, path=tuple(data)[:1] if misspelt is None else (misspelt,))
    return data


def parse_environment(text: Value) -> dict:
    """Return an environment as a map.

    Raises FormatError if it is invalid or has unknown or empty sections.
    """
    try:
        data = _read(text)
    except yaml_reader.YAMLError as error:
        raise FormatError(str(error)) from None
    if data is None or data == '':
        return {}
    if not isinstance(data, dict):
        raise FormatError('The environment is not a valid YAML mapping data type.')
    checks.raise_first(environment_sections(data))
    return data


def environment_sections(data: Mapping[str, Value]) -> Iterator[Violation]:
    """Yield the violations of sections that environments do not have, and of empty sections."""
    known = ENVIRONMENT_SECTIONS
    for section, value in data.items():
        if section not in known:
            text = with_suggestion(f'environment has wrong section "{section}"', section, known)
            message = with_suggestion(f'There is no section "{section}"', section, known)
        elif value is None:
            text = f'environment has empty section "{section}"'
            message = f'The section "{section}" is empty: remove it or write {{}}'
        else:
            continue
        error = FormatError(text, path=(section,))
        yield checks.Violation('environment-section', (section,), error, message)


def unwanted_sections(data: Mapping[str, Value]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield path and error of the sections that Heat accepts with a meaning that nobody wants."""
    if isinstance(data.get(ENCRYPTED), str):  # Heat takes its characters for names
        yield (ENCRYPTED,), f'The section "{ENCRYPTED}" must be a list'


def _read(text: Value) -> Value:
    if isinstance(text, dict | list):
        return _require_depth(text)
    if isinstance(text, bytes):
        text = text.decode('utf-8')
    if not isinstance(text, str):
        return text
    if text.lstrip()[:1] == '{':
        try:
            data = from_json(text)
        except RecursionError:
            raise too_deep() from None
        except ValueError:
            pass  # YAML's flow style begins like JSON
        else:
            return _check_unicode(_require_depth(data), text)
    return yaml_reader.read(text, MAX_DEPTH, MAX_SIZE)


def _check_unicode(data: Value, text: str) -> Value:
    """Return the data. Raises FormatError for lone surrogates, which no database can store."""
    if '\\u' in text:
        try:
            json.dumps(data, ensure_ascii=False, default=str, skipkeys=True).encode()
        except UnicodeEncodeError:
            raise FormatError('The text contains a lone surrogate: it is no character.') from None
    return data


def _require_depth(data: Value) -> Value:
    """Return the data. Raises FormatError if it is nested too deeply."""
    if is_deeper(data, MAX_DEPTH):
        raise too_deep()
    return data


def is_deeper(data: Value, depth: int) -> bool:
    """Return whether data has more levels. Iterative: depth uses no Python stack."""
    level = [data]
    while level and depth >= 0:
        depth -= 1
        level = [
            child
            for part in level
            for child in (part.values() if isinstance(part, dict) else part)
            if isinstance(child, dict | list)
        ]
    return bool(level)


def too_deep() -> FormatError:
    return FormatError('maps and lists are nested too deeply')
