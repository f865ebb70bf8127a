"""A YAML 1.1 reader on parser events, with limits on depth and on the size of expanded aliases."""

import base64
import dataclasses
import json
import math
from collections.abc import Callable
from typing import Any

import yaml
from yaml.constructor import ConstructorError, SafeConstructor
from yaml.error import Mark, YAMLError
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from heat_lite.common.value_types import Value

LOADER = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)
_TAG = 'tag:yaml.org,2002:'
_MERGE = object()
#: Characters of a number: base 60 (``1:1:1``) takes time that grows with the square.
_NUMBER_LENGTH = 2000
#: Size of a value in an alias besides its characters: what JSON and memory need for it.
_VALUE_SIZE = 8
#: An invalid text up to this length is parsed again in Python, for better error messages.
_EXPLAINED_LENGTH = 16384
_TOO_DEEP = 'maps and lists are nested too deeply'
#: The problem that libyaml 0.2.6 reports beyond 1,000 levels in brackets, whatever our limit.
_TOO_DEEP_IN_LIBYAML = 'exceeded maximum nesting depth'


def read(text: str, depth: int, size: int) -> Value:
    """Return the value of the only document of a text, None if it is empty.

    ``depth`` limits nesting, ``size`` the characters and nodes with aliases expanded. Raises
    YAMLError.
    """
    try:
        return _Reader(text, depth, size).read()
    except ConstructorError:
        raise
    except YAMLError as error:
        raise _explained(text, error) from None


def key_text(text: str, tag: str) -> str:
    """Return a key of a map, given its text and tag, as the string in the data."""
    convert = _SCALARS.get(tag, str)
    try:
        value = convert(text)
    except (ValueError, LookupError, OverflowError):
        return text
    return text if isinstance(value, str) or value is _MERGE else json.dumps(value)


def _explained(text: str, error: Any) -> YAMLError:
    """Return the error as PyYAML's Python parser reports it, with the line of the text."""
    if getattr(error, 'problem', None) == _TOO_DEEP_IN_LIBYAML:
        return ConstructorError(problem=_TOO_DEEP, problem_mark=_mark(text, error.problem_mark))
    if len(text) <= _EXPLAINED_LENGTH:
        try:
            for _event in yaml.parse(text, Loader=yaml.SafeLoader):
                pass
        except YAMLError as better:
            return better
    mark = getattr(error, 'problem_mark', None)
    if mark is not None:
        error.problem_mark = _mark(text, mark)
    return error


def _mark(text: str, mark: Mark) -> Mark:
    """Return a mark with the text of its line, which the marks of libyaml do not have."""
    return Mark('<unicode string>', mark.index, mark.line, mark.column, text + '\0', mark.index)


@dataclasses.dataclass(slots=True)
class _OpenCollection:
    """A map or list whose end has not been read yet."""

    value: Value
    event: yaml.CollectionStartEvent
    #: of the text before the collection
    size_before: int
    #: of all nested collections
    max_depth: int
    key: Value = None
    has_key: bool = False
    merges: list[Value] | None = None


class _Reader:
    def __init__(self, text: str, depth: int, size: int) -> None:
        self.text = text
        self.depth_limit = depth
        self.size_limit = max(size, 2 * len(text))
        self.size = 0
        self.anchors: dict[
            str, Value
        ] = {}  # name -> (value, size, height), None while the value is being read
        self.plain: dict[
            str, Value
        ] = {}  # cache of plain scalars, since most texts repeat a few of them
        self.open: list[_OpenCollection] = []
        self.top = None
        self.documents = 0

    def read(self) -> Value:
        steps = {
            ScalarEvent: self._scalar,
            MappingStartEvent: self._start,
            SequenceStartEvent: self._start,
            MappingEndEvent: self._end,
            SequenceEndEvent: self._end,
            AliasEvent: self._alias,
            DocumentStartEvent: self._document,
        }
        for event in yaml.parse(self.text, Loader=LOADER):
            step = steps.get(type(event))
            if step is not None:
                step(event)
        return self.top

    def _document(self, event: Value) -> None:
        self.documents += 1
        if self.documents > 1:
            raise self._error(
                'expected a single document in the stream, but found another document', event
            )

    def _error(self, problem: str, event: Value) -> Value:
        return ConstructorError(None, None, problem, _mark(self.text, event.start_mark))

    def _scalar(self, event: Value) -> None:
        text = event.value
        self.size += _VALUE_SIZE + len(text)
        if event.tag is None or event.tag == '!':
            value = self._plain(text, event) if event.implicit[0] else text
        else:
            value = self._tagged(event)
        if event.anchor:
            self.anchors[event.anchor] = (value, _VALUE_SIZE + len(text), 0)
        self._put(value, event)

    def _plain(self, text: str, event: Value) -> Value:
        if text not in self.plain:
            tag = _implicit_tag(text)
            self.plain[text] = text if tag is None else self._converted(tag, event)
        return self.plain[text]

    def _tagged(self, event: Value) -> int | str:
        if event.tag not in _SCALARS:
            raise self._error(f'could not determine a constructor for the tag {event.tag!r}', event)
        return self._converted(event.tag, event)

    def _converted(self, tag: str, event: Value) -> Value:
        try:
            return _SCALARS[tag](event.value)
        except (ValueError, LookupError, OverflowError) as error:
            raise self._error(f'could not read this as {tag}: {error}', event) from None

    def _start(self, event: Value) -> None:
        before = self.size
        self.size += _VALUE_SIZE
        depth = len(self.open)
        if depth > self.depth_limit:
            raise self._error(_TOO_DEEP, event)
        if event.tag not in _CONTAINERS[type(event)]:
            raise self._error(f'could not determine a constructor for the tag {event.tag!r}', event)
        if event.anchor:
            self.anchors[event.anchor] = None
        self.open.append(
            _OpenCollection(
                {} if type(event) is MappingStartEvent else [],
                event,
                before,
                depth,
            )
        )

    def _end(self, event: Value) -> None:
        done = self.open.pop()
        value = done.value
        if done.merges is not None:
            value = _merged(value, done.merges)
        convert = _CONTAINERS[type(done.event)][done.event.tag]
        if convert is not None:
            try:
                value = convert(value)
            except (AttributeError, TypeError, ValueError):
                raise self._error(f'no value for the tag {done.event.tag!r}', done.event) from None
        depth = len(self.open)
        if done.event.anchor:
            self.anchors[done.event.anchor] = (
                value,
                self.size - done.size_before,
                done.max_depth - depth,
            )
        if self.open:
            self.open[-1].max_depth = max(self.open[-1].max_depth, done.max_depth)
        self._put(value, done.event)

    def _alias(self, event: Value) -> None:
        if event.anchor not in self.anchors:
            raise self._error(f'found undefined alias {event.anchor!r}', event)
        if self.anchors[event.anchor] is None:
            raise self._error(f'found recursive alias {event.anchor!r}', event)
        value, size, height = self.anchors[event.anchor]
        self.size += size
        if self.size > self.size_limit:
            raise self._error('the aliases unfold to too much', event)
        max_depth = len(self.open) + height
        if max_depth > self.depth_limit:
            raise self._error(_TOO_DEEP, event)
        if self.open:
            self.open[-1].max_depth = max(self.open[-1].max_depth, max_depth)
        self._put(value, event)

    def _put(self, value: Value, event: Value) -> None:
        """Add a complete value to the innermost open collection."""
        if not self.open:
            self.top = None if value is _MERGE else value
            return
        parent = self.open[-1]
        if type(parent.value) is list:
            parent.value.append('<<' if value is _MERGE else value)
        elif not parent.has_key:
            parent.key = value if type(value) is str or value is _MERGE else self._key(value, event)
            parent.has_key = True
        else:
            parent.has_key = False
            if parent.key is _MERGE:
                self._merge(parent, value, event)
            else:
                parent.value[parent.key] = '<<' if value is _MERGE else value

    def _key(self, value: Value, event: Value) -> str:
        """Return a key as the string that JSON has for it."""
        if isinstance(value, dict | list):
            raise self._error('found unhashable key', event)
        return json.dumps(value)

    def _merge(self, collection: _OpenCollection, value: Value, event: Value) -> None:
        maps = value if isinstance(value, list) else [value]
        if not all(isinstance(item, dict) for item in maps):
            raise self._error('expected a mapping or list of mappings for merging', event)
        if collection.merges is None:
            collection.merges = []
        collection.merges += maps


def _merged(value: Value, merges: list[Value]) -> dict[str, Value]:
    """Return a map with the maps of ``<<`` merged in.

    The map's own keys override merged keys; earlier maps of a list override later ones.
    """
    merged = {}
    for item in reversed(merges):
        merged.update(item)
    merged.update(value)
    return merged


def _binary(text: str) -> str:
    return base64.b64decode(''.join(text.split()), validate=True).decode('utf-8')


def _by_constructor(method: str) -> Callable:
    """Return a conversion of PyYAML as a function of a text."""
    construct = getattr(SafeConstructor(), method)
    return lambda text: construct(yaml.ScalarNode('', text))


def _number(method: str) -> Callable:
    """Return a conversion to a number that refuses texts which take long to convert.

    NaN and infinity stay texts: JSON does not have them.
    """
    construct = _by_constructor(method)

    def convert(text: str) -> float | str:
        if len(text) > _NUMBER_LENGTH:
            raise ValueError(
                f'a number of {len(text)} characters, the limit is {_NUMBER_LENGTH}; '
                'put it in quotes if it is a string'
            )
        number = construct(text)
        # JSON has no other numbers
        return number if isinstance(number, int) or math.isfinite(number) else text

    return convert


def _pairs(items: list[dict[str, Value]]) -> list[Value]:
    return [list(pair) for item in items for pair in item.items()]


_SCALARS: dict[str, Callable[[str], Value]] = {
    _TAG + 'null': lambda text: None,
    _TAG + 'bool': lambda text: SafeConstructor.bool_values[text.lower()],
    _TAG + 'int': _number('construct_yaml_int'),
    _TAG + 'float': _number('construct_yaml_float'),
    _TAG + 'str': str,
    _TAG + 'timestamp': str,
    _TAG + 'binary': _binary,
    _TAG + 'merge': lambda text: _MERGE,
}
_CONTAINERS: dict[type, dict[str | None, Callable[[Value], Value] | None]] = {
    MappingStartEvent: {None: None, '!': None, _TAG + 'map': None, _TAG + 'set': list},
    SequenceStartEvent: {
        None: None,
        '!': None,
        _TAG + 'seq': None,
        _TAG + 'omap': _pairs,
        _TAG + 'pairs': _pairs,
    },
}
_TEXT_TAGS = (_TAG + 'timestamp', _TAG + 'value')


def _implicit_tag(text: str) -> str | None:
    """Return the tag of a plain scalar by YAML's implicit resolvers, None for a string."""
    for tag, pattern in yaml.SafeLoader.yaml_implicit_resolvers.get(text[:1], ()):
        if tag not in _TEXT_TAGS and pattern.match(text):
            return tag
    return None
