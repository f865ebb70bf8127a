"""What somebody may have meant who wrote a name that nobody has."""

import difflib

from heat_lite.common.exception import hinted

#: Longer names, and more of them, are not looked at: an error message must not cost more than the error.
LONGEST, MOST = 100, 2000
#: How alike two names must be, from 0 to 1. Of names as short as ``r1`` and ``r2`` nobody can tell.
ALIKE, SHORTEST = 0.75, 4
#: Long names share much even when they are different: ``OS::Heat::ResourceGroup`` is no ``OS::Heat::TestResource``.
LONG, LONG_ALIKE = 12, 0.85


def suggest(name, known):
    """`` Did you mean "x"?`` with the most similar of the known names; nothing where none is similar enough."""
    meant = closest(name, known)
    return '' if meant is None else f' Did you mean "{meant}"?'


def say(text, name, known):
    """A text, with what was probably meant by the name at its end."""
    return hinted(text, suggest(name, known))


def say_word(text, word, words):
    """The same for the words of the language. One of the other dialect, such as ``DependsOn`` in HOT, is no slip of the pen."""
    spelling = _folded(word)
    return text if any(_folded(other) == spelling for other in words) else say(text, word, words)


def _folded(word):
    return word.lower().replace('_', '') if isinstance(word, str) else word


def closest(name, known):
    """The most similar of the known names, None where none is similar enough. Upper and lower case count as the same."""
    if not isinstance(name, str) or not SHORTEST <= len(name) <= LONGEST:
        return None
    texts = [text for text in known if isinstance(text, str) and text != name and _comparable(text, name)]
    by_lower = {text.lower(): text for text in sorted(texts[:MOST], reverse=True)}
    found = difflib.get_close_matches(name.lower(), sorted(by_lower), n=1, cutoff=LONG_ALIKE if len(name) >= LONG else ALIKE)
    return by_lower[found[0]] if found else None


def _comparable(text, name):
    """A slip of the pen leaves the length about the same: ``parameter_groups`` was not meant to be ``parameters``."""
    return SHORTEST <= len(text) <= LONGEST and abs(len(text) - len(name)) <= max(2, len(name) // 5)
