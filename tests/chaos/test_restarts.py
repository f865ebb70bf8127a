"""The database and the broker are killed and come back while stacks are made, and so is the API in the midst of requests."""

import time

import pytest

from heat_lite.db import migration
from tests import brokers, databases, servers
from tests.chaos import clusters

RESTARTS, AWAY_SECONDS = 3, 1.5


def restart(server, number):
    """Now as an operator does it, now as a power failure does."""
    (server.kill if number % 2 else server.stop)()
    time.sleep(AWAY_SECONDS)
    server.start()


@pytest.mark.parametrize('kind', ['mysql', 'postgresql'])
def test_the_database_restarts(kind, tmp_path):
    with servers.running(kind) as server, brokers.virtual_host_or_skip() as transport:
        database = server.create('chaos')
        migration.sync(database)
        with clusters.running(tmp_path, database, transport) as cluster:
            clusters.under_load(cluster, lambda number: restart(server, number), RESTARTS)


def test_the_broker_restarts(tmp_path):
    with servers.running('rabbitmq') as server, databases.migrated('mysql', tmp_path) as database:
        with clusters.running(tmp_path, database, server.url, options='rpc_response_timeout = 5') as cluster:
            clusters.under_load(cluster, lambda number: restart(server, number), RESTARTS)


def test_the_api_is_killed_in_the_midst_of_requests(tmp_path):
    with clusters.shared('postgresql', tmp_path) as cluster:

        def restart_api(number):
            cluster.service.processes['api'].kill()
            cluster.service.processes['api'].wait()
            cluster.start_api()

        clusters.under_load(cluster, restart_api, RESTARTS)
