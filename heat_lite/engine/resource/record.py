"""The rows of a stack's resources in memory, and the journal that collects their changes.

No method of a Record commits. ``Journal.flush`` writes all changes and events of one turn (what a
walker does between two waits) in one transaction. Only metadata are written at once
(see ``resource_metadata``), since signals change them from other engines.

Tests: tests/functional/test_engine.py.
"""

import collections
import datetime
import functools
import logging
import threading
import time
import uuid

from oslo_db import exception as db_exception

from heat_lite.common import cooperation, identifier, status
from heat_lite.db import journal as db_journal
from heat_lite.db import sync_points
from heat_lite.engine import scheduler
from heat_lite.engine.resource import lost_rows

LOG = logging.getLogger(__name__)


def utcnow():
    """Return the present time in UTC, without a zone, in whole seconds, as in the database."""
    return _time_of(int(time.time()))


@functools.lru_cache(2)  # many records are made in one second
def _time_of(second):
    return datetime.datetime.fromtimestamp(second, datetime.UTC).replace(tzinfo=None)


def retry_while_unreachable(write, subject):
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

    def __init__(self, journal, name, stack_id):
        self.journal = journal
        self.id = None
        self.name = name
        self.stack_id = stack_id
        self.root_stack_id = self.nova_instance = self.replaces = self.replaced_by = (
            self.current_template_id
        ) = self.engine_id = self.attr_data_id = None
        self.rsrc_metadata = {}
        self.requires, self.needed_by = [], []
        self.action, self.status, self.status_reason = status.INIT, status.COMPLETE, ''
        self.created_at, self.updated_at = utcnow(), None
        self.properties, self.data, self.prop_data_id = None, {}, None
        self.attributes = None

    @classmethod
    def from_row(cls, journal, row):
        """Return the record of a row that ``db.resources.list_by_stack`` gives."""
        record = cls.__new__(cls)
        record.journal = journal
        record.id = row.id
        for column in cls.COLUMNS:
            setattr(record, column, getattr(row, column))
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

    def take(self, row):
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

    def set(self, **changes):
        for column, value in changes.items():
            setattr(self, column, value)
        self.journal.changed(self, changes)

    def set_properties(self, values):
        """Store the resolved properties of the last action. The next update compares with them."""
        self.properties = values
        self.journal.keep_properties(self, values)

    def set_attributes(self, values):
        """Store attributes that have been read. ``clear_attributes`` forgets them."""
        self.attributes = values
        self.journal.keep_attributes(self, values)

    def clear_attributes(self):
        self.attributes = None
        if self.attr_data_id is not None:
            self.journal.drop_attributes(self.attr_data_id)
            self.set(attr_data_id=None)

    def set_data(self, key, value, redact=False):
        self.data[key] = value
        self.journal.keep_data(self, key, value, redact)

    def delete_data(self, key):
        if self.data.pop(key, None) is not None:
            self.journal.drop_data(self, key)

    def physical_name(self, stack_name, limit=255):
        return identifier.physical_name(stack_name, self.name, self.uuid, limit)


class Journal:
    """The changes of one stack during a turn.

    Handlers in other threads may write to the journal while the walker flushes it.
    """

    def __init__(self, context, stack_id, announce=None, expect=None):
        self._context = context
        self._stack_id = stack_id
        #: called after each commit of events
        self.announce = announce
        self._lock = threading.Lock()
        #: held while changes are written, and where none may be written meanwhile
        self.flushing = threading.RLock()
        #: the turn whose transaction has failed so far: it is written before all later changes
        self._uncommitted = self._taken = None
        #: the records whose properties, and those whose attributes that turn stores
        self._property_records, self._attribute_records = [], []
        #: callbacks due when that turn is committed
        self._callbacks = []
        #: the participant whose part that turn has
        self._turn_participant = None
        self.expect = dict(expect or {})
        #: the engine that must hold the stack lock when a turn is written (fencing)
        self.holder = None
        #: takes part in the traversal of all engines with each turn (see ``sync_point_group``);
        #: None where one engine walks alone
        self.participant = None
        #: False in an engine that works on resources only: another one writes the stack
        self.writes_stack = True
        #: the rows that other engines have taken
        self.lost = lost_rows.LostRows()
        #: number of events written so far
        self.events_written = 0
        self._clear()

    def _clear(self):
        self._stack = {}
        self._added, self._removed = [], []
        self._changed = collections.defaultdict(dict)
        self._properties, self._data, self._removed_data = {}, {}, {}
        self._attributes, self._removed_attributes = {}, []
        self._events = []
        self._on_commit = []

    @property
    def dirty(self):
        return bool(
            self._events
            or self._changed
            or self._added
            or self._removed
            or self._stack
            or self._data
            or self._removed_data
            or self._properties
            or self._attributes
            or self._uncommitted
            or (self.participant is not None and self.participant.dirty)
        )

    def stack(self, **values):
        """Change columns of the stack. An engine that does not write it leaves them as they are."""
        if not self.writes_stack:
            return
        with self._lock:
            self._stack.update(values)

    def add(self, record):
        """Add a new row. Its id is known after the next flush."""
        with self._lock:
            self._added.append(record)
        return record

    def remove(self, record):
        """Delete the row. Its history stays in the events."""
        with self._lock:
            self._changed.pop(record, None)
            self._properties.pop(record, None)
            self._attributes.pop(record, None)
            self._removed.append(record)

    def changed(self, record, changes):
        with self._lock:
            self._changed[record].update(changes)

    def keep_properties(self, record, values):
        with self._lock:
            self._properties[record] = values

    def keep_attributes(self, record, values):
        with self._lock:
            self._attributes[record] = values

    def drop_attributes(self, row_id):
        with self._lock:
            self._removed_attributes.append(row_id)

    def keep_data(self, record, key, value, redact):
        with self._lock:
            self._data[record, key] = (value, redact)

    def drop_data(self, record, key):
        with self._lock:
            self._data.pop((record, key), None)
            self._removed_data[record, key] = None

    def event(self, record, **values):
        """Add an event of ``record``, or of the stack itself if ``record`` is None."""
        with self._lock:
            self._events.append(
                (
                    record,
                    {
                        'uuid': str(uuid.uuid4()),
                        'stack_id': self._stack_id,
                        'created_at': utcnow(),
                        **values,
                    },
                )
            )

    def on_commit(self, callback):
        """Call ``callback()`` once all changes of the present turn are committed."""
        with self._lock:
            self._on_commit.append(callback)

    def unwritten(self):
        """Return the records whose rows lack changes, or are yet to be deleted."""
        found = set()
        with self._lock:
            for part in (vars(self), self._taken or vars(self)):
                found.update(part['_changed'], part['_properties'], part['_attributes'])
                found.update(part['_removed'])
                found.update(record for record, _ in (*part['_data'], *part['_removed_data']))
        return found

    def give_up(self):
        """Discard what could not be stored, so that later changes can be."""
        with self.flushing, self._lock:
            self._uncommitted = self._taken = None
            self._callbacks = []
            self._clear()

    def write(self):
        """Flush as a generator: retry, with growing pauses, while the database is unreachable."""
        yield from retry_while_unreachable(self.flush, f'Stack {self._stack_id}')

    def flush(self):
        """Write all changes in one transaction.

        Raises ``db.journal.LockLost`` when another traversal or another engine has taken the stack
        over.
        """
        with self.flushing:
            while self._uncommitted is not None or self.dirty:
                self._uncommitted = self._uncommitted or self._take_changes()
                turn, added = self._uncommitted
                try:
                    ids = db_journal.save(self._context, turn)
                except sync_points.RowsLost as lost:
                    self._drop_lost(lost.rows)
                    continue
                self._uncommitted = self._taken = None
                self.events_written += len(turn.events)
                if turn.events and self.announce is not None:
                    self.announce()
                for record, row_id in zip(added, ids, strict=True):
                    record.id = row_id
                for record in self._property_records:
                    record.prop_data_id = turn.property_ids.get(
                        record.id, turn.property_ids.get(record.uuid)
                    )
                for record in self._attribute_records:
                    record.attr_data_id = turn.attribute_ids.get(record.id)
                for callback in self._callbacks:
                    callback()
                if turn.sync is not None:
                    self._turn_participant.saved(turn.sync)

    def _drop_lost(self, rows):
        """Drop the changes of rows that another engine holds, and what replaces them."""
        LOG.warning(
            'Stack %s: another engine works on the rows %s; what this one did to them is dropped',
            self._stack_id,
            sorted(rows),
        )
        turn, added = self._uncommitted
        left = turn.without(rows)
        kept = {row['uuid'] for row in left.rows_added}
        self.lost.add(rows, [record for record in added if record.uuid not in kept])
        self._uncommitted = left, [record for record in added if record.uuid in kept]
        if self._turn_participant is not None:
            self._turn_participant.lost(rows, left.sync)

    def _take_changes(self):
        with self._lock:
            changes = self._taken = dict(vars(self))
            self._clear()
        self.lost.leave_out(changes)
        self._property_records = list(changes['_properties'])
        self._attribute_records = list(changes['_attributes'])
        self._callbacks = changes['_on_commit']
        self._turn_participant = changes['participant']
        return self._change_set(changes)

    def _change_set(self, changes):
        added = changes['_added']
        new = set(added)
        return db_journal.ChangeSet(
            stack_id=self._stack_id,
            stack=changes['_stack'] or None,
            expect=self.expect,
            holder=self.holder,
            rows_added=[
                {column: getattr(record, column) for column in Record.COLUMNS} for record in added
            ],
            rows_changed=[
                {'id': record.id, **values}
                for record, values in changes['_changed'].items()
                if record not in new
            ],
            rows_deleted=[record.id for record in changes['_removed'] if record.id is not None],
            properties=[
                (_key(record), values) for record, values in changes['_properties'].items()
            ],
            events=[self._event_row(*pair) for pair in cooperation.each(changes['_events'])],
            data=[(_key(record), key, *value) for (record, key), value in changes['_data'].items()],
            data_deleted=[(_key(record), key) for record, key in changes['_removed_data']],
            attributes=[
                (record.id, values)
                for record, values in changes['_attributes'].items()
                if record.id is not None
            ],
            attributes_deleted=changes['_removed_attributes'],
            sync=None if self._turn_participant is None else self._turn_participant.take(),
        ), added

    @staticmethod
    def _event_row(record, values):
        if record is None:
            return values
        return {**values, 'row': _key(record), 'rsrc_prop_data_id': record.prop_data_id}


def _key(record):
    """Return the key of a row within a turn: its id, or its uuid before it has an id."""
    return record.uuid if record.id is None else record.id
