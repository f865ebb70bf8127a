"""The former addresses of stacks and resources: servers and alarms go on using them.

The column ``stack.moved`` has the former names of the stack, and for the former name of each
resource that has moved the stack and the name that it got: ``{'names': [old], 'resources': {name:
[stack id, name]}}``.

Tests: tests/functional/test_refactoring.py.
"""

from heat_lite.common.value_types import Row, Value, Values

NAMES, RESOURCES = 'names', 'resources'
#: how many former names and places a stack keeps
MOST = 2000


def is_name(row: Row, name: str) -> bool:
    """Return whether the stack has, or had, this name."""
    return name == row.name or name in (row.moved or {}).get(NAMES, ())


def find(row: Row, resource_name: str) -> tuple[str, str] | None:
    """Return (stack id, name): where a resource of the stack has gone; None if it has not moved."""
    found = (row.moved or {}).get(RESOURCES, {}).get(resource_name)
    return found and tuple(found)


def with_moves(moved: Values | None, places: Values) -> Values:
    """Return the column after further moves: ``{name: (stack id, name)}``."""
    moved = moved or {}
    newest = [*{**moved.get(RESOURCES, {}), **places}.items()][-MOST:]
    return {**moved, RESOURCES: dict(newest)}


def with_name(moved: Values | None, name: str) -> Value:
    """Return the column of a stack that loses its name."""
    moved = moved or {}
    return {**moved, NAMES: [*moved.get(NAMES, ()), name][-MOST:]}
