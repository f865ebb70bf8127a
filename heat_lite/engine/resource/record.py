"""The rows of a stack's resources in memory, and the journal that collects their changes.

No method of a Record commits. ``Journal.flush`` writes all changes and events of one turn (what a
walker does between two waits) in one transaction. Only metadata are written at once
(see ``resource_metadata``), since signals change them from other engines.

Tests: tests/functional/test_engine.py.
"""

import dataclasses
import datetime
import functools
import logging
import operator
import threading
import time
import uuid
from collections.abc import Callable, Iterable
from typing import Any, Self

from oslo_db import exception as db_exception

from heat_lite.common import identifier, status
from heat_lite.common.context import RequestContext
from heat_lite.common.value_types import Row, Value, Values
from heat_lite.db import journal as db_journal, revisions as db_revisions, sync_points
from heat_lite.engine import scheduler

LOG = logging.getLogger(__name__)


def utcnow() -> datetime.datetime:
    """Return the present time in UTC, without a zone, in whole seconds, as in the database."""
    return _time_of(int(time.time()))


@functools.lru_cache(2)  # many records are made in one second
def _time_of(second: int) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(second, datetime.UTC).replace(tzinfo=None)


def retry_while_unreachable(
    write: Callable[[], scheduler.Result], subject: str
) -> scheduler.Work[scheduler.Result]:
    """Call ``write()``; retry with growing pauses while the database is unreachable.

    A generator. ``subject`` names what is written, for the log.
    """
    pauses = scheduler.pauses()
    while True:
        try:
            return write()
        except (db_exception.DBConnectionError, db_exception.DBDeadlock) as error:
            LOG.warning(
                '%s: the database is unreachable, the changes are stored later: %s', subject, error
            )
            yield next(pauses)


class Record(identifier.WithUuid):
    """One row of the resource table.

    Change it with ``set``, so that the journal records the change.
    """

    COLUMNS = tuple(
        'uuid name stack_id root_stack_id nova_instance rsrc_metadata requires needed_by '
        'replaces replaced_by current_template_id action status status_reason created_at '
        'updated_at engine_id attr_data_id'.split()
    )
    __slots__ = ('journal', 'id', 'properties', 'data', 'prop_data_id', 'attributes', *COLUMNS[1:])
    #: of a record that is only read: None
    journal: Any
    #: an int; None until the row is stored
    id: Any
    name: str
    stack_id: str
    root_stack_id: str | None
    #: the physical id
    nova_instance: str | None
    rsrc_metadata: Values
    #: ids of rows; of rows that are stored with this one their uuids
    requires: list
    needed_by: list[int]
    replaces: int | None
    replaced_by: int | None
    current_template_id: Any
    action: str
    status: str
    status_reason: str
    created_at: datetime.datetime
    updated_at: datetime.datetime | None
    engine_id: str | None
    properties: Values | None
    prop_data_id: int | None
    data: dict[str, str]
    attributes: Values | None
    attr_data_id: int | None

    def __init__(self, journal: 'Journal', name: str, stack_id: str) -> None:
        for slot in Record.__slots__:
            setattr(self, slot, None)
        self.journal, self.name, self.stack_id = journal, name, stack_id
        self.rsrc_metadata, self.data = {}, {}
        self.requires, self.needed_by = [], []
        self.action, self.status, self.status_reason = status.INIT, status.COMPLETE, ''
        self.created_at = utcnow()

    @classmethod
    def from_row(cls, journal: 'Journal | None', row: Row) -> Self:
        """Return the record of a row that ``db.resources.list_by_stack`` gives."""
        record = cls.__new__(cls)
        record.journal = journal
        record.id = row.id
        for column, value in zip(cls.COLUMNS, _columns(row), strict=True):
            setattr(record, column, value)
        record.requires = record.requires or []
        record.needed_by = record.needed_by or []
        record.rsrc_metadata = record.rsrc_metadata or {}
        record.properties, record.data, record.prop_data_id = (
            row.properties,
            dict(row.data or {}),
            row.rsrc_prop_data_id,
        )
        record.attributes = None
        return record

    def take(self, row: Row) -> bool:
        """Take over the columns of a newer row; return whether one of them has changed."""
        newer = Record.from_row(self.journal, row)
        kept = ('journal', 'attributes')
        slots = ['uuid', *(name for name in self.__slots__ if name not in kept)]
        if all(getattr(self, name) == getattr(newer, name) for name in slots):
            return False
        for name in slots:
            setattr(self, name, getattr(newer, name))
        self.attributes = None
        return True

    def set(self, **changes: Value) -> None:
        for column, value in changes.items():
            setattr(self, column, value)
        self.journal.changed(self, changes)

    def set_properties(self, values: Values) -> None:
        """Store the resolved properties of the last action. The next update compares with them."""
        self.properties = values
        self.journal.keep_properties(self, values)

    def set_attributes(self, values: Values) -> None:
        """Store attributes that have been read. ``clear_attributes`` forgets them."""
        self.attributes = values
        self.journal.keep_attributes(self, values)

    def clear_attributes(self) -> None:
        self.attributes = None
        if self.attr_data_id is not None:
            self.journal.drop_attributes(self.attr_data_id)
            self.set(attr_data_id=None)

    def set_data(self, key: str, value: Value, redact: bool = False) -> None:
        self.data[key] = value
        self.journal.keep_data(self, key, (value, redact))

    def delete_data(self, key: str) -> None:
        if self.data.pop(key, None) is not None:
            self.journal.keep_data(self, key, None)

    def physical_name(self, stack_name: str, limit: int | None = 255) -> str:
        """Return the name that objects of the resource have got, or would get now."""
        return identifier.object_name(self.data, stack_name, self.name, self.uuid, limit)


_columns = operator.attrgetter(*Record.COLUMNS)
#: the fields of a turn that are no reason to write it
WAITING = ('stale_attributes', 'callbacks')


@dataclasses.dataclass(eq=False)
class PendingChanges:
    """What one turn stores: rows, properties, attributes, data, events and columns of the stack.

    ``data`` maps (record, key) to (value, redact), or to None if the key is deleted.
    """

    stack: Values = dataclasses.field(default_factory=dict)
    added: list[Record] = dataclasses.field(default_factory=list)
    removed: list[Record] = dataclasses.field(default_factory=list)
    changed: dict[Record, Values] = dataclasses.field(default_factory=dict)
    properties: dict[Record, Values] = dataclasses.field(default_factory=dict)
    attributes: dict[Record, Values] = dataclasses.field(default_factory=dict)
    #: ids of rows of attributes that are no longer used
    stale_attributes: list[int] = dataclasses.field(default_factory=list)
    data: dict[tuple[Record, str], tuple[Value, bool] | None] = dataclasses.field(
        default_factory=dict
    )
    events: list[tuple[Record | None, Values]] = dataclasses.field(default_factory=list)
    #: metadata that must be those read before: (record, metadata, atomic key)
    metadata: list[tuple[Record, Value, int | None]] = dataclasses.field(default_factory=list)
    #: the ids of handled signals, and the engine that must have them (see ``db.signals``)
    signals: dict[int, str] = dataclasses.field(default_factory=dict)
    #: called once the turn is committed
    callbacks: list[Callable[[], object]] = dataclasses.field(default_factory=list)
    #: types of db are quoted, because lint loads no database
    points: 'sync_points.PointChanges | None' = None
    revisions: 'list[db_revisions.NewRevision | Values]' = dataclasses.field(default_factory=list)

    def is_empty(self) -> bool:
        """Return whether there is nothing to write."""
        return not any(value for name, value in vars(self).items() if name not in WAITING)

    def records(self) -> set[Record]:
        """Return the records whose rows are changed or deleted."""
        owners = (record for record, _ in self.data)
        return {*self.changed, *self.properties, *self.attributes, *self.removed, *owners}

    def remove(self, record: Record) -> None:
        for part in (self.changed, self.properties, self.attributes):
            part.pop(record, None)
        self.removed.append(record)

    def change_set(
        self, stack_id: str, holder: str | None, lease: 'db_journal.Lease | None'
    ) -> 'db_journal.ChangeSet':
        """Return the changes as the database gets them."""
        new = set(self.added)
        data = [(_key(record), key, pair) for (record, key), pair in self.data.items()]
        return db_journal.ChangeSet(
            stack_id=stack_id,
            stack=self.stack or None,
            holder=holder,
            rows_added=[
                {column: getattr(record, column) for column in Record.COLUMNS}
                for record in self.added
            ],
            rows_changed=[
                {'id': record.id, **values}
                for record, values in self.changed.items()
                if record not in new
            ],
            rows_deleted=[record.id for record in self.removed if record.id is not None],
            properties=[(_key(record), values) for record, values in self.properties.items()],
            events=[_event_row(*pair) for pair in self.events],
            data=[(row, key, *pair) for row, key, pair in data if pair is not None],
            data_deleted=[(row, key) for row, key, pair in data if pair is None],
            attributes=[
                (record.id, values)
                for record, values in self.attributes.items()
                if record.id is not None
            ],
            attributes_deleted=self.stale_attributes,
            metadata=[(record.id, values, key) for record, values, key in self.metadata],
            signals=self.signals,
            points=self.points,
            lease=lease,
            revisions=self.revisions,
        )

    def note_stored(self, changes: 'db_journal.ChangeSet', ids: list[int]) -> None:
        """Give the records the ids of their rows, and call the callbacks."""
        for record, row_id in zip(self.added, ids, strict=True):
            record.id = row_id
        for record in self.properties:
            record.prop_data_id = changes.property_ids.get(
                record.id, changes.property_ids.get(record.uuid)
            )
        for record in self.attributes:
            record.attr_data_id = changes.attribute_ids.get(record.id)
        for callback in self.callbacks:
            callback()


class Journal:
    """The changes of one stack during a turn.

    Handlers in other threads may write to the journal while the walker flushes it.
    """

    def __init__(
        self,
        context: RequestContext,
        stack_id: str,
        announce: Callable[[], None] | None = None,
    ) -> None:
        self._context = context
        self._stack_id = stack_id
        #: called after each commit of events
        self.announce = announce
        self._lock = threading.Lock()
        #: held while changes are written, and where none may be written meanwhile
        self.flushing = threading.RLock()
        self._pending = PendingChanges()
        #: the turn whose transaction has failed so far: it is written before all later changes
        self._uncommitted: PendingChanges | None = None
        #: the engine that must hold the stack lock when a turn is written (fencing)
        self.holder: str | None = None
        #: the rows of an engine that works on these only: another one writes the stack
        self.lease: db_journal.Lease | None = None
        #: number of events written so far
        self.events_written = 0

    @property
    def dirty(self) -> bool:
        return self._uncommitted is not None or not self._pending.is_empty()

    def stack(self, **values: Value) -> None:
        """Change columns of the stack. An engine that does not write it leaves them as they are."""
        if self.lease is None:
            with self._lock:
                self._pending.stack.update(values)

    def revision(self, change: 'db_revisions.NewRevision | Values') -> None:
        """Add a revision of the stack, or the result of the newest one."""
        if self.lease is None:
            with self._lock:
                self._pending.revisions.append(change)

    def add(self, record: Record) -> Record:
        """Add a new row. Its id is known after the next flush."""
        with self._lock:
            self._pending.added.append(record)
        return record

    def remove(self, record: Record) -> None:
        """Delete the row. Its history stays in the events."""
        with self._lock:
            self._pending.remove(record)

    def changed(self, record: Record, changes: Values) -> None:
        with self._lock:
            self._pending.changed.setdefault(record, {}).update(changes)

    def keep_properties(self, record: Record, values: Values) -> None:
        with self._lock:
            self._pending.properties[record] = values

    def keep_attributes(self, record: Record, values: Values) -> None:
        with self._lock:
            self._pending.attributes[record] = values

    def drop_attributes(self, row_id: int) -> None:
        with self._lock:
            self._pending.stale_attributes.append(row_id)

    def keep_data(self, record: Record, key: str, stored: tuple[Value, bool] | None) -> None:
        """Store a value and whether it is secret; None deletes the key."""
        with self._lock:
            self._pending.data[record, key] = stored

    def event(self, record: Record | None, **values: Value) -> None:
        """Add an event of ``record``, or of the stack itself if ``record`` is None."""
        row = {'uuid': str(uuid.uuid4()), 'stack_id': self._stack_id, 'created_at': utcnow()}
        with self._lock:
            self._pending.events.append((record, {**row, **values}))

    def replace_metadata(self, record: Record, values: Value, key: int | None) -> None:
        """Store metadata if the row has this atomic key (see ``db.resources.metadata``)."""
        with self._lock:
            self._pending.metadata.append((record, values, key))

    def use_signals(self, ids: Iterable[int], engine_id: str) -> None:
        """Delete signals with the turn that stores what came of them."""
        with self._lock:
            self._pending.signals.update(dict.fromkeys(ids, engine_id))

    def put_point(self, row: Values) -> None:
        """Store a sync point."""
        with self._lock:
            self._pending.points = self._pending.points or sync_points.PointChanges()
            self._pending.points.put(row)

    def clear_points(self) -> None:
        """Delete all sync points of the stack."""
        with self._lock:
            self._pending.points = sync_points.PointChanges(clears=True)

    def on_commit(self, callback: Callable[[], object]) -> None:
        """Call ``callback()`` once all changes of the present turn are committed."""
        with self._lock:
            self._pending.callbacks.append(callback)

    def unwritten(self) -> set[Record]:
        """Return the records whose rows lack changes, or are yet to be deleted."""
        with self._lock:
            found = self._pending.records()
            return found | self._uncommitted.records() if self._uncommitted else found

    def give_up(self) -> None:
        """Discard what could not be stored, so that later changes can be."""
        with self.flushing, self._lock:
            self._uncommitted, self._pending = None, PendingChanges()

    def write(self) -> scheduler.Work[None]:
        """Flush as a generator: retry, with growing pauses, while the database is unreachable."""
        yield from retry_while_unreachable(self.flush, f'Stack {self._stack_id}')

    def flush(self) -> None:
        """Write all changes in one transaction.

        Raises ``db.journal.LockLost`` when another engine has taken the stack or rows over, and as
        ``save`` does for signals and metadata.
        """
        with self.flushing:
            while self.dirty:
                turn = self._uncommitted = self._uncommitted or self.take_turn()
                changes = turn.change_set(self._stack_id, self.holder, self.lease)
                ids = db_journal.save(changes)
                self._uncommitted = None
                self.events_written += len(turn.events)
                if turn.events and self.announce is not None:
                    self.announce()
                turn.note_stored(changes, ids)

    def take_turn(self) -> PendingChanges:
        """Return all changes since the last turn; the caller stores them."""
        with self._lock:
            turn, self._pending = self._pending, PendingChanges()
        return turn


def _event_row(record: Record | None, values: Values) -> Values:
    if record is None:
        return values
    return {**values, 'row': _key(record), 'rsrc_prop_data_id': record.prop_data_id}


def _key(record: Record) -> int | str:
    """Return the key of a row within a turn: its id, or its uuid before it has an id."""
    return record.uuid if record.id is None else record.id
