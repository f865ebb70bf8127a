"""The table of attacks by one project, all at once, while another project uses the service."""

import concurrent.futures
import re
import resource
import time
from pathlib import Path

import pytest

from tests.attacks import accomplices, bystander, flooding, holding, judge, live
from tests.functional import shapes
from tests.timeouts import WAIT_SECONDS

#: seconds of work of the service during a request of another project; the aim is 1. The time of
#: work is measured, since the wall clock shows what else the machine does.
SECONDS = 2
#: What a process may keep, in MB of resident memory. That of each process is measured, not its
#: share of the pages that processes have in common, which changes with what the others do.
MEMORY = 100
#: and after all attacks; the aim is 100. Few small objects that stay keep whole arenas of Python.
MEMORY_AFTER_ALL = 130
#: seconds of work beside accomplices with long requests, while the aim is 1
ACCOMPLICE_SECONDS = 5
#: seconds of work of another project before the first attack
HONEST_SECONDS = 3
FILES = 8192
#: lower than by default, so that short attacks reach the limits
MAX_CONNECTIONS, MAX_SIGNALS = 150, 120
OPTIONS = f"""
template_seconds = 0.5
http_max_connections_per_peer = {MAX_CONNECTIONS}
max_handle_signals = {MAX_SIGNALS}
"""


@pytest.fixture(scope='module', autouse=True)
def many_files():
    """Permit this process more open files than the attacks have connections."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < FILES:
        pytest.skip(f'the limit of open files is {hard}')
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, FILES), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.fixture(
    scope='module',
    params=[
        pytest.param(name, marks=pytest.mark.xdist_group(f'attacks-{name}'))
        for name in ('embedded', 'mariadb')
    ],
)
def target(request, tmp_path_factory):
    """A running service, the URL of its heat-lite-api-cfn or None, and its memory at first."""
    with judge.running(request.param, tmp_path_factory.mktemp('table'), OPTIONS) as (service, cfn):
        # Honest work loads what stays for good: statements of SQL, and modules.
        judge.measure(service, lambda: time.sleep(HONEST_SECONDS))
        yield service, cfn, judge.memory(service)


def rows_of(target, words):
    service, cfn, _ = target
    rows = judge.attacks(service, cfn, clients=1)
    return {name: row for name, row in rows.items() if name in words}


def test_requests_of_one_project_all_at_once_do_not_delay_others(target):
    rows = rows_of(target, judge.hostile.REQUESTS)
    with (
        bystander.asking(target[0]) as waits,
        concurrent.futures.ThreadPoolExecutor(len(rows)) as pool,
    ):
        results = {name: pool.submit(row) for name, row in rows.items()}
        statuses = {name: each.result() for name, each in results.items()}
    assert waits.longest < SECONDS, str(waits)
    # 503 and 504: its turn did not come, or its answer, on a busy machine
    assert set.union(*statuses.values()) <= {200, 201, 400, 503, 504}, statuses
    judge.clean(target[0])


def test_expression_that_hangs_at_run_time_fails_its_resource(target):
    method, path, body = judge.hostile.REQUESTS['yaql: 8 hanging resources at run time']()
    service = target[0]
    with bystander.asking(service) as waits:
        made = service.ask(method, path, body, project=judge.ATTACKER, timeout=300)
        assert made.status_code == 201, made.text
        stack = judge.ended(service, f'/stacks/hostile/{made.json()["stack"]["id"]}')
    assert stack['stack_status'] == 'CREATE_FAILED'
    reason = stack['stack_status_reason']
    assert re.search(r'resources\.r\d: .*"yaql" exceeds a limit of the whole request: 0\.5', reason)
    assert waits.longest < SECONDS, str(waits)


def test_signals_beyond_the_limit_of_a_handle_are_refused_and_delay_no_others(target):
    service = target[0]
    with bystander.asking(service) as waits:
        statuses, _ = holding.signal_often(service, 10, 3 * MAX_SIGNALS)
    assert statuses.keys() <= {200, 400} and statuses[200] >= MAX_SIGNALS, statuses
    assert waits.longest < SECONDS, str(waits)
    # a burst is accepted before it is stored; what is beyond the limit is not stored
    handle = f'/stacks/signals-{3 * MAX_SIGNALS}-10/{{}}/resources/h'
    (stack,) = [
        each
        for each in service.ask('GET', '/stacks', project=judge.ATTACKER).json()['stacks']
        if each['stack_name'] in handle
    ]
    handle = handle.format(stack['id'])
    stored = until_full(service, handle)
    refused = service.ask('POST', f'{handle}/signal', {'id': 'x'}, project=judge.ATTACKER)
    assert refused.status_code == 400 and len(stored) == MAX_SIGNALS
    assert f'stores {MAX_SIGNALS} signals already' in refused.text
    assert '[heat_lite] max_handle_signals' in refused.text


def until_full(service, handle):
    """Return the signals of a handle as soon as it stores as many as it may."""
    end = time.monotonic() + WAIT_SECONDS
    while True:
        answer = service.ask('GET', f'{handle}/metadata', project=judge.ATTACKER)
        if len(answer.json()['metadata']) >= MAX_SIGNALS:
            return answer.json()['metadata']
        assert time.monotonic() < end
        time.sleep(0.1)


@pytest.mark.parametrize(
    'name',
    [
        '50 signals of 1 MB',
        '1,100 idle connections',
        '1,100 half headers',
        '1,100 bodies of 1 byte/s',
        '1,100 idle keep-alives',
        '1,100 clients that never read',
        '20 clients, 400 pipelined requests each',
        'template URL: a byte each half second',
        'template URL: redirects without end',
        'template URL: gzip of 1 GB',
        'template URL: 5 GB',
    ],
)
def test_attack_by_connections_does_not_delay_others(target, name, monkeypatch):
    for constant, value in (('SECONDS', 1), ('CONNECTIONS', MAX_CONNECTIONS + 50)):
        monkeypatch.setattr(holding, constant, value)
    (attack,) = rows_of(target, [name]).values()
    _, _, waits = judge.measure(target[0], attack)
    judge.drained(target[0])
    assert waits.longest < SECONDS, str(waits)


@pytest.mark.parametrize(
    'name',
    [
        'connections opened and closed without end',
        '20 clients, 1,000 pipelined requests without an engine',
    ],
)
def test_bytes_that_are_always_ready_do_not_delay_others(target, name):
    """No read of the API waits, so it must let others run by itself."""
    (attack,) = rows_of(target, [name]).values()
    _, _, waits = judge.measure(target[0], attack)
    judge.drained(target[0])
    assert waits.longest < SECONDS, str(waits)


#: seconds of work during a request beside a flood
FLOOD_SECONDS = 1
#: files of the service for its database, broker and other clients, and those of connections that
#: were closed at the cap and have not ended yet
OTHER_FILES = 150


@pytest.mark.parametrize('name', flooding.FLOODS)
def test_many_connections_of_one_client_take_turns_and_are_bounded(target, name):
    """Each step of a request would otherwise wait for all connections whose bytes are ready."""
    service, count = target[0], MAX_CONNECTIONS + 250
    judge.drained(service)
    before, most = open_files(service), 0
    with (
        bystander.asking(service) as waits,
        concurrent.futures.ThreadPoolExecutor(1) as pool,
    ):
        flood = pool.submit(flooding.flood, service, name, count, 4)
        while not flood.done():
            most = max(most, open_files(service))
            time.sleep(0.05)
    judge.drained(service)
    assert flood.result() >= count
    assert most <= before + MAX_CONNECTIONS + OTHER_FILES
    assert waits.longest < FLOOD_SECONDS, str(waits)


@pytest.mark.parametrize('name', flooding.CROWDS)
def test_clients_of_many_addresses_do_not_delay_others(target, name):
    """A limit for each address or project does not end them: they wait for each other."""
    service = target[0]
    judge.drained(service)
    with bystander.asking(service) as waits:
        assert flooding.flood(service, name, 900, 3, crowd=100) >= 900
    judge.drained(service)
    assert waits.longest < SECONDS, str(waits)


def test_accomplices_whose_requests_compute_for_long_do_not_delay_others(target):
    service = target[0]
    with bystander.asking(service) as waits:
        statuses = accomplices.conspire(service, projects=30, requests=60, nested=200, seconds=1)
    # 503 and 504: the turn did not come, or the answer, on a busy machine
    assert statuses.keys() <= {200, 503, 504} and sum(statuses.values()) >= 60, statuses
    # one request that begins together with all of theirs may wait for longer
    assert sorted(map(min, waits.seconds, waits.busy))[-2] < ACCOMPLICE_SECONDS, str(waits)
    judge.calm(service)


def test_hostile_requests_to_live_routes_are_answered_and_delay_no_others(target):
    service, cfn, _ = target
    body = {'stack_name': 'live', 'template': bystander.SMALL}
    made = service.ask('POST', '/stacks', body, project=live.PROJECT).json()['stack']
    base = f'/v1/{live.PROJECT}'
    urls = [(service.url, live.rows(base, f'{base}/stacks/live/{made["id"]}'))]
    urls += [(cfn, live.aws_rows())] if cfn else []
    for url, rows in urls:
        with (
            bystander.asking(service) as waits,
            concurrent.futures.ThreadPoolExecutor(20) as pool,
        ):
            statuses = list(pool.map(lambda row, url=url: live.send(url, row), rows))
        failed = [row for row, status in zip(rows, statuses, strict=True) if status >= 500]
        assert not failed, [str(row)[:200] for row in failed]
        assert waits.longest < SECONDS, str(waits)
    judge.clean(service)


def test_streams_without_reader_do_not_delay_others(target):
    service = target[0]
    judge.drained(service)
    with bystander.asking(service) as waits:
        statuses = live.hold_streams(service, 400)
    judge.drained(service)
    assert statuses and statuses.keys() <= {'200', '503'}, statuses
    assert waits.longest < SECONDS, str(waits)


def open_files(service):
    """Return the number of open files of the process that has most."""
    found = [0]
    for process in service.processes.values():
        for pid in bystander.family(process.pid):
            found.append(len(list(Path(f'/proc/{pid}/fd').iterdir())))
    return max(found)


@pytest.mark.parametrize('name', holding.SIGNED_ATTACKS)
def test_bodies_before_login_take_no_memory(target, name):
    for attack in rows_of(target, [name]).values():
        before = judge.memory(target[0])
        attack()
        assert judge.settle(target[0], before, MEMORY)[0] < MEMORY


def test_no_process_has_ended_or_keeps_memory_after_all_attacks(target):
    service, _, before = target
    judge.clean(service)
    grown, ended = judge.settle(service, before, MEMORY_AFTER_ALL)
    assert grown < MEMORY_AFTER_ALL and not ended
    shapes.wait_until_ready(service)
