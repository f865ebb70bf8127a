import datetime

from sqlalchemy import update

from heat_lite.db import models, services, session
from heat_lite.db.column_types import utcnow


def register(context, engine_id='e1', **values):
    return services.create(
        **{
            'engine_id': engine_id,
            'host': 'h',
            'hostname': 'h.local',
            'binary': 'b',
            'topic': 't',
            'report_interval': 60,
            **values,
        },
    )


def row_of(context, service_id):
    return next(row for row in services.list_rows() if row.id == service_id)


@session.writer
def last_seen(service_id, seconds_ago):
    seen = utcnow() - datetime.timedelta(seconds=seconds_ago)
    session.execute(
        update(models.service).where(models.service.c.id == service_id).values(updated_at=seen)
    )


def test_engine_row_is_created_updated_and_deleted(database, context):
    service_id = register(context)
    row = row_of(context, service_id)
    assert (row.engine_id, row.host, row.hostname, row.binary, row.topic, row.report_interval) == (
        'e1',
        'h',
        'h.local',
        'b',
        't',
        60,
    )
    assert services.is_up(row) and row.updated_at is not None
    last_seen(service_id, 100)
    assert services.heartbeat(service_id)
    assert utcnow() - row_of(context, service_id).updated_at < datetime.timedelta(seconds=20)
    assert row_of(context, service_id).deleted_at is None
    assert services.delete(service_id)
    assert row_of(context, service_id).deleted_at is not None
    assert not services.is_up(row_of(context, service_id))
    assert [row.id for row in services.list_rows()] == [service_id]


def test_is_up_within_twice_the_interval(database, context):
    service_id = register(context)
    for seconds, up in ((110, True), (130, False)):
        last_seen(service_id, seconds)
        assert services.is_up(row_of(context, service_id)) is up


def test_heartbeat_restores_a_deleted_row(database, context):
    service_id = register(context)
    services.delete(service_id)
    assert services.heartbeat(service_id)
    assert services.is_up(row_of(context, service_id))


def test_clean_removes_stopped_and_dead_engines(database, context):
    alive, late, stopped = (
        register(context, 'alive'),
        register(context, 'late'),
        register(context, 'stopped'),
    )
    last_seen(late, 200)
    services.delete(stopped)
    assert services.clean() == 2
    assert [row.id for row in services.list_rows()] == [alive]
    assert services.clean() == 0
    assert not services.heartbeat(late)
    assert services.delete(alive, soft=False) and services.list_rows() == []


def test_last_heartbeats_omits_stopped_and_marks_expired(database, context):
    late, gone = register(context, 'late'), register(context, 'gone')
    well = register(context, 'well')
    last_seen(late, 130)
    services.delete(gone)
    assert services.last_heartbeats() == {
        'late': None,
        'well': row_of(context, well).updated_at,
    }


def test_clean_host_removes_dead_engines_of_the_host_and_binary(database, context):
    kept = {
        register(context, 'late'): 170,
        register(context, 'slow', report_interval=120): 200,
        register(context, 'other host', host='h2'): 200,
        register(context, 'other name', hostname='h2.local'): 200,
        register(context, 'other program', binary='b2'): 200,
    }
    dead, stopped = register(context, 'dead'), register(context, 'stopped')
    services.delete(stopped)
    for service_id, seconds in {**kept, dead: 190, stopped: 190}.items():
        last_seen(service_id, seconds)
    assert services.clean_host('h', 'h.local', 'b') == 2
    assert {row.id for row in services.list_rows()} == set(kept)
    assert services.clean_host('h', 'h.local', 'b') == 0
