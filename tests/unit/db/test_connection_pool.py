"""The pool that keeps the connections of a burst for a while."""

import sqlalchemy

from heat_lite.db import connection_pool


def engine_with_connections(monkeypatch, idle_seconds):
    """Return an engine of 1 + 2 connections, and the list of those that it has opened."""
    monkeypatch.setattr(connection_pool, 'IDLE_SECONDS', idle_seconds)
    engine = sqlalchemy.create_engine(
        'sqlite://', poolclass=connection_pool.BurstPool, pool_size=1, max_overflow=2
    )
    opened = []
    sqlalchemy.event.listen(engine, 'connect', lambda connection, record: opened.append(connection))
    return engine, opened


def burst(engine):
    with engine.connect(), engine.connect(), engine.connect():
        pass


def test_connections_of_a_burst_serve_the_next_one(monkeypatch):
    engine, opened = engine_with_connections(monkeypatch, 3600)
    for _ in range(4):
        burst(engine)
    assert len(opened) == 3 and engine.pool.checkedin() == 3
    engine.dispose()


def test_unused_connections_beyond_the_size_are_closed_and_may_be_opened_again(monkeypatch):
    engine, opened = engine_with_connections(monkeypatch, -1)
    for number in range(1, 4):
        burst(engine)
        assert engine.pool.checkedin() == 1 and len(opened) == 1 + 2 * number
    engine.dispose()
