"""The graph, the timeline and the drift of a stack over REST, and the stacks at work."""

import copy
import time

import pytest

from tests import identity
from tests.functional.test_event_stream import NESTED, create, listened
from tests.timeouts import WAIT_SECONDS

SLOW = {
    'heat_template_version': '2021-04-16',
    'resources': {
        'ready': {
            'type': 'OS::Heat::TestResource',
            'properties': {'action_wait_secs': {'create': 3}},
        },
        'last': {'type': 'OS::Heat::RandomString', 'depends_on': 'ready'},
    },
}
both_shapes = pytest.mark.parametrize('service', ['embedded', 'keystone'], indirect=True)


@pytest.fixture
def path(service):
    found = create(service, NESTED)
    listened(service, found)
    yield found
    service.ask('DELETE', found)


def read(service, path, kind, **params):
    answer = service.ask('GET', f'{path}/{kind}', params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()[kind]


@both_shapes
def test_graph_has_the_resources_of_all_levels(service, path):
    stack_id = path.rpartition('/')[2]
    flat = read(service, path, 'graph')
    assert {each['id'] for each in flat['nodes']} == {f'{stack_id}/r', f'{stack_id}/group'}
    assert flat['edges'] == [{'source': f'{stack_id}/r', 'target': f'{stack_id}/group'}]
    deep = read(service, path, 'graph', nested_depth=2)
    assert len(deep['nodes']) == 5
    assert {each['parent'] for each in deep['nodes']} == {None, f'{stack_id}/group'}
    assert [each['stack_status'] for each in deep['stacks']] == ['CREATE_COMPLETE'] * 2


@both_shapes
def test_timeline_has_the_critical_path(service, path):
    stack_id = path.rpartition('/')[2]
    found = read(service, path, 'timeline', nested_depth=1)
    assert (found['action'], found['status']) == ('CREATE', 'COMPLETE')
    assert found['critical_path'][:2] == [f'{stack_id}/r', f'{stack_id}/group']
    assert len(found['critical_path']) == 3 and len(found['resources']) == 5
    assert service.ask('GET', f'{path}/timeline', params={'action': 'UPDATE'}).status_code == 404
    assert service.ask('GET', f'{path}/timeline', params={'number': 'x'}).status_code == 400


@pytest.mark.parametrize('service', ['embedded', 'keystone', 'convergence'], indirect=True)
def test_timeline_tells_calls_from_polls(service):
    slow = create(service, SLOW)
    listened(service, slow)
    found = {each['resource_name']: each for each in read(service, slow, 'timeline')['resources']}
    service.ask('DELETE', slow)
    phases = {each['phase']: each['seconds'] for each in found['ready']['phases']}
    assert phases.keys() - {'waiting'} == {'calling', 'polling'}
    assert phases['calling'] <= 1 and phases['polling'] >= 2
    kinds = [each['phase'] for each in found['last']['phases']]
    assert kinds[:2] == ['waiting', 'calling'] and 'working' not in kinds


@both_shapes
def test_drift_lists_what_cannot_be_compared(service, path):
    """A random string has no object outside of the service, so others cannot change it."""
    found = read(service, path, 'drift', nested_depth=1)
    assert (found['checked'], found['resources'], found['unchecked']) == (1, [], [])
    flat = read(service, path, 'drift')['unchecked']
    assert [(each['path'], 'nested_depth' in each['reason']) for each in flat] == [('group', True)]


@both_shapes
def test_views_of_another_project_are_refused(service, path):
    if service.shape == 'embedded':
        pytest.skip('the shape has no login')
    for kind in ('graph', 'timeline', 'drift'):
        assert service.ask('GET', f'{path}/{kind}', user='other').status_code == 403


@both_shapes
def test_unchanged_answer_is_not_sent_again(service, path):
    for route in (path, '/stacks', f'{path}/resources', f'{path}/events', f'{path}/graph'):
        first = service.ask('GET', route)
        again = service.ask('GET', route, headers={'If-None-Match': first.headers['ETag']})
        assert (again.status_code, again.content) == (304, b''), route
        assert again.headers['ETag'] == first.headers['ETag']
        other = service.ask('GET', route, headers={'If-None-Match': '"other"'})
        assert other.json() == first.json()


@both_shapes
def test_services_have_the_stacks_at_work(service):
    endless = copy.deepcopy(SLOW)
    endless['resources']['ready']['properties']['action_wait_secs']['create'] = 3600
    path = create(service, endless)
    stack_id = path.rpartition('/')[2]
    # administrators see the stacks of all projects
    admin = {'user': 'heat', 'project': identity.ident('service')} if service.auth_url else {}

    def services(**params):
        answer = service.ask('GET', '/services', params=params, **admin)
        assert answer.status_code == 200, answer.text
        return answer.json()['services']

    def at_work():
        return {one['id']: one for each in services(with_stacks='true') for one in each['stacks']}

    end = time.monotonic() + WAIT_SECONDS
    while stack_id not in at_work():
        assert time.monotonic() < end
        time.sleep(0.1)
    found = at_work()[stack_id]
    assert (found['stack_status'], found['project']) == ('CREATE_IN_PROGRESS', service.project)
    assert all('stacks' not in each for each in services())
    service.ask('DELETE', path)
    while stack_id in at_work():
        assert time.monotonic() < end
        time.sleep(0.1)
