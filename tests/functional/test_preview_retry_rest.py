"""Preview, refusals, retry, protection and forced deletes over plain HTTP and from the command line."""

import subprocess
import uuid

import pytest

from tests.functional import shapes
from tests.functional.test_life import create, delete, settled

TEST = 'OS::Heat::TestResource'


@pytest.fixture
def name():
    return f'foresight-{uuid.uuid4().hex[:8]}'


def template(**resources):
    return {'heat_template_version': '2021-04-16', 'resources': resources}


def resource(value='1', **properties):
    return {'type': TEST, 'properties': {'value': value, **properties}}


def command(service, *words):
    """``heat-lite stack ...``; its exit status and what it says."""
    done = subprocess.run(
        [shapes.BIN / 'heat-lite', 'stack', *words], env=service.environ() | {'HEAT_LITE_ENDPOINT': service.endpoint}, capture_output=True,
        text=True, timeout=60,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def error_of(answer):
    return answer.status_code, answer.json()['error']['type']


@shapes.of('embedded', 'mariadb', 'postgresql')
def test_the_preview_of_an_update_and_what_must_not_be_replaced(service, name):
    path = create(service, name, template(a=resource(), b=resource(update_replace_value='1')))
    settled(service, path)
    changed = template(a=resource('2'), b=resource(update_replace_value='2'))
    answer = service.ask('PUT', f'{path}/preview', {'template': changed}).json()
    found = {kind: [each['resource_name'] for each in listed] for kind, listed in answer['resource_changes'].items()}
    assert found == {'unchanged': [], 'updated': ['a'], 'replaced': ['b'], 'added': [], 'deleted': []}
    assert answer['has_changes'] and answer['resource_changes']['replaced'][0]['forced_by'] == ['update_replace_value']

    refused = service.ask('PUT', path, {'template': changed, 'on_replace': 'fail'})
    assert error_of(refused) == (409, 'ReplacementRefused') and 'would replace: b.' in refused.json()['error']['message']
    assert service.ask('PUT', path, {'template': changed}).status_code == 202
    stack = settled(service, path)
    again = service.ask('PUT', f'{path}/preview', {'template': changed}).json()
    assert (again['has_changes'], again['digest']) == (False, stack['digest'])
    assert service.ask('PATCH', f'{path}/preview', {}).json()['has_changes'] is False
    delete(service, path)


@shapes.of('embedded', 'mariadb', 'postgresql')
def test_protection_failures_and_retry(service, name):
    path = create(service, name, template(a=resource(), b={**resource(fail=True), 'depends_on': 'a'}), protected=True)
    stack = settled(service, path)
    assert (stack['stack_status'], stack['protected']) == ('CREATE_FAILED', True)
    assert [(each['resource_name'], each['stack_action']) for each in stack['failures']] == [('b', 'CREATE')]
    assert service.ask('POST', f'{path}/actions', {'retry': None}).status_code == 200
    stack = settled(service, path)
    assert stack['stack_status'] == 'CREATE_FAILED' and stack['failures'][0]['times'] == 2
    assert error_of(service.ask('DELETE', path)) == (409, 'StackProtected')
    assert error_of(service.ask('DELETE', path, params={'force': 'true'})) == (409, 'StackProtected')
    assert service.ask('POST', f'{path}/actions', {'unprotect': None}).status_code == 200
    stack = delete(service, path)
    assert stack['stack_status'] == 'DELETE_COMPLETE' and stack['failures'][0]['resource_name'] == 'b'
    assert service.ask('DELETE', path).status_code == 404


@shapes.of('embedded', 'mariadb', 'postgresql')
def test_force_does_not_wait_for_what_hangs(service, name):
    path = create(service, name, template(slow=resource(action_wait_secs={'delete': 3600})), timeout_mins=1)
    settled(service, path)
    assert service.ask('DELETE', path).status_code == 204
    assert service.ask('DELETE', path, params={'force': 'true'}).status_code == 204
    stack = service.ask('GET', path).json()['stack']
    assert stack['stack_status'].startswith('DELETE')


def test_nobody_else_may_retry_or_force(services):
    service = services('keystone')
    name = f'foresight-{uuid.uuid4().hex[:8]}'
    path = create(service, name, template(a=resource()))
    settled(service, path)
    for body in ({'retry': None}, {'protect': None}, {'unprotect': None}):
        assert service.ask('POST', f'{path}/actions', body, user='reader').status_code == 403
    assert service.ask('DELETE', path, params={'force': 'true'}, user='reader').status_code == 403
    assert error_of(service.ask('POST', f'{path}/actions', {'retry': None})) == (409, 'NothingToRetry')
    delete(service, path)


@shapes.of('embedded')
def test_the_command_line(service, name, tmp_path):
    old, new = tmp_path / 'old.yaml', tmp_path / 'new.yaml'
    old.write_text(
        f'heat_template_version: 2021-04-16\nresources:\n  a: {{type: {TEST}, properties: {{value: x}}}}\n'
        f'  b: {{type: {TEST}, properties: {{value: x, update_replace: true}}}}\n'
    )
    new.write_text(old.read_text().replace('value: x', 'value: y') + f'  c: {{type: {TEST}}}\n')
    code, said = command(service, 'preview', '-t', str(old), name)
    assert code == 0 and '+ a  OS::Heat::TestResource  create' in said and '2 to create' in said
    assert command(service, 'create', '-t', str(old), name)[0] == 0
    code, said = command(service, 'preview', '--detailed-exitcode', '-t', str(new), name)
    assert code == 2
    assert '~ a  OS::Heat::TestResource  update\n    value: x -> y\n' in said
    assert '! b  OS::Heat::TestResource  replace' in said and 'value: x -> y  takes a new resource' in said
    assert '1 to create, 1 to update, 1 to replace' in said
    assert command(service, 'preview', '--detailed-exitcode', '--existing', name) == (0, 'nothing to do\n')
    assert command(service, 'protect', name)[0] == 0
    code, said = command(service, 'delete', name)
    assert code == 1 and 'is protected' in said
    assert command(service, 'protect', '--off', name)[0] == 0
    code, said = command(service, 'retry', name)
    assert code == 1 and 'nothing to retry' in said
    assert command(service, 'failures', name) == (0, 'no failures are remembered\n')
    assert command(service, 'delete', '--force', name)[0] == 0


@shapes.of('embedded')
def test_the_command_line_tells_failures_of_a_stack_that_is_gone(service, name):
    path = create(service, name, template(bad=resource(fail=True)))
    settled(service, path)
    delete(service, path)
    code, said = command(service, 'failures', path.rpartition('/')[2])
    assert code == 0 and 'Test Resource failed bad' in said and 'CREATE' in said
