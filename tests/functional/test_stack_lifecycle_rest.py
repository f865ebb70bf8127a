"""The life cycle of a stack over HTTP, in each deployment shape."""

import json
import subprocess
import time
import uuid

import pytest
import requests

from tests.functional import shapes, templates
from tests.timeouts import WAIT_SECONDS

SECONDS = 30


@pytest.fixture
def name():
    return f'lifecycle-{uuid.uuid4().hex[:8]}'


def settled(service, path):
    """Wait until the stack is no longer in progress; return the stack."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        stack = service.ask('GET', path).json()['stack']
        if not stack['stack_status'].endswith('IN_PROGRESS'):
            return stack
        time.sleep(0.03)
    raise AssertionError(f'{stack["stack_status"]} for {SECONDS} seconds\n{service.logs()}')


def create(service, name, template=templates.CHAIN, **body):
    response = service.ask('POST', '/stacks', {'stack_name': name, 'template': template, **body})
    assert response.status_code == 201, response.text
    return f'/stacks/{name}/{response.json()["stack"]["id"]}'


def delete(service, path):
    assert service.ask('DELETE', path).status_code == 204
    return settled(service, path)


def outputs(stack):
    return {output['output_key']: output['output_value'] for output in stack['outputs']}


@shapes.of(*shapes.ALL)
def test_stack_create_read_update_delete(service, name):
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
def test_resources_and_events_follow_dependencies(service, name):
    path = create(service, name)
    settled(service, path)
    resources = service.ask('GET', path + '/resources').json()['resources']
    assert {
        found['resource_name']: found['resource_status'] for found in resources
    } == dict.fromkeys(('first', 'second', 'third'), 'CREATE_COMPLETE')
    events = service.ask('GET', path + '/events', params={'sort_dir': 'asc'}).json()['events']
    states = [(event['resource_name'], event['resource_status']) for event in events]
    expected = [(name, 'CREATE_IN_PROGRESS')]
    for resource in ('first', 'second', 'third'):
        expected += [(resource, 'CREATE_IN_PROGRESS'), (resource, 'CREATE_COMPLETE')]
    assert states == [*expected, (name, 'CREATE_COMPLETE')]
    delete(service, path)


@shapes.of(*shapes.ALL)
def test_failed_create_returns_reason_of_resource(service, name):
    path = create(service, name, templates.FAILING)
    stack = settled(service, path)
    assert stack['stack_status'] == 'CREATE_FAILED'
    assert 'Test Resource failed bad' in stack['stack_status_reason']
    assert (
        service.ask('GET', path + '/resources/good').json()['resource']['resource_status']
        == 'CREATE_COMPLETE'
    )
    assert delete(service, path)['stack_status'] == 'DELETE_COMPLETE'


@shapes.of(*shapes.ALL)
def test_failed_create_with_rollback_deletes_all_resources(service, name):
    path = create(service, name, templates.FAILING, disable_rollback=False)
    assert settled(service, path)['stack_status'] == 'ROLLBACK_COMPLETE'
    assert service.ask('GET', path + '/resources').json()['resources'] == []
    delete(service, path)


@shapes.of(*shapes.ALL)
def test_delete_during_slow_create_interrupts_it(service, name):
    path = create(service, name, templates.SLOW)
    started = time.monotonic()
    assert delete(service, path)['stack_status'] == 'DELETE_COMPLETE'
    assert time.monotonic() - started < 600


@shapes.of(*shapes.ALL)
def test_stack_of_another_project_is_not_found(service, name):
    path = create(service, name)
    other = 'other' if not service.auth_url else shapes.identity.ident('other')
    assert service.ask('GET', path, user='other', project=other).status_code == 404
    names = {
        stack['stack_name']
        for stack in service.ask('GET', '/stacks', user='other', project=other).json()['stacks']
    }
    assert name not in names
    settled(service, path)
    delete(service, path)


@shapes.of('keystone')
def test_request_with_invalid_token_is_unauthorized(service):
    assert (
        service.ask('GET', '/stacks', headers={'X-Auth-Token': 'no such token'}).status_code == 401
    )


@shapes.of('keystone')
def test_token_of_another_project_is_forbidden(service):
    assert service.ask('GET', '/stacks', user='other').status_code == 403


@shapes.of('keystone')
def test_reader_role_lists_but_cannot_create(service, name):
    assert service.ask('GET', '/stacks', user='reader').status_code == 200
    refused = service.ask(
        'POST', '/stacks', {'stack_name': name, 'template': templates.CHAIN}, user='reader'
    )
    assert refused.status_code == 403


@shapes.of('embedded')
def test_create_with_existing_name_conflicts(service, name):
    path = create(service, name)
    again = service.ask('POST', '/stacks', {'stack_name': name, 'template': templates.CHAIN})
    assert again.status_code == 409
    assert again.json()['error']['type'] == 'StackExists'
    settled(service, path)
    delete(service, path)


@shapes.of('embedded')
def test_get_by_name_redirects_to_stack(service, name):
    path = create(service, name)
    found = service.ask('GET', f'/stacks/{name}')
    assert found.status_code == 302
    assert found.headers['Location'].endswith(path)
    settled(service, path)
    delete(service, path)


def url_of_handle(service, path):
    """Wait until the handle exists; return its reference, which is its name until then."""
    end = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < end:
        url = service.ask('GET', f'{path}/outputs/url').json()['output']['output_value']
        if str(url).startswith('http'):
            return url
        time.sleep(0.05)
    raise AssertionError(f'no URL after {WAIT_SECONDS} seconds\n{service.logs()}')


@shapes.of('embedded')
def test_wait_condition_of_cloudformation_ends_by_the_signal_that_curl_sends(service, name):
    handle = {'type': 'AWS::CloudFormation::WaitConditionHandle'}
    condition = {
        'type': 'AWS::CloudFormation::WaitCondition',
        'properties': {'Handle': {'get_resource': 'handle'}, 'Timeout': 300},
    }
    template = {
        'heat_template_version': '2021-04-16',
        'resources': {'handle': handle, 'condition': condition},
        'outputs': {'url': {'value': {'get_resource': 'handle'}}},
    }
    path = create(service, name, template)
    url = url_of_handle(service, path)
    signal = {'Status': 'SUCCESS', 'UniqueId': '1', 'Reason': 'done', 'Data': 'x'}
    command = ['curl', '--silent', '--fail', '-X', 'PUT', '-H', 'Content-Type:', '--data-binary']
    subprocess.run([*command, json.dumps(signal), url], check=True, timeout=WAIT_SECONDS)
    assert settled(service, path)['stack_status'] == 'CREATE_COMPLETE'
    delete(service, path)


@shapes.of('embedded')
@pytest.mark.parametrize('path', ['', '/', '/demo', '/demo/'])
def test_version_is_discovered_at_the_endpoint(service, path):
    found = requests.get(f'{service.url}{path}', timeout=WAIT_SECONDS)
    assert found.status_code == 200
    version = found.json()['version']
    assert version['id'] == 'v1.0'
    assert version['links'] == [{'rel': 'self', 'href': f'{service.url}{path}'.rstrip('/') + '/'}]
