"""Sync points of a traversal: each node of the plan collects the data of the nodes before it."""

import typing
from collections.abc import Collection

from sqlalchemy import delete as sql_delete
from sqlalchemy import insert, select
from sqlalchemy import update as sql_update

from heat_lite.common.context import RequestContext
from heat_lite.db import models, session

_P = models.sync_point


@session.writer
def create(
    context: RequestContext, stack_id: str, traversal_id: str, points: Collection[dict]
) -> None:
    """Insert the sync points of a traversal.

    Each point has entity_id and is_update, and optionally input_data and extra_data.
    """
    rows = [
        {
            'stack_id': stack_id,
            'traversal_id': traversal_id,
            'atomic_key': 0,
            'input_data': {},
            'extra_data': None,
            **point,
        }
        for point in points
    ]
    if rows:
        session.execute(insert(_P), rows)


@session.reader
def get(context: RequestContext, entity_id: str, traversal_id: str, is_update: bool) -> typing.Any:
    return session.execute(select(_P).where(*_key(entity_id, traversal_id, is_update))).first()


@session.writer
def update(
    context: RequestContext,
    entity_id: str,
    traversal_id: str,
    is_update: bool,
    atomic_key: int,
    input_data: typing.Any,
    extra_data: typing.Any = None,
) -> bool:
    """Store the collected data and return whether it was stored.

    It is not stored if the point has changed since ``atomic_key`` was read. Then the caller reads
    the point again, adds its data and retries.
    """
    values = {'input_data': input_data, 'atomic_key': atomic_key + 1}
    if extra_data is not None:
        values['extra_data'] = extra_data
    query = sql_update(_P).where(
        *_key(entity_id, traversal_id, is_update), _P.c.atomic_key == atomic_key
    )
    return session.execute(query.values(values)).rowcount == 1


@session.writer
def delete(context: RequestContext, stack_id: str, traversal_id: str) -> int:
    """Delete all points of a traversal and return their number."""
    return session.execute(
        sql_delete(_P).where(_P.c.stack_id == stack_id, _P.c.traversal_id == traversal_id)
    ).rowcount


def _key(entity_id, traversal_id, is_update):
    return (
        _P.c.entity_id == entity_id,
        _P.c.traversal_id == traversal_id,
        _P.c.is_update == is_update,
    )
