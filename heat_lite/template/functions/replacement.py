"""The replacement of many keys in one text, as ``str_replace`` defines it.

Keys are replaced one after the other, in the order of the pairs, and inserted values are not
searched again.
"""

import itertools
from collections.abc import Iterator, Mapping

from heat_lite.common.value_types import Value
from heat_lite.template.functions import budget

#: Up to this number of keys each key is searched by itself.
FEW_KEYS = 32


def replace(text: str, pairs: list[tuple[str, str]], name: str) -> tuple[str, list[str]]:
    """Return ``(text with all pairs replaced in order, keys that did not occur)``.

    ``pairs`` begin with the longest keys. Raises LimitExceeded, with the ``name`` of the function.
    """
    if len(pairs) > FEW_KEYS and pairs[-1][0]:
        return _replace_many(text, pairs, name)
    # done[i] was inserted between raw[i] and raw[i + 1]; only raw parts are searched
    raw, unused = [text], []
    done: list[str] = []
    size = len(text)
    for key, value in pairs:
        budget.charge_steps(name, len(raw) + len(text) // budget.CHARACTERS_A_STEP)
        count = sum(part.count(key) for part in raw) if key else 1
        if not count:
            unused.append(key)
            continue
        size += count * (len(value) - len(key))
        budget.check_text(name, size)
        next_raw, next_done = [], []
        for index, part in enumerate(raw):
            pieces = part.split(key)
            next_raw += pieces
            next_done += [value] * (len(pieces) - 1) + done[index : index + 1]
        raw, done = next_raw, next_done
    return ''.join(part + value for part, value in zip(raw, [*done, ''], strict=True)), unused


def _replace_many(text: str, pairs: list[Value], name: str) -> tuple:
    """Replace many keys: one pass over the text for all keys of a length."""
    covered = bytearray(len(text))
    found = []  # (start, length of the key, value)
    unused = []
    size = len(text)
    for length, group in itertools.groupby(pairs, lambda pair: len(pair[0])):
        values = dict(group)
        places = _places(text, values, length, name)
        for key, value in values.items():
            used = False
            for start in places.get(key, ()):
                if covered.find(1, start, start + length) < 0:
                    covered[start : start + length] = b'\1' * length
                    found.append((start, length, value))
                    size += len(value) - length
                    used = True
            if not used:
                unused.append(key)
    budget.check_text(name, size)
    return _joined(text, sorted(found)), unused


def _places(text: str, keys: Mapping[str, Value], length: int, name: str) -> dict[str, Value]:
    """Return ``{key: where it begins}`` of the keys, all of one length, that occur in the text."""
    if len(keys) <= FEW_KEYS + length:
        budget.charge_steps(name, len(keys) * (1 + len(text) // budget.CHARACTERS_A_STEP))
        return {key: list(_search(text, key, name)) for key in keys if key in text}
    places: dict[str, list[int]] = {}
    steps = 1 + length // budget.CHARACTERS_A_STEP
    for begin in range(0, len(text) - length + 1, budget.LOOK_STEPS):
        end = min(begin + budget.LOOK_STEPS, len(text) - length + 1)
        budget.charge_steps(name, (end - begin) * steps)
        for start in range(begin, end):
            piece = text[start : start + length]
            if piece in keys:
                places.setdefault(piece, []).append(start)
    return places


def _search(text: str, key: str, name: str) -> Iterator[int]:
    start = text.find(key)
    while start >= 0:
        budget.charge_steps(name, 1)
        yield start
        start = text.find(key, start + 1)


def _joined(text: str, found: list[Value]) -> str:
    parts: list[str] = []
    end = 0
    for start, length, value in found:
        parts += text[end:start], value
        end = start + length
    return ''.join([*parts, text[end:]])
