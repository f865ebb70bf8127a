"""Suggestions for misspelt names in error messages."""

import collections
import difflib
import functools
import heapq
import itertools
from collections.abc import Callable, Collection, Iterable

from heat_lite.common.exception import append_hint
from heat_lite.common.value_types import Value

#: Limits of the search, to bound the cost of an error message.
MAX_LENGTH, MAX_COMPARED = 100, 20
#: Limits of an index, which outlives the request: the first names are searched, and so many
#: different letters are distinguished. The names are those of users, and so may be hostile.
MAX_NAMES, MAX_CHARACTERS, MAX_LETTERS = 2000, 100_000, 512
#: Minimal similarity of two names, from 0 to 1, and their minimal length: ``r1`` is not ``r2``.
MIN_SIMILARITY, MIN_LENGTH = 0.75, 3
#: Long names must be more similar: ``OS::Heat::ResourceGroup`` is not ``OS::Heat::TestResource``.
LONG_NAME_LENGTH, LONG_NAME_MIN_SIMILARITY = 12, 0.85


#: what YAML 1.1 reads as a boolean, in any case, unless it is in quotes
_BOOLEANS = {
    **dict.fromkeys(('no', 'off', 'false'), False),
    **dict.fromkeys(('yes', 'on', 'true'), True),
}


def quote_hint(value: Value) -> str:
    """Return how to write the text that YAML has read as a boolean or a number, else ''."""
    if isinstance(value, bool):
        *words, last = (word for word, meaning in _BOOLEANS.items() if meaning is value)
        return f' YAML reads {", ".join(words)} and {last} as {last} unless they are in quotes.'
    return f' Write {value} in quotes.' if isinstance(value, int | float) else ''


def _quote_names(name: Value, known: Iterable) -> str:
    """Return the hint for a name that may be a known one but for YAML's booleans, else ''."""
    value = _BOOLEANS.get(str(name).lower())
    if value is None or all(_BOOLEANS.get(str(other).lower()) is not value for other in known):
        return ''
    return quote_hint(value)


def suggest(name: Value, known: Iterable) -> str:
    """Return `` Did you mean "x"?`` with the most similar known name, '' if none is similar."""
    hint = _quote_names(name, known)
    if hint:
        return hint
    match = closest_match(name, known)
    return '' if match is None else f' Did you mean "{match}"?'


def with_suggestion(text: str, name: Value, known: Iterable) -> str:
    """Return an error message with a suggestion for the name appended."""
    return append_hint(text, suggest(name, known))


def with_keyword_suggestion(text: str, keyword: Value, keywords: Collection) -> str:
    """Append a suggestion for a misspelt keyword of the template language.

    A keyword of the other dialect, such as ``DependsOn`` in HOT, is not misspelt: it gets none.
    """
    spelling = _folded(keyword)
    if any(_folded(other) == spelling for other in keywords):
        return text
    return with_suggestion(text, keyword, keywords)


def _folded(word: str) -> str:
    return word.lower().replace('_', '') if isinstance(word, str) else word


def closest_match(name: Value, known: Iterable) -> str | None:
    """Return the most similar known name, ignoring case; None if none is similar enough."""
    if not isinstance(name, str) or not MIN_LENGTH <= len(name) <= MAX_LENGTH:
        return None
    names = tuple(itertools.islice(known, MAX_NAMES))
    try:
        index = _index_of(names)
    except TypeError:  # something that is no name has no hash
        index = _index_of(tuple(each for each in names if isinstance(each, str)))
    return index.closest(name)


#: in the place of all letters that an index does not distinguish
_OTHER = ''


class _NameIndex:
    """The known names by length, prepared once for many misspelt ones.

    The letters of a name are the bits of a number, one for each occurrence of a letter. The bits
    that two names share bound their similarity, and cost far less than the similarity. Names of
    the same letters, such as ``disk_12`` and ``disk_21``, are one group. Letters beyond
    ``MAX_LETTERS`` count as one and the same letter: the bound is higher, but still a bound.
    """

    def __init__(self, names: tuple) -> None:
        self._bits: dict[tuple[str, int], int] = {}
        #: several rules ask for the same name
        self.closest = functools.lru_cache(maxsize=256)(self._closest)
        #: generated names have the same letters, such as ``disk_12`` and ``disk_21``
        self._similar = functools.lru_cache(maxsize=256)(self._find_similar)
        #: {length: {letters: [(text in lower case, name)]}}
        self._by_length: dict[int, dict[int, list[tuple[str, str]]]] = {}
        characters = 0
        for name in names:
            if not isinstance(name, str) or not MIN_LENGTH <= len(name) <= MAX_LENGTH:
                continue
            characters += len(name)
            if characters > MAX_CHARACTERS:
                break
            lower = name.lower()
            letters = self._letters(lower, self._new_bit)
            group = self._by_length.setdefault(len(name), {}).setdefault(letters, [])
            group.append((name if name == lower else lower, name))
        for groups in self._by_length.values():
            for group in groups.values():
                group.sort(reverse=True)

    def _letters(self, text: str, bit_of: Callable) -> int:
        seen: dict[str, int] = collections.defaultdict(int)
        letters = 0
        for letter in text:
            bit = bit_of((letter, seen[letter]))
            if bit is None:
                bit, letter = 1 << (MAX_LETTERS + seen[_OTHER]), _OTHER
            letters |= bit
            seen[letter] += 1
        return letters

    def _new_bit(self, occurrence: tuple[str, int]) -> int | None:
        """Return the bit of an occurrence of a letter, None beyond ``MAX_LETTERS``."""
        if len(self._bits) < MAX_LETTERS:
            return self._bits.setdefault(occurrence, 1 << len(self._bits))
        return self._bits.get(occurrence)

    def _known_bit(self, occurrence: tuple[str, int]) -> int | None:
        absent = 0 if len(self._bits) < MAX_LETTERS else None
        return self._bits.get(occurrence, absent)

    def _closest(self, name: str) -> str | None:
        lower = name.lower()
        least = LONG_NAME_MIN_SIMILARITY if len(name) >= LONG_NAME_LENGTH else MIN_SIMILARITY
        best, matcher = (0.0, '', ''), difflib.SequenceMatcher()
        matcher.set_seq2(lower)
        for bound, text, original in self._most_promising(name, lower, least):
            if bound < best[0]:
                break
            matcher.set_seq1(text)
            # of two spellings of a name, the first in the order of texts
            rank = (matcher.ratio(), text)
            if rank[0] >= least and (rank > best[:2] or rank == best[:2] and original < best[2]):
                best = (*rank, original)
        return best[2] or None

    def _most_promising(self, name: str, lower: str, least: float) -> list[Value]:
        """Return ``(bound, text, name)`` of the names that may be similar, the best first.

        Names of similar length only: ``parameter_groups`` is no typo of ``parameters``.
        """
        letters = self._letters(lower, self._known_bit)
        names = (
            (bound, text, original)
            for bound, group in self._similar(letters, len(lower), len(name), least)
            for text, original in group
            if original != name
        )
        return heapq.nlargest(MAX_COMPARED, names)

    def _find_similar(
        self, letters: int, lower_length: int, length: int, least: float
    ) -> list[Value]:
        """Return ``(bound, group)`` of the most promising groups of names."""
        margin = max(2, length // 5)
        found = []
        for other_length in range(length - margin, length + margin + 1):
            total = lower_length + other_length
            least_shared = least * total / 2
            found += [
                (2 * shared / total, group)
                for other, group in self._by_length.get(other_length, {}).items()
                if (shared := (letters & other).bit_count()) >= least_shared
            ]
        # one more, for the group of the name itself
        return heapq.nlargest(MAX_COMPARED + 1, found)


#: for two lists of names, because each index may keep megabytes
_index_of = functools.lru_cache(maxsize=2)(_NameIndex)
