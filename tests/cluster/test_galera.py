"""Three engines and three APIs on three nodes of Galera, all of which are written."""

import concurrent.futures
import os

import pytest

from tests.chaos.test_engine_crashes import template
from tests.cluster import clients, faults, ledger as promises, on
from tests.timeouts import wait_until

ROUNDS = int(os.environ.get('HEAT_LITE_ROUNDS', '10'))
RACERS = 8
BOTH = on(('galera', 'lock'), ('galera', 'convergence'))


def race(site, send):
    """Call ``send(service, number)`` at once for all racers, over all APIs; return the answers."""
    services = (site.services * RACERS)[:RACERS]
    with concurrent.futures.ThreadPoolExecutor(RACERS) as pool:
        return list(pool.map(send, services, range(RACERS)))


@BOTH
def test_racing_creates_of_a_name_make_one_stack(site):
    data = {'template': promises.body(1)}
    for number in range(ROUNDS):
        sent = {**data, 'stack_name': f'raced-{number}'}
        answers = race(site, lambda service, _, sent=sent: service.ask('POST', '/stacks', sent))
        assert sorted(each.status_code for each in answers) == [201] + [409] * (RACERS - 1)
    promises.Ledger().require_kept(site)


def scaled():
    member = {'type': 'Test::Thing'}
    properties = {'min_size': 0, 'max_size': RACERS * ROUNDS, 'resource': member}
    policy = {
        'adjustment_type': 'change_in_capacity',
        'scaling_adjustment': 1,
        'auto_scaling_group_id': {'get_resource': 'group'},
    }
    return template(
        group={'type': 'OS::Heat::AutoScalingGroup', 'properties': properties},
        out={'type': 'OS::Heat::ScalingPolicy', 'properties': policy},
    )


@BOTH
def test_each_racing_policy_signal_scales_once(site):
    service = site.services[0]
    data = {'stack_name': 'scaled', 'template': scaled()}
    made = service.ask('POST', '/stacks', data).json()['stack']['id']
    path = f'/stacks/scaled/{made}'

    def shown():
        return service.ask('GET', path).json()['stack']

    def size():
        listed = service.ask('GET', f'{path}/resources', params={'nested_depth': 1}).json()
        return sum(each['resource_type'] == 'Test::Thing' for each in listed['resources'])

    wait_until(lambda: shown()['stack_status'] == 'CREATE_COMPLETE')
    signal = f'{path}/resources/out/signal'
    for number in range(max(1, ROUNDS // 3)):
        answers = race(site, lambda each, _: each.ask('POST', signal))
        assert {each.status_code for each in answers} == {200}
        wait_until(lambda number=number: size() == RACERS * (number + 1))
    assert service.ask('DELETE', path).status_code == 204
    promises.Ledger().require_kept(site)


@on(('galera', 'convergence'))
@pytest.mark.parametrize('group', faults.GROUPS)
def test_promises_are_kept_after_faults_of(site, group):
    clients.require_kept_after(site, faults.GROUPS[group])


@on(('galera', 'lock'))
def test_promises_of_one_engine_a_stack_are_kept_after_faults_of_galera(site):
    clients.require_kept_after(site, faults.GROUPS['galera'])
