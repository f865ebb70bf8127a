"""Signals while engines are killed: none that was accepted is lost, and none is used twice."""

import collections
import concurrent.futures
import threading

import pytest
import requests

from tests.chaos import clusters

SIGNALS, KILLS, HANDLES, SENDERS = 500, 20, 5, 4
TEMPLATE = {
    'heat_template_version': '2021-04-16',
    'resources': {f'h{number}': {'type': 'OS::Heat::WaitConditionHandle'} for number in range(5)},
}


def send(cluster, path, number):
    """Send a signal once. Return whether it was accepted; without a response it may be."""
    target = f'{path}/resources/h{number % HANDLES}/signal'
    try:
        answer = cluster.service.ask('POST', target, {'data': f'signal {number}'})
    except (requests.ConnectionError, requests.Timeout):
        return False
    assert answer.status_code in (200, 429, 500, 503, 504), answer.text
    return answer.status_code == 200


def stored(cluster, path):
    """Return how often the handles store each signal."""
    found = collections.Counter()
    for number in range(HANDLES):
        answer = cluster.request('GET', f'{path}/resources/h{number}/metadata')
        found.update(each['data'] for each in answer.json()['metadata'].values())
    return found


@pytest.mark.parametrize('backend', ['mysql', 'postgresql'])
def test_accepted_signal_outlives_its_engine_and_is_used_once(tmp_path, backend):
    guard, accepted, kills = threading.Lock(), set(), []

    def signal(number):
        if not send(cluster, path, number):
            return
        with guard:
            accepted.add(f'signal {number}')
            is_due = len(accepted) > (len(kills) + 1) * SIGNALS // (KILLS + 5) - 10
            if is_due and len(kills) < KILLS:
                kills.append(number)
                cluster.kill(cluster.engines[0])
                cluster.start_ready_engine()

    with clusters.running_on_shared_servers(backend, tmp_path) as cluster:
        cluster.create('signalled', TEMPLATE)
        assert cluster.wait(['signalled']) == {'signalled': 'CREATE_COMPLETE'}
        path = cluster.path('signalled')
        with concurrent.futures.ThreadPoolExecutor(SENDERS) as pool:
            list(pool.map(signal, range(SIGNALS)))
        assert len(kills) == KILLS and len(accepted) > SIGNALS / 2
        clusters.wait_for(lambda: accepted <= stored(cluster, path).keys())
        assert set(stored(cluster, path).values()) == {1}
        assert not cluster.violations()
