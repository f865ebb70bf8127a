"""Sync points: each node of a traversal collects the data of the nodes before it.

An engine passes on what has ended in the transaction that stores it (``lock``, ``sync``). The
engine that completes a sync point gives the node to an engine in the same transaction, so a message
about it may be lost. The sync point of the stack itself is locked by each turn: turns of several
engines follow one another, and the last one sees that nothing is left.

Tests: tests/unit/db/test_traversals.py.
"""

import collections
import dataclasses
import math
import typing
from collections.abc import Collection, Iterable, Sequence

from sqlalchemy import delete, func, insert, select, tuple_, update

from heat_lite.db import batch, models, session

_R, _P = models.resource, models.sync_point
#: number of ids in one statement
CHUNK = 500
#: Number of ready nodes that one engine keeps before it gives some to others. Local resources take
#: so little time that a message and a second reading of the stack would cost more.
KEPT_NODES, KEPT_LOCAL_NODES = 16, 512
#: of local resources, the share that an engine works on while another one reads the stack
LOCAL_LEAD = 0.25
_POINT_COLUMNS = (_P.c.entity_id, _P.c.is_update, _P.c.atomic_key, _P.c.input_data)

#: (id of the resource's row, whether the node applies a definition: else it deletes the row)
Key = tuple[int, bool]


class RowsLost(Exception):
    """Another engine holds ``rows``, or they are gone. Nothing was written."""

    def __init__(self, stack_id: str, rows: Collection[int]) -> None:
        super().__init__(stack_id, sorted(rows))
        self.rows = frozenset(rows)


@dataclasses.dataclass
class Ready:
    """A node that may start: its engine, and the data of the nodes before it by their keys."""

    key: Key
    engine_id: str
    input_data: dict[str, dict]


@dataclasses.dataclass
class SyncTurn:
    """The part of a change set by which an engine takes part in a traversal.

    ``held`` are the rows that it holds by its own account. ``inputs`` are the data of ended nodes
    by the nodes after them, ``needed`` the number of nodes before each of these. ``drained`` are
    rows whose work for an earlier traversal has ended. More than ``share_above`` ready nodes are
    shared with ``engines``, the ids of the others. ``is_idle``: nothing is left to do here;
    ``is_home``: the engine holds the stack lock; ``is_outdated``: the walker does not know yet that
    an earlier turn has lost rows.
    ``save`` sets the rest: ``ready``, ``state`` (the data of the stack's sync point, None where the
    traversal is over), ``ended`` (no engine has anything left to do), ``is_uncertain`` (whether the
    turn was committed had to be found out, so the rest may be incomplete).
    """

    id: str
    engine_id: str
    held: frozenset[int] = frozenset()
    inputs: dict[Key, dict[str, dict]] = dataclasses.field(default_factory=dict)
    needed: dict[Key, int] = dataclasses.field(default_factory=dict)
    drained: list[int] = dataclasses.field(default_factory=list)
    failures: list[dict] = dataclasses.field(default_factory=list)
    stops_at_failure: bool = True
    engines: Sequence[str] = ()
    share_above: int = KEPT_NODES
    is_idle: bool = False
    is_home: bool = False
    is_outdated: bool = False
    ready: list[Ready] = dataclasses.field(default_factory=list)
    state: dict | None = None
    ended: bool = False
    is_uncertain: bool = False


def lock(stack_id: str, turn: SyncTurn, rows: Iterable[int]) -> None:
    """Lock the sync point of the stack and the rows that a turn changes.

    Raises RowsLost where the engine may not change a row. The caller is in a transaction.
    """
    turn.state = locked_state(stack_id, turn.id)
    wanted = set(rows)
    holders = _holders({*wanted, *turn.drained})
    # another engine may have taken a row while the work on it went on here
    turn.drained = [row for row in turn.drained if holders.get(row) == turn.engine_id]
    free = {row for row in wanted if holders.get(row, '') is None}
    lost = {row for row in wanted - free if holders.get(row) != turn.engine_id}
    lost |= free & turn.held
    if turn.state is None or turn.is_outdated or lost & turn.held:
        # what was begun on other rows was begun for a traversal that is over, or after lost work
        lost |= free
    if lost:
        raise RowsLost(stack_id, lost)


def sync(stack_id: str, turn: SyncTurn) -> None:
    """Pass the data of ended nodes on, and give the nodes that may start to engines.

    The changes of the turn are written already; the caller is in the same transaction.
    """
    turn.ready = []
    if turn.state is None:
        set_engine(None, turn.drained)
        return
    if turn.failures:
        known = turn.state.get('failures', [])
        turn.state = {**turn.state, 'failures': known + turn.failures}
        store_state(stack_id, turn.id, turn.state)
    complete = _store_inputs(stack_id, turn)
    waiting = {row for row, _ in complete}.intersection(turn.drained)
    set_engine(None, [row for row in turn.drained if row not in waiting])
    if turn.state.get('stopped') or turn.state.get('failures') and turn.stops_at_failure:
        set_engine(None, waiting)
    else:
        _assign(turn, complete)
    if turn.is_idle and not any(each.engine_id == turn.engine_id for each in turn.ready):
        query = select(_R.c.id).where(_R.c.stack_id == stack_id, _R.c.engine_id.is_not(None))
        # a locking read: a plain one would not see what other turns have committed meanwhile
        turn.ended = session.execute(query.limit(1).with_for_update(read=True)).first() is None
        if turn.ended and turn.is_home:
            delete_all(stack_id)


def _store_inputs(stack_id, turn):
    """Add the inputs to the sync points. Return ``{key: input_data}`` of those that are complete.

    Only the points that this turn completes are returned, and those of drained rows.
    """
    drained = set(turn.drained)
    own = [key for key in turn.needed if key[0] in drained]
    points = points_of(turn.id, {*turn.inputs, *own}, for_update=True)
    complete, changed = {}, []
    for key, point in points.items():
        before = point.input_data or {}
        merged = {**before, **turn.inputs.get(key, {})}
        if len(merged) != len(before):
            changed.append((key, point.atomic_key + 1, merged))
        is_complete = len(merged) >= turn.needed[key]
        if is_complete and (len(merged) != len(before) or key[0] in drained):
            complete[key] = merged
    keys = [(str(row), way) for (row, way), *_ in changed]
    for start in range(0, len(keys), CHUNK):
        chunk = tuple_(_P.c.entity_id, _P.c.is_update).in_(keys[start : start + CHUNK])
        session.execute(delete(_P).where(_P.c.traversal_id == turn.id, chunk))
    rows = [
        {
            'entity_id': str(row),
            'is_update': way,
            'traversal_id': turn.id,
            'stack_id': stack_id,
            'atomic_key': atomic_key,
            'input_data': data,
        }
        for (row, way), atomic_key, data in changed
    ]
    if rows:
        batch.insert(insert(_P), rows)
    return complete


def _assign(turn, complete):
    """Give each complete node to the engine that holds its row, or share them."""
    holders = _holders({row for row, _ in complete})
    free = [row for row, _ in complete if holders.get(row, '') is None]
    share = shares(free, turn.engine_id, turn.engines, turn.share_above)
    for engine, rows in by_engine(share).items():
        set_engine(engine, rows)
    for key, data in complete.items():
        engine = share.get(key[0]) or holders.get(key[0])
        if engine is not None:
            turn.ready.append(Ready(key, engine, data))


def shares(rows, engine_id, others, above, lead=0.0):
    """Return ``{row: engine}``: at most ``above`` rows stay here, more go to all engines.

    ``lead`` is the share of all rows that this engine works on before the others begin.
    """
    if len(rows) <= above or not others:
        return dict.fromkeys(rows, engine_id)
    own = math.ceil(len(rows) * min(1.0, (1 + lead * len(others)) / (1 + len(others))))
    size = max(1, math.ceil((len(rows) - own) / len(others)))
    share = dict.fromkeys(rows[:own], engine_id)
    share.update((row, others[number // size]) for number, row in enumerate(rows[own:]))
    return share


def by_engine(share):
    found = collections.defaultdict(list)
    for row, engine in share.items():
        found[engine].append(row)
    return found


def _holders(rows):
    """Lock rows; return ``{row: engine or None}`` of those that exist."""
    found: dict[int, str | None] = {}
    ordered = sorted(rows)
    for start in range(0, len(ordered), CHUNK):
        chunk = _R.c.id.in_(ordered[start : start + CHUNK])
        query = select(_R.c.id, _R.c.engine_id).where(chunk).order_by(_R.c.id)
        found.update(dict(session.rows(query.with_for_update())))
    return found


def set_engine(engine, rows):
    ordered = sorted(rows)
    for start in range(0, len(ordered), CHUNK):
        query = update(_R).where(_R.c.id.in_(ordered[start : start + CHUNK]))
        key = func.coalesce(_R.c.atomic_key, 0) + 1
        session.execute(query.values(engine_id=engine, atomic_key=key))


def points_of(traversal_id, keys, for_update=False):
    """Return ``{key: row}`` of sync points."""
    found: dict[Key, typing.Any] = {}
    ordered = sorted((str(row), way) for row, way in keys)
    for start in range(0, len(ordered), CHUNK):
        query = select(*_POINT_COLUMNS).where(
            _P.c.traversal_id == traversal_id,
            tuple_(_P.c.entity_id, _P.c.is_update).in_(ordered[start : start + CHUNK]),
        )
        for row in session.execute(query.with_for_update() if for_update else query):
            found[int(row.entity_id), row.is_update] = row
    return found


def own_point(stack_id, traversal_id):
    return (
        _P.c.entity_id == stack_id,
        _P.c.traversal_id == traversal_id,
        _P.c.is_update == True,  # noqa: E712
    )


def locked_state(stack_id, traversal_id):
    query = select(_P.c.extra_data).where(*own_point(stack_id, traversal_id)).with_for_update()
    row = session.execute(query).first()
    return None if row is None else row.extra_data or {}


def delete_all(stack_id):
    """Delete the sync points of a stack; return their number. The caller is in a transaction.

    A turn replaces rows while it holds the lock of the stack's own point. A statement that began
    before the end of that turn would not see the new rows, so it waits for the lock first.
    """
    own = select(_P.c.traversal_id).where(_P.c.stack_id == stack_id, _P.c.entity_id == stack_id)
    session.execute(own.with_for_update()).all()
    return session.execute(delete(_P).where(_P.c.stack_id == stack_id)).rowcount


def store_state(stack_id, traversal_id, state):
    session.execute(
        update(_P)
        .where(*own_point(stack_id, traversal_id))
        .values(extra_data=state, atomic_key=_P.c.atomic_key + 1)
    )
