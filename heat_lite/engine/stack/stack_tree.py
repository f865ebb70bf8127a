"""The tree of nested stacks: parent, root and children of a stack.

Tests: tests/functional/test_nested_stacks.py.
"""

from heat_lite.db import stacks as db_stacks
from heat_lite.engine import deferred_auth


class StackTree:
    """The relatives of one stack.

    ``load(row)`` makes a stack of a row. Relatives are read on first use.
    """

    def __init__(self, stack, load):
        self._stack = stack
        self._load = load
        self._parent = None
        self._child_rows = None
        self._deferred = None

    @property
    def is_nested(self):
        return self._stack.owner_id is not None or self._parent is not None

    @property
    def parent(self):
        """The stack that contains this one; None for a root stack."""
        if self._parent is None and self._stack.owner_id is not None:
            row = db_stacks.get(self._stack.context, self._stack.owner_id, show_deleted=True)
            self._parent = row and self._load(row)
        return self._parent

    @parent.setter
    def parent(self, stack):
        self._parent = stack

    @property
    def top(self):
        """The stack at the top of the tree."""
        return self._stack if self.parent is None else self.parent.tree.top

    @property
    def known_root(self):
        """The highest ancestor that is loaded already."""
        return self._stack if self._parent is None else self._parent.tree.known_root

    @property
    def deferred(self):
        """The DeferredAuth of the tree, stored at its root."""
        top = self.known_root.tree
        if top._deferred is None:
            top._deferred = deferred_auth.DeferredAuth(top._stack)
        return top._deferred

    def kept_requester(self, action):
        """Return the encrypted requester of an action that has ended, if its token must serve
        instead of a trust; else None.
        """
        return deferred_auth.kept_requester(self._stack, action)

    def requester(self, action):
        """Return the encrypted context of the action's requester; None if credentials are stored
        or not needed.
        """
        return deferred_auth.requester(self._stack, action)

    def child_row(self, child_id, refresh=False):
        """Return the row of a child stack, or None.

        All are read at once; ``refresh`` reads that one again.
        """
        if self._child_rows is None:
            self._child_rows = db_stacks.child_rows(self._stack.id)
        if refresh or child_id not in self._child_rows:
            self._child_rows[child_id] = db_stacks.get_row(child_id)
        return self._child_rows[child_id]


class Facade:
    """What a nested template may read of the resource that contains its stack."""

    def __init__(self, stack):
        self._stack = stack

    def __getitem__(self, key):
        return self._stack.tree.parent.resource_for(self._stack.parent_resource_name).facade(key)
