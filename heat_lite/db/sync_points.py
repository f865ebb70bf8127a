"""Where the branches of a traversal meet: each node of the plan has a point that collects what the nodes before it bring."""

from collections.abc import Collection

from sqlalchemy import delete as sql_delete
from sqlalchemy import insert, select
from sqlalchemy import update as sql_update

from heat_lite.db import models, session

_P = models.sync_point


@session.writer
def create(context, stack_id: str, traversal_id: str, points: Collection[dict]):
    """Points of one traversal, each with entity_id and is_update; input_data and extra_data where there are any."""
    rows = [
        {'stack_id': stack_id, 'traversal_id': traversal_id, 'atomic_key': 0, 'input_data': {}, 'extra_data': None, **point}
        for point in points
    ]
    if rows:
        session.execute(insert(_P), rows)


@session.reader
def get(context, entity_id: str, traversal_id: str, is_update: bool):
    return session.execute(select(_P).where(*_key(entity_id, traversal_id, is_update))).first()


@session.writer
def update(context, entity_id: str, traversal_id: str, is_update: bool, atomic_key: int, input_data, extra_data=None) -> bool:
    """Store what has come together; False where another was quicker since ``atomic_key`` was read: read again, add, and try again."""
    values = {'input_data': input_data, 'atomic_key': atomic_key + 1}
    if extra_data is not None:
        values['extra_data'] = extra_data
    query = sql_update(_P).where(*_key(entity_id, traversal_id, is_update), _P.c.atomic_key == atomic_key)
    return session.execute(query.values(values)).rowcount == 1


@session.writer
def delete(context, stack_id: str, traversal_id: str) -> int:
    """Remove all points of a traversal; how many there were."""
    return session.execute(sql_delete(_P).where(_P.c.stack_id == stack_id, _P.c.traversal_id == traversal_id)).rowcount


def _key(entity_id, traversal_id, is_update):
    return _P.c.entity_id == entity_id, _P.c.traversal_id == traversal_id, _P.c.is_update == is_update
