"""Regular expressions that users write, with a time limit.

The syntax is that of ``re``. The library ``regex`` matches: it has a time limit, and other threads
run meanwhile. ``re`` has neither, and takes time that grows exponentially for some patterns.
"""

import dataclasses
import functools
import importlib
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import regex

from heat_lite.common import lru_cache
from heat_lite.common.value_types import Value
from heat_lite.template.functions import budget

MAX_LENGTH = 10_000
#: Parts of a pattern with its repetitions written out.
MAX_PARTS = 5_000
# What ``re`` reads as plain text and ``regex`` does not: other braces than repeats, ``[:`` in a set
_TOKEN = re.compile(
    r'\\N\{[^}]*\}|\\.|(?P<set>\[\^?\]?(?:[^\]\\]|\\.)*\])|(?P<brace>\{(?!\d+(?:,\d*)?\}|,\d*\}))',
    re.DOTALL,
)
#: The parser of ``re``, without its compiler, which takes milliseconds for some sets of characters.
_parser: Any = importlib.import_module('re._parser')


@dataclasses.dataclass(frozen=True)
class Pattern:
    """A compiled pattern: ``search`` and the other methods as in ``re``, but for the time limit.

    Each method raises LimitExceeded, which contains the pattern, if it takes too long.
    """

    text: str
    compiled: Any

    def match(self, string: str) -> Any:
        return self._timed(self.compiled.match, string)

    def fullmatch(self, string: str) -> Any:
        return self._timed(self.compiled.fullmatch, string)

    def search(self, string: str) -> Any:
        return self._timed(self.compiled.search, string)

    def matches_of(self, strings: Iterable[str]) -> list[str]:
        """Return the strings that match from their start, all within the time of one match."""
        left = budget.limits.pattern_seconds
        found = []
        for string in strings:
            begun = budget.host.wall_clock()
            if self._timed(self.compiled.match, string, limit=left):
                found.append(string)
            left -= budget.host.wall_clock() - begun
        return found

    def finditer(self, string: str) -> Iterator[Any]:
        return iter(self._timed(self._all_matches, string))

    def _all_matches(self, string: Value, **options: Value) -> Value:
        return list(self.compiled.finditer(string, **options))

    def split(self, string: str, maxsplit: int = 0) -> list:
        return self._timed(self.compiled.split, string, maxsplit)

    def sub(self, replacement: Any, string: str, count: int = 0) -> str:
        return self._timed(self.compiled.sub, replacement, string, count)

    def _timed(self, call: Callable, *arguments: Value, limit: float | None = None) -> Any:
        spent = budget.current()
        limit = budget.limits.pattern_seconds if limit is None else limit
        seconds = min(limit, budget.limits.seconds - spent.seconds)
        if seconds <= 0:
            raise self._too_slow()
        begun = budget.host.wall_clock()
        try:
            return call(*arguments, timeout=seconds, concurrent=True)
        except TimeoutError:
            raise self._too_slow() from None
        finally:
            spent.seconds += min(budget.host.wall_clock() - begun, seconds)

    def _too_slow(self) -> Value:
        return budget.LimitExceeded(
            f'the regular expression "{shortened(self.text)}" takes too long, the limit is '
            f'{budget.limits.pattern_seconds:g} seconds a match; avoid nested repetitions'
        )


def shortened(text: str) -> str:
    """Return a pattern as error messages show it."""
    return text if len(text) <= 200 else text[:200] + '...'


def check(text: str) -> None:
    """Raise ``re.error`` if a pattern is not valid or too long, as ``compile_pattern`` does."""
    _syntax(text, 0)


@lru_cache.cached_function(64)
def compile_pattern(text: str, flags: int = 0) -> Pattern:
    """Compile a pattern with flags of ``re``. Raises ``re.error`` if it is not valid."""
    found = _syntax(text, flags)
    try:
        compiled = regex.compile(_literal(text), regex.V0 | found, cache_pattern=False)
        return Pattern(text, compiled)
    except (regex.error, RecursionError) as error:
        raise re.error(str(error)) from None


@lru_cache.cached_function(64)
def _syntax(text: str, flags: int) -> int:
    """Return the flags of a valid pattern, those that are written in it included."""
    if len(text) > MAX_LENGTH:
        raise re.error(f'it has {len(text)} characters, the limit is {MAX_LENGTH}')
    try:
        tree = _parser.parse(text, flags)
        parts = _expanded(tree)
    except (RecursionError, OverflowError) as error:
        raise re.error(str(error)) from None
    if parts > MAX_PARTS:
        raise re.error(f'its repetitions expand to more than {MAX_PARTS} parts')
    found = tree.state.flags
    names = ('ASCII', 'IGNORECASE', 'MULTILINE', 'DOTALL', 'VERBOSE')
    wanted = [getattr(regex, name) for name in names if found & getattr(re, name)]
    return functools.reduce(lambda one, other: one | other, wanted, 0)


def _expanded(tree: Value) -> int:
    """Return the number of parts of a pattern: ``regex`` copies what is repeated."""
    parts = 1
    for operator, argument in tree:
        name = str(operator)
        inner = sum(map(_expanded, _subpatterns(argument)))
        if name.endswith('REPEAT'):
            single = len(argument[2]) == 1 and not any(_subpatterns(argument[2][0][1]))
            inner *= 1 if single else argument[0] + 1
        elif name.startswith('ASSERT') and argument[0] < 0:
            least, most = argument[1].getwidth()
            if least != most:
                raise re.error('look-behind requires fixed-width pattern')
        parts += 1 + inner
        if parts > MAX_PARTS:
            break
    return parts


def _subpatterns(argument: Value) -> list[Value]:
    if isinstance(argument, _parser.SubPattern):
        return [argument]
    if isinstance(argument, tuple | list):
        return [found for part in argument for found in _subpatterns(part)]
    return []


def _literal(text: str) -> str:
    """Return the pattern with a backslash before what only ``regex`` takes for syntax."""

    def escaped(token: re.Match) -> str:
        if token['brace']:
            return '\\{'
        inner = token['set']
        return token[0] if inner is None else '[' + inner[1:].replace('[:', '\\[:')

    return _TOKEN.sub(escaped, text)
