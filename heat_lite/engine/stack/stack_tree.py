"""The tree of nested stacks: parent, root and children of a stack.

Tests: tests/functional/test_nested_stacks.py.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from heat_lite.common import lru_cache
from heat_lite.common.value_types import Value
from heat_lite.db import stacks as db_stacks
from heat_lite.engine import deferred_auth

if TYPE_CHECKING:
    from heat_lite.engine.stack.stack import Stack


class StackTree:
    """The relatives of one stack, read on first use."""

    def __init__(self, stack: 'Stack') -> None:
        self._stack = stack
        self._parent: Stack | None = None
        self._deferred: deferred_auth.DeferredAuth | None = None

    @property
    def is_nested(self) -> bool:
        return self._stack.owner_id is not None or self._parent is not None

    @property
    def parent(self) -> 'Stack | None':
        """The stack that contains this one; None for a root stack."""
        if self._parent is None and self._stack.owner_id is not None:
            context = self._stack.context
            row = db_stacks.get(context, self._stack.owner_id, show_deleted=True)
            self._parent = row and self._stack.from_row(self._stack.runtime, context, row)
        return self._parent

    @parent.setter
    def parent(self, stack: 'Stack') -> None:
        self._parent = stack

    def lineage(self) -> 'Iterator[Stack]':
        """Yield the stack and those that contain it, the root stack last."""
        stack: Stack | None = self._stack
        while stack is not None:
            yield stack
            stack = stack.tree.parent

    def actions(self) -> Iterator[str]:
        """Yield the action of the stack, and those of the stacks around it as stored now.

        A stack that is rolled back updates or deletes those nested in it.
        """
        for each in self.lineage():
            row = None if each is self._stack or each.id is None else db_stacks.get_row(each.id)
            yield each.action if row is None else row.action

    @property
    def top(self) -> 'Stack':
        """The stack at the top of the tree."""
        return self._stack if self.parent is None else self.parent.tree.top

    @property
    def known_root(self) -> 'Stack':
        """The highest ancestor that is loaded already."""
        return self._stack if self._parent is None else self._parent.tree.known_root

    @property
    def deferred(self) -> deferred_auth.DeferredAuth:
        """The DeferredAuth of the tree, stored at its root."""
        top = self.known_root.tree
        if top._deferred is None:
            top._deferred = deferred_auth.DeferredAuth(top._stack)
        return top._deferred

    def child_row(self, child_id: str, refresh: bool = False) -> 'db_stacks.StackRow | None':
        """Return the row of a child stack, or None.

        All are read at once; ``refresh`` reads that one again.
        """
        if refresh or child_id not in self._child_rows:
            self._child_rows[child_id] = db_stacks.get_row(child_id)
        return self._child_rows[child_id]

    @lru_cache.cached_property
    def _child_rows(self) -> 'dict[str, db_stacks.StackRow | None]':
        return {**db_stacks.child_rows(self._stack.id)}

    def facade(self, key: str) -> Value:
        """Return what a nested template may read of the resource that contains its stack."""
        parent: Value = self.parent
        return parent.resource_for(self._stack.parent_resource_name).facade(key)
