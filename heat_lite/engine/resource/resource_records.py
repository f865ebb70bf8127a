"""The records of all resources of a stack, read at their first use.

Tests: tests/functional/test_engine.py.
"""

import collections
import itertools
import math
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Self

from heat_lite.common import status
from heat_lite.common.value_types import Row, Value
from heat_lite.db import resources as db_resources
from heat_lite.engine.resource.record import Journal, Record

if TYPE_CHECKING:
    from heat_lite.engine.stack.stack import Stack

#: number of names read one by one before all rows are read at once
SINGLE_READS = 3


class ListedRecord(Record):
    """A record of a row that ``db.resources.list_brief`` gives, only to be read.

    Columns that the list omits are None.
    """

    __slots__ = ()

    @classmethod
    def from_listed(cls, journal: Journal, row: 'db_resources.ListedResource') -> Self:
        record = cls.__new__(cls)
        for column, value in zip(row._fields, row, strict=True):
            setattr(record, column, value)
        record.journal = journal
        return record

    def __getattr__(self, name: str) -> Value:
        # called for slots without a value: setting all of them would take longer than the rest
        if name in Record.__slots__:
            return None
        raise AttributeError(name)


class ResourceRecords:
    """The records of a stack's resources by name.

    A name has several records while one resource replaces another.
    """

    def __init__(self, stack: 'Stack') -> None:
        self._stack = stack
        self._by_name: dict[str, list[Record]] | None = None
        #: the records that have an id, by it, when ``stored`` was called last
        self.by_id: dict[int, Record] = {}
        self._single_reads: dict[str, list[Record]] = {}
        self._template_ids: frozenset[int | None] | None = None
        #: whether the caller is likely to read only a few names
        self.expects_few_reads = False

    def by_name(self) -> dict[str, list[Record]]:
        """Return ``{name: records}`` of all rows, oldest first within a name."""
        if self._by_name is None:
            stored = (
                db_resources.list_by_stack(self._stack.id)
                if self._stack.template_id is not None
                else ()
            )
            self._by_name = _by_name(self._record_of(row) for row in stored)
        return self._by_name

    def all(self) -> list[Record]:
        """Return all records, oldest first within a name."""
        return [record for records in self.by_name().values() for record in records]

    def stored(self) -> list[Record]:
        """Return the records that have an id and keep them in ``by_id``."""
        self.by_id = {record.id: record for record in self.all() if record.id is not None}
        return list(self.by_id.values())

    def best(self, name: str) -> Record | None:
        """Return the record of the present template, else the newest of the name, or None."""
        candidates = self.find_by_name(name)
        for candidate in reversed(candidates) if len(candidates) > 1 else ():
            if candidate.current_template_id == self._stack.template_id:
                return candidate
        return candidates[-1] if candidates else None

    def _record_of(self, row: 'db_resources.ResourceRow') -> Record:
        """Return the record of a row, the one that was read singly if there is one: it may have
        changes that are not written yet.
        """
        single = self._single_reads.get(row.name, ())
        known = next((each for each in single if each.id == row.id), None)
        return known or Record.from_row(self._stack.journal, row)

    def template_ids(self) -> frozenset:
        """Return the ids of the templates by which the resources of an unfinished action were made.

        Rows that are created later have the template of the stack.
        """
        if self._template_ids is not None or self._stack.status == status.COMPLETE:
            return self._template_ids or frozenset()
        if self._by_name is None:
            stored = db_resources.template_ids(self._stack.id)
        else:
            stored = [each.current_template_id for each in self.all()]
        self._template_ids = frozenset(stored)
        return self._template_ids

    def use(self, records: dict[str, list[Record]]) -> None:
        """Use these records instead of the stored rows."""
        self._by_name = records

    def use_listed(
        self,
        listed: Iterable[Row],
        make: Callable[[Journal, Row], Record] = ListedRecord.from_listed,
    ) -> None:
        """Use the rows of a list (``db.resources.list_brief``) instead of reading all columns."""
        self._by_name = _by_name(make(self._stack.journal, row) for row in listed)

    def find_by_name(self, name: str) -> Sequence[Record]:
        """Return the records of one name."""
        if (
            self._by_name is None
            and self.expects_few_reads
            and len(self._single_reads) < SINGLE_READS
        ):
            if name not in self._single_reads:
                stored = db_resources.list_by_name(self._stack.id, name)
                self._single_reads[name] = [
                    Record.from_row(self._stack.journal, row) for row in stored
                ]
            return self._single_reads[name]
        return self.by_name().get(name, ())

    def attributes_of(self, record: Record) -> dict[str, Value]:
        """Return the stored attributes of a record. Those of all records are read at once."""
        if record.attr_data_id is None:
            return record.attributes or {}
        if record.attributes is None:
            self._read_attributes(record)
        return record.attributes or {}

    def _read_attributes(self, record: Record) -> None:
        records: dict = {record.attr_data_id: record}
        for each in itertools.chain.from_iterable((self._by_name or {}).values()):
            if each.attr_data_id is not None and each.attributes is None:
                records[each.attr_data_id] = each
        stored = db_resources.attribute_values(list(records))
        for row_id, each in records.items():
            each.attributes = stored.get(row_id) or {}

    def owned(self, physical_ids: set[str]) -> set[str]:
        """Return those of the physical ids that a resource of this or another stack has."""
        records = itertools.chain.from_iterable(self.by_name().values())
        here = physical_ids & {each.nova_instance for each in records}
        return here | db_resources.existing_physical_ids(physical_ids)

    def refresh(
        self, names: Collection[str] | None = None, keep: Collection[Record] = ()
    ) -> list[Record]:
        """Read the rows of ``names`` again, or all rows: other engines have changed them.

        The records in ``keep``, and those with changes that are not written yet, stay as they are,
        unless their rows are gone. Return the records that have changed or are gone.
        """
        is_fresh = self._by_name is None
        known = self.by_name()
        if is_fresh:
            return []
        with self._stack.journal.flushing:
            stored = self._read(names)
            names = {*known, *(row.name for row in stored)} if names is None else names
            unwritten = self._stack.journal.unwritten()
            keep = {*keep, *unwritten}
            dropped = {each.id for each in unwritten if each not in known.get(each.name, ())}
            rows: dict[str, dict] = collections.defaultdict(dict)
            for row in stored:
                if row.id not in dropped:
                    rows[row.name][row.id] = row
            changed: list[Record] = []
            for name in names:
                changed += self._refresh_name(name, rows[name], keep)
        return changed

    def _read(self, names: Collection[str] | None) -> 'list[db_resources.ResourceRow]':
        stack_id = self._stack.id
        if names is None:
            return db_resources.list_by_stack(stack_id)
        return db_resources.list_by_names(stack_id, names)

    def _refresh_name(
        self, name: str, rows: 'dict[int, db_resources.ResourceRow]', keep: Collection[Record]
    ) -> list[Record]:
        records: list[Record] = []
        changed: list[Record] = []
        for record in self.by_name().get(name, ()):
            row = rows.pop(record.id, None)
            if record.id is None or record in keep and row is not None:
                records.append(record)
            elif row is None:
                changed.append(record)
            else:
                records.append(record)
                if record.take(row):
                    changed.append(record)
        records += [Record.from_row(self._stack.journal, row) for row in rows.values()]
        self.by_name()[name] = sorted(records, key=lambda each: each.id or math.inf)
        return changed

    def blank(self, name: str) -> Record:
        """Return a record that is not stored, for a resource without a row."""
        return Record(self._stack.journal, name, self._stack.id)

    def new(self, name: str, replaces: Record | None = None) -> Record:
        """Add a record for a resource to create. It is stored with the journal's next turn."""
        new = self.blank(name)
        new.root_stack_id = self._stack.root_id()
        new.current_template_id = self._stack.template_id
        if replaces is not None:
            new.replaces = replaces.id
            # the engine that replaces a resource of a traversal of all engines works on both rows
            new.engine_id = replaces.engine_id
        self.by_name().setdefault(name, []).append(new)
        return self._stack.journal.add(new)

    def has(self, record: Record | None) -> bool:
        """Return whether a record is still one of the stack: it may have been deleted meanwhile."""
        return record is not None and record in self.find_by_name(record.name)

    def drop(self, row: Record) -> None:
        """Drop a record that is deleted; the one that replaces it stands alone then."""
        self.by_name()[row.name].remove(row)
        for each in self.by_name()[row.name]:
            if each.replaces is not None and each.replaces == row.id:
                each.set(replaces=None)


def _by_name(records: Iterable[Record]) -> dict[str, list[Record]]:
    found: dict[str, list[Record]] = {}
    for record in records:
        found.setdefault(record.name, []).append(record)
    return found
