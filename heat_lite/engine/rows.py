"""The rows of one stack's resources, in memory: read when they are first needed, and no more of them than that."""

from heat_lite.db import resources as db_resources
from heat_lite.engine import record

#: how many resources are read one by one, before all are
FEW = 3


class Rows:
    """By name; a name has several while a resource replaces another."""

    def __init__(self, stack):
        self._stack = stack
        self._by_name = None
        self._few = {}
        #: whether the one who asks is likely to want only few of them
        self.looks_at_few = False

    def by_name(self):
        """All, old and new ones of a name in the order of their making."""
        if self._by_name is None:
            stored = db_resources.for_stack(self._stack.context, self._stack.id) if self._stack.template_id is not None else ()
            self._by_name = {}
            for row in stored:
                self.add(record.Record.from_row(self._stack.journal, row))
        return self._by_name

    def look_over(self, listed):
        """Take rows of a list (``db.resources.listed``) for all there is to know: who wants a list needs no more of them."""
        self._by_name = {}
        for row in listed:
            self.add(record.Record.from_listed(self._stack.journal, row))

    def of_name(self, name):
        """The rows of a name."""
        if self._by_name is None and self.looks_at_few and len(self._few) < FEW:
            if name not in self._few:
                stored = db_resources.of_name(self._stack.context, self._stack.id, name)
                self._few[name] = [record.Record.from_row(self._stack.journal, row) for row in stored]
            return self._few[name]
        return self.by_name().get(name, ())

    def add(self, row):
        self.by_name().setdefault(row.name, []).append(row)

    def drop(self, row):
        self.by_name()[row.name].remove(row)
