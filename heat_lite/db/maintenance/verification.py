"""The invariants of the database, and what an operator does about each that is broken.

Each statement sees what is committed at its moment. While engines run, an action that ends between
two statements may leave a finding that the next run does not have.
"""

import dataclasses
import typing
from collections.abc import Callable, Iterator, Sequence

import sqlalchemy
from sqlalchemy import ColumnElement, Text, and_, func, or_, select

from heat_lite.common import status
from heat_lite.db import models, services, session
from heat_lite.db.maintenance import reencrypt

_S, _R, _L = models.stack.c, models.resource.c, models.stack_lock.c
_G = models.resource_signal.c
#: rows of one query of secrets
BATCH = 500
#: findings of one check that are listed
LIMIT = 50


@dataclasses.dataclass(frozen=True)
class BrokenInvariant:
    """A broken invariant: its name, the row that breaks it, and what to do."""

    check: str
    row: str
    text: str
    cure: str


class Invariant(typing.NamedTuple):
    """``rows()`` yields (row, text) of what breaks the invariant."""

    name: str
    rows: Callable[[], Iterator[tuple[str, str]]]
    cure: str


def verify(keys: Sequence[str]) -> Iterator[BrokenInvariant]:
    """Yield what is wrong; of one check at most ``LIMIT`` rows. ``keys`` decrypt the secrets."""
    for invariant in INVARIANTS:
        for row, text in _first(invariant):
            yield BrokenInvariant(invariant.name, row, text, invariant.cure)
    for number, (table, row) in enumerate(reencrypt.undecryptable(keys, BATCH)):
        if number == LIMIT:
            return
        cure = 'Add the key to [heat_lite] former_encryption_keys, then run rotate_encryption_key.'
        yield BrokenInvariant('secrets', f'{table} {row}', 'no key decrypts its secret', cure)


@session.reader
def _first(invariant: Invariant) -> list[tuple[str, str]]:
    return [pair for pair, _ in zip(invariant.rows(), range(LIMIT), strict=False)]


def _references() -> Iterator[tuple[str, str]]:
    """Rows that refer to a row that does not exist."""
    for table in models.metadata.sorted_tables:
        for key in table.foreign_keys:
            other = key.column.table.alias('other')
            query = select(table.primary_key.columns.values()[0], key.parent).where(
                key.parent.is_not(None),
                ~select(other.c[key.column.name])
                .where(other.c[key.column.name] == key.parent)
                .exists(),
            )
            for row, value in session.execute(query.limit(LIMIT)):
                yield (
                    f'{table.name} {row}',
                    f'{key.parent.name} is {value}, and {key.column.table.name} has no such row',
                )


def _living() -> list[ColumnElement[bool]]:
    return [models.ALIVE, models.NO_BACKUP]


def _names() -> Iterator[tuple[str, str]]:
    """Living top-level stacks of one project and name."""
    query = (
        select(_S.tenant, _S.name, func.count())
        .where(*_living(), _S.owner_id.is_(None))
        .group_by(_S.tenant, _S.name)
        .having(func.count() > 1)
    )
    for tenant, name, count in session.execute(query):
        yield f'project {tenant}', f'{count} stacks have the name {name}'


def _marks() -> Iterator[tuple[str, str]]:
    """Stacks whose mark ``live`` does not say what they are."""
    is_top = and_(*_living(), _S.owner_id.is_(None))
    wrong = or_(
        and_(is_top, _S.live.is_(None)), and_(sqlalchemy.not_(is_top), _S.live.is_not(None))
    )
    for row in session.execute(select(_S.id, _S.name, _S.live).where(wrong)):
        yield f'stack {row.id}', f'{row.name}: live is {row.live}'


def _parents() -> Iterator[tuple[str, str]]:
    """Living nested stacks whose parent is deleted or gone."""
    parent = models.stack.alias('parent')
    alive = select(parent.c.id).where(parent.c.id == _S.owner_id, parent.c.deleted_at.is_(None))
    query = select(_S.id, _S.name, _S.owner_id).where(
        models.ALIVE, _S.owner_id.is_not(None), ~alive.exists()
    )
    for row in session.execute(query):
        yield f'stack {row.id}', f'{row.name}: its parent {row.owner_id} is deleted or gone'


def _alive_engines() -> list[str]:
    found = services.last_heartbeats()
    return [engine for engine, last in found.items() if last is not None]


def _abandoned() -> Iterator[tuple[str, str]]:
    """Stacks in progress that no living engine works on."""
    alive = _alive_engines()
    query = (
        select(_S.id, _S.name, _S.action, _L.engine_id)
        .outerjoin(models.stack_lock, _L.stack_id == _S.id)
        .where(*_living(), _S.status == status.IN_PROGRESS, _S.convergence.is_not(True))
    )
    for row in session.execute(query):
        if row.engine_id not in alive:
            holder = f'engine {row.engine_id} is dead' if row.engine_id else 'no engine has it'
            yield f'stack {row.id}', f'{row.name}: {row.action} is in progress, and {holder}'


def _locks() -> Iterator[tuple[str, str]]:
    """Locks of dead engines on stacks without an action, and on deleted stacks."""
    alive = _alive_engines()
    query = select(_L.stack_id, _L.engine_id, _S.status, _S.deleted_at).join(
        models.stack, _S.id == _L.stack_id
    )
    idle = or_(_S.deleted_at.is_not(None), _S.status != status.IN_PROGRESS)
    for row in session.execute(query.where(idle, _L.engine_id.is_not(None))):
        if row.engine_id not in alive:
            yield f'stack {row.stack_id}', f'it is locked by the dead engine {row.engine_id}'


def _signals() -> Iterator[tuple[str, str]]:
    """Signals that no living engine handles, and those to resources of deleted stacks."""
    alive = _alive_engines()
    query = (
        select(_G.id, _G.engine_id, _R.name, _R.stack_id, _S.deleted_at)
        .join(models.resource, _R.id == _G.resource_id)
        .join(models.stack, _S.id == _R.stack_id)
    )
    for row in session.execute(query):
        target = f'{row.name} of stack {row.stack_id}'
        if row.deleted_at is not None:
            yield f'signal {row.id}', f'it is one to {target}, which is deleted'
        elif row.engine_id not in alive:
            yield f'signal {row.id}', f'it waits for the dead engine {row.engine_id}, to {target}'


def _resource_states() -> Iterator[tuple[str, str]]:
    """Resources in progress in stacks that have completed."""
    query = (
        select(_R.id, _R.name, _R.action, _S.id.label('stack_id'))
        .join(models.stack, _S.id == _R.stack_id)
        .where(*_living(), _S.status == status.COMPLETE, _R.status == status.IN_PROGRESS)
    )
    for row in session.execute(query):
        yield (
            f'resource {row.id}',
            f'{row.name} of stack {row.stack_id}: {row.action} is in progress, the stack complete',
        )


def _replacements() -> Iterator[tuple[str, str]]:
    """Resources that replace, or are replaced by, rows of other stacks."""
    other = models.resource.alias('other')
    for name in ('replaces', 'replaced_by'):
        query = select(_R.id, _R[name], other.c.stack_id).join(other, other.c.id == _R[name])
        for row in session.execute(query.where(other.c.stack_id != _R.stack_id)):
            yield f'resource {row.id}', f'{name} names row {row[1]} of another stack, {row[2]}'


def _sync_points() -> Iterator[tuple[str, str]]:
    """Sync points of traversals that are not the current one of a stack in progress."""
    point = models.sync_point
    query = (
        select(point.c.stack_id, func.count())
        .join(models.stack, _S.id == point.c.stack_id)
        .where(or_(_S.status != status.IN_PROGRESS, _S.deleted_at.is_not(None)))
        .group_by(point.c.stack_id)
    )
    for stack_id, count in session.execute(query):
        yield f'stack {stack_id}', f'{count} sync points, but no action runs'


def _json() -> Iterator[tuple[str, str]]:
    """Texts that should be JSON and are cut off or empty."""
    for table in models.metadata.sorted_tables:
        for column in table.c:
            if type(column.type).__name__ != 'Json':
                continue
            text = sqlalchemy.type_coerce(column, Text)
            key = table.primary_key.columns.values()[0]
            closed = or_(text.like('%}'), text.like('%]'), text.like('%"'))
            opened = or_(text.like('{%'), text.like('[%'), text.like('"%'))
            wrong = or_(text == '', and_(opened, sqlalchemy.not_(closed)))
            for row in session.scalars(select(key).where(column.is_not(None), wrong)):
                yield f'{table.name} {row}', f'{column.name} is no complete JSON'


def _former() -> Iterator[tuple[str, str]]:
    """Properties in the columns of old versions of Heat."""
    for table, column in ((models.resource, _R.properties_data), (models.event, None)):
        column = table.c.resource_properties if column is None else column
        # Heat writes the null of JSON where there are none
        given = column.is_not(None), sqlalchemy.type_coerce(column, Text) != 'null'
        if count := session.count(table, *given):
            yield f'table {table.name}', f'{count} rows have properties in {column.name}'


RESTORE = 'Restore a backup, or remove the row by hand after a backup; then report it as a bug.'
INVARIANTS = (
    Invariant('references', _references, RESTORE),
    Invariant('unique names', _names, 'Delete all but one of them by id: heat-lite delete ID.'),
    Invariant(
        'marks of living stacks',
        _marks,
        'In the row, set live to NULL for a deleted or nested stack, to true for another one.',
    ),
    Invariant('parents', _parents, 'Delete the nested stack by its id: heat-lite delete ID.'),
    Invariant(
        'actions have an engine',
        _abandoned,
        'Start an engine: it takes the action over within a minute. If none does, run '
        'reset_stack_status and update or delete the stack.',
    ),
    Invariant(
        'locks', _locks, 'Start an engine and act on the stack: the lock of a dead engine is taken.'
    ),
    Invariant(
        'signals',
        _signals,
        'Start an engine: it handles the signals within a minute. Those to resources of deleted '
        'stacks go with purge_deleted.',
    ),
    Invariant('states of resources', _resource_states, 'Update the stack: heat-lite retry NAME.'),
    Invariant('replacements', _replacements, RESTORE),
    Invariant('sync points', _sync_points, 'None is needed: the next action removes them.'),
    Invariant('complete JSON', _json, RESTORE),
    Invariant('former properties', _former, 'Run heat-lite-manage migrate_properties_data.'),
)
