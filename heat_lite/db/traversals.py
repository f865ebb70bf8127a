"""Traversals: the graphs of stacks that several engines work on, and the rows that each one holds.

An engine holds a row of a resource while ``resource.engine_id`` names it: only that engine changes
the row. The sync point of a node names the engine that was given it.

Tests: tests/unit/db/test_traversals.py.
"""

import dataclasses
from collections.abc import Collection, Mapping

from sqlalchemy import and_, func, or_, select

from heat_lite.db import batch, locks, models, queries, session, sync_points

_S, _R, _L = models.stack.c, models.resource.c, models.stack_lock.c
Key = sync_points.Key
#: key of the data of a node's sync point: the engine that was given the node
ENGINE = 'engine_id'
#: what a transaction changes that decides by the engine of a row
_NEXT_VERSION = {'atomic_key': func.coalesce(_R.atomic_key, 0) + 1}


@dataclasses.dataclass
class View:
    """What an engine without the stack lock has to do for a traversal.

    ``rows`` are the ids of the rows that it holds, ``given`` the nodes on these that it was given.
    ``state`` is the data of the stack's sync point, None where the traversal is over. ``home`` is
    the engine that holds the stack lock.
    """

    traversal_id: str | None
    home: str | None
    state: dict | None
    rows: set[int]
    given: set[sync_points.Key]


def deps_column(before: Mapping[Key, Collection[Key]]) -> dict:
    """Return the value of ``stack.current_deps``, in Heat's form: pairs of nodes, the second one
    comes first. A node without others before or after it has a pair with None.
    """
    needed = {each for first in before.values() for each in first}
    edges: list = []
    for key, first in before.items():
        edges += [[list(key), list(each)] for each in sorted(first)]
        if not first and key not in needed:
            edges.append([list(key), None])
    return {'edges': edges}


def deps_of_rows(stack_id: str) -> dict:
    """Return the value of ``stack.current_deps`` by what the rows of a stack require.

    The caller is in a transaction.
    """
    query = select(_R.id, _R.requires).where(_R.stack_id == stack_id)
    rows = dict(session.rows(query))
    return deps_column(
        {
            (row, True): {(each, True) for each in requires or () if each in rows}
            for row, requires in rows.items()
        }
    )


@session.reader
def look(stack_id: str, engine_id: str) -> View:
    """Return what an engine has to do for the current traversal of a stack.

    The rows are read first: each of them was given before its sync point is read.
    """
    query = select(_R.id).where(_R.stack_id == stack_id, _R.engine_id == engine_id)
    rows = set(session.scalars(query))
    query = select(_S.current_traversal).where(_S.id == stack_id, models.ALIVE)
    traversal = session.scalar(query)
    keys = [(row, way) for row in rows for way in (True, False)]
    points = sync_points.points_of(traversal, keys)
    given = {key for key, point in points.items() if point.extra_data == {ENGINE: engine_id}}
    # of a row that is to be deleted, the first node has ended
    given -= {(row, True) for row, is_update in given if not is_update}
    state = sync_points.state_of(stack_id, traversal)
    home = session.scalar(select(_L.engine_id).where(_L.stack_id == stack_id))
    return View(traversal, home, state, rows, given)


@session.reader
def rows_elsewhere(stack_id: str, engine_id: str) -> dict[int, str]:
    """Return the rows of a stack that other engines hold, with the ids of these engines."""
    query = select(_R.id, _R.engine_id).where(
        _R.stack_id == stack_id, _R.engine_id.is_not(None), _R.engine_id != engine_id
    )
    return dict(session.rows(query))


@session.reader
def stacks_held(engine_id: str, stack_ids: Collection[str]) -> list[str]:
    """Return the stacks with convergence, among some, whose rows an engine holds."""
    found: list[str] = []
    for which in queries.any_of(_S.id, stack_ids):
        query = select(_S.id).join(models.resource, _R.stack_id == _S.id)
        query = query.where(which, _S.convergence.is_(True), _R.engine_id == engine_id)
        found += session.scalars(query.distinct())
    return found


@session.reader
def engines_of(stack_id: str) -> list[str]:
    """Return the ids of the engines that hold rows of a stack."""
    query = select(_R.engine_id).where(_R.stack_id == stack_id, _R.engine_id.is_not(None))
    return session.scalars(query.distinct())


@session.reader
def engine_of(stack_id: str, name: str) -> str | None:
    """Return the id of the engine that holds a row of the resource; None where none does."""
    query = select(_R.engine_id).where(
        _R.stack_id == stack_id, _R.name == name, _R.engine_id.is_not(None)
    )
    return session.scalar(query.order_by(_R.id.desc()).limit(1))


def take_rows(stack_id: str, engines: Collection[str], engine_id: str) -> set[int]:
    """Give the rows that dead engines hold to ``engine_id``, the holder of the stack lock.

    Return their ids.
    """
    taken: set[int] = set()  # also by a transaction whose commit had an unknown outcome

    @session.repeatable_writer
    def take() -> set[int]:
        if locks.hold({stack_id: engine_id}):
            return set()
        query = select(_R.id).where(_R.stack_id == stack_id, _R.engine_id.in_(engines))
        rows = session.scalars(query.with_for_update())
        batch.update(models.resource, [{'id': row, 'engine_id': engine_id} for row in rows])
        taken.update(rows)
        return taken

    return take()


@session.repeatable_writer
def release(stack_id: str, engine_id: str) -> None:
    """Let go of all rows of a stack that an engine holds."""
    held = _R.stack_id == stack_id, _R.engine_id == engine_id
    session.update(models.resource, {'engine_id': None}, *held)


def hold(rows: Collection[int], engine_id: str, own: Collection[int] = ()) -> list[int]:
    """Keep rows until the transaction of the caller ends; return those that it may not change.

    It may change rows that the engine holds, and rows that no engine holds, but not those of
    ``own``, which it believes to hold. The rows are written, as stack locks are by ``locks.hold``.
    """
    may = or_(_R.engine_id == engine_id, and_(_R.engine_id.is_(None), _R.id.not_in(own)))
    chosen = list(queries.any_of(_R.id, rows))
    kept = sum(session.update(models.resource, _NEXT_VERSION, each, may) for each in chosen)
    if kept == len(rows):
        return []
    found = queries.rows_with(select(_R.id).where(may), _R.id, rows)
    return sorted({*rows} - {row.id for row in found})


def hold_resource(stack_id: str, name: str | None, engine_id: str) -> bool:
    """Keep the rows of a resource that an engine holds, as ``hold``. Return whether it has any."""
    held = _R.stack_id == stack_id, _R.name == name, _R.engine_id == engine_id
    return session.update(models.resource, _NEXT_VERSION, *held) > 0
