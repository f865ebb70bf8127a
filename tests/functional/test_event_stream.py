"""Streams of events over REST."""

import contextlib
import uuid

import pytest

from tests import event_streams
from tests.functional import shapes

ONE = {
    'heat_template_version': '2021-04-16',
    'resources': {'r': {'type': 'OS::Heat::RandomString'}},
}
NESTED = {
    'heat_template_version': '2021-04-16',
    'resources': {
        'r': {'type': 'OS::Heat::RandomString'},
        'group': {
            'type': 'OS::Heat::ResourceGroup',
            'depends_on': 'r',
            'properties': {'count': 3, 'resource_def': {'type': 'OS::Heat::RandomString'}},
        },
    },
}
FAILING = {
    'heat_template_version': '2021-04-16',
    'resources': {'r': {'type': 'OS::Heat::TestResource', 'properties': {'fail': True}}},
}

pytestmark = pytest.mark.parametrize('service', shapes.ALL, indirect=True)


def create(service, template=ONE, **body):
    """Create a stack; return its path."""
    name = f's{uuid.uuid4().hex[:8]}'
    answer = service.ask('POST', '/stacks', {'stack_name': name, 'template': template, **body})
    assert answer.status_code == 201, answer.text
    return f'/stacks/{name}/{answer.json()["stack"]["id"]}'


@contextlib.contextmanager
def listening(service, path, headers=(), **params):
    headers = {**dict(headers), 'X-Auth-Token': service.token() or ''}
    with event_streams.listening(f'{service.endpoint}{path}/events', headers, **params) as stream:
        yield stream


def stored(service, path, depth=0):
    """Return the ids of the events of a stack, oldest first."""
    answer = service.ask('GET', f'{path}/events', params={'nested_depth': depth, 'limit': 1000})
    return [each['id'] for each in reversed(answer.json()['events'])]


def listened(service, path, **params):
    """Return the stream of a stack until its action has ended."""
    with listening(service, path, until='complete', **params) as stream:
        return stream.wait()


def test_stream_of_a_create_has_each_event_once_in_order(service):
    path = create(service, NESTED)
    stream = listened(service, path, nested_depth=2, **{'from': 'start'})
    assert stream.ids() == stored(service, path, depth=2)
    assert stream.messages[-1].kind == 'complete'
    assert stream.messages[-1].data['stack_status'] == 'CREATE_COMPLETE'
    assert {each['depth'] for each in stream.events()} == {0, 1}
    assert {each['root_stack_id'] for each in stream.events()} == {path.rpartition('/')[2]}
    shown = listened(service, path, **{'from': 'start'})
    assert shown.ids() == stored(service, path)


def test_stream_resumed_at_each_event_has_the_rest(service):
    path = create(service, NESTED)
    stream = listened(service, path, nested_depth=2, **{'from': 'start'})
    events = [each for each in stream.messages if each.kind == 'event']
    for place, message in enumerate(events):
        headers = {'Last-Event-ID': message.id}
        rest = listened(service, path, headers=headers, nested_depth=2)
        assert rest.ids() == stream.ids()[place + 1 :]


def test_stream_of_the_project_has_new_events_of_tagged_stacks(service):
    tag = f't{uuid.uuid4().hex[:8]}'
    with listening(service, '', tags=f'{tag},more', nested_depth=1) as stream:
        create(service, ONE, tags=tag)
        path = create(service, NESTED, tags=f'{tag},more')
        listened(service, path)
        stream.wait(lambda each: each.ids() == stored(service, path, depth=1))


def test_stream_shows_events_by_status_and_type(service):
    path = create(service, NESTED)
    stream = listened(
        service,
        path,
        nested_depth=1,
        status='COMPLETE',
        resource_type='OS::Heat::RandomString',
        **{'from': 'start'},
    )
    assert [each['resource_status'] for each in stream.events()] == ['CREATE_COMPLETE'] * 4


def test_stream_of_a_failed_stack_ends_with_the_reason(service):
    path = create(service, FAILING)
    last = listened(service, path).messages[-1]
    assert (last.kind, last.data['stack_status']) == ('complete', 'CREATE_FAILED')
    assert 'resources.r' in last.data['stack_status_reason']


def test_stream_ends_with_the_stack(service):
    path = create(service)
    listened(service, path)
    with listening(service, path) as stream:
        stream.wait(lambda each: each.response.status_code == 200)
        assert service.ask('DELETE', path).status_code == 204
        stream.wait()
    assert stream.messages[-1].kind == 'complete'
    assert stream.messages[-1].data['stack_status'] == 'DELETE_COMPLETE'
    with listening(service, path) as after:
        after.wait()
    assert [each.kind for each in after.messages] == ['heartbeat', 'complete']


@pytest.mark.parametrize(
    'params, headers',
    [
        ({'until': 'tomorrow'}, {}),
        ({'from': 'middle'}, {}),
        ({'nested_depth': '-1'}, {}),
        ({}, {'Last-Event-ID': '12~9-3'}),
    ],
)
def test_stream_with_a_wrong_parameter_is_refused(service, params, headers):
    path = create(service)
    with listening(service, path, headers, **params) as stream:
        assert stream.response.status_code == 400, stream.response.text


def test_stream_of_no_stack_is_refused(service):
    path = f'/stacks/none/{uuid.uuid4()}'
    with listening(service, path) as stream:
        assert stream.response.status_code == 404
    answer = service.ask('GET', '/events')
    assert answer.status_code == 406, answer.text


def test_position_of_another_database_is_told_as_a_gap(service):
    path = create(service)
    listened(service, path)
    stream = listened(service, path, headers={'Last-Event-ID': '4000000000'})
    assert [each.kind for each in stream.messages] == ['gap', 'heartbeat', 'complete']


def test_streams_of_another_project_are_refused(service):
    if service.keystone is None:
        pytest.skip('the shape has no login')
    headers = {'Accept': 'text/event-stream'}
    path = create(service)
    for each in (path, ''):
        answer = service.ask('GET', f'{each}/events', user='other', headers=headers)
        assert answer.status_code == 403, answer.text
