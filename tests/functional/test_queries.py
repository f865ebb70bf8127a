"""Queries of lists over HTTP: order and properties of events, filters of resources."""

import uuid

import pytest

from tests.functional import shapes
from tests.functional.test_stack_lifecycle_rest import create, settled

TEMPLATE = {
    'heat_template_version': '2021-04-16',
    'resources': {
        'a': {'type': 'OS::Heat::TestResource', 'properties': {'value': 'x'}},
        'b': {'type': 'OS::Heat::Value', 'properties': {'value': 'y'}, 'depends_on': 'a'},
    },
}


@pytest.fixture
def stack(service):
    name = f'queries-{uuid.uuid4().hex[:8]}'
    path = create(service, name, TEMPLATE)
    assert settled(service, path)['stack_status'] == 'CREATE_COMPLETE'
    yield path
    service.ask('DELETE', path)


def listed(service, path, key='resource_name'):
    answer = service.ask('GET', path)
    assert answer.status_code == 200, answer.text
    return [each[key] for each in next(iter(answer.json().values()))]


@shapes.of('embedded')
def test_event_has_the_properties_of_the_template(service, stack):
    for name, given in (('a', {'value': 'x'}), ('b', {'value': 'y'})):
        events = listed(service, f'{stack}/resources/{name}/events', 'id')
        assert len(events) == 2
        for event in events:
            shown = service.ask('GET', f'{stack}/resources/{name}/events/{event}').json()['event']
            assert shown['resource_properties'] == given


@shapes.of('embedded')
def test_events_sort_by_time_or_type(service, stack):
    name = stack.split('/')[2]
    oldest = [name, 'a', 'a', 'b', 'b', name]
    assert listed(service, f'{stack}/events') == oldest[::-1]
    assert listed(service, f'{stack}/events?sort_keys=event_time') == oldest
    assert listed(service, f'{stack}/events?sort_keys=resource_type') == [
        name,
        name,
        'a',
        'a',
        'b',
        'b',
    ]
    for unknown in ('created_at', 'resource_name', 'x'):
        assert listed(service, f'{stack}/events?sort_keys={unknown}') == oldest[::-1]
    assert listed(service, f'{stack}/events?sort_dir=') == oldest[::-1]


@shapes.of('embedded')
@pytest.mark.parametrize(
    'query, names',
    [
        ('status=COMPLETE', ['a', 'b']),
        ('status=CREATE_COMPLETE', ['a', 'b']),
        ('status=UPDATE_COMPLETE', []),
        ('status=FAILED', []),
        ('status=', ['a', 'b']),
        ('name=&type=OS::Heat::Value', ['b']),
        ('status=CREATE_COMPLETE&name=a', ['a']),
    ],
)
def test_resources_are_filtered(service, stack, query, names):
    assert sorted(listed(service, f'{stack}/resources?{query}')) == names


@shapes.of('embedded')
def test_empty_flags_are_accepted(service, stack):
    for flag in ('show_deleted', 'show_nested', 'show_hidden', 'with_count', 'sort_dir'):
        assert service.ask('GET', f'/stacks?{flag}=').status_code == 200, flag
    for flag in ('global_tenant',):
        assert service.ask('GET', f'/stacks?{flag}=').status_code == 400, flag
    for flag in ('nested_depth', 'with_detail'):
        assert service.ask('GET', f'{stack}/resources?{flag}=').status_code == 400, flag
