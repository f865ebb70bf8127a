"""The database, the broker and the API are killed and restarted while stacks are created."""

import time

import pytest

from heat_lite.db import migration
from tests import brokers, databases, servers
from tests.chaos import clusters

RESTARTS, AWAY_SECONDS = 3, 1.5


def restart(server, number):
    """Restart the server: cleanly for even numbers, as after a power failure for odd ones."""
    (server.kill if number % 2 else server.stop)()
    time.sleep(AWAY_SECONDS)
    server.start()


@pytest.mark.parametrize('kind', ['mysql', 'postgresql'])
def test_stacks_complete_while_the_database_restarts(kind, tmp_path):
    with servers.running(kind) as server, brokers.virtual_host_or_skip() as transport:
        database = server.create('chaos')
        migration.sync(database)
        with clusters.running(tmp_path, database, transport) as cluster:
            clusters.under_load(cluster, lambda number: restart(server, number), RESTARTS)


def test_stacks_complete_while_the_broker_restarts(tmp_path):
    with servers.running('rabbitmq') as server, databases.migrated('mysql', tmp_path) as database:
        with clusters.running(
            tmp_path, database, server.url, options='rpc_response_timeout = 5'
        ) as cluster:
            clusters.under_load(cluster, lambda number: restart(server, number), RESTARTS)


def test_stacks_complete_while_the_api_is_killed(tmp_path):
    with clusters.running_on_shared_servers('postgresql', tmp_path) as cluster:

        def restart_api(number):
            cluster.service.processes['api'].kill()
            cluster.service.processes['api'].wait()
            cluster.start_api()

        clusters.under_load(cluster, restart_api, RESTARTS)
