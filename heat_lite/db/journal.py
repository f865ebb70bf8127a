"""Atomic change sets of a stack.

The changes of one step of an action (the stack, its resources, their properties and data, and the
events) are written in one transaction.
"""

import collections
import dataclasses
import datetime
from collections.abc import Mapping, Sequence

from sqlalchemy import insert, or_, select, tuple_

from heat_lite.common import metrics
from heat_lite.common.value_types import Value, Values
from heat_lite.db import (
    batch,
    encryption,
    group_commit,
    locks,
    models,
    queries,
    resources,
    revisions,
    session,
    signals,
    stacks,
    sync_points,
    traversals,
)
from heat_lite.db.column_types import utcnow

#: the id of a row, or the uuid of a new one
RowName = int | str
ChangeSets = Sequence['ChangeSet']
RevisionChange = revisions.NewRevision | Values

_INSERT_PROPERTIES = insert(models.resource_properties_data)
_INSERT_ROWS = insert(models.resource)
_INSERT_EVENTS = insert(models.event)
_INSERT_DATA = insert(models.resource_data)


class MetadataChanged(Exception):
    """Metadata have changed since they were read. Nothing was written."""


class LockLost(Exception):
    """Another engine or another traversal has taken over the stack. Nothing was written."""


class LeaseLost(LockLost):
    """Another engine has taken rows over. Nothing was written."""


@dataclasses.dataclass
class Lease:
    """The rows that an engine without the stack lock works on, by its own account.

    It may also change rows that no engine holds.
    """

    engine_id: str
    rows: frozenset[int] = frozenset()


@dataclasses.dataclass
class ChangeSet:
    """The changes of one step.

    ``stack`` has columns of the stack, and its tags. ``properties``, ``data`` and the 'row' of an
    event refer to a row by its id, or by its uuid if it is new, as does 'requires' of a row;
    ``attributes`` are ``(id of the row, values)``, and ``attributes_deleted`` the ids of their
    stored rows. ``holder`` is the engine that must hold the stack lock. ``release`` is the engine
    whose lock is released. ``save`` fills ``property_ids`` and ``attribute_ids`` with the ids of
    the new properties and attributes of each row. ``points`` are those of the sync points.
    ``lease``: see Lease. ``metadata`` are ``(id of the row, metadata, atomic key that the row must
    have)``. ``signals`` maps the ids of the signals that are handled now to the engine that must
    have them. ``revisions``: see ``revisions.write``.
    """

    stack_id: str
    stack: dict | None = None
    rows_added: list[dict] = dataclasses.field(default_factory=list)
    rows_changed: list[dict] = dataclasses.field(default_factory=list)
    rows_deleted: list[int] = dataclasses.field(default_factory=list)
    properties: list[tuple[RowName, dict]] = dataclasses.field(default_factory=list)
    events: list[dict] = dataclasses.field(default_factory=list)
    data: list[tuple[RowName, str, str | None, bool]] = dataclasses.field(default_factory=list)
    data_deleted: list[tuple[RowName, str]] = dataclasses.field(default_factory=list)
    holder: str | None = None
    release: str | None = None
    property_ids: dict[RowName, int | None] = dataclasses.field(default_factory=dict)
    attributes: list[tuple[int, dict]] = dataclasses.field(default_factory=list)
    attributes_deleted: list[int] = dataclasses.field(default_factory=list)
    attribute_ids: dict[int, int] = dataclasses.field(default_factory=dict)
    metadata: list[tuple[int, Value, int | None]] = dataclasses.field(default_factory=list)
    signals: dict[int, str] = dataclasses.field(default_factory=dict)
    points: sync_points.PointChanges | None = None
    lease: Lease | None = None
    revisions: list[RevisionChange] = dataclasses.field(default_factory=list)

    def changed_rows(self) -> set[int]:
        """Return the ids of the changed rows. That a replaced row is gone does not count."""
        named = (
            [row['id'] for row in self.rows_changed if row.keys() != {'id', 'replaces'}],
            self.rows_deleted,
            [name for name, _ in self.properties],
            [name for name, *_ in self.data],
            [name for name, _ in self.data_deleted],
            [name for name, _ in self.attributes],
            [row.get('replaces') for row in self.rows_added],
        )
        return {name for names in named for name in names if isinstance(name, int)}


def save(changes: ChangeSet) -> list[int]:
    """Write the changes in one transaction and return the ids of ``rows_added`` in order.

    Raises LockLost when ``holder`` does not hold the stack lock, LeaseLost when another engine has
    a row of ``lease``, MetadataChanged, and ``signals.SignalsTaken``. Concurrent change sets share
    a transaction. After an error the call can be repeated with the same change set: changes that
    are stored already are not stored twice.
    """
    if session.in_transaction():
        return _save(changes)
    return _saves.submit(changes)


def _save(changes: ChangeSet) -> list[int]:
    return session.write_once(
        lambda: write([changes])[0],
        lambda: _read_back(changes) if is_written(changes) else None,
    )


@session.writer
def write(change_sets: ChangeSets) -> list[list[int]]:
    """Write several change sets and return the ids of the rows that each of them adds."""
    metrics.JOURNAL.add(len(change_sets))
    _check_locks(change_sets)
    _update_stacks(change_sets)
    _use_signals(change_sets)  # by the atomic keys of rows, which a lease changes
    for changes in change_sets:
        _check_lease(changes)
    now = utcnow()
    property_ids = _insert_properties(change_sets, now)
    added = [
        _added_row(row, changes, property_ids, now)
        for changes in change_sets
        for row in changes.rows_added
    ]
    ids = batch.insert(_INSERT_ROWS, added, returning=models.resource.c.id)
    new_ids = {
        row['uuid']: row_id for row, row_id in zip(added, ids, strict=True) if row.get('uuid')
    }
    _note_replacements(added, ids)
    attribute_ids = _insert_attributes(change_sets, now)
    _update_rows(change_sets, property_ids, attribute_ids, new_ids)
    _replace_data(change_sets, new_ids, now)
    _insert_events(change_sets, property_ids, now)
    deleted = [row for changes in change_sets for row in changes.rows_deleted]
    for chosen in queries.any_of(models.resource.c.id, deleted):
        session.delete(models.resource, chosen)
    resources.delete_unused_properties(
        [row for changes in change_sets for row in changes.attributes_deleted]
    )
    for changes in change_sets:
        if changes.points is not None:
            sync_points.store(changes.stack_id, changes.points)
    _release_locks(change_sets)
    remaining = iter(ids)
    for changes in change_sets:
        changes.property_ids = {row: property_ids[row] for row, _ in changes.properties}
        changes.attribute_ids = {row: attribute_ids[row] for row, _ in changes.attributes}
    return [[next(remaining) for _ in changes.rows_added] for changes in change_sets]


_saves = group_commit.GroupCommit(write, _save)


def _check_locks(change_sets: ChangeSets) -> None:
    """Fencing: raise LockLost if an engine no longer holds its stack lock.

    The engine may not know about the take-over, because it was paused or partitioned. No take-over
    happens until the commit.
    """
    held = {
        changes.stack_id: changes.holder for changes in change_sets if changes.holder is not None
    }
    lost = locks.hold(held) if held else []
    if lost:
        raise LockLost(lost)


def _check_lease(changes: ChangeSet) -> None:
    """Fencing: raise LeaseLost if an engine without the stack lock changes a row of another one."""
    lease = changes.lease
    if lease is None:
        return
    lost = traversals.hold(changes.changed_rows(), lease.engine_id, lease.rows)
    if lost:
        raise LeaseLost(changes.stack_id, sorted(lost))


def _update_stacks(change_sets: ChangeSets) -> None:
    """Update the stacks before anything else. Raises LockLost if one is gone.

    Their rows stay locked until the commit.
    """
    rows = [
        {'id': changes.stack_id, **stacks.with_derived_columns(changes.stack)}
        for changes in change_sets
        if changes.stack
    ]
    tagged = [(row['id'], row.pop('tags')) for row in rows if 'tags' in row]
    if batch.update(models.stack, rows) != len(rows):
        raise LockLost([row['id'] for row in rows])
    for stack_id, tags in tagged:
        stacks.set_tags(stack_id, tags)
    revisions.write([(each.stack_id, change) for each in change_sets for change in each.revisions])


def _use_signals(change_sets: ChangeSets) -> None:
    for changes in change_sets:
        for row_id, metadata, key in changes.metadata:
            if not resources.set_metadata(row_id, metadata, expect=key):
                raise MetadataChanged(row_id)
    signals.use_in_transaction(pair for changes in change_sets for pair in changes.signals.items())


def _release_locks(change_sets: ChangeSets) -> None:
    """Release the stack locks that the change sets end."""
    table = models.stack_lock
    by_engine = collections.defaultdict(list)
    for changes in change_sets:
        if changes.release is not None:
            by_engine[changes.release].append(changes.stack_id)
    for engine_id, stack_ids in by_engine.items():
        session.delete(table, table.c.engine_id == engine_id, table.c.stack_id.in_(stack_ids))


def _insert_properties(
    change_sets: ChangeSets, now: datetime.datetime
) -> dict[RowName, int | None]:
    """Insert the properties; return their ids by row. No properties need no row: None."""
    named = [pair for changes in change_sets for pair in changes.properties]
    rows = [_properties_row(values, now) for _, values in named if values]
    ids = iter(
        batch.insert(_INSERT_PROPERTIES, rows, returning=models.resource_properties_data.c.id)
    )
    return {row: next(ids) if values else None for row, values in named}


def _insert_attributes(change_sets: ChangeSets, now: datetime.datetime) -> dict[int, int]:
    """Insert the attributes; return the ids of their rows by the ids of the resources."""
    named = [pair for changes in change_sets for pair in changes.attributes]
    ids = batch.insert(
        _INSERT_PROPERTIES,
        [_properties_row(values, now) for _, values in named],
        returning=models.resource_properties_data.c.id,
    )
    return {row: new_id for (row, _), new_id in zip(named, ids, strict=True)}


def _properties_row(values: Values, now: datetime.datetime) -> Values:
    encrypted, data = encryption.encrypt_properties(values)
    return {'data': data, 'encrypted': encrypted, 'created_at': now}


def _added_row(
    row: Values,
    changes: ChangeSet,
    property_ids: Mapping[RowName, int | None],
    now: datetime.datetime,
) -> Values:
    values = {
        'stack_id': changes.stack_id,
        'created_at': now,
        'rsrc_prop_data_id': property_ids.get(row.get('uuid', '')),
        **row,
    }
    if _new_requirements(row):
        values['requires'] = [each for each in row['requires'] if isinstance(each, int)]
    return values


def _new_requirements(row: Values) -> list[str]:
    """Return the uuids in ``requires``: those of rows that get their ids in the same turn."""
    return [each for each in row.get('requires') or () if isinstance(each, str)]


def _with_required_ids(rows: Sequence[Values], new_ids: Mapping[RowName, int]) -> list[Values]:
    """Return rows with ids in the place of the uuids in ``requires``."""
    missing = {uuid for row in rows for uuid in _new_requirements(row)} - new_ids.keys()
    table = models.resource
    # stored by an earlier turn, whose commit had to be found out
    query = select(table.c.uuid, table.c.id).where(table.c.uuid.in_(sorted(missing)))
    ids = {**new_ids, **(dict(session.rows(query)) if missing else {})}
    ids.update({each: each for row in rows for each in row['requires'] if isinstance(each, int)})
    return [
        {**row, 'requires': [ids[each] for each in row['requires'] if each in ids]} for row in rows
    ]


def _update_rows(
    change_sets: ChangeSets,
    property_ids: Mapping[RowName, int | None],
    attribute_ids: Mapping[int, int],
    new_ids: Mapping[RowName, int],
) -> None:
    """Update rows, including rows with new properties or attributes only."""
    updates = {row['id']: {**row} for changes in change_sets for row in changes.rows_changed}
    added = [
        {'id': new_ids[row['uuid']], 'requires': row['requires']}
        for changes in change_sets
        for row in changes.rows_added
        if _new_requirements(row)
    ]
    unresolved = added + [row for row in updates.values() if _new_requirements(row)]
    updates.update({row['id']: row for row in _with_required_ids(unresolved, new_ids)})
    for name, properties_id in property_ids.items():
        if isinstance(name, int):
            updates.setdefault(name, {'id': name})['rsrc_prop_data_id'] = properties_id
    for row_id, attributes_id in attribute_ids.items():
        updates.setdefault(row_id, {'id': row_id})['attr_data_id'] = attributes_id
    batch.update(models.resource, updates.values())


def _note_replacements(added: Sequence[Values], ids: Sequence[int]) -> None:
    """Store with each replaced row the id of the new one."""
    pairs = [(row.get('replaces'), new) for row, new in zip(added, ids, strict=True)]
    batch.update(models.resource, [{'id': old, 'replaced_by': new} for old, new in pairs if old])


def _replace_data(
    change_sets: ChangeSets, new_ids: Mapping[RowName, int], now: datetime.datetime
) -> None:
    """Delete the data whose keys are set or deleted, and insert the new data."""
    table = models.resource_data
    given = [each for changes in change_sets for each in changes.data]
    rows: list[tuple[Value, str, str | None, bool]] = [
        (new_ids.get(row, row), key, value, redact) for row, key, value, redact in given
    ]
    stale = {(row, key) for row, key, *_ in given if row not in new_ids}
    stale |= {
        (new_ids.get(row, row), key) for changes in change_sets for row, key in changes.data_deleted
    }
    if stale:
        session.delete(table, tuple_(table.c.resource_id, table.c.key).in_(sorted(stale)))
    batch.insert(_INSERT_DATA, [{'created_at': now, **resources.data_values(*row)} for row in rows])


def _insert_events(
    change_sets: ChangeSets, property_ids: Mapping[RowName, int | None], now: datetime.datetime
) -> None:
    """Insert events. An event of a row with new properties refers to these properties.

    Other events can have an older ``rsrc_prop_data_id``.
    """
    rows = []
    for changes in change_sets:
        for event in changes.events:
            row = {'stack_id': changes.stack_id, 'created_at': now, **event}
            name = row.pop('row', None)
            if name in property_ids:
                row['rsrc_prop_data_id'] = property_ids[name]
            rows.append(row)
    batch.insert(_INSERT_EVENTS, rows)


@session.reader
def is_written(changes: ChangeSet) -> bool:
    """Return whether a change set whose commit has an unknown outcome is stored.

    A change set without new rows, events and signals can be written again without harm.
    """
    if changes.signals:
        return not signals.present(changes.signals)
    for table, rows in ((models.event, changes.events), (models.resource, changes.rows_added)):
        uuid = next((row['uuid'] for row in rows if row.get('uuid')), None)
        if uuid is not None:
            return session.exists(table, table.c.uuid == uuid)
    return False


@session.reader
def _read_back(changes: ChangeSet) -> list[int]:
    """Return the ids that ``write`` would have returned, and fill ``property_ids``."""
    table = models.resource
    names: list[RowName | None] = [name for name, _ in changes.properties]
    names += [row_id for row_id, _ in changes.attributes]
    names += [row.get('uuid') for row in changes.rows_added]
    ids = [name for name in names if isinstance(name, int)]
    uuids = [name for name in names if isinstance(name, str)]
    query = select(table.c.id, table.c.uuid, table.c.rsrc_prop_data_id, table.c.attr_data_id)
    query = query.where(or_(table.c.id.in_(ids), table.c.uuid.in_(uuids)))
    found = {name: row for row in session.execute(query) for name in (row.id, row.uuid)}
    changes.property_ids = {
        name: found[name].rsrc_prop_data_id for name, _ in changes.properties if name in found
    }
    changes.attribute_ids = {
        row_id: found[row_id].attr_data_id for row_id, _ in changes.attributes if row_id in found
    }
    return [found[row['uuid']].id for row in changes.rows_added]
