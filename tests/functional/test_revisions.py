"""The definitions that a stack has had: their list, their content, and the way back to them."""

import uuid

import pytest

from tests.functional import shapes
from tests.functional.test_stack_lifecycle_rest import create, delete, outputs, settled

SECRET = 'the old secret of the test'


@pytest.fixture
def name():
    return f'revision-{uuid.uuid4().hex[:8]}'


def template(**resources):
    return {
        'heat_template_version': '2021-04-16',
        'parameters': {
            'secret': {'type': 'string', 'hidden': True, 'default': ''},
            'word': {'type': 'string', 'default': 'one'},
        },
        'resources': {
            'first': {'type': 'OS::Heat::Value', 'properties': {'value': {'get_param': 'word'}}},
            'copy': {
                'type': 'OS::Heat::Value',
                'properties': {
                    'value': {'list_join': ['', [{'get_param': 'secret'}, {'get_file': 'f'}]]}
                },
            },
            **resources,
        },
        'outputs': {
            'word': {'value': {'get_attr': ['first', 'value']}},
            'copy': {'value': {'get_attr': ['copy', 'value']}},
        },
    }


def broken(**properties):
    return {'type': 'OS::Heat::TestResource', 'properties': {'fail': True, **properties}}


BODY = {'files': {'f': '1'}, 'parameters': {'secret': SECRET}}


def start(service, name, **body):
    path = create(service, name, template(), **BODY, **body)
    settled(service, path)
    return path


def update(service, path, method='PATCH', **body):
    answer = service.ask(method, path, body)
    assert answer.status_code == 202, answer.text
    return settled(service, path)


def history(service, path, *names):
    rows = service.ask('GET', f'{path}/revisions').json()['revisions']
    return [tuple(row[each] for each in names) for row in rows]


@shapes.of(*shapes.ALL)
def test_stack_keeps_who_has_changed_it_when_why_and_with_which_result(service, name):
    path = start(service, name, message='the first try')
    update(service, path, parameters={'word': 'two'}, tags='a,b', message='a better word')
    update(service, path, parameters={'word': 'two'})  # nothing changes
    update(service, path, template=template(bad=broken()), disable_rollback=True)
    shown = ('number', 'action', 'status', 'message', 'tags')
    assert history(service, path, *shown) == [
        (3, 'UPDATE', 'FAILED', None, ['a', 'b']),
        (2, 'UPDATE', 'COMPLETE', 'a better word', ['a', 'b']),
        (1, 'CREATE', 'COMPLETE', 'the first try', []),
    ]
    rows = service.ask('GET', f'{path}/revisions').json()['revisions']
    assert 'Test Resource failed bad' in rows[0]['status_reason']
    stack = service.ask('GET', path).json()['stack']
    assert {row['username'] for row in rows} == {stack['stack_owner']}
    assert all(row['creation_time'] and row['updated_time'] for row in rows)
    delete(service, path)
    assert history(service, path, 'number') == [(3,), (2,), (1,)]


@shapes.of(*shapes.ALL)
def test_update_to_a_revision_uses_what_nobody_has_at_hand(service, name):
    path = start(service, name, tags='first', timeout_mins=7)
    changed = {'template': template(), 'files': {'f': '2'}, 'parameters': {'secret': 'new'}}
    update(service, path, 'PUT', **changed, timeout_mins=9)
    preview = service.ask('PUT', f'{path}/preview', {'revision': 1}).json()
    assert [each['resource_name'] for each in preview['resource_changes']['updated']] == ['copy']
    stack = update(service, path, 'PUT', revision=1, message='back')
    assert stack['stack_status'] == 'UPDATE_COMPLETE', stack['stack_status_reason']
    assert outputs(stack)['copy'] == f'{SECRET}1'
    assert (stack['tags'], stack['timeout_mins'], stack['digest']) == (
        ['first'],
        7,
        preview['digest'],
    )
    stack = update(service, path, 'PATCH', revision=2, tags='other')
    assert (outputs(stack)['copy'], stack['tags'], stack['timeout_mins']) == ('new2', ['other'], 9)
    assert history(service, path, 'number', 'message') == [
        (4, None),
        (3, 'back'),
        (2, None),
        (1, None),
    ]
    delete(service, path)


@shapes.of('embedded', 'mariadb')
def test_revision_is_shown_without_values_of_hidden_parameters(service, name):
    path = start(service, name)
    update(service, path, parameters={'word': 'two', 'secret': 'another secret'})
    answers = [service.ask('GET', f'{path}/revisions{each}') for each in ('', '/1', '/2')]
    assert not [each.text for each in answers if 'secret of' in each.text or 'another' in each.text]
    first, second = (each.json()['revision'] for each in answers[1:])
    assert first['files'] == {'f': '1'}
    assert first['template'] == template()
    assert first['environment']['parameters'] == {'secret': '******'}
    assert second['environment']['parameters'] == {'secret': '******', 'word': 'two'}
    assert service.ask('GET', path).json()['stack']['digest'] == second['digest'] != first['digest']
    for number in ('7', '0', 'x', '-1'):
        missing = service.ask('GET', f'{path}/revisions/{number}')
        assert missing.status_code == 404
        assert 'It has: 1, 2' in missing.json()['error']['message']
    delete(service, path)


@shapes.of(*shapes.ALL)
def test_rollback_is_a_revision_of_its_own(service, name):
    path = start(service, name, disable_rollback=False)
    stack = update(service, path, template=template(bad=broken()), message='does not work')
    assert stack['stack_status'] == 'ROLLBACK_COMPLETE'
    assert history(service, path, 'number', 'action', 'status', 'message') == [
        (3, 'ROLLBACK', 'COMPLETE', None),
        (2, 'UPDATE', 'FAILED', 'does not work'),
        (1, 'CREATE', 'COMPLETE', None),
    ]
    first, third = (
        service.ask('GET', f'{path}/revisions/{number}').json()['revision'] for number in (1, 3)
    )
    assert first['template'] == third['template']
    delete(service, path)


@shapes.of(*shapes.ALL)
def test_create_that_is_rolled_back_has_failed(service, name):
    path = create(service, name, template(bad=broken()), **BODY, disable_rollback=False)
    assert settled(service, path)['stack_status'] == 'ROLLBACK_COMPLETE'
    assert history(service, path, 'number', 'action', 'status') == [(1, 'CREATE', 'FAILED')]
    delete(service, path)


@shapes.of(*shapes.ALL)
def test_preempted_update_has_failed(service, name):
    path = start(service, name)
    slow = {'type': 'OS::Heat::TestResource', 'properties': {'wait_secs': -1}}
    assert service.ask('PATCH', path, {'template': template(slow=slow)}).status_code == 202
    assert history(service, path, 'number', 'status')[0] == (2, 'IN_PROGRESS')
    assert service.ask('PATCH', path, {'template': template(), 'tags': 'x'}).status_code == 202
    assert history(service, path, 'number', 'status', 'status_reason')[1] == (
        2,
        'FAILED',
        'Another action has preempted it',
    )
    service.ask('DELETE', path)


@shapes.of('embedded', 'mariadb')
def test_repeated_definition_has_a_new_result(service, name):
    path = create(service, name, template(bad=broken(value='x', fail=True)), **BODY)
    assert settled(service, path)['stack_status'] == 'CREATE_FAILED'
    stack = update(service, path, parameters={})
    assert stack['stack_status'] == 'UPDATE_FAILED'
    update(service, path, parameters={}, message='once more')
    shown = history(service, path, 'number', 'status', 'message')
    assert shown == [(2, 'FAILED', 'once more'), (1, 'FAILED', None)]
    assert service.ask('POST', f'{path}/actions', {'retry': None}).status_code == 200
    settled(service, path)
    assert history(service, path, 'number') == [(2,), (1,)]
    delete(service, path)


@shapes.of(*shapes.ALL)
def test_restored_snapshot_is_a_revision(service, name):
    path = start(service, name)
    made = service.ask('POST', f'{path}/snapshots', {}).json()
    settled(service, path)
    update(service, path, parameters={'word': 'two'})
    assert service.ask('POST', f'{path}/snapshots/{made["id"]}/restore').status_code == 202
    settled(service, path)
    assert history(service, path, 'number', 'action', 'status') == [
        (3, 'RESTORE', 'COMPLETE'),
        (2, 'UPDATE', 'COMPLETE'),
        (1, 'CREATE', 'COMPLETE'),
    ]
    delete(service, path)


@shapes.of('embedded', 'mariadb')
def test_nested_stack_has_no_revisions(service, name):
    group = {
        'type': 'OS::Heat::ResourceGroup',
        'properties': {'count': 1, 'resource_def': {'type': 'OS::Heat::RandomString'}},
    }
    path = create(service, name, template(group=group), **BODY)
    settled(service, path)
    found = service.ask('GET', f'{path}/resources/group').json()['resource']
    nested = service.ask('GET', f'/stacks/{found["physical_resource_id"]}', allow_redirects=True)
    inner = nested.json()['stack']
    inner_path = f'/stacks/{inner["stack_name"]}/{inner["id"]}'
    assert history(service, inner_path, 'number') == []
    assert service.ask('GET', f'{inner_path}/revisions/1').status_code == 404
    delete(service, path)


@shapes.of('embedded', 'mariadb')
@pytest.mark.parametrize(
    'body, text',
    [
        ({'revision': 1, 'template': template()}, 'give either'),
        ({'revision': 1, 'parameters': {'word': 'x'}}, 'give either'),
        ({'revision': 'x'}, 'Only integer'),
        ({'revision': -1}, 'non-negative'),
        ({'revision': 1, 'message': 'x' * 256}, 'at most 255 characters'),
        ({'revision': 1, 'message': ['x']}, 'at most 255 characters'),
    ],
)
def test_invalid_request_is_refused(service, name, body, text):
    path = start(service, name)
    for method in ('PUT', 'PATCH'):
        for target in (path, f'{path}/preview'):
            answer = service.ask(method, target, body)
            assert answer.status_code == 400, answer.text
            assert text in answer.json()['error']['message']
    assert service.ask('PATCH', path, {'revision': 9}).status_code == 404
    assert (
        service.ask('POST', '/stacks', {'stack_name': name + 'x', 'revision': 1}).status_code == 400
    )
    assert history(service, path, 'number') == [(1,)]
    delete(service, path)
