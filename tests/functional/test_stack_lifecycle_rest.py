"""A stack's life over plain HTTP, in every shape."""

import time
import uuid

import pytest

from tests.functional import shapes, templates

SECONDS = 30


@pytest.fixture
def name():
    return f'life-{uuid.uuid4().hex[:8]}'


def settled(service, path):
    """The stack when it is no more in progress."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        stack = service.ask('GET', path).json()['stack']
        if not stack['stack_status'].endswith('IN_PROGRESS'):
            return stack
        time.sleep(0.03)
    raise AssertionError(f'{stack["stack_status"]} for {SECONDS} seconds\n{service.logs()}')


def create(service, name, template=templates.CHAIN, **body):
    answer = service.ask('POST', '/stacks', {'stack_name': name, 'template': template, **body})
    assert answer.status_code == 201, answer.text
    return f'/stacks/{name}/{answer.json()["stack"]["id"]}'


def delete(service, path):
    assert service.ask('DELETE', path).status_code == 204
    return settled(service, path)


def outputs(stack):
    return {output['output_key']: output['output_value'] for output in stack['outputs']}


@shapes.of(*shapes.ALL)
def test_create_read_update_delete(service, name):
    path = create(service, name)
    stack = settled(service, path)
    assert stack['stack_status'] == 'CREATE_COMPLETE', stack['stack_status_reason']
    before = outputs(stack)
    assert before['word'] == 'one' and len(before['random']) == 10

    changed = service.ask('PUT', path, {'template': templates.CHAIN, 'parameters': {'word': 'two'}})
    assert changed.status_code == 202
    stack = settled(service, path)
    assert stack['stack_status'] == 'UPDATE_COMPLETE', stack['stack_status_reason']
    assert outputs(stack) == {'word': 'two', 'random': before['random']}

    assert delete(service, path)['stack_status'] == 'DELETE_COMPLETE'
    assert service.ask('GET', f'/stacks/{name}').status_code == 404


@shapes.of(*shapes.ALL)
def test_resources_and_events_tell_the_story(service, name):
    path = create(service, name)
    settled(service, path)
    resources = service.ask('GET', path + '/resources').json()['resources']
    assert {found['resource_name']: found['resource_status'] for found in resources} == dict.fromkeys(
        ('first', 'second', 'third'), 'CREATE_COMPLETE'
    )
    told = service.ask('GET', path + '/events', params={'sort_dir': 'asc'}).json()['events']
    story = [(event['resource_name'], event['resource_status']) for event in told]
    expected = [(name, 'CREATE_IN_PROGRESS')]
    for resource in ('first', 'second', 'third'):
        expected += [(resource, 'CREATE_IN_PROGRESS'), (resource, 'CREATE_COMPLETE')]
    assert story == [*expected, (name, 'CREATE_COMPLETE')]
    delete(service, path)


@shapes.of(*shapes.ALL)
def test_a_failure_says_why(service, name):
    path = create(service, name, templates.FAILING)
    stack = settled(service, path)
    assert stack['stack_status'] == 'CREATE_FAILED'
    assert 'Test Resource failed bad' in stack['stack_status_reason']
    assert service.ask('GET', path + '/resources/good').json()['resource']['resource_status'] == 'CREATE_COMPLETE'
    assert delete(service, path)['stack_status'] == 'DELETE_COMPLETE'


@shapes.of(*shapes.ALL)
def test_rollback_takes_everything_away(service, name):
    path = create(service, name, templates.FAILING, disable_rollback=False)
    assert settled(service, path)['stack_status'] == 'ROLLBACK_COMPLETE'
    assert service.ask('GET', path + '/resources').json()['resources'] == []
    delete(service, path)


@shapes.of(*shapes.ALL)
def test_delete_does_not_wait_for_a_slow_create(service, name):
    path = create(service, name, templates.SLOW)
    began = time.monotonic()
    assert delete(service, path)['stack_status'] == 'DELETE_COMPLETE'
    assert time.monotonic() - began < 20


@shapes.of(*shapes.ALL)
def test_two_projects_do_not_see_each_other(service, name):
    path = create(service, name)
    other = 'other' if not service.auth_url else shapes.identity.ident('other')
    assert service.ask('GET', path, user='other', project=other).status_code == 404
    names = {stack['stack_name'] for stack in service.ask('GET', '/stacks', user='other', project=other).json()['stacks']}
    assert name not in names
    settled(service, path)
    delete(service, path)


@shapes.of('keystone')
def test_who_has_no_token_stays_outside(service):
    assert service.ask('GET', '/stacks', headers={'X-Auth-Token': 'no such token'}).status_code == 401


@shapes.of('keystone')
def test_a_token_opens_its_own_project_only(service):
    assert service.ask('GET', '/stacks', user='other').status_code == 403


@shapes.of('keystone')
def test_a_reader_may_look_and_not_touch(service, name):
    assert service.ask('GET', '/stacks', user='reader').status_code == 200
    refused = service.ask('POST', '/stacks', {'stack_name': name, 'template': templates.CHAIN}, user='reader')
    assert refused.status_code == 403


@shapes.of('embedded')
def test_a_name_is_taken_once(service, name):
    path = create(service, name)
    again = service.ask('POST', '/stacks', {'stack_name': name, 'template': templates.CHAIN})
    assert again.status_code == 409
    assert again.json()['error']['type'] == 'StackExists'
    settled(service, path)
    delete(service, path)


@shapes.of('embedded')
def test_a_name_leads_to_the_stack(service, name):
    path = create(service, name)
    found = service.ask('GET', f'/stacks/{name}')
    assert found.status_code == 302
    assert found.headers['Location'].endswith(path)
    settled(service, path)
    delete(service, path)
