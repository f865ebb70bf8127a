"""Sync points: each node of a traversal has the data of the nodes before it, as in Heat.

The engine that holds the stack lock writes them with its turns. The sync point of the stack itself
has the options of the traversal.

Tests: tests/unit/db/test_traversals.py.
"""

import dataclasses
import typing
from collections.abc import Collection

from sqlalchemy import Row, insert, select, tuple_

from heat_lite.db import batch, models, queries, session

_P = models.sync_point.c
_NODE = tuple_(_P.entity_id, _P.is_update)

#: (id of the resource's row, whether the node applies a definition: else it deletes the row)
Key = tuple[int, bool]


@dataclasses.dataclass
class PointChanges:
    """What a turn changes in the sync points of a stack: first all go, if ``clears`` is set."""

    clears: bool = False
    rows: dict[tuple[str, bool], dict[str, typing.Any]] = dataclasses.field(default_factory=dict)

    def put(self, row: dict[str, typing.Any]) -> None:
        """Store a sync point."""
        self.rows[row['entity_id'], row['is_update']] = row


def store(stack_id: str, changes: PointChanges) -> None:
    """Write the changes. The caller is in a transaction and holds the stack lock."""
    if changes.clears:
        delete_all(stack_id)
    else:
        for chosen in queries.any_of(_NODE, changes.rows):
            session.delete(models.sync_point, _P.stack_id == stack_id, chosen)
    if changes.rows:
        batch.insert(insert(models.sync_point), list(changes.rows.values()))


def delete_all(stack_id: str) -> None:
    """Delete the sync points of a stack. The caller is in a transaction."""
    session.delete(models.sync_point, _P.stack_id == stack_id)


def points_of(traversal_id: str, keys: Collection[Key]) -> dict[Key, Row]:
    """Return ``{key: row}`` of sync points."""
    query = select(_P.entity_id, _P.is_update, _P.extra_data)
    query = query.where(_P.traversal_id == traversal_id)
    found = queries.rows_with(query, _NODE, [(str(row), way) for row, way in keys])
    return {(int(row.entity_id), row.is_update): row for row in found}


def state_of(stack_id: str, traversal_id: str) -> dict[str, typing.Any] | None:
    """Return the data of the stack's own sync point, None where the traversal is over."""
    query = select(_P.extra_data).where(
        _P.entity_id == stack_id,
        _P.traversal_id == traversal_id,
        _P.is_update == True,  # noqa: E712
    )
    row = session.first(query)
    return None if row is None else row.extra_data or {}
