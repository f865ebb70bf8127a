"""Engines and their heartbeats."""

import datetime
from collections.abc import Sequence

from sqlalchemy import or_, select

from heat_lite.common.value_types import Row
from heat_lite.db import models, session
from heat_lite.db.column_types import utcnow

_S = models.service.c
#: intervals without a heartbeat after which the next engine of the host removes a row, as in Heat
CLEAN_INTERVALS = 3
#: the binary of each engine in the table
BINARY = 'heat-lite-engine'
#: the binary of each engine in lists: scripts look for the name that Heat gives it
LISTED_BINARY = 'heat-engine'


@session.writer
def create(
    engine_id: str,
    host: str,
    hostname: str,
    binary: str,
    topic: str,
    report_interval: int,
) -> str:
    """Insert the row of a new engine and return its id. ``report_interval`` is in seconds."""
    values = {
        'engine_id': engine_id,
        'host': host,
        'hostname': hostname,
        'binary': binary,
        'topic': topic,
        'report_interval': report_interval,
        'updated_at': utcnow(),
    }
    return session.insert_row(models.service, values)


@session.writer
def heartbeat(service_id: str) -> bool:
    """Record that an engine is alive, even if it was marked deleted. Return False without a row."""
    values = {'updated_at': utcnow(), 'deleted_at': None}
    return session.update(models.service, values, _S.id == service_id) == 1


@session.reader
def last_heartbeats() -> dict[str, datetime.datetime | None]:
    """Return the time of the last heartbeat by engine id, for engines that have not stopped.

    The time is None if the heartbeat has expired.
    """
    return {
        row.engine_id: (row.updated_at if is_up(row) else None)
        for row in list_rows()
        if row.deleted_at is None
    }


@session.writer
def delete(service_id: str, soft: bool = True) -> bool:
    """Mark the row of an engine deleted, as it does when it stops; or remove the row."""
    found = _S.id == service_id
    if soft:
        return session.update(models.service, {'deleted_at': utcnow()}, found) == 1
    return session.delete(models.service, found) == 1


@session.writer
def clean() -> int:
    """Remove the rows of engines that have stopped or died, and return their number."""
    now = utcnow()
    dead = [row.id for row in list_rows() if row.deleted_at is not None or not is_up(row, now)]
    # An engine can have sent a heartbeat since the read.
    is_dead = _S.id.in_(dead), or_(_S.deleted_at.is_not(None), _S.updated_at < now)
    return session.delete(models.service, *is_dead) if dead else 0


@session.writer
def clean_host(host: str, hostname: str, binary: str) -> int:
    """Remove the rows of engines of one host and binary whose last heartbeat is older than
    ``CLEAN_INTERVALS`` of their intervals. Return their number.
    """
    now = utcnow()
    count = 0
    for row in list_rows():
        last, age = row.updated_at, CLEAN_INTERVALS * row.report_interval
        if (row.host, row.hostname, row.binary) == (host, hostname, binary) and (
            last is not None and now - last > datetime.timedelta(seconds=age)
        ):
            # An engine can have sent a heartbeat since the read.
            count += session.delete(models.service, _S.id == row.id, _S.updated_at == last)
    return count


def living() -> Sequence[Row]:
    """Return the rows of living engines, also of another service, for example of Heat."""
    return [row for row in list_rows() if is_up(row)]


def foreign(binary: str) -> Sequence[Row]:
    """Return the rows of living engines of another service."""
    return [row for row in living() if row.binary != binary]


def describe(row: Row) -> str:
    """Return which engine a row is, for an operator."""
    return f'{row.binary} {row.engine_id} on host {row.hostname}'


def is_up(row: Row, now: datetime.datetime | None = None) -> bool:
    """Return whether the last heartbeat of an engine has not expired."""
    last = row.updated_at or row.created_at
    lifetime = datetime.timedelta(seconds=heartbeat_lifetime(row.report_interval))
    return row.deleted_at is None and (now or utcnow()) - last <= lifetime


def heartbeat_lifetime(interval: int) -> int:
    """Return the seconds after which a heartbeat expires.

    It is twice the interval, and one second for the fraction that the table does not store.
    """
    return 2 * interval + 1


@session.reader
def list_rows() -> Sequence[Row]:
    """Return all rows, including those of engines that have stopped."""
    return session.rows(select(models.service).order_by(_S.host, _S.created_at, _S.id))
