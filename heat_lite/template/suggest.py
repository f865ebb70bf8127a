"""Suggestions for misspelt names in error messages."""

import difflib
from collections.abc import Collection, Iterable
from typing import Any

from heat_lite.common.exception import append_hint

#: Limits of the search, to bound the cost of an error message.
MAX_LENGTH, MAX_CANDIDATES = 100, 2000
#: Minimal similarity of two names, from 0 to 1, and their minimal length: ``r1`` is not ``r2``.
MIN_SIMILARITY, MIN_LENGTH = 0.75, 3
#: Long names must be more similar: ``OS::Heat::ResourceGroup`` is not ``OS::Heat::TestResource``.
LONG_NAME_LENGTH, LONG_NAME_MIN_SIMILARITY = 12, 0.85


def suggest(name: Any, known: Iterable) -> str:
    """Return `` Did you mean "x"?`` with the most similar known name, '' if none is similar."""
    match = closest_match(name, known)
    return '' if match is None else f' Did you mean "{match}"?'


def with_suggestion(text: str, name: Any, known: Iterable) -> str:
    """Return an error message with a suggestion for the name appended."""
    return append_hint(text, suggest(name, known))


def with_keyword_suggestion(text: str, keyword: Any, keywords: Collection) -> str:
    """Append a suggestion for a misspelt keyword of the template language.

    A keyword of the other dialect, such as ``DependsOn`` in HOT, is not misspelt: it gets none.
    """
    spelling = _folded(keyword)
    if any(_folded(other) == spelling for other in keywords):
        return text
    return with_suggestion(text, keyword, keywords)


def _folded(word):
    return word.lower().replace('_', '') if isinstance(word, str) else word


def closest_match(name: Any, known: Iterable) -> str | None:
    """Return the most similar known name, ignoring case; None if none is similar enough."""
    if not isinstance(name, str) or not MIN_LENGTH <= len(name) <= MAX_LENGTH:
        return None
    texts = [
        text for text in known if isinstance(text, str) and text != name and _comparable(text, name)
    ]
    by_lower = {text.lower(): text for text in sorted(texts[:MAX_CANDIDATES], reverse=True)}
    found = difflib.get_close_matches(
        name.lower(),
        sorted(by_lower),
        n=1,
        cutoff=LONG_NAME_MIN_SIMILARITY if len(name) >= LONG_NAME_LENGTH else MIN_SIMILARITY,
    )
    return by_lower[found[0]] if found else None


def _comparable(text, name):
    """Compare names of similar length only: ``parameter_groups`` is no typo of ``parameters``."""
    return MIN_LENGTH <= len(text) <= MAX_LENGTH and abs(len(text) - len(name)) <= max(
        2, len(name) // 5
    )
