"""Values that are not known yet: what a template will have once its resources exist.

Validation, previews and the linter evaluate templates before their resources exist. There, a
reference, an attribute or a parameter without a value is an ``Unknown``. Whatever uses one as if
it had a value raises ValueUnknown, and the result of a function that does is an Unknown in its
turn. A stack at work never has one.
"""

from collections.abc import Callable, Container, Iterable, Iterator
from typing import Any, NoReturn

from heat_lite.common.value_types import Value

#: the types of values, of properties and of attributes
STRING, INTEGER, NUMBER, BOOLEAN, MAP, LIST, ANY = TYPES = (
    'string',
    'integer',
    'number',
    'boolean',
    'map',
    'list',
    'any',
)
_SCALARS = frozenset({str, int, float, bool, type(None)})
#: sources that a value names; one that is made of thousands names the first of them
MAX_SOURCES = 20


class ValueUnknown(Exception):
    """An operation needs a value that is not known yet; ``value`` is the Unknown."""

    def __init__(self, value: 'Unknown') -> None:
        super().__init__(str(value.describe()))
        self.value = value


class Unknown:
    """A value that is not known yet.

    ``type`` is one of TYPES. ``sources`` are what it comes from: ``net.subnets`` is an attribute,
    ``net`` the reference of a resource, ``parameter size`` a parameter. ``shown`` is what Heat's
    previews have in its place. ``known`` are those items of a list that are known. ``is_given``:
    whether it is sure not to become null.

    Each operator raises ValueUnknown, so that no code takes a wrong decision by it: test
    ``isinstance(value, Unknown)`` first.
    """

    __slots__ = ('is_given', 'known', 'shown', 'sources', 'type')

    def __init__(
        self,
        type: str = ANY,
        sources: Iterable[str] = (),
        shown: Value = None,
        known: Iterable[Value] = (),
        is_given: bool = False,
    ) -> None:
        self.type = type
        self.sources = tuple(dict.fromkeys(sources))[:MAX_SOURCES]
        self.shown = shown
        self.known = tuple(known)
        self.is_given = is_given

    def of_type(self, type: str) -> 'Unknown':
        """Return the same value with a type, if it has none of its own."""
        if self.type != ANY or type == ANY:
            return self
        return Unknown(type, self.sources, self.shown, self.known, self.is_given)

    def at(self, path: Iterable[Value]) -> 'Unknown':
        """Return the value at a path of keys and indexes in this one."""
        path = list(path)
        below = ''.join(f'.{part}' for part in path if not isinstance(part, Unknown))
        return Unknown(ANY, [source + below for source in self.sources]) if path else self

    def source_among(self, names: Container[str]) -> str | None:
        """Return the one of the names whose reference this is, if it is one."""
        return next((each for each in self.sources if each in names), None)

    def describe(self) -> str:
        """Return what users read in the place of the value."""
        origin = f': {", ".join(self.sources)}' if self.sources else ''
        return f'(known after apply{origin})'

    def __repr__(self) -> str:
        return self.describe()

    def __copy__(self) -> 'Unknown':
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> 'Unknown':
        return self

    def _refuse(self, *args: object) -> NoReturn:
        raise ValueUnknown(self)

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __hash__ = _refuse  # type: ignore[assignment]
    __bool__ = __len__ = __iter__ = __contains__ = __getitem__ = _refuse
    __int__ = __float__ = __index__ = __str__ = __format__ = _refuse  # type: ignore[assignment]
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __mod__ = __neg__ = _refuse

    def __getattr__(self, name: str) -> Value:
        if name.startswith('__'):
            raise AttributeError(name)
        raise ValueUnknown(self)


def walk(value: Value, path: tuple = ()) -> Iterator[tuple[tuple, Unknown]]:
    """Yield ``(path, Unknown)`` of each unknown part of a value."""
    if isinstance(value, Unknown):
        yield path, value
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from walk(part, (*path, key))
    elif isinstance(value, list | tuple):
        for index, part in enumerate(value):
            yield from walk(part, (*path, index))


def is_known(*values: Value) -> bool:
    """Return whether values are known in all of their parts."""
    pending = [*values]
    while pending:
        part = pending.pop()
        if type(part) in _SCALARS:
            continue
        if isinstance(part, Unknown):
            return False
        if isinstance(part, dict):
            pending.extend(part.values())
        elif isinstance(part, list | tuple):
            pending.extend(part)
    return True


def merge(type: str, *values: Value, known: Iterable[Value] = ()) -> Unknown:
    """Return an Unknown that comes from all unknown parts of the values."""
    sources = [source for _, part in walk(values) for source in part.sources]
    return Unknown(type, sources, known=known)


def require_known(*values: Value) -> None:
    """Raise ValueUnknown if a part of the values is unknown, with the sources of all of them."""
    if not is_known(values):
        raise ValueUnknown(merge(ANY, values))


def map_known(value: Value, change: Callable[[Unknown], Value]) -> Value:
    """Return a value with ``change(part)`` in the place of each unknown part."""
    if isinstance(value, Unknown):
        return change(value)
    if isinstance(value, dict):
        return {key: map_known(part, change) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [map_known(part, change) for part in value]
    return value


def as_heat_shows(value: Value) -> Value:
    """Return a value with what Heat's previews have in the place of its unknown parts."""
    return map_known(value, lambda part: part.shown)
