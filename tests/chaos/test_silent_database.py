"""The database of one of two engines falls silent: the other one serves all requests and stacks."""

import concurrent.futures
import contextlib

import pytest
import sqlalchemy

from tests import black_hole, brokers, databases
from tests.chaos import cloud as chaos_cloud, clusters, engine_processes
from tests.chaos.test_engine_crashes import GENERATED, THING, template, thing
from tests.functional import shapes

CLIENTS = 4
LIVES = 5
HELD = template(a=thing(GENERATED, held=True), b=thing(THING, 'a'))
SMALL = template(a=thing())


@contextlib.contextmanager
def two_engines(backend, folder, options):
    """Run a Cluster of two engines; yield it, and the proxy before the database of the first."""
    with (
        databases.migrated(backend, folder) as url,
        brokers.virtual_host_or_skip() as transport,
        clusters.configured(folder, url, transport, options) as cluster,
    ):
        address = sqlalchemy.make_url(url)
        with black_hole.before(address.host, address.port) as proxy:
            behind = address.set(host='127.0.0.1', port=proxy.port).render_as_string(False)
            cluster.start_ready_engine('env', f'OS_DATABASE__CONNECTION={behind}')
            cluster.start_ready_engine()
            cluster.start_api()
            shapes.wait_until_ready(cluster.service)
            # An engine looks for others after each heartbeat: the second one from now on shows
            # that the look after the first one has ended.
            with engine_processes.connect(url) as connection:
                for _ in range(2):
                    now = first_heartbeat(connection)
                    clusters.wait_for(lambda now=now: first_heartbeat(connection) != now)
            yield cluster, proxy


def first_heartbeat(connection):
    """Return the time of the last heartbeat of the engine that was started first."""
    return connection.exec_driver_sql('SELECT updated_at FROM service ORDER BY created_at').scalar()


def live(service, number):
    """Create, read and delete stacks, each request once."""

    def ask(status, *request):
        answer = service.ask(*request)
        assert answer.status_code == status, (request, answer.text, service.logs())
        return answer

    for name in (f'c{number}-{life}' for life in range(LIVES)):
        ask(201, 'POST', '/stacks', {'stack_name': name, 'template': SMALL})
        ask(200, 'GET', '/stacks')
        path = ask(302, 'GET', f'/stacks/{name}').headers['Location'].partition('/demo')[2]
        ask(200, 'GET', path)
        ask(204, 'DELETE', path)


@pytest.mark.parametrize(
    ('backend', 'options'),
    [('mysql', ''), ('postgresql', 'convergence_engine = true')],
    ids=['mysql', 'postgresql with convergence'],
)
def test_requests_and_stacks_go_to_the_other_engine(backend, options, tmp_path):
    with two_engines(backend, tmp_path, options) as (cluster, proxy):
        held = clusters.create_all(cluster, 6, template=HELD)
        proxy.swallow()
        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
            lives = [pool.submit(live, cluster.service, number) for number in range(CLIENTS)]
        for each in lives:
            each.result()
        chaos_cloud.cloud.release()
        assert set(cluster.wait(held).values()) == {'CREATE_COMPLETE'}
        proxy.recover()
        cluster.kill(cluster.engines[1])
        # the first engine takes requests again
        cluster.create('last', SMALL)
        assert set(cluster.wait(['last']).values()) == {'CREATE_COMPLETE'}
        assert not cluster.violations()
