"""Stacks that all engines walk together: kills, new targets in the middle, lost, repeated and
reordered messages.
"""

import collections
import json
import os
import random
import time

import kombu
import pytest
import sqlalchemy

from heat_lite.db import models
from heat_lite.rpc import api, messaging
from tests.chaos import cloud as chaos_cloud, clusters, engine_processes
from tests.chaos.clusters import WAIT_SECONDS
from tests.chaos.test_engine_crashes import template, thing
from tests.chaos.unreliable_broker import FaultInjector
from tests.functional import shapes

WIDTH = 60
PAIRS = int(os.environ.get('HEAT_LITE_PAIRS', '10'))
OPTIONS = 'convergence_engine = true'


@pytest.fixture
def cluster(request, tmp_path):
    with clusters.running_on_shared_servers(request.param, tmp_path, options=OPTIONS) as cluster:
        yield cluster


def on(*backends):
    """Limit a test to these databases."""
    return pytest.mark.parametrize('cluster', backends, indirect=True)


def wide(value='1', width=WIDTH, **properties):
    """A template of ``width`` independent resources between a first and a last one."""
    names = [f'r{number}' for number in range(width)]
    middle = {name: thing('Test::Thing', 'first', value=value, **properties) for name in names}
    return template(first=thing(), **middle, last=thing('Test::Thing', *names, value=value))


def left_behind(cluster):
    """Return what a walk must not leave: sync points, and rows that an engine holds."""
    with engine_processes.connect(cluster.database) as connection:
        points = connection.execute(sqlalchemy.select(models.sync_point)).all()
        held = connection.execute(
            sqlalchemy.select(models.resource).where(models.resource.c.engine_id.is_not(None))
        ).all()
    return points + held


def wait_until_clean(cluster):
    until = time.monotonic() + WAIT_SECONDS
    while left := left_behind(cluster):
        assert time.monotonic() < until, f'{left}\n{cluster.service.logs()}'
        time.sleep(0.1)


def check(cluster, name='s', state='CREATE_COMPLETE'):
    assert cluster.wait([name]) == {name: state}, cluster.failure_reasons()
    assert not cluster.violations()
    wait_until_clean(cluster)


def calls_of_engines(wanted='create'):
    """Return the number of calls that each engine has made, by its process id."""
    return collections.Counter(process for _, process in chaos_cloud.cloud.calls(wanted))


@on('mysql', 'postgresql')
def test_wide_stack_is_walked_by_all_engines(cluster):
    cluster.create('s', wide(wait=0.2))
    check(cluster)
    counts = calls_of_engines()
    assert sum(counts.values()) == WIDTH + 2
    assert len(counts) == 2 and min(counts.values()) > WIDTH / 4, counts
    answer = cluster.request('PUT', cluster.path('s'), {'template': wide('2')})
    assert answer.status_code == 202
    check(cluster, state='UPDATE_COMPLETE')
    assert cluster.request('DELETE', cluster.path('s')).status_code == 204
    clusters.wait_for(lambda: not cluster.states())
    assert not cluster.objects() and not cluster.violations()
    wait_until_clean(cluster)


def slow(wait=0.1):
    """A template of ``WIDTH`` independent resources, each of whose actions takes ``wait`` s."""
    return template(**{f'r{n}': thing('Test::Slow', wait=wait) for n in range(WIDTH)})


@on('mysql')
def test_all_engines_suspend_resume_check_and_snapshot(cluster):
    cluster.create('s', slow())
    check(cluster)
    path, before = cluster.path('s'), calls_of_engines('update')
    for action in ('suspend', 'resume', 'check'):
        assert cluster.request('POST', f'{path}/actions', {action: None}).status_code == 200
        check(cluster, state=f'{action.upper()}_COMPLETE')
        counts = calls_of_engines('update') - before
        assert len(counts) == 2 and sum(counts.values()) == WIDTH, (action, counts)
        before += counts
    answer = cluster.request('POST', f'{path}/snapshots', {'name': 'x'})
    check(cluster, state='SNAPSHOT_COMPLETE')
    snapshot = cluster.request('GET', f'{path}/snapshots/{answer.json()["id"]}')
    saved = snapshot.json()['snapshot']['data']['resources'].values()
    copies = {each['resource_data']['copy'] for each in saved}
    assert copies == set(chaos_cloud.cloud.copies()) and len(copies) == WIDTH


@pytest.mark.parametrize('victim', ['home', 'other'])
@on('postgresql')
def test_suspend_goes_on_after_an_engine_was_killed(cluster, victim):
    cluster.create('s', slow(1.5))
    check(cluster)
    path = cluster.path('s')
    assert cluster.request('POST', f'{path}/actions', {'suspend': None}).status_code == 200
    holders = sqlalchemy.select(models.resource.c.engine_id).distinct()
    home = sqlalchemy.select(models.stack_lock.c.engine_id)
    with engine_processes.connect(cluster.database) as connection:
        found = set(clusters.wait_for(lambda: both_of(connection.execute(holders).scalars())))
        holder = connection.execute(home).scalar()
    dead = holder if victim == 'home' else next(iter(found - {holder}))
    logs = {log.stem: log.read_text() for log in cluster.folder.glob('engine-*.log')}
    name = next(name for name, text in logs.items() if f'Engine {dead} is ready' in text)
    cluster.kill(cluster.service.processes[name])
    check(cluster, state='SUSPEND_COMPLETE')
    resources = cluster.request('GET', f'{path}/resources').json()['resources']
    assert {each['resource_status'] for each in resources} == {'SUSPEND_COMPLETE'}
    assert len(resources) == WIDTH
    # the suspend of a killed engine's resources is repeated, that of the others is not
    assert sum(calls_of_engines('update').values()) <= WIDTH + WIDTH // 2


def both_of(engines):
    """Return the engines that hold rows, once these are two."""
    found = {each for each in engines if each is not None}
    return found if len(found) == 2 else None


@on('mysql')
def test_cancel_whose_messages_are_lost_stops_all_engines(cluster):
    chains, length = 30, 16
    names = [[f'c{chain}-{number}' for number in range(length)] for chain in range(chains)]
    long = template()
    for chain in names:
        for name, before in zip(chain, [None, *chain], strict=False):
            needs = [before] if before else []
            long['resources'][name] = thing('Test::Generated', *needs, wait=1)
    cluster.create('s', template(first=thing()))
    check(cluster)
    path = cluster.path('s')
    assert cluster.request('PUT', path, {'template': long}).status_code == 202
    clusters.wait_for(lambda: len(calls_of_engines()) == 2)
    lose_messages(cluster, cluster.queues(f'{api.WORKER_TOPIC}.'))
    answer = cluster.request('POST', f'{path}/actions', {'cancel_without_rollback': None})
    assert answer.status_code == 200, answer.text
    check(cluster, state='UPDATE_FAILED')
    made = calls_of_engines()
    assert sum(made.values()) < chains * length / 2, made
    time.sleep(2)
    assert calls_of_engines() == made


def lose_messages(cluster, queues):
    """Have the broker drop all further messages to these queues."""
    with kombu.Connection(cluster.transport.replace('rabbit://', 'amqp://', 1)) as connection:
        exchange = kombu.Exchange(messaging.EXCHANGE, 'topic', no_declare=True)
        for name in queues:
            queue = kombu.Queue(name, channel=connection.channel(), no_declare=True)
            queue.unbind_from(exchange, name)


@on('mysql', 'postgresql')
def test_engines_that_get_no_message_find_the_resources_that_they_were_given(cluster):
    """A broker that has lost its bindings drops each message, and the engines live on."""
    cluster.create('first', wide(wait=0.2))
    check(cluster, 'first')
    lose_messages(cluster, cluster.queues(f'{api.WORKER_TOPIC}.'))
    before = calls_of_engines()
    cluster.create('s', wide(wait=0.2))
    check(cluster)
    counts = calls_of_engines() - before
    assert sum(counts.values()) == WIDTH + 2 and len(counts) == 2, counts


@on('mysql')
def test_failure_in_any_engine_fails_the_stack(cluster):
    broken = wide(wait=0.1)
    broken['resources']['r40']['properties']['fail'] = True
    cluster.create('s', broken)
    assert cluster.wait(['s']) == {'s': 'CREATE_FAILED'}
    assert cluster.failure_reasons() == {
        's': 'Resource CREATE failed: ValueError: resources.r40: told to fail'
    }
    assert not cluster.violations()
    wait_until_clean(cluster)
    cluster.create('back', broken, disable_rollback=False)
    assert cluster.wait(['back']) == {'back': 'ROLLBACK_COMPLETE'}
    wait_until_clean(cluster)


@on('postgresql')
def test_stacks_complete_while_engines_are_killed(cluster):
    chance = random.Random(2)
    cluster.create('s', wide(wait=0.4))
    cluster.create('t', wide(wait=0.3))
    for _ in range(4):
        time.sleep(1.5)
        cluster.kill(chance.choice(cluster.engines))
        cluster.start_ready_engine()
    assert set(cluster.wait(['s', 't']).values()) == {'CREATE_COMPLETE'}, cluster.failure_reasons()
    check(cluster)


@on('mysql')
def test_lost_repeated_and_reordered_messages_of_workers_are_recovered(cluster):
    queues = cluster.queues(api.WORKER_TOPIC)
    faults = {'loss_rate': 0.3, 'duplicate_rate': 0.5, 'delay_seconds': 3}
    names = [f's{number}' for number in range(3)]
    with FaultInjector(cluster.transport, queues, **faults) as injector:
        for name in names:
            cluster.create(name, wide(wait=0.1))
        states = cluster.wait(names, WAIT_SECONDS * 2)
        assert set(states.values()) == {'CREATE_COMPLETE'}, cluster.failure_reasons()
        # the messages of each update arrive while the next traversal is walked
        for value in ('2', '3', '4'):
            for name in names:
                data = {'template': wide(value, WIDTH + int(value))}
                assert cluster.request('PUT', cluster.path(name), data).status_code == 202
        states = cluster.wait(names, WAIT_SECONDS * 2)
        assert set(states.values()) == {'UPDATE_COMPLETE'}, cluster.failure_reasons()
        assert not cluster.violations()
        wait_until_clean(cluster)
        for name in names:
            assert cluster.request('DELETE', cluster.path(name)).status_code == 204
        clusters.wait_for(lambda: not cluster.states())
    print(f'{injector.lost} lost, {injector.overtaken} overtaken, {injector.duplicated} repeated')
    assert injector.lost and injector.overtaken and injector.duplicated
    assert not cluster.objects() and not cluster.violations()
    wait_until_clean(cluster)


@on('mysql')
def test_hooks_are_cleared_in_the_engine_that_waits(cluster):
    paused = {f'r{number}': {'hooks': 'pre-create'} for number in range(0, WIDTH, 10)}
    environment = {'resource_registry': {'resources': paused}}
    cluster.create('s', wide(), environment=environment)
    path = cluster.path('s')
    for name in paused:
        signal = f'{path}/resources/{name}/signal'
        clusters.wait_for(
            lambda signal=signal: (
                cluster.request('POST', signal, {'unset_hook': 'pre-create'}).status_code == 200
            )
        )
    check(cluster)


@on('postgresql')
def test_nested_stacks_are_awaited_in_all_engines(cluster):
    nested = {'type': 'nested.yaml', 'depends_on': ['first']}
    outer = template(first=thing(), **{f'n{number}': nested for number in range(24)})
    cluster.create('s', outer, files={'nested.yaml': json.dumps(template(a=thing(wait=0.2)))})
    check(cluster)
    assert cluster.request('DELETE', cluster.path('s')).status_code == 204
    clusters.wait_for(lambda: not cluster.states())
    assert not cluster.objects() and not cluster.violations()


@pytest.fixture
def three_engines(request, tmp_path):
    args = {'engines': 3, 'options': OPTIONS}
    with clusters.running_on_shared_servers(request.param, tmp_path, **args) as cluster:
        yield cluster


def second_api(cluster):
    """Start a second process of the API on the same engines; return a client of it."""
    service = cluster.another_service()
    cluster.start_api(service=service)
    shapes.wait_until_ready(service)
    return service


def rows_by_object(cluster):
    """Return the number of rows of each object."""
    query = sqlalchemy.select(models.resource.c.nova_instance)
    with engine_processes.connect(cluster.database) as connection:
        return collections.Counter(connection.execute(query).scalars())


@pytest.mark.parametrize('three_engines', ['mysql', 'postgresql'], indirect=True)
def test_last_of_two_updates_wins(three_engines):
    cluster = three_engines
    services = cluster.service, second_api(cluster)
    cluster.create('s', wide(other='0'))
    check(cluster)
    path = cluster.path('s')
    for number in range(PAIRS):
        for way, service in enumerate(services):
            data = {'template': wide(f'{number}.{way}', other=f'{number}.{way}')}
            assert service.ask('PUT', path, data).status_code == 202
            time.sleep(0.1)
        check(cluster, state='UPDATE_COMPLETE')
        with engine_processes.connect(cluster.database) as connection:
            query = sqlalchemy.select(models.resource_properties_data.c.data)
            column = models.resource.c.rsrc_prop_data_id == models.resource_properties_data.c.id
            stored = connection.execute(query.join(models.resource, column)).scalars().all()
        values = {each.get('other') for each in stored} - {None}
        assert values == {f'{number}.1'}
        objects = chaos_cloud.cloud.find('*')
        assert rows_by_object(cluster) == collections.Counter(objects), number
