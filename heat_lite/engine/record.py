"""The row of a resource in memory, and the journal in which a turn of a walker collects what it changes.

Nothing here commits by itself: ``Journal.flush`` writes all changes and events of a turn in one transaction.
"""

import collections
import datetime
import logging
import threading
import uuid

from oslo_db import exception as db_exception

from heat_lite.common import names, status
from heat_lite.db import journal as db_journal
from heat_lite.engine import scheduler

LOG = logging.getLogger(__name__)


def utcnow():
    """Now in UTC, without a zone, in whole seconds, as the database keeps it."""
    return datetime.datetime.now(datetime.UTC).replace(tzinfo=None, microsecond=0)


def patiently(write, what):
    """Call ``write``, as a generator: while the database cannot be reached it waits, with growing pauses, and tries again."""
    pauses = scheduler.pauses()
    while True:
        try:
            return write()
        except (db_exception.DBConnectionError, db_exception.DBDeadlock) as error:
            LOG.warning('%s: its changes could not be stored yet: %s', what, error)
            yield next(pauses)


class Record:
    """One row of the resource table. Change it with ``set``, so that the journal knows."""

    COLUMNS = tuple(
        'uuid name stack_id root_stack_id nova_instance rsrc_metadata requires needed_by replaces replaced_by current_template_id '
        'action status status_reason created_at updated_at engine_id'.split()
    )
    __slots__ = ('journal', 'id', 'properties', 'data', 'prop_data_id', *COLUMNS)

    def __init__(self, journal, name, stack_id):
        self.journal = journal
        self.id = None
        self.uuid = str(uuid.uuid4())
        self.name = name
        self.stack_id = stack_id
        self.root_stack_id = self.nova_instance = self.replaces = self.replaced_by = self.current_template_id = self.engine_id = None
        self.rsrc_metadata = {}
        self.requires, self.needed_by = [], []
        self.action, self.status, self.status_reason = status.INIT, status.COMPLETE, ''
        self.created_at, self.updated_at = utcnow(), None
        self.properties, self.data, self.prop_data_id = None, {}, None

    @classmethod
    def from_row(cls, journal, row):
        """The record of a row as ``db.resources.for_stack`` gives it."""
        record = cls.__new__(cls)
        record.journal = journal
        record.id = row.id
        for column in cls.COLUMNS:
            setattr(record, column, getattr(row, column))
        record.requires = record.requires or []
        record.needed_by = record.needed_by or []
        record.rsrc_metadata = record.rsrc_metadata or {}
        record.properties, record.data, record.prop_data_id = row.properties, dict(row.data or {}), row.rsrc_prop_data_id
        return record

    @classmethod
    def from_listed(cls, journal, row):
        """The record of a row as ``db.resources.listed`` gives it: to look at, since the rest of it is blank."""
        record = cls.__new__(cls)
        for column in cls.__slots__:
            setattr(record, column, None)
        for column, value in zip(row._fields, row, strict=True):
            setattr(record, column, value)
        record.journal = journal
        return record

    def set(self, **changes):
        for column, value in changes.items():
            setattr(self, column, value)
        self.journal.changed(self, changes)

    def set_properties(self, values):
        """Keep the resolved properties of the last action: the next update compares with them."""
        self.properties = values
        self.journal.keep_properties(self, values)

    def set_data(self, key, value, redact=False):
        self.data[key] = value
        self.journal.keep_data(self, key, value, redact)

    def delete_data(self, key):
        if self.data.pop(key, None) is not None:
            self.journal.drop_data(self, key)

    def physical_name(self, stack_name, limit=255):
        return names.physical_name(stack_name, self.name, self.uuid, limit)


class Journal:
    """What changes in a stack during a turn. Handlers in other threads may write to it while the walker flushes."""

    def __init__(self, context, stack_id, expect=None):
        self._context = context
        self._stack_id = stack_id
        self._lock = threading.Lock()
        self._flushing = threading.Lock()
        #: a turn that could not be stored yet: it goes before all that came later
        self._unsaved = None
        #: the rows whose properties that turn keeps
        self._kept = []
        #: who is to be called when it is stored
        self._due = []
        self.expect = dict(expect or {})
        #: the engine that must have the stack's lock when a turn is written
        self.holder = None
        #: how many events it has told
        self.told = 0
        self._clear()

    def _clear(self):
        self._stack = {}
        self._added, self._gone = [], []
        self._changed = collections.defaultdict(dict)
        self._properties, self._data, self._data_gone = {}, {}, {}
        self._events = []
        self._afterwards = []

    @property
    def dirty(self):
        return bool(
            self._events
            or self._changed
            or self._added
            or self._gone
            or self._stack
            or self._data
            or self._data_gone
            or self._properties
            or self._unsaved
        )

    def stack(self, **values):
        with self._lock:
            self._stack.update(values)

    def add(self, record):
        """A new row. Its id is known after the next flush."""
        with self._lock:
            self._added.append(record)
        return record

    def remove(self, record):
        """Take the row away; its history stays in the events."""
        with self._lock:
            self._changed.pop(record, None)
            self._properties.pop(record, None)
            self._gone.append(record)

    def changed(self, record, changes):
        with self._lock:
            self._changed[record].update(changes)

    def keep_properties(self, record, values):
        with self._lock:
            self._properties[record] = values

    def keep_data(self, record, key, value, redact):
        with self._lock:
            self._data[record, key] = (value, redact)

    def drop_data(self, record, key):
        with self._lock:
            self._data.pop((record, key), None)
            self._data_gone[record, key] = None

    def event(self, record, **values):
        """Tell what happened; ``record`` is None for an event of the stack itself."""
        with self._lock:
            self._events.append((record, {'uuid': str(uuid.uuid4()), 'stack_id': self._stack_id, 'created_at': utcnow(), **values}))

    def afterwards(self, call):
        """Call this when all that the turn has so far is stored."""
        with self._lock:
            self._afterwards.append(call)

    def give_up(self):
        """Forget what could not be stored, so that what comes next can be."""
        with self._flushing, self._lock:
            self._unsaved = None
            self._due = []
            self._clear()

    def write(self):
        """``flush`` as a generator: while the database cannot be reached it waits, with growing pauses, and tries again."""
        yield from patiently(self.flush, f'Stack {self._stack_id}')

    def flush(self):
        """Write all of it in one transaction. Raises ``db.journal.Superseded`` when another traversal, or another engine, has
        taken the stack over."""
        with self._flushing:
            while self._unsaved is not None or self.dirty:
                self._unsaved = self._unsaved or self._take()
                turn, added = self._unsaved
                ids = db_journal.save(self._context, turn)
                self._unsaved = None
                self.told += len(turn.events)
                for record, row_id in zip(added, ids, strict=True):
                    record.id = row_id
                for record in self._kept:
                    record.prop_data_id = turn.property_ids.get(record.id, turn.property_ids.get(record.uuid))
                for call in self._due:
                    call()

    def _take(self):
        with self._lock:
            taken = dict(vars(self))
            self._clear()
        self._kept = list(taken['_properties'])
        self._due = taken['_afterwards']
        return self._turn(taken)

    def _turn(self, taken):
        added = taken['_added']
        new = set(added)
        gone = [record.id for record in taken['_gone'] if record.id is not None]
        return db_journal.Turn(
            stack_id=self._stack_id,
            stack=taken['_stack'] or None,
            expect=self.expect,
            holder=self.holder,
            rows_added=[{column: getattr(record, column) for column in Record.COLUMNS} for record in added],
            rows_changed=[{'id': record.id, **changes} for record, changes in taken['_changed'].items() if record not in new],
            rows_gone=gone,
            properties=[(_key(record), values) for record, values in taken['_properties'].items()],
            events=[self._event_row(record, values) for record, values in taken['_events']],
            data=[(_key(record), key, *kept) for (record, key), kept in taken['_data'].items()],
            data_gone=[(_key(record), key) for record, key in taken['_data_gone']],
        ), added

    @staticmethod
    def _event_row(record, values):
        if record is None:
            return values
        return {**values, 'row': _key(record), 'rsrc_prop_data_id': record.prop_data_id}


def _key(record):
    """How a turn names a row: by its id, or by its uuid while it has none."""
    return record.uuid if record.id is None else record.id
