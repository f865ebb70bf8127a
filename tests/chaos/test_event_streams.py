"""Streams of events while the API, an engine and connections are killed."""

import collections
import contextlib
import time

import sqlalchemy

from heat_lite.db import models
from tests import brokers, event_streams
from tests.chaos import clusters

DISTURBANCES = 4


def stored(database):
    """Return the ids of all events."""
    engine = sqlalchemy.create_engine(database)
    try:
        with engine.connect() as connection:
            return list(connection.execute(sqlalchemy.select(models.event.c.uuid)).scalars())
    finally:
        engine.dispose()


@contextlib.contextmanager
def listening(cluster):
    """Yield a client that continues its stream; at the end it has each stored event once."""
    client = event_streams.PersistentClient(f'{cluster.service.endpoint}/events')
    clusters.wait_for(lambda: client.position)
    try:
        yield client
        wanted = set(stored(cluster.database))
        end = time.monotonic() + clusters.WAIT_SECONDS
        while set(client.ids) < wanted and time.monotonic() < end:
            time.sleep(0.1)
    finally:
        client.stop()
    counts = collections.Counter(client.ids)
    repeated = {each for each, count in counts.items() if count > 1}
    assert [each for each in client.taken if each[2] in repeated] == []
    missing = wanted - set(counts)
    assert not missing, f'{len(missing)} of {len(wanted)}: {cluster.service.logs()}'


def test_stream_has_each_event_once_while_processes_are_killed(tmp_path):
    """All engines walk each stack, so the events of one stack are committed in any order."""
    with (
        clusters.running_on_shared_servers(
            'mysql', tmp_path, options='convergence_engine = true'
        ) as cluster,
        listening(cluster) as client,
    ):

        def disturb(number):
            if number % 4 == 0:
                cluster.service.processes['api'].kill()
                cluster.service.processes['api'].wait()
                cluster.start_api()
            elif number % 4 == 2:
                cluster.kill(cluster.engines[0])
                cluster.start_ready_engine()
            else:
                client.break_connection()

        clusters.under_load(cluster, disturb, DISTURBANCES)
    assert client.connections > 2


def test_stream_has_each_event_once_while_the_broker_closes_all_connections(tmp_path):
    """What tells the API of new events is lost, and so is the answer that brings them."""
    with (
        clusters.running_on_shared_servers('mysql', tmp_path) as cluster,
        listening(cluster) as client,
    ):

        def disturb(number):
            brokers.close_connections(cluster.transport)
            if number % 2:
                client.break_connection()

        clusters.under_load(cluster, disturb, 3)
    assert client.connections >= 2
