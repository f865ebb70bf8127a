"""Traversals: the graphs that all engines walk together, and the rows that each one holds.

An engine holds a row of a resource while ``resource.engine_id`` names it: only that engine changes
the row. ``sync_points`` has what an engine does in a turn of its work.

Tests: tests/unit/db/test_traversals.py.
"""

import dataclasses
from collections.abc import Collection, Mapping, Sequence

from sqlalchemy import func, insert, select, update

from heat_lite.common import cooperation
from heat_lite.common.context import RequestContext
from heat_lite.db import batch, journal, models, session, sync_points

_S, _R, _P, _L = models.stack, models.resource, models.sync_point, models.stack_lock
#: see ``sync_points``
Key = sync_points.Key


class PlanOutdated(Exception):
    """The rows of the stack are not those that the traversal was planned for."""


@dataclasses.dataclass
class NewTraversal:
    """A traversal to begin.

    ``before`` maps each node to those before it, ``rows`` are the ids of all rows of the stack,
    ``busy`` those on which this engine still works for an earlier traversal, ``kept`` those that no
    other engine may begin. More than ``share_above`` first nodes are shared with ``engines``, the
    other living ones, with ``lead`` (see ``sync_points.shares``). ``options`` are stored with the
    sync point of the stack. ``begin`` sets ``has_replaced``: an earlier traversal was not over, so
    other engines may have changed rows until now.
    """

    id: str
    stack_id: str
    engine_id: str
    before: Mapping[Key, Collection[Key]]
    rows: Collection[int]
    busy: Collection[int] = ()
    kept: Collection[int] = ()
    engines: Sequence[str] = ()
    share_above: int = sync_points.KEPT_NODES
    lead: float = 0.0
    options: dict = dataclasses.field(default_factory=dict)
    has_replaced: bool = False


@dataclasses.dataclass
class View:
    """What an engine sees of a traversal.

    ``inputs`` are the data by node of the rows that it holds, ``held`` the number of rows that
    each engine holds. ``state``: see SyncTurn.
    """

    traversal_id: str | None
    state: dict | None
    inputs: dict[Key, dict[str, dict]]
    held: dict[str, int]


def deps_column(before: Mapping[Key, Collection[Key]]) -> dict:
    """Return the value of ``stack.current_deps``, in Heat's form: pairs of nodes, the second one
    comes first. A node without others before or after it has a pair with None.
    """
    needed = {each for first in before.values() for each in first}
    edges: list = []
    for key, first in cooperation.each(before.items()):
        edges += [[list(key), list(each)] for each in sorted(first)]
        if not first and key not in needed:
            edges.append([list(key), None])
    return {'edges': edges}


def deps_of_rows(stack_id: str) -> dict:
    """Return the value of ``stack.current_deps`` by what the rows of a stack require.

    The caller is in a transaction.
    """
    rows = dict(session.rows(select(_R.c.id, _R.c.requires).where(_R.c.stack_id == stack_id)))
    return deps_column(
        {
            (row, True): {(each, True) for each in requires or () if each in rows}
            for row, requires in rows.items()
        }
    )


@session.reader
def graph(context: RequestContext, stack_id: str) -> dict[Key, set[Key]]:
    """Return the nodes before each node of the current traversal; none without a traversal."""
    query = select(_S.c.current_deps).where(_S.c.id == stack_id)
    column = session.execute(query).scalar() or {}
    before: dict[Key, set[Key]] = {}
    for key, first in cooperation.each(column.get('edges', ())):
        found = before.setdefault((key[0], bool(key[1])), set())
        if first is not None:
            found.add((first[0], bool(first[1])))
            before.setdefault((first[0], bool(first[1])), set())
    return before


@session.writer
def begin(context: RequestContext, new: NewTraversal) -> dict[int, str]:
    """Replace the traversal of a stack by ``new`` and give its first nodes to engines.

    Return the engines that hold rows, by the id of the row. Raises LockLost, and PlanOutdated.
    """
    query = select(_L.c.engine_id).where(_L.c.stack_id == new.stack_id).with_for_update()
    if session.execute(query).scalar() != new.engine_id:
        raise journal.LockLost(new.stack_id)
    values = {'current_traversal': new.id, 'current_deps': deps_column(new.before)}
    session.execute(update(_S).where(_S.c.id == new.stack_id).values(values))
    new.has_replaced = sync_points.delete_all(new.stack_id) > 0
    query = select(_R.c.id, _R.c.engine_id).where(_R.c.stack_id == new.stack_id).with_for_update()
    holders = dict(session.rows(query))
    if holders.keys() != set(new.rows):
        raise PlanOutdated(new.stack_id)
    own = holders.keys() & {
        *new.busy,
        *(row for row in new.kept if holders.get(row) not in new.engines),
    }
    held = {row: engine for row, engine in holders.items() if engine in new.engines}
    held.update(dict.fromkeys(own, new.engine_id))
    first = [key for key, required in new.before.items() if not required]
    free = [row for row, _ in first if row not in held]
    share = sync_points.shares(free, new.engine_id, new.engines, new.share_above, new.lead)
    idle = [row for row, engine in holders.items() if engine is not None and row not in held]
    sync_points.set_engine(None, [row for row in idle if row not in share])
    sync_points.set_engine(new.engine_id, [row for row in own if holders[row] != new.engine_id])
    for engine, rows in sync_points.by_engine(share).items():
        sync_points.set_engine(engine, rows)
    rows = [_point(new, key) for key in cooperation.each(new.before)]
    rows.append({**_point(new, (new.stack_id, True)), 'extra_data': new.options})
    batch.insert(insert(_P), rows)
    return {**held, **share}


@session.writer
def end(context: RequestContext, stack_id: str) -> None:
    """End the traversal of a stack: engines that still work for it begin nothing any more."""
    sync_points.delete_all(stack_id)


@session.writer
def stop(context: RequestContext, stack_id: str, traversal_id: str, reason: str) -> None:
    """Let no engine begin any further node. ``reason``: see ``Outcome.stopped``."""
    state = sync_points.locked_state(stack_id, traversal_id)
    if state is not None:
        sync_points.store_state(stack_id, traversal_id, {**state, 'stopped': reason})


@session.reader
def look(
    context: RequestContext,
    stack_id: str,
    engine_id: str,
    before: Mapping[Key, int] | None = None,
) -> View:
    """Return what an engine has to do for the current traversal of a stack.

    ``before`` is the number of nodes before each node: without it no inputs are read. A node
    without others before it needs none.
    """
    traversal = session.execute(
        select(_S.c.current_traversal).where(_S.c.id == stack_id, _S.c.deleted_at.is_(None))
    ).scalar()
    query = select(_P.c.extra_data).where(*sync_points.own_point(stack_id, traversal))
    state = session.execute(query).first()
    query = (
        select(_R.c.engine_id, func.count())
        .where(_R.c.stack_id == stack_id, _R.c.engine_id.is_not(None))
        .group_by(_R.c.engine_id)
    )
    held = dict(session.rows(query))
    inputs: dict[Key, dict] = {}
    if state is not None and engine_id in held and before is not None:
        query = select(_R.c.id).where(_R.c.stack_id == stack_id, _R.c.engine_id == engine_id)
        rows = list(session.execute(query).scalars())
        keys = [key for row in rows for key in ((row, True), (row, False)) if key in before]
        points = sync_points.points_of(traversal, [key for key in keys if before[key]])
        inputs = {key: {} for key in keys if not before[key]}
        inputs.update((key, point.input_data or {}) for key, point in points.items())
    return View(traversal, None if state is None else state.extra_data or {}, inputs, held)


@session.reader
def rows_elsewhere(context: RequestContext, stack_id: str, engine_id: str) -> set[int]:
    """Return the ids of the rows of a stack that other engines hold."""
    query = select(_R.c.id).where(
        _R.c.stack_id == stack_id, _R.c.engine_id.is_not(None), _R.c.engine_id != engine_id
    )
    return set(session.execute(query).scalars())


@session.reader
def engines_of(context: RequestContext, stack_id: str) -> list[str]:
    """Return the ids of the engines that hold rows of a stack."""
    query = select(_R.c.engine_id).where(_R.c.stack_id == stack_id, _R.c.engine_id.is_not(None))
    return list(session.execute(query.distinct()).scalars())


@session.reader
def engine_of(context: RequestContext, stack_id: str, name: str) -> str | None:
    """Return the id of the engine that holds a row of the resource; None where none does."""
    query = select(_R.c.engine_id).where(
        _R.c.stack_id == stack_id, _R.c.name == name, _R.c.engine_id.is_not(None)
    )
    return session.execute(query.order_by(_R.c.id.desc()).limit(1)).scalar()


@session.writer
def take_rows(
    context: RequestContext, stack_id: str, engines: Collection[str], engine_id: str
) -> list[int]:
    """Give the rows that dead engines hold to ``engine_id``, the holder of the stack lock.

    Return their ids.
    """
    query = select(_L.c.engine_id).where(_L.c.stack_id == stack_id).with_for_update()
    if session.execute(query).scalar() != engine_id:
        return []
    query = select(_R.c.id).where(_R.c.stack_id == stack_id, _R.c.engine_id.in_(engines))
    rows = list(session.execute(query.with_for_update()).scalars())
    sync_points.set_engine(engine_id, rows)
    return rows


@session.writer
def release(context: RequestContext, stack_id: str, engine_id: str) -> None:
    """Let go of all rows of a stack that an engine holds."""
    rows = update(_R).where(_R.c.stack_id == stack_id, _R.c.engine_id == engine_id)
    session.execute(rows.values(engine_id=None))


def _point(new, key):
    return {
        'entity_id': str(key[0]),
        'traversal_id': new.id,
        'is_update': key[1],
        'atomic_key': 0,
        'stack_id': new.stack_id,
        'input_data': {},
        'extra_data': None,
    }
