"""Preview, refused replacement, retry, protection and forced delete: REST and command line."""

import subprocess
import uuid

import pytest

from tests.functional import shapes
from tests.functional.test_stack_lifecycle_rest import create, delete, settled

TEST = 'OS::Heat::TestResource'


@pytest.fixture
def name():
    return f'preview-{uuid.uuid4().hex[:8]}'


def template(**resources):
    return {'heat_template_version': '2021-04-16', 'resources': resources}


def resource(value='1', **properties):
    return {'type': TEST, 'properties': {'value': value, **properties}}


def command(service, *arguments):
    """Run ``heat-lite stack ...``; return its exit status and its output."""
    completed = subprocess.run(
        [shapes.BIN / 'heat-lite', 'stack', *arguments],
        env=service.environ() | {'HEAT_LITE_ENDPOINT': service.endpoint},
        capture_output=True,
        text=True,
        timeout=60,
    )
    return completed.returncode, completed.stdout + completed.stderr


def error_of(response):
    return response.status_code, response.json()['error']['type']


@shapes.of('embedded', 'mariadb', 'postgresql')
def test_update_preview_lists_changes_and_on_replace_fail_refuses(service, name):
    path = create(service, name, template(a=resource(), b=resource(update_replace_value='1')))
    settled(service, path)
    changed = template(a=resource('2'), b=resource(update_replace_value='2'))
    preview = service.ask('PUT', f'{path}/preview', {'template': changed}).json()
    changes = {
        kind: [each['resource_name'] for each in listed]
        for kind, listed in preview['resource_changes'].items()
    }
    assert changes == {
        'unchanged': [],
        'updated': ['a'],
        'replaced': ['b'],
        'added': [],
        'deleted': [],
    }
    assert preview['has_changes'] and preview['resource_changes']['replaced'][0]['forced_by'] == [
        'update_replace_value'
    ]

    refused = service.ask('PUT', path, {'template': changed, 'on_replace': 'fail'})
    assert (
        error_of(refused) == (409, 'ReplacementRefused')
        and 'would replace: b.' in refused.json()['error']['message']
    )
    assert service.ask('PUT', path, {'template': changed}).status_code == 202
    stack = settled(service, path)
    second_preview = service.ask('PUT', f'{path}/preview', {'template': changed}).json()
    assert (second_preview['has_changes'], second_preview['digest']) == (False, stack['digest'])
    assert service.ask('PATCH', f'{path}/preview', {}).json()['has_changes'] is False
    delete(service, path)


@shapes.of('embedded', 'mariadb', 'postgresql')
def test_failed_protected_stack_is_retried_and_deleted_after_unprotect(service, name):
    path = create(
        service,
        name,
        template(a=resource(), b={**resource(fail=True), 'depends_on': 'a'}),
        protected=True,
    )
    stack = settled(service, path)
    assert (stack['stack_status'], stack['protected']) == ('CREATE_FAILED', True)
    assert [(each['resource_name'], each['stack_action']) for each in stack['failures']] == [
        ('b', 'CREATE')
    ]
    assert service.ask('POST', f'{path}/actions', {'retry': None}).status_code == 200
    stack = settled(service, path)
    assert stack['stack_status'] == 'CREATE_FAILED' and stack['failures'][0]['times'] == 2
    assert error_of(service.ask('DELETE', path)) == (409, 'StackProtected')
    assert error_of(service.ask('DELETE', path, params={'force': 'true'})) == (
        409,
        'StackProtected',
    )
    assert service.ask('POST', f'{path}/actions', {'unprotect': None}).status_code == 200
    stack = delete(service, path)
    assert (
        stack['stack_status'] == 'DELETE_COMPLETE' and stack['failures'][0]['resource_name'] == 'b'
    )
    assert service.ask('DELETE', path).status_code == 404


@shapes.of('embedded', 'mariadb', 'postgresql')
def test_force_delete_of_hanging_delete_is_accepted(service, name):
    path = create(
        service, name, template(slow=resource(action_wait_secs={'delete': 3600})), timeout_mins=1
    )
    settled(service, path)
    assert service.ask('DELETE', path).status_code == 204
    assert service.ask('DELETE', path, params={'force': 'true'}).status_code == 204
    stack = service.ask('GET', path).json()['stack']
    assert stack['stack_status'].startswith('DELETE')


def test_reader_role_cannot_retry_protect_or_force(services):
    service = services('keystone')
    name = f'preview-{uuid.uuid4().hex[:8]}'
    path = create(service, name, template(a=resource()))
    settled(service, path)
    for body in ({'retry': None}, {'protect': None}, {'unprotect': None}):
        assert service.ask('POST', f'{path}/actions', body, user='reader').status_code == 403
    assert service.ask('DELETE', path, params={'force': 'true'}, user='reader').status_code == 403
    assert error_of(service.ask('POST', f'{path}/actions', {'retry': None})) == (
        409,
        'NothingToRetry',
    )
    delete(service, path)


@shapes.of('embedded')
def test_command_line_previews_protects_retries_and_forces_delete(service, name, tmp_path):
    old, new = tmp_path / 'old.yaml', tmp_path / 'new.yaml'
    old.write_text(
        'heat_template_version: 2021-04-16\nresources:\n'
        f'  a: {{type: {TEST}, properties: {{value: x}}}}\n'
        f'  b: {{type: {TEST}, properties: {{value: x, update_replace: true}}}}\n'
    )
    new.write_text(old.read_text().replace('value: x', 'value: y') + f'  c: {{type: {TEST}}}\n')
    code, output = command(service, 'preview', '-t', str(old), name)
    assert code == 0 and '+ a  OS::Heat::TestResource  create' in output and '2 to create' in output
    assert command(service, 'create', '-t', str(old), name)[0] == 0
    code, output = command(service, 'preview', '--detailed-exitcode', '-t', str(new), name)
    assert code == 3
    assert '~ a  OS::Heat::TestResource  update\n    value: x -> y\n' in output
    assert (
        '! b  OS::Heat::TestResource  replace' in output
        and 'value: x -> y  requires a replacement' in output
    )
    assert '1 to create, 1 to update, 1 to replace' in output
    assert command(service, 'preview', '--detailed-exitcode', '--existing', name) == (
        0,
        'no changes\n',
    )
    assert command(service, 'protect', name)[0] == 0
    code, output = command(service, 'delete', '-y', name)
    assert code == 1 and 'is protected' in output
    assert command(service, 'protect', '--off', name)[0] == 0
    code, output = command(service, 'retry', name)
    assert code == 1 and 'nothing to retry' in output
    assert command(service, 'failures', name) == (
        0,
        'no failures of resources are recorded; the stack is CREATE_COMPLETE: '
        'Stack CREATE completed successfully\n',
    )
    assert command(service, 'delete', '-y', '--force', name)[0] == 0


@shapes.of('embedded')
def test_command_line_prints_failures_of_deleted_stack(service, name):
    path = create(service, name, template(bad=resource(fail=True)))
    settled(service, path)
    delete(service, path)
    code, output = command(service, 'failures', path.rpartition('/')[2])
    assert code == 0 and 'Test Resource failed bad' in output and 'CREATE' in output
