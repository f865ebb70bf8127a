"""The former addresses of stacks and resources: servers and alarms go on using them.

The column ``stack.moved`` has the former names of the stack, and for the former name of each
resource that has moved the stack and the name that it got: ``{'names': [old], 'resources': {name:
[stack id, name]}}``.

Tests: tests/functional/test_refactoring.py.
"""

from collections.abc import Container
from typing import TYPE_CHECKING

from heat_lite.common.value_types import Row, Value, Values
from heat_lite.template.template import Template

if TYPE_CHECKING:
    from heat_lite.engine.stack.stack import Stack

NAMES, RESOURCES = 'names', 'resources'
#: how many former names and places a stack keeps
MOST = 2000


def is_name(row: Row, name: str) -> bool:
    """Return whether the stack has, or had, this name."""
    return name == row.name or name in (row.moved or {}).get(NAMES, ())


def find(row: 'Row | Stack', resource_name: str) -> tuple[str, str] | None:
    """Return (stack id, name): where a resource of the stack has gone; None if it has not moved."""
    found = (row.moved or {}).get(RESOURCES, {}).get(resource_name)
    return found and tuple(found)


def wanted_back(stack: 'Stack', template: Template) -> dict[str, str]:
    """Return ``{name: former name}`` of the resources that a template has by a former name only,
    with the same type.
    """
    present, wanted = stack.template.resource_snippets, template.resource_snippets
    found = {}
    for former in wanted if stack.moved else ():
        name = _follow(stack, former, present)
        is_former = former not in present and name not in wanted
        if is_former and has_type_of(template, former, stack.template, name):
            found[name] = former
    return found


def _follow(stack: 'Stack', name: str, present: Container[str]) -> str:
    """Return the first of the names that a resource got in the stack that is a present one; the
    last one if none is.
    """
    seen = {name}
    while name not in present:
        stack_id, following = find(stack, name) or (None, name)
        if stack_id != stack.id or following in seen:
            break
        seen.add(name := following)
    return name


def has_type_of(template: Template, name: str, other: Template, other_name: str) -> bool:
    """Return whether two resources of templates have one type."""
    return _type(template, name) == _type(other, other_name) is not None


def _type(template: Template, name: str) -> Value:
    snippet = template.resource_snippets.get(name) or {}
    return snippet.get(template.version.dialect.resource['type'])


def with_moves(moved: Values | None, places: Values) -> Values:
    """Return the column after further moves: ``{name: (stack id, name)}``."""
    moved = moved or {}
    newest = [*{**moved.get(RESOURCES, {}), **places}.items()][-MOST:]
    return {**moved, RESOURCES: dict(newest)}


def with_name(moved: Values | None, name: str) -> Value:
    """Return the column of a stack that loses its name."""
    moved = moved or {}
    return {**moved, NAMES: [*moved.get(NAMES, ()), name][-MOST:]}
