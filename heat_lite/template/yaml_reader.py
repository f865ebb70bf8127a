"""YAML 1.1 read from parser events, bounded in depth and in what aliases unfold to."""

import base64
import json

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

__all__ = ['YAMLError', 'key_text', 'read']

_LOADER = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)
_TAG = 'tag:yaml.org,2002:'
_MERGE = object()
#: Texts up to this length are read again, slowly, by the reader with the better error messages.
_EXPLAINED_LENGTH = 16384


def read(text, depth, weight):
    """The value of the only document of a text, None for an empty text; YAMLError for what is wrong with it."""
    try:
        return _Reader(text, depth, weight).read()
    except ConstructorError:
        raise
    except YAMLError as error:
        raise _explained(text, error) from None


def key_text(text, tag):
    """What becomes of the key of a map that is written so and has that tag."""
    convert = _SCALARS.get(tag, str)
    try:
        value = convert(text)
    except (ValueError, LookupError):
        return text
    return text if isinstance(value, str) or value is _MERGE else json.dumps(value)


def _explained(text, error):
    """The same error in the words of the reader that is written in Python, and with the line in question."""
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


def _mark(text, mark):
    """A mark that shows its line; libyaml's own do not."""
    return Mark('<unicode string>', mark.index, mark.line, mark.column, text + '\0', mark.index)


class _Open:
    """A map or list that is being read."""

    __slots__ = ('value', 'event', 'key', 'has_key', 'merges', 'weight', 'deepest')

    def __init__(self, value, event, weight, depth):
        self.value = value
        self.event = event
        self.has_key = False
        self.key = None
        self.merges = None
        self.weight = weight  # what was read before it
        self.deepest = depth  # of all that is inside


class _Reader:
    def __init__(self, text, depth, weight):
        self.text = text
        self.depth = depth
        self.most = max(weight, 2 * len(text))
        self.weight = 0
        self.anchors = {}  # name -> (value, weight, height), None while it is being read
        self.plain = {}  # text -> value: the same few texts come again and again
        self.open = []
        self.top = None
        self.documents = 0

    def read(self):
        steps = {
            ScalarEvent: self._scalar,
            MappingStartEvent: self._start,
            SequenceStartEvent: self._start,
            MappingEndEvent: self._end,
            SequenceEndEvent: self._end,
            AliasEvent: self._alias,
            DocumentStartEvent: self._document,
        }
        for event in yaml.parse(self.text, Loader=_LOADER):
            step = steps.get(type(event))
            if step is not None:
                step(event)
        return self.top

    def _document(self, event):
        self.documents += 1
        if self.documents > 1:
            raise self._error('expected a single document in the stream, but found another document', event)

    def _error(self, problem, event):
        return ConstructorError(None, None, problem, _mark(self.text, event.start_mark))

    def _scalar(self, event):
        text = event.value
        self.weight += 1 + len(text)
        if event.tag is None or event.tag == '!':
            value = self._plain(text, event) if event.implicit[0] else text
        else:
            value = self._tagged(event)
        if event.anchor:
            self.anchors[event.anchor] = (value, 1 + len(text), 0)
        self._put(value, event)

    def _plain(self, text, event):
        if text not in self.plain:
            tag = _implicit_tag(text)
            self.plain[text] = text if tag is None else self._converted(tag, event)
        return self.plain[text]

    def _tagged(self, event):
        if event.tag not in _SCALARS:
            raise self._error(f'could not determine a constructor for the tag {event.tag!r}', event)
        return self._converted(event.tag, event)

    def _converted(self, tag, event):
        try:
            return _SCALARS[tag](event.value)
        except (ValueError, LookupError) as error:
            raise self._error(f'could not read this as {tag}: {error}', event) from None

    def _start(self, event):
        self.weight += 1
        depth = len(self.open)
        if depth > self.depth:
            raise self._error('maps and lists are nested too deeply', event)
        if event.tag not in _CONTAINERS[type(event)]:
            raise self._error(f'could not determine a constructor for the tag {event.tag!r}', event)
        if event.anchor:
            self.anchors[event.anchor] = None
        self.open.append(_Open({} if type(event) is MappingStartEvent else [], event, self.weight - 1, depth))

    def _end(self, event):
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
            self.anchors[done.event.anchor] = (value, self.weight - done.weight, done.deepest - depth)
        if self.open:
            self.open[-1].deepest = max(self.open[-1].deepest, done.deepest)
        self._put(value, done.event)

    def _alias(self, event):
        if event.anchor not in self.anchors:
            raise self._error(f'found undefined alias {event.anchor!r}', event)
        if self.anchors[event.anchor] is None:
            raise self._error(f'found recursive alias {event.anchor!r}', event)
        value, weight, height = self.anchors[event.anchor]
        self.weight += weight
        if self.weight > self.most:
            raise self._error('the aliases unfold to too much', event)
        deepest = len(self.open) + height
        if deepest > self.depth:
            raise self._error('maps and lists are nested too deeply', event)
        if self.open:
            self.open[-1].deepest = max(self.open[-1].deepest, deepest)
        self._put(value, event)

    def _put(self, value, event):
        """Where a value belongs that has been read to its end."""
        if not self.open:
            self.top = None if value is _MERGE else value
            return
        place = self.open[-1]
        if type(place.value) is list:
            place.value.append('<<' if value is _MERGE else value)
        elif not place.has_key:
            place.key = value if type(value) is str or value is _MERGE else self._key(value, event)
            place.has_key = True
        else:
            place.has_key = False
            if place.key is _MERGE:
                self._merge(place, value, event)
            else:
                place.value[place.key] = '<<' if value is _MERGE else value

    def _key(self, value, event):
        """Keys as JSON has them: texts."""
        if isinstance(value, dict | list):
            raise self._error('found unhashable key', event)
        return json.dumps(value)

    def _merge(self, place, value, event):
        maps = value if isinstance(value, list) else [value]
        if not all(isinstance(item, dict) for item in maps):
            raise self._error('expected a mapping or list of mappings for merging', event)
        place.merges = (place.merges or []) + maps


def _merged(value, merges):
    """What ``<<`` brings in comes first and gives way, to earlier maps of a list and to the map's own keys."""
    merged = {}
    for item in reversed(merges):
        merged.update(item)
    merged.update(value)
    return merged


def _binary(text):
    return base64.b64decode(''.join(text.split()), validate=True).decode('utf-8')


def _by_constructor(method):
    """A conversion of PyYAML's, which wants a node around its text."""
    construct = getattr(SafeConstructor(), method)
    return lambda text: construct(yaml.ScalarNode(None, text))


_SCALARS = {
    _TAG + 'null': lambda text: None,
    _TAG + 'bool': lambda text: SafeConstructor.bool_values[text.lower()],
    _TAG + 'int': _by_constructor('construct_yaml_int'),
    _TAG + 'float': _by_constructor('construct_yaml_float'),
    _TAG + 'str': str,
    _TAG + 'timestamp': str,
    _TAG + 'binary': _binary,
    _TAG + 'merge': lambda text: _MERGE,
}
_CONTAINERS = {
    MappingStartEvent: {None: None, '!': None, _TAG + 'map': None, _TAG + 'set': list},
    SequenceStartEvent: {
        None: None,
        '!': None,
        _TAG + 'seq': None,
        _TAG + 'omap': lambda items: [list(pair) for item in items for pair in item.items()],
        _TAG + 'pairs': lambda items: [list(pair) for item in items for pair in item.items()],
    },
}
_TEXT_TAGS = (_TAG + 'timestamp', _TAG + 'value')


def _implicit_tag(text):
    """The tag of a plain scalar by what it looks like, None for text."""
    for tag, pattern in yaml.SafeLoader.yaml_implicit_resolvers.get(text[:1], ()):
        if tag not in _TEXT_TAGS and pattern.match(text):
            return tag
    return None
