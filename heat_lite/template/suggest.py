"""What somebody may have meant who wrote a name that nobody has."""

import difflib

#: Longer names, and more of them, are not looked at: an error message must not cost more than the error.
LONGEST, MOST = 100, 2000
#: How alike two names must be, from 0 to 1. Of names as short as ``r1`` and ``r2`` nobody can tell.
ALIKE, SHORTEST = 0.75, 4


def suggest(name, known):
    """`` Did you mean "x"?`` with the most similar of the known names; nothing where none is similar enough."""
    meant = closest(name, known)
    return '' if meant is None else f' Did you mean "{meant}"?'


def closest(name, known):
    """The most similar of the known names, None where none is similar enough. Upper and lower case count as the same."""
    if not isinstance(name, str) or not SHORTEST <= len(name) <= LONGEST:
        return None
    texts = [text for text in known if isinstance(text, str) and text != name and SHORTEST <= len(text) <= LONGEST]
    by_lower = {text.lower(): text for text in sorted(texts[:MOST], reverse=True)}
    found = difflib.get_close_matches(name.lower(), sorted(by_lower), n=1, cutoff=ALIKE)
    return by_lower[found[0]] if found else None
