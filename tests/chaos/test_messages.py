"""Lost requests and responses, and duplicated requests, during creates, updates and deletes."""

from heat_lite.rpc import api
from tests.chaos import clusters
from tests.chaos.test_engine_crashes import FIRST, SECOND
from tests.chaos.unreliable_broker import FaultInjector

COUNT = 6


def request_until(cluster, name, state, method, path, data):
    """Send a request until the stack reaches the state.

    A delayed duplicate of an earlier request may have changed it.
    """
    for _ in range(5):
        answer = cluster.request(method, path, data)
        assert answer.status_code in (200, 202, 409), answer.text
        if cluster.wait([name])[name] == state:
            return
    raise AssertionError(f'{cluster.states()} {cluster.failure_reasons()}')


def run_lifecycle(cluster, name):
    """Create, update, suspend, resume and delete a stack.

    A duplicated or retried request may find that its work has been done.
    """
    cluster.create(name, FIRST)
    assert cluster.wait([name]) == {name: 'CREATE_COMPLETE'}, cluster.failure_reasons()
    path = cluster.path(name)
    request_until(cluster, name, 'UPDATE_COMPLETE', 'PUT', path, {'template': SECOND})
    for action in ('suspend', 'resume'):
        request_until(
            cluster, name, f'{action.upper()}_COMPLETE', 'POST', f'{path}/actions', {action: None}
        )
    assert cluster.request('DELETE', path).status_code in (204, 404)
    clusters.wait_for(lambda: name not in cluster.states())


def run_lifecycles(cluster):
    with clusters.concurrent.futures.ThreadPoolExecutor(3) as pool:
        for future in [
            pool.submit(run_lifecycle, cluster, f's{number}') for number in range(COUNT)
        ]:
            future.result()
    assert not cluster.violations() and cluster.objects() == []


def test_duplicated_requests_have_no_effect(tmp_path):
    with (
        clusters.running_on_shared_servers('mysql', tmp_path) as cluster,
        FaultInjector(cluster.transport, duplicate_rate=0.7) as injector,
    ):
        run_lifecycles(cluster)
    print(f'{injector.duplicated} requests were duplicated')
    assert injector.duplicated > 5 * COUNT


def test_lost_messages_are_recovered(tmp_path):
    with clusters.running_on_shared_servers(
        'postgresql', tmp_path, options='rpc_response_timeout = 2'
    ) as cluster:
        queues = [api.ENGINE_TOPIC, *cluster.queues('reply_')]
        with FaultInjector(cluster.transport, queues, loss_rate=0.3) as injector:
            run_lifecycles(cluster)
    print(f'{injector.lost} messages were lost')
    assert injector.lost > COUNT
