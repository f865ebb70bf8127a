"""Requests and answers get lost, and requests come twice, while stacks are made, changed and taken away."""

from heat_lite.rpc import api
from tests.chaos import clusters
from tests.chaos.messages import Postman
from tests.chaos.test_kills import FIRST, SECOND

COUNT = 6


def bring(cluster, name, state, method, path, data):
    """Ask until the stack is in that state: an older request that has come again late may have had its way meanwhile."""
    for _ in range(5):
        answer = cluster.ask(method, path, data)
        assert answer.status_code in (200, 202, 409), answer.text
        if cluster.wait([name])[name] == state:
            return
    raise AssertionError(f'{cluster.states()} {cluster.reasons()}')


def live_through(cluster, name):
    """A whole life of a stack. What comes twice, or is asked again because no answer came, may find that it has been done already."""
    cluster.create(name, FIRST)
    assert cluster.wait([name]) == {name: 'CREATE_COMPLETE'}, cluster.reasons()
    path = cluster.path(name)
    bring(cluster, name, 'UPDATE_COMPLETE', 'PUT', path, {'template': SECOND})
    for action in ('suspend', 'resume'):
        bring(cluster, name, f'{action.upper()}_COMPLETE', 'POST', f'{path}/actions', {action: None})
    assert cluster.ask('DELETE', path).status_code in (204, 404)
    clusters.wait_for(lambda: name not in cluster.states())


def live_through_all(cluster):
    with clusters.concurrent.futures.ThreadPoolExecutor(3) as pool:
        for lived in [pool.submit(live_through, cluster, f's{number}') for number in range(COUNT)]:
            lived.result()
    assert not cluster.violations() and cluster.objects() == []


def test_requests_come_twice(tmp_path):
    with clusters.shared('mysql', tmp_path) as cluster, Postman(cluster.transport, repeat=0.7) as postman:
        live_through_all(cluster)
    print(f'{postman.repeated} requests came twice')
    assert postman.repeated > 5 * COUNT


def test_requests_and_answers_get_lost(tmp_path):
    with clusters.shared('postgresql', tmp_path, options='rpc_response_timeout = 2') as cluster:
        queues = [api.ENGINE_TOPIC, *cluster.queues('reply_')]
        with Postman(cluster.transport, queues, lose=0.3) as postman:
            live_through_all(cluster)
    print(f'{postman.lost} messages were lost')
    assert postman.lost > COUNT
