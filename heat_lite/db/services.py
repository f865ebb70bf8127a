"""The engines that report to be alive."""

import datetime

from sqlalchemy import delete as sql_delete
from sqlalchemy import insert, or_, select, update

from heat_lite.db import models, session
from heat_lite.db.types import utcnow

_S = models.service


@session.writer
def create(context, engine_id: str, host: str, hostname: str, binary: str, topic: str, report_interval: int) -> str:
    """A new engine. Gives the id of its row."""
    values = {'engine_id': engine_id, 'host': host, 'hostname': hostname, 'binary': binary, 'topic': topic}
    query = insert(_S).values(updated_at=utcnow(), report_interval=report_interval, **values)
    return session.execute(query).inserted_primary_key[0]


@session.writer
def beat(context, service_id: str) -> bool:
    """It is alive. One that was thought dead and marked deleted comes back; False where its row was removed."""
    return session.execute(update(_S).where(_S.c.id == service_id).values(updated_at=utcnow(), deleted_at=None)).rowcount == 1


@session.reader
def get(context, service_id: str):
    return session.execute(select(_S).where(_S.c.id == service_id)).first()


@session.reader
def get_by_engine(context, engine_id: str):
    """The row of an engine that has not been marked deleted."""
    return session.execute(select(_S).where(_S.c.engine_id == engine_id, _S.c.deleted_at.is_(None))).first()


@session.reader
def signs_of_life(context) -> dict[str, datetime.datetime | None]:
    """The engines that have not signed off, and when each has reported last; None where that is too long ago."""
    return {row.engine_id: (row.updated_at if is_up(row) else None) for row in _all() if row.deleted_at is None}


@session.writer
def delete(context, service_id: str, soft: bool = True) -> bool:
    """Mark it deleted, as an engine does when it stops; or remove its row."""
    query = update(_S).values(deleted_at=utcnow()) if soft else sql_delete(_S)
    return session.execute(query.where(_S.c.id == service_id)).rowcount == 1


@session.writer
def clean(context) -> int:
    """Remove the rows of engines that stopped or died; how many they were."""
    now = utcnow()
    dead = [row.id for row in _all() if row.deleted_at is not None or not is_up(row, now)]
    # it may have come back since we read
    query = sql_delete(_S).where(_S.c.id.in_(dead), or_(_S.c.deleted_at.is_not(None), _S.c.updated_at < now))
    return session.execute(query).rowcount if dead else 0


def is_up(row, now: datetime.datetime | None = None) -> bool:
    """Whether an engine has reported lately."""
    seen = row.updated_at or row.created_at
    return row.deleted_at is None and (now or utcnow()) - seen <= datetime.timedelta(seconds=is_up_for(row.report_interval))


def is_up_for(interval: int) -> int:
    """How many seconds a beat counts: twice the interval, and the second that is not counted where whole ones are stored."""
    return 2 * interval + 1


def _all():
    return session.execute(select(_S).order_by(_S.c.host, _S.c.created_at, _S.c.id)).all()


# the last of the module: below it, the word no longer means Python's list
@session.reader
def list(context):
    """All rows, those of engines that stopped included."""
    return _all()
