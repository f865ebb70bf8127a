"""How much a single call of a function may give: a short template must not grow into what no memory holds.

Sums are told before anything is built, so that refusing costs nothing.
"""

import dataclasses

#: Characters of a text, values (in lists and maps, at any depth) of a structure.
MOST_CHARACTERS = 4 * 1024 * 1024
MOST_VALUES = 100_000


def check_text(name, length):
    """Raises ValueError for a text that would be too long."""
    if length > MOST_CHARACTERS:
        raise ValueError(f'"{name}" would give a text of {length} characters, the limit is {MOST_CHARACTERS}')


def check_values(name, count):
    """Raises ValueError for a list or map that would hold too much."""
    if count > MOST_VALUES:
        raise ValueError(f'"{name}" would give {count} values, the limit is {MOST_VALUES}')


def weight(value):
    """How many values a structure holds, itself included."""
    waiting, count = [value], 0
    while waiting:
        part = waiting.pop()
        count += 1
        if isinstance(part, dict):
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)
    return count


def characters(value):
    """How many characters the texts of a structure have, those of its keys included."""
    waiting, count = [value], 0
    while waiting:
        part = waiting.pop()
        if isinstance(part, str):
            count += len(part)
        elif isinstance(part, dict):
            count += sum(len(key) for key in part if isinstance(key, str))
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)
    return count


@dataclasses.dataclass
class Yaql:
    """What expressions may use up: elements of a collection, bytes."""

    iterators: int = 200
    memory: int = 10_000


yaql = Yaql()


def limit_yaql(iterators, memory):
    """Said once, by whoever starts an engine: the options of group [yaql]."""
    yaql.iterators, yaql.memory = iterators, memory
