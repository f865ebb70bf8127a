import datetime

from sqlalchemy import update

from heat_lite.db import models, services, session
from heat_lite.db.types import utcnow


def register(context, engine_id='e1', **values):
    return services.create(
        context,
        **{'engine_id': engine_id, 'host': 'h', 'hostname': 'h.local', 'binary': 'b', 'topic': 't', 'report_interval': 60, **values},
    )


@session.writer
def last_seen(service_id, seconds_ago):
    seen = utcnow() - datetime.timedelta(seconds=seconds_ago)
    session.execute(update(models.service).where(models.service.c.id == service_id).values(updated_at=seen))


def test_life_of_an_engine(database, context):
    service_id = register(context)
    row = services.get(context, service_id)
    assert (row.engine_id, row.host, row.hostname, row.binary, row.topic, row.report_interval) == ('e1', 'h', 'h.local', 'b', 't', 60)
    assert services.is_up(row) and row.updated_at is not None
    last_seen(service_id, 100)
    assert services.beat(context, service_id)
    assert utcnow() - services.get(context, service_id).updated_at < datetime.timedelta(seconds=20)
    assert services.get_by_engine(context, 'e1').id == service_id
    assert services.delete(context, service_id)
    assert services.get_by_engine(context, 'e1') is None
    assert not services.is_up(services.get(context, service_id))
    assert [row.id for row in services.list(context)] == [service_id]


def test_up_within_twice_the_interval(database, context):
    service_id = register(context)
    for seconds, up in ((110, True), (130, False)):
        last_seen(service_id, seconds)
        assert services.is_up(services.get(context, service_id)) is up


def test_back_from_the_dead(database, context):
    service_id = register(context)
    services.delete(context, service_id)
    assert services.beat(context, service_id)
    assert services.is_up(services.get(context, service_id))


def test_clean(database, context):
    alive, late, stopped = register(context, 'alive'), register(context, 'late'), register(context, 'stopped')
    last_seen(late, 200)
    services.delete(context, stopped)
    assert services.clean(context) == 2
    assert [row.id for row in services.list(context)] == [alive]
    assert services.clean(context) == 0
    assert not services.beat(context, late)
    assert services.delete(context, alive, soft=False) and services.list(context) == []


def test_signs_of_life(database, context):
    late, gone = register(context, 'late'), register(context, 'gone')
    well = register(context, 'well')
    last_seen(late, 130)
    services.delete(context, gone)
    assert services.signs_of_life(context) == {'late': None, 'well': services.get(context, well).updated_at}
