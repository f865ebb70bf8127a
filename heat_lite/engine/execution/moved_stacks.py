"""The stacks of a refactoring, and the nested stacks of resources that move.

Tests: tests/functional/test_refactoring.py.
"""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence

from heat_lite.common import identifier
from heat_lite.common.value_types import Row, Values
from heat_lite.db import moved_resources, resources as db_resources, stacks as db_stacks
from heat_lite.engine.resource import resource
from heat_lite.engine.stack.stack import Stack
from heat_lite.engine.stack.stack_fields import FIELDS
from heat_lite.template.editing.moving import Place
from heat_lite.template.template import Template

#: data of a resource with a user of its stack
USER_KEYS = {'user_id', 'access_key'}


@dataclasses.dataclass
class Draft:
    """One stack of a refactoring.

    ``present`` is the stack as it is; one that the refactoring creates has no template_id.
    ``moved`` is its template with the resources at their new places, ``wanted`` the one that it
    shall have, and ``name`` the name. ``parent`` is the key of the stack around it whose template
    says what a nested one shall have; ``wanted`` is found out then. ``problems`` are what breaks in
    the template.
    """

    present: Stack
    moved: Template
    wanted: Template | None
    name: str
    parent: str | None = None
    problems: Sequence[str] = ()

    @property
    def is_new(self) -> bool:
        return self.present.template_id is None

    def copy(self) -> Stack:
        """Return another copy of the stack, which can be changed."""
        present = self.present
        fields = {**{name: getattr(present, name) for name in FIELDS}, 'name': self.name}
        return present.make(present.template, tags=present.tags, **fields)


def rename(row: Row, columns: Values, root_id: str) -> Iterator[moved_resources.Nested]:
    """Yield a nested stack and those below it, which are named after their resources."""
    children = db_stacks.child_rows(row.id)
    named = {}
    below = []
    for each in db_resources.list_by_stack(row.id):
        child = children.get(each.nova_instance)
        if child is not None:
            name = identifier.physical_name(columns['name'], each.name, each.uuid)
            creds, depth = columns['user_creds_id'], columns['nested_depth'] + 1
            values = {'name': name, 'user_creds_id': creds, 'nested_depth': depth}
            below.append((child, values))
        elif identifier.NAMED_AFTER not in each.data:
            named[each.id] = f'{row.name}/{each.name}'
    yield moved_resources.Nested(row.id, columns, root_id, named)
    for child, values in below:
        yield from rename(child, values, root_id)


def ids(stacks: Mapping[str, Stack], places: Iterable[Place]) -> list[str]:
    """Return the ids of the stacks nested in what is at these places."""
    found: list[str] = []
    for place in places:
        stack = stacks.get(place.template)
        if stack is not None and stack.records.find_by_name(place.name):
            nested = nested_id(stack.resource_for(place.name))
            found += [] if nested is None else db_stacks.tree_ids(nested)
    return found


def nested_id(item: resource.Resource) -> str | None:
    """Return the id of the nested stack of a resource, None without one."""
    return item.resource_id if getattr(item, 'nested_stack', None) is not None else None


def may_have_users(item: resource.Resource) -> bool:
    """Return whether a resource, or one nested in it, may have users of the stack in Keystone."""
    return nested_id(item) is not None or not USER_KEYS.isdisjoint(item.record.data)
