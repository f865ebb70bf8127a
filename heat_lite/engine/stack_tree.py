"""Where a stack stands in a tree of stacks: its parent, the top, and the stacks right below it."""

from heat_lite.db import stacks as db_stacks
from heat_lite.engine import deferred


class Tree:
    """The relatives of one stack. ``load(row)`` makes a stack of a row; relatives are read when they are first asked for."""

    def __init__(self, stack, load):
        self._stack = stack
        self._load = load
        self._parent = None
        self._child_rows = None
        self._deferred = None
        #: how many resources a validation has met in the tree so far, kept at the top; None while none runs
        self.counted = None
        #: those inside that it has looked at, and as how many resources they count; kept at the top, too
        self.seen = {}
        #: whether validating the stack goes down into the stacks inside its resources
        self.validates_inside = True
        #: whether validating it looks at the values of properties; those of a stack that is only drafted may be placeholders
        self.strict = True

    @property
    def is_nested(self):
        return self._stack.owner_id is not None or self._parent is not None

    @property
    def parent(self):
        """The stack that it is nested in, None for a top-level one."""
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
    def known_top(self):
        """The highest stack that is known already, without looking for more."""
        return self._stack if self._parent is None else self._parent.tree.known_top

    @property
    def deferred(self):
        """What the tree keeps of its user for later."""
        top = self.known_top.tree
        if top._deferred is None:
            top._deferred = deferred.Deferred(top._stack)
        return top._deferred

    def asker(self, action):
        """Who asks for an action, sealed, as long as there is nothing better to go on with; kept at the top."""
        return deferred.asker(self._stack, action)

    def child_row(self, child_id, anew=False):
        """The row of a stack right below, None where there is none; all of these are read at once. ``anew``: look at that one again."""
        if self._child_rows is None:
            self._child_rows = db_stacks.inside(self._stack.context, self._stack.id)
        if anew or child_id not in self._child_rows:
            self._child_rows[child_id] = db_stacks.whole(self._stack.context, child_id)
        return self._child_rows[child_id]


class Facade:
    """What a nested stack's template may ask about the resource that the stack is the inside of."""

    def __init__(self, stack):
        self._stack = stack

    def __getitem__(self, key):
        return self._stack.tree.parent.resource_for(self._stack.parent_resource_name).facade(key)
