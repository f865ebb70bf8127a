"""The signals that are accepted and not handled yet: one row each.

The engine that ``engine_id`` names handles a signal. The transaction that stores its effect deletes
the row, so no signal is lost and none has its effect twice.
"""

import collections
import typing
from collections.abc import Iterable, Mapping

from oslo_db import exception as db_exception
from sqlalchemy import func, insert, select, union

from heat_lite.common import exception
from heat_lite.common.value_types import Value
from heat_lite.db import batch, group_commit, models, resources, session
from heat_lite.db.column_types import utcnow

_T, _R = models.resource_signal.c, models.resource.c
#: the column ``quarantine`` of a signal that was taken over (see ``engine.stack.quarantine``)
GUARDED = '{}'


class SignalsTaken(Exception):
    """Another engine has taken signals over, or they are deleted. Nothing was written."""


class Target(typing.NamedTuple):
    """A resource as a request to signal it reads it: ``listed`` is a ListedResource.

    ``version`` changes with the metadata and with each action, ``waiting`` is the number of signals
    that are not handled yet.
    """

    listed: resources.ListedResource
    version: tuple
    waiting: int


class WaitingSignal(typing.NamedTuple):
    """A signal that is not handled yet."""

    id: int
    token: str | None
    details: Value
    quarantine: str | None


@session.reader
def targets(stack_id: str, name: str) -> list[Target]:
    """Return the resources of a stack with this name or physical id, without their metadata."""
    named = union(
        select(_R.id).where(_R.stack_id == stack_id, _R.name == name),
        select(_R.id).where(_R.nova_instance == name, _R.stack_id == stack_id),
    ).subquery()
    count = select(func.count()).where(_T.resource_id == _R.id).scalar_subquery()
    query = select(_R.atomic_key, count, *resources.LISTED).join(named, named.c.id == _R.id)
    found = []
    for atomic_key, waiting, *columns in session.execute(query.order_by(_R.id)):
        listed = resources.ListedResource(*columns)
        state = listed.action, listed.status, listed.current_template_id, listed.updated_at
        found.append(Target(listed, (atomic_key or 0, *state), waiting))
    return found


def add(
    resource_id: int,
    engine_id: str,
    details: Value,
    token: str | None = None,
) -> int:
    """Store a signal that ``engine_id`` handles and return its id.

    ``token``: what a caller in that engine waits by. Raises EntityNotFound if the resource is gone.
    """
    row = {
        'resource_id': resource_id,
        'engine_id': engine_id,
        'token': token,
        'details': details,
        'created_at': utcnow(),
    }
    try:
        return _inserts.submit(row)
    except db_exception.DBReferenceError:
        raise exception.no_resource(str(resource_id)) from None


@session.writer
def _insert(rows: list[dict]) -> list[int]:
    return batch.insert(insert(models.resource_signal), rows, returning=_T.id)


_inserts = group_commit.GroupCommit(_insert, lambda row: _insert([row])[0])


@session.reader
def waiting(
    resource_id: int,
    engine_id: str,
    limit: int | None = None,
    signal_id: int | None = None,
) -> list[WaitingSignal]:
    """Return the signals of a resource that an engine handles, oldest first, or one of them."""
    query = select(_T.id, _T.token, _T.details, _T.quarantine).where(
        _T.resource_id == resource_id, _T.engine_id == engine_id
    )
    if signal_id is not None:
        query = query.where(_T.id == signal_id)
    return [WaitingSignal(*row) for row in session.execute(query.order_by(_T.id).limit(limit))]


@session.reader
def is_waiting(signal_id: int, engine_id: str | None = None) -> bool:
    """Return whether an engine, with ``engine_id`` that one, has to handle a signal."""
    owner = session.scalar(select(_T.engine_id).where(_T.id == signal_id))
    return owner is not None and engine_id in (None, owner)


@session.reader
def by_engine() -> dict[str, dict[int, str]]:
    """Return the ids of resources with waiting signals, and of their stacks, by engine."""
    query = select(_T.engine_id, _T.resource_id, _R.stack_id).join(models.resource).distinct()
    found: dict[str, dict[int, str]] = collections.defaultdict(dict)
    for engine_id, resource_id, stack_id in session.execute(query):
        found[engine_id][resource_id] = stack_id
    return found


@session.writer
def claim(resource_id: int, gone: str, engine_id: str) -> None:
    """Give the signals of a resource that a dead engine had to another one."""
    values = {'engine_id': engine_id, 'quarantine': func.coalesce(_T.quarantine, GUARDED)}
    session.update(
        models.resource_signal, values, _T.resource_id == resource_id, _T.engine_id == gone
    )


@session.writer
def use(signals: Mapping[int, str]) -> None:
    """Delete signals, each by its id and the engine that has handled it.

    Raises SignalsTaken if one of them is not that engine's.
    """
    use_in_transaction(signals.items())


def present(signals: Mapping[int, str]) -> set[int]:
    """Return those of the signals that wait for their engines, in the present transaction."""
    query = select(_T.id, _T.engine_id).where(_T.id.in_(signals))
    return {row.id for row in session.execute(query) if signals[row.id] == row.engine_id}


def use_in_transaction(signals: Iterable[tuple[int, str]]) -> None:
    """Do as ``use``, for the transaction that stores what came of the signals."""
    by_owner = collections.defaultdict(list)
    for signal_id, engine_id in signals:
        by_owner[engine_id].append(signal_id)
    for engine_id, ids in by_owner.items():
        own = _T.id.in_(sorted(ids)), _T.engine_id == engine_id
        if session.delete(models.resource_signal, *own) != len(ids):
            raise SignalsTaken(ids)
