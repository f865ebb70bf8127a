"""A hidden parameter comes up in no response about its stack, no log line, no finding of lint.

The log is at level DEBUG, for all loggers. tests/functional/test_secret_leaks.py is about the
secrets that the service itself makes.
"""

import contextlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from heat_lite.cli import main as command
from tests import databases, servers
from tests.attacks import planted
from tests.functional import shapes

HIDDEN = planted.SECRETS['default']
STACK_PARTS = (
    '/resources?nested_depth=3&with_detail=true',
    '/events?nested_depth=3',
    '/template',
    '/template_text',
    '/environment',
    '/graph?nested_depth=2',
    '/timeline?nested_depth=2',
    '/drift?nested_depth=2',
    '/files',
    '/outputs',
    '/outputs/told',
    '/outputs/wrong',
    '/snapshots',
    '/export',
    '/revisions',
    '/revisions/1',
    '/plans',
)
CONFIGURATION = """
[DEFAULT]
default_log_levels = sqlalchemy=DEBUG
encrypt_parameters_and_properties = true
"""
LOOKUPS = ('resources', 'events', 'template', 'actions', 'environment', 'files')


@contextlib.contextmanager
def embedded(folder):
    file = folder / 'up.conf'
    file.write_text(CONFIGURATION)
    with shapes.embedded(folder, '--debug', '--config-file', file) as service:
        yield service, folder / 'data'


@contextlib.contextmanager
def split(folder):
    """API and engine, with a PostgreSQL server whose files the test may read."""
    more = CONFIGURATION.replace('[DEFAULT]', '[DEFAULT]\ndebug = true')
    with servers.running('postgresql') as server:
        url = server.create('hidden')
        with shapes.split(folder, 'postgresql', url, more=more) as service:
            yield service, server.folder / 'data'


@pytest.fixture(
    scope='module',
    params=[
        pytest.param(shape, marks=pytest.mark.xdist_group(f'hidden-{shape.__name__}'))
        for shape in (embedded, split)
    ],
    ids=['embedded', 'postgresql'],
)
def started(request, tmp_path_factory):
    """A service and the folder of the files of its database."""
    with request.param(tmp_path_factory.mktemp('hidden')) as found:
        yield found


@pytest.fixture(scope='module')
def service(started):
    return started[0]


@pytest.fixture(scope='module')
def ask(service):
    """The requests of all tests; the first test creates a stack that fails."""
    return planted.Requests(service)


@pytest.fixture(scope='module')
def path(ask):
    made = ask('POST', '/stacks', planted.request('planted'))
    assert made.status_code == 201, made.text
    path = f'/stacks/planted/{made.json()["stack"]["id"]}'
    assert ask.rest(path) == 'CREATE_FAILED'
    return path


@pytest.mark.parametrize(
    'wrong', planted.WRONG + planted.WRONG_TYPES, ids=lambda wrong: json.dumps(wrong)[:60]
)
def test_error_about_a_value_does_not_quote_it(ask, wrong):
    resources = {**planted.TEMPLATE['resources'], 'wrong': wrong}
    body = planted.request('wrong', {**planted.TEMPLATE, 'resources': resources})
    refused = ask('POST', '/stacks', body)
    assert refused.status_code == 400 and not planted.found_in(refused.text), refused.text
    assert ('******' in refused.text) == (wrong in planted.WRONG)


@pytest.mark.parametrize('wrong', planted.WRONG_TEXTS, ids=lambda wrong: json.dumps(wrong)[:60])
def test_error_of_a_validation_does_not_quote_a_value(ask, wrong):
    resources = {**planted.TEMPLATE['resources'], 'wrong': wrong}
    body = planted.request('wrong', {**planted.TEMPLATE, 'resources': resources})
    refused = ask('POST', '/validate', body)
    assert refused.status_code == 400 and not planted.found_in(refused.text), refused.text
    assert '******' in refused.json()['error']['message']


@pytest.mark.parametrize('values', [{'body': HIDDEN * 9}, {'number': HIDDEN}, {'json': HIDDEN}])
def test_error_about_a_wrong_parameter_does_not_quote_it(ask, values):
    for method, url in (('POST', '/stacks'), ('POST', '/stacks/preview')):
        refused = ask(method, url, planted.request('wrong', **values))
        assert refused.status_code == 400 and not planted.found_in(refused.text), refused.text


def test_reason_of_a_failure_does_not_quote_a_value(ask, path):
    stack = ask('GET', path).json()['stack']
    assert "Value '******' is not an integer" in stack['stack_status_reason']
    assert '******' in stack['failures'][0]['reason']
    (wrong,) = [each for each in stack['outputs'] if each['output_key'] == 'wrong']
    assert '******' in wrong['output_error']


def test_plan_of_a_create_does_not_quote_a_value(ask):
    body = planted.request('with-a-plan', planted.WORKING)
    made = ask('POST', '/stacks/preview?store=true', body).json()['stack']['plan']['id']
    seen = ask('POST', '/stacks/preview', {'plan': made})
    assert seen.status_code == 200 and not planted.found_in(
        json.dumps(planted.without_shown(seen.json()))
    )
    assert made in ask('GET', '/plans').text
    assert ask('POST', f'/plans/{made}/approve').status_code == 403
    taken = ask('POST', '/stacks', {**body, 'parameters': {'body': HIDDEN * 9}})
    assert taken.status_code == 400
    path = f'/stacks/with-a-plan/{ask("POST", "/stacks", {"plan": made}).json()["stack"]["id"]}'
    assert ask.rest(path) == 'CREATE_COMPLETE'
    read_all(ask, path)
    assert ask.leaks == []


@pytest.mark.parametrize('kind', planted.STRUCTURES)
def test_reason_of_a_failure_two_stacks_deep_does_not_quote_a_value(ask, kind):
    made = ask('POST', '/stacks', planted.two_stacks_deep(kind, planted.STRUCTURES[kind])).json()
    path = f'/stacks/deep-{kind}/{made["stack"]["id"]}'
    assert ask.rest(path) == 'CREATE_FAILED'
    read_all(ask, path)
    failures = ask('GET', path).json()['stack']['failures']
    if kind == 'number':  # the texts about other types quote no value
        assert '******' in failures[0]['reason'], failures
    assert not planted.found_in(json.dumps(failures)) and ask.leaks == []


def test_error_of_an_output_does_not_quote_an_earlier_value(ask):
    made = ask('POST', '/stacks', planted.quoted_by_outputs()).json()
    path = f'/stacks/earlier/{made["stack"]["id"]}'
    assert ask.rest(path) == 'CREATE_COMPLETE'
    assert ask('PUT', path, planted.quoted_by_outputs(body='another-value')).status_code == 202
    read_all(ask, path)
    stack = ask('GET', path).json()['stack']
    (output,) = stack['outputs']
    assert stack['stack_status'] == 'UPDATE_IN_PROGRESS' and '******' in output['output_error']
    ask('POST', f'{path}/resources/first/signal', {'unset_hook': 'pre-update'})
    assert ask.rest(path) == 'UPDATE_COMPLETE'
    assert ask.leaks == []


def read_all(ask, path):
    """Read the stack and its nested stacks by each route."""
    for part in STACK_PARTS:
        ask('GET', path + part)
    for each in ask('GET', path + '/resources').json()['resources']:
        one = f'{path}/resources/{each["resource_name"]}'
        for part in ('', '/metadata', '/events'):
            ask('GET', one + part)
        for event in ask('GET', one + '/events').json()['events']:
            ask('GET', f'{one}/events/{event["id"]}')
        for link in each['links']:
            if link['rel'] == 'nested':
                read_all(ask, '/stacks/' + link['href'].split('/stacks/')[1])


def change(ask, path):
    """Change the stack by each route: first in vain, then to a template that works."""
    body = planted.request('planted', planted.WORKING, body=planted.SECRETS['body'] + '-2')
    wrong = planted.request('planted', body=HIDDEN * 9)
    for method in ('PUT', 'PATCH'):
        preview = f'{path}/preview?show_nested=true'
        assert ask(method, preview, body).status_code == 200
        plan = {'plan': ask(method, f'{preview}&store=true&live=true', body).json()['plan']['id']}
        assert ask(method, preview, plan).status_code == 200
        assert ask('POST', f'{path}/plans/{plan["plan"]}/approve').status_code == 403
        assert ask(method, path, wrong).status_code == 400
        assert ask(method, path, body).status_code == 202
        assert ask.rest(path) == 'UPDATE_COMPLETE'
        assert ask(method, path, plan).status_code == 409
    made = ask('POST', f'{path}/snapshots', {'name': 's'}).json()
    assert ask.rest(path) == 'SNAPSHOT_COMPLETE'
    snapshot = f'{path}/snapshots/{made["id"]}'
    ask('GET', f'{path}/snapshots')
    shown = ask('GET', snapshot).json()['snapshot']
    assert shown['data']['environment']['parameters']['body'] == '******'
    ask('POST', f'{snapshot}/restore')
    assert ask.rest(path) == 'RESTORE_COMPLETE'
    ask('DELETE', snapshot)
    ask('POST', f'{path}/actions', {'check': None})
    assert ask.rest(path) == 'CHECK_COMPLETE'
    moves = {'moves': [{'from': 'planted/kept', 'to': 'planted/moved'}], 'dry_run': True}
    assert ask('POST', '/stacks/refactor', moves).status_code == 200
    ask('POST', f'{path}/resources/kept/signal', {'x': planted.SECRETS['body']})
    reason = {'mark_unhealthy': True, 'resource_status_reason': planted.SECRETS['body'] + '-2'}
    ask('PATCH', f'{path}/resources/kept', reason)


def look_up(ask, path):
    arn = f'/stacks/arn:openstack:heat::demo:{path[1:]}'
    for method in ('GET', 'POST', 'PUT', 'PATCH', 'DELETE'):
        ask(method, arn)
        ask(method, '/stacks/planted')
    for part in LOOKUPS:
        ask('GET', f'/stacks/planted/{part}')
    for part in LOOKUPS[:4]:
        ask('POST', f'/stacks/planted/{part}')


def use_other_routes(ask):
    lists = ('stacks', 'stacks/detail', 'events', 'services', 'resource_types')
    for url in (*lists, 'build_info', 'limits'):
        ask('GET', f'/{url}')
    ask('GET', f'/resource_types/{planted.TEST}')
    ask('GET', f'/resource_types/{planted.TEST}/template')
    ask('GET', '/template_versions')
    ask('GET', '/template_versions/heat_template_version.2021-04-16/functions')
    ask('POST', '/validate', planted.request('x'))
    ask('POST', '/stacks/preview', planted.request('x'))
    ask('GET', '/plans')
    ask('POST', '/plans/unknown/approve')
    body = planted.request('x')
    texts = {key: json.dumps(body[key]) for key in ('template', 'environment')}
    for url in ('/validate/lint', '/validate/complete'):
        answer = ask('POST', url, {**texts, 'files': body['files'], 'line': 1, 'column': 2})
        assert answer.status_code == 200, answer.text
    ask('GET', '/validate/choices/nova.flavor')
    ask('GET', '/resource_types/OS::Neutron::Net/objects')
    for each in ask('GET', '/software_configs').json()['software_configs']:
        ask('GET', f'/software_configs/{each["id"]}')
    config = ask('POST', '/software_configs', {'name': 'c', 'config': 'x'}).json()
    config_id = config['software_config']['id']
    body = {'config_id': config_id, 'server_id': 's', 'action': 'CREATE', 'status': 'IN_PROGRESS'}
    made = ask('POST', '/software_deployments', body).json()['software_deployment']
    deployment = f'/software_deployments/{made["id"]}'
    ask('GET', '/software_deployments')
    ask('GET', '/software_deployments/metadata/s')
    ask('GET', deployment)
    ask('PUT', deployment, {'status': 'COMPLETE'})
    ask('DELETE', deployment)
    ask('DELETE', f'/software_configs/{config_id}')


def abandon_and_adopt(ask, path):
    document = ask('DELETE', f'{path}/abandon').text
    body = planted.request('adopted', planted.WORKING)
    made = ask('POST', '/stacks', {**body, 'adopt_stack_data': document})
    adopted = f'/stacks/adopted/{made.json()["stack"]["id"]}'
    assert ask.rest(adopted) == 'ADOPT_COMPLETE'
    return adopted


def command_line_output(service, path, monkeypatch, capsys):
    monkeypatch.setenv('HEAT_LITE_ENDPOINT', service.endpoint)
    for name in ('list', 'events', 'resources', 'failures'):
        identity = [] if name == 'list' else [path.rpartition('/')[2]]
        assert command.main([name, *identity]) == 0
    captured = capsys.readouterr()
    return captured.out + captured.err


def command_lines():
    found = ''
    for file in Path('/proc').glob('[0-9]*/cmdline'):
        try:
            found += file.read_text(errors='replace')
        except OSError:
            continue
    return found


def test_secrets_come_up_by_no_route_and_in_no_log_line(service, ask, path, monkeypatch, capsys):
    read_all(ask, path)
    assert not planted.found_in(command_line_output(service, path, monkeypatch, capsys))
    look_up(ask, path)
    use_other_routes(ask)
    change(ask, path)
    adopted = abandon_and_adopt(ask, path)
    assert not planted.found_in(command_lines())
    ask('DELETE', adopted)
    assert {route for route, *_ in planted.Requests.PATTERNS} - ask.routes == set()
    assert ask.leaks == []
    log = '\n'.join(file.read_text() for file in service.folder.glob('*.log'))
    assert ' DEBUG ' in log and 'sqlalchemy.engine' in log and ' INSERT INTO stack ' in log
    assert [line[:300] for line in log.splitlines() if planted.found_in(line)] == []


def test_rows_of_an_encrypted_database_contain_no_secret(started, service, path):
    file = service.folder / 'heat-lite.conf'
    url = f'sqlite:///{started[1]}/heat.sqlite'
    if file.exists():
        url = databases.option(file, 'database', 'connection')
    with databases.configured(url):
        text = databases.dump()
    assert path.rpartition('/')[2] in text and not planted.found_in(text)


def test_files_of_an_encrypted_database_contain_no_secret(started, path):
    """Also what the database has deleted, and its log of changes."""
    contents = {
        str(file.relative_to(started[1])): file.read_bytes()
        for file in started[1].rglob('*')
        if file.is_file()
    }
    log = [name for name in contents if name.endswith('-wal') or name.startswith('pg_wal/0')]
    assert log and any(b'planted' in content for content in contents.values())  # the name
    for name, content in contents.items():
        assert not planted.found_in(content.decode('latin-1')), name


def test_lint_does_not_show_the_default_of_a_hidden_parameter(tmp_path):
    template = json.loads(json.dumps(planted.TEMPLATE))
    template['parameters']['body']['default'] = HIDDEN * 3
    file = tmp_path / 'hidden.json'
    file.write_text(json.dumps(template))
    command = [sys.executable, '-m', 'heat_lite.authoring.lint', str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2, done.stdout + done.stderr
    assert HIDDEN not in done.stdout + done.stderr
