"""The verbs of ``heat-lite`` against a running service."""

import contextlib
import json
import os
import pty
import sys
import threading
import time
import uuid

import pytest

from heat_lite.cli import api_client, main
from tests import strict_json
from tests.functional import shapes
from tests.timeouts import WAIT_SECONDS

VERSION = 'heat_template_version: 2021-04-16\n'
TEST = 'OS::Heat::TestResource'
INNER = f"""{VERSION}
parameters:
  value: {{type: string, default: x}}
  fails: {{type: boolean, default: false}}
resources:
  leaf:
    type: {TEST}
    properties: {{value: {{get_param: value}}, fail: {{get_param: fails}}}}
outputs:
  value: {{value: {{get_attr: [leaf, output]}}}}
"""
APP = f"""{VERSION}
parameters:
  fails: {{type: boolean, default: false}}
  size: {{type: string, default: small}}
resources:
  mapped: {{type: My::Type, properties: {{fails: {{get_param: fails}}}}}}
  nested: {{type: lib/inner.yaml, properties: {{value: {{get_file: lib/motd.txt}}}}}}
  plain:
    type: {TEST}
    properties: {{value: x, update_replace_value: {{get_param: size}}}}
outputs:
  motd: {{value: {{get_attr: [nested, value]}}}}
"""

CHAIN = f"""{VERSION}
resources:
  second: {{type: lib/inner.yaml, properties: {{value: {{get_attr: [first, output]}}}}}}
  first: {{type: {TEST}}}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'lib').mkdir()
    (tmp_path / 'lib' / 'inner.yaml').write_text(INNER)
    (tmp_path / 'lib' / 'motd.txt').write_text('hello')
    (tmp_path / 'app.yaml').write_text(APP)
    (tmp_path / 'types.yaml').write_text('resource_registry: {"My::Type": lib/inner.yaml}\n')
    (tmp_path / 'more.yaml').write_text('parameters: {size: large}\n')
    return tmp_path


@pytest.fixture
def name():
    return f'cli-{uuid.uuid4().hex[:8]}'


@pytest.fixture
def command(service, capsys):
    """Run ``heat-lite`` in this process; return (exit status, output, errors)."""

    def run(*words):
        capsys.readouterr()
        status = main.main(['--endpoint', service.endpoint, *words])
        return status, *capsys.readouterr()

    return run


FILES = ('-t', 'app.yaml', '-e', 'types.yaml')


@shapes.of('embedded')
def test_running_service_is_found_without_an_endpoint(service, monkeypatch, capsys):
    """The data folder tells its port."""
    for variable in [each for each in os.environ if each.startswith(('OS_', 'HEAT_LITE_'))]:
        monkeypatch.delenv(variable)
    monkeypatch.setenv('HEAT_LITE_DATA_DIR', str(service.folder / 'data'))
    assert main.main(['list']) == 0, capsys.readouterr()


@shapes.of('embedded')
def test_apply_creates_updates_and_refuses_replacements(folder, command, name):
    status, output, _ = command('apply', '-y', *FILES, name)
    assert status == 0 and f'create of stack {name}' in output
    assert 'mapped/leaf' in output and f'{name}: CREATE_COMPLETE' in output
    assert command('outputs', name, 'motd')[:2] == (0, 'hello\n')

    assert command('apply', '-y', *FILES, name)[1].endswith('no changes\n')
    changed = (*FILES, '-e', 'more.yaml')
    status, _, errors = command('apply', '-y', '--replace', 'never', *changed, name)
    assert status == 1 and 'plain would be replaced' in errors
    assert command('preview', '--detailed-exitcode', *changed, name)[0] == 3
    status, output, _ = command('apply', '-y', *changed, name)
    assert status == 0 and 'UPDATE_COMPLETE' in output
    assert command('preview', '--detailed-exitcode', *changed, name)[0] == 0
    assert strict_json.loads(command('show', '--json', name)[1])['parameters']['size'] == 'large'
    assert command('delete', '-y', name)[0] == 0


@shapes.of('embedded')
def test_plan_in_a_file_has_no_secret_and_is_applied_once(folder, command, name):
    value = '{type: OS::Heat::Value, properties: {value: {get_param: key}}}'
    text = f'parameters: {{key: {{type: string, hidden: true, default: x}}}}\n{VERSION}'
    (folder / 'app.yaml').write_text(f'{text}resources: {{v: {value}}}\n')
    assert command('create', '-t', 'app.yaml', name)[0] == 0
    changed = ('--existing', '-P', 'key=a hidden word')
    assert command('preview', '--out', 'plan.json', *changed, name)[0] == 0
    file = (folder / 'plan.json').read_text()
    kept = strict_json.loads(file)
    assert [(each['resource'], each['action']) for each in kept['changes']] == [('v', 'update')]
    assert 'hidden word' not in file
    status, output, errors = command('plan', 'approve', '-y', 'plan.json')
    assert status == 1 and '~ v' in output and 'another user' in errors
    status, output, _ = command('apply', '-y', '--plan', 'plan.json')
    assert status == 0 and f'{name}: UPDATE_COMPLETE' in output
    assert kept['plan']['id'] in command('history', name)[1]
    assert command('preview', '--out', 'plan.json', '--existing', '-P', 'key=y', name)[0] == 0
    assert command('update', '--existing', '-P', 'key=z', name)[0] == 0
    status, output, errors = command('apply', '-y', '--plan', 'plan.json')
    assert status == 1 and 'would be refused now' in output and 'parameters' in errors
    assert command('delete', '-y', name)[0] == 0


SPLIT = {
    'whole.yaml': """
resources:
  a: {type: OS::Heat::RandomString, properties: {length: 4}}
  b: {type: OS::Heat::RandomString}
""",
    'stacks/{}.yaml': """
parameters: {size: {type: number}}
resources: {a: {type: OS::Heat::RandomString, properties: {length: {get_param: size}}}}
""",
    'stacks/{}-part.yaml': 'resources: {b: {type: OS::Heat::RandomString}}',
}


@shapes.of('embedded')
def test_stacks_are_split_by_the_files_of_a_folder(folder, command, name):
    (folder / 'stacks').mkdir()
    for path, text in SPLIT.items():
        (folder / path.replace('{}', name)).write_text(VERSION + text)
    command('create', '-t', 'whole.yaml', name)
    status, _, error = command('refactor', 'plan', 'stacks')
    assert status == 1
    assert 'size' in error and f'the stack {name}.' in error
    (folder / f'stacks/{name}.env.yaml').write_text('parameters: {size: 4}')
    status, output, error = command('refactor', 'apply', '-y', 'stacks')
    assert (status, error) == (0, '')
    assert f'{name}/b is now {name}-part/b' in output
    environment = ('-e', f'stacks/{name}.env.yaml')
    for stack, options in ((name, environment), (f'{name}-part', ())):
        found = command('preview', '-t', f'stacks/{stack}.yaml', *options, stack)
        assert found == (0, 'no changes\n', '')


@shapes.of('embedded')
def test_history_diff_and_the_way_back(folder, command, name):
    assert command('apply', '-y', *FILES, '--message', 'the first', name)[0] == 0
    changed = APP.replace('value: x,', 'value: z,')
    (folder / 'app.yaml').write_text(changed)
    (folder / 'lib' / 'motd.txt').write_text('good\nday')
    words = ('-e', 'more.yaml', '--tags', 'a,b', '--message', 'it was small')
    assert command('apply', '-y', *FILES, *words, name)[0] == 0
    rows = [line.split() for line in command('history', name)[1].splitlines()]
    assert [row[:2] for row in rows[1:]] == [['2', '*'], ['1', rows[2][1]]]
    assert rows[1][-5:] == ['UPDATE', 'COMPLETE', 'it', 'was', 'small']
    status, output, _ = command('diff', name, '1')
    lines = output.splitlines()
    assert status == 0 and 'tags: [] -> ["a", "b"]' in lines
    assert 'environment.parameters.size: large' in lines
    assert '-    properties: {value: x, update_replace_value: {get_param: size}}' in lines
    assert '+    properties: {value: z, update_replace_value: {get_param: size}}' in lines
    assert '+day' in lines and '--- template of revision 1' in lines
    assert command('diff', name, '2')[1] == 'no differences\n'
    status, output, _ = command('apply', '-y', '--revision', '1', '--message', 'undo', name)
    assert status == 0 and 'UPDATE_COMPLETE' in output, output
    assert command('outputs', name, 'motd')[1] == 'hello\n'
    assert command('diff', name, '1', '3')[1] == 'no differences\n'
    assert command('update', '--revision', '2', name)[0] == 0
    assert command('preview', '--detailed-exitcode', '--revision', '2', name)[0] == 0
    assert command('preview', '--detailed-exitcode', '--revision', '1', name)[0] == 3
    assert command('apply', '-y', '--revision', '1')[0] == 2
    status, _, errors = command('update', '--revision', '1', *FILES, name)
    assert status == 1 and 'give either' in errors
    status, _, errors = command('diff', name, '7')
    assert status == 1 and 'It has: 1, 2, 3, 4' in errors
    assert command('delete', '-y', name)[0] == 0


@shapes.of('embedded')
def test_diff_tells_that_only_hidden_values_differ(folder, command, name):
    hidden = {'type': 'string', 'hidden': True}
    template = {'heat_template_version': '2021-04-16', 'parameters': {'secret': hidden}}
    (folder / 'hidden.json').write_text(json.dumps(template))
    for value in ('one', 'two'):
        words = ('-t', 'hidden.json', '-P', f'secret={value}', name)
        assert command('apply', '-y', *words)[0] == 0
    assert command('diff', name, '1', '2')[1] == 'only hidden values differ\n'


@shapes.of('embedded')
def test_apply_after_another_update_is_refused(service, folder, command, name, monkeypatch):
    class Answer:
        """The user accepts the changes, after another user has changed the stack."""

        isatty = staticmethod(lambda: True)

        @staticmethod
        def readline():
            path = f'/stacks/{name}/{stack["id"]}'
            assert service.ask('PATCH', path, {'tags': 'other'}).status_code == 202
            return 'y\n'

    assert command('apply', '-y', *FILES, name)[0] == 0
    stack = json.loads(command('show', '--json', name)[1])
    monkeypatch.setattr('sys.stdin', Answer)
    status, _, errors = command('apply', *FILES, '-P', 'size=large', name)
    assert status == 1 and 'it was changed meanwhile' in errors
    shown = json.loads(command('show', '--json', name)[1])
    assert (shown['tags'], shown['parameters']['size']) == (['other'], 'small')


@shapes.of('embedded')
def test_apply_changes_members_that_are_known_later(folder, command, name):
    members = {'count': {'get_attr': ['a', 'output']}, 'resource_def': {'type': TEST}}
    group = {'type': 'OS::Heat::ResourceGroup', 'properties': members}
    template = {
        'heat_template_version': '2021-04-16',
        'parameters': {'size': {'type': 'string', 'default': '1'}},
        'resources': {
            'a': {'type': TEST, 'properties': {'value': {'get_param': 'size'}}},
            'g': group,
        },
    }
    (folder / 'group.json').write_text(json.dumps(template))
    changed = ('apply', '-y', '-t', 'group.json', '-P', 'size=2', name)
    assert command('apply', '-y', '-t', 'group.json', name)[0] == 0
    status, _, errors = command(*changed, '--replace', 'never')
    assert status == 1 and 'g/(known after apply) may be replaced' in errors
    status, output, _ = command(*changed)
    assert status == 0 and 'its members may be updated or replaced' in output
    assert command('resource', 'show', '--json', name, 'g/1')[0] == 0
    assert command('delete', '-y', name)[0] == 0


@shapes.of('embedded')
def test_failure_names_the_nested_cause_and_retry_continues(folder, command, name):
    status, _, errors = command('create', *FILES, '-P', 'fails=true', name)
    assert status == 1
    lines = errors.splitlines()
    assert lines[0].startswith(f'heat-lite: {name}: CREATE_FAILED')
    assert lines[1].startswith(f'  mapped/leaf  {TEST}')
    assert 'Test Resource failed' in lines[2] and f'heat-lite retry {name}' in errors
    assert 'mapped/leaf' in command('failures', name)[1]
    status, _, errors = command('update', '--existing', '-P', 'fals=false', name)
    assert status == 1 and 'declares no parameter fals. Did you mean fails?' in errors
    status, output, _ = command('update', '--existing', '-P', 'fails=false', name)
    assert status == 0 and 'UPDATE_COMPLETE' in output
    assert command('delete', '-y', name)[0] == 0


@shapes.of('embedded')
def test_rolled_back_create_is_a_failure_with_its_cause(folder, command, name):
    status, _, errors = command('create', '--rollback', *FILES, '-P', 'fails=true', name)
    assert status == 1 and 'ROLLBACK_COMPLETE' in errors and 'mapped/leaf' in errors
    assert command('delete', '-y', name)[0] == 0


@shapes.of('embedded')
def test_verbs_that_act_and_show(folder, command, name):
    assert command('create', *FILES, '--tags', f'{name},cli', name)[0] == 0
    for words, text in (
        (('list', '--tags', name), 'CREATE_COMPLETE'),
        (('resource', 'list', '--nested', '2', name), 'nested/leaf'),
        (('resource', 'show', name, 'nested/leaf'), 'CREATE_COMPLETE'),
        (('events', '--nested', '2', name), 'leaf'),
        (('template', name), 'inner.yaml'),
        (('environment', name), 'My::Type'),
        (('suspend', name), 'SUSPEND_COMPLETE'),
        (('resume', name), 'RESUME_COMPLETE'),
        (('check', name), 'CHECK_COMPLETE'),
        (('drift', name), 'no drift'),
        (('snapshot', 'create', '--name', 'first', name), 'snapshot '),
        (('snapshot', 'list', name), 'first'),
        (('snapshot', 'show', name, 'first'), 'COMPLETE'),
        (('restore', name, 'first'), 'RESTORE_COMPLETE'),
        (('snapshot', 'delete', name, 'first'), ''),
        (('resource', 'mark', name, 'plain'), ''),
        (('resource', 'mark', '--healthy', name, 'plain'), ''),
        (('hook', 'list', name), 'no action runs, the stack is RESTORE_COMPLETE'),
        (('types', '--name', 'random'), 'OS::Heat::RandomString'),
        (('types', TEST), 'update_replace_value'),
        (('types', 'testresource'), 'update_replace_value'),
        (('functions', '2021-04-16'), 'get_file'),
        (('validate', *FILES), 'the template is valid'),
        (('protect', name), ''),
        (('protect', '--off', name), ''),
        (('delete', '-y', name), 'DELETE_COMPLETE'),
    ):
        status, output, errors = command(*words)
        assert (status, errors) == (0, ''), words
        assert text in output, words


@shapes.of('embedded')
def test_environment_with_a_hidden_value_can_be_sent_back(folder, command, name):
    (folder / 'secret.yaml').write_text(
        f'{VERSION}parameters: {{code: {{type: string, hidden: true}}}}\n'
    )
    assert command('create', '-t', 'secret.yaml', '-P', 'code=geheim', name)[0] == 0
    status, output, _ = command('environment', name)
    assert output.startswith('# ****** hides a value; an update with it keeps the stored value\n')
    (folder / 'shown.yaml').write_text(output)
    assert command('update', '-t', 'secret.yaml', '-e', 'shown.yaml', name)[0] == 0
    status, _, errors = command('create', '-t', 'secret.yaml', '-e', 'shown.yaml', f'{name}-2')
    assert status == 1 and 'none is stored' in errors


@shapes.of('embedded')
def test_validate_refuses_values_of_another_type(folder, command):
    (folder / 'sized.yaml').write_text(
        f'{VERSION}parameters:\n  size: {{type: number}}\n  code: {{type: number, hidden: true}}\n'
    )
    status, _, errors = command('validate', '-t', 'sized.yaml', '-P', 'size=x')
    assert status == 1 and "sized.yaml:3:3: error: Parameter 'size' is invalid" in errors
    status, _, errors = command('validate', '-t', 'sized.yaml', '-P', 'code=geheim')
    assert status == 1 and 'sized.yaml:4:3' in errors and 'geheim' not in errors
    (folder / 'defaults.yaml').write_text('parameter_defaults: {size: [1]}\n')
    assert command('validate', '-t', 'sized.yaml', '-e', 'defaults.yaml')[0] == 1
    status, output, _ = command('validate', '-t', 'sized.yaml', '-P', 'size=3')
    assert status == 0 and 'the template is valid' in output


@shapes.of('embedded')
def test_json_of_each_verb_can_be_read(folder, service, command, name):
    status, output, _ = command('create', '--json', *FILES, name)
    lines = [strict_json.loads(line) for line in output.splitlines()]
    assert status == 0 and lines[-1]['stack']['stack_status'] == 'CREATE_COMPLETE'
    for words in (
        ('list',),
        ('show', name),
        ('outputs', name),
        ('failures', name),
        ('events', name),
        ('resource', 'list', name),
        ('resource', 'show', name, 'plain'),
        ('template', name),
        ('environment', name),
        ('graph', name),
        ('snapshot', 'list', name),
        ('history', name),
        ('diff', name, '1'),
        ('hook', 'list', name),
        ('types',),
        ('functions',),
        ('validate', *FILES),
        ('preview', *FILES, name),
    ):
        status, output, _ = command(*words, '--json')
        assert status == 0 and strict_json.loads(output) is not None, words
    # it waits for the events of an idle stack, until the stack is deleted
    words = ('events', '--follow', '--json', '--nested', '3', name)
    ending = ['--endpoint', service.endpoint, 'delete', '--no-wait', '-y', name]
    delete = threading.Timer(1, lambda: main.main(ending))
    delete.start()
    status, output, _ = command(*words)
    delete.join()
    found = [strict_json.loads(line) for line in output.splitlines()]
    moments = [each['event_time'] for each in found]
    assert len(moments) > 6 and moments == sorted(moments)
    last = found[-1]
    assert (last['resource_name'], last['resource_status']) == (name, 'DELETE_COMPLETE')


@shapes.of('embedded', 'mariadb')
def test_events_of_an_action_are_printed_in_their_order(folder, command, name):
    """A failure before a rollback is not lost, and no event comes twice."""
    bad = {'type': TEST, 'properties': {'fail': True}, 'depends_on': 'first'}
    resources = {'first': {'type': TEST}, 'bad': bad}
    template = {'heat_template_version': '2021-04-16', 'resources': resources}
    (folder / 'bad.json').write_text(json.dumps(template))
    status, output, errors = command('create', '--rollback', '--json', '-t', 'bad.json', name)
    found = [strict_json.loads(line) for line in output.splitlines()]
    assert [(each['resource'], each['resource_status']) for each in found] == [
        (name, 'CREATE_IN_PROGRESS'),
        ('first', 'CREATE_IN_PROGRESS'),
        ('first', 'CREATE_COMPLETE'),
        ('bad', 'CREATE_IN_PROGRESS'),
        ('bad', 'CREATE_FAILED'),
        (name, 'CREATE_FAILED'),
        (name, 'ROLLBACK_IN_PROGRESS'),
        ('bad', 'DELETE_IN_PROGRESS'),
        ('bad', 'DELETE_COMPLETE'),
        ('first', 'DELETE_IN_PROGRESS'),
        ('first', 'DELETE_COMPLETE'),
        (name, 'ROLLBACK_COMPLETE'),
    ]
    assert status == 1 and f'heat-lite apply -t bad.json {name}' in errors
    assert command('delete', '-y', name)[0] == 0


@shapes.of('embedded', 'mariadb')
def test_create_is_followed_by_few_requests(folder, command, name, monkeypatch):
    """The stream of events tells when something has changed; polling needs forty requests."""
    resource = {'type': TEST, 'properties': {'wait_secs': 5}}
    template = {'heat_template_version': '2021-04-16', 'resources': {'slow': resource}}
    (folder / 'slow.yaml').write_text(json.dumps(template))
    requests = []
    opener = api_client.build_opener

    def counting(url, tls=None):
        requests.append(url)
        return opener(url, tls)

    monkeypatch.setattr(api_client, 'build_opener', counting)
    status, output, _ = command('create', '-t', 'slow.yaml', name)
    assert status == 0 and f'{name}: CREATE_COMPLETE after' in output
    assert len(requests) <= 20, requests
    assert command('delete', '-y', name)[0] == 0


@shapes.of('embedded')
def test_graph_shows_states_and_what_waits_for_what(folder, command, name):
    (folder / 'chain.yaml').write_text(CHAIN)
    assert command('create', '-t', 'chain.yaml', name)[0] == 0
    status, output, errors = command('graph', name)
    assert (status, errors) == (0, '')
    assert [line.split() for line in output.splitlines()] == [
        [name, 'CREATE_COMPLETE'],
        ['1', '✔', 'first', TEST, 'CREATE_COMPLETE'],
        ['2', '✔', 'second', 'inner.yaml', 'CREATE_COMPLETE', 'after', 'first'],
        ['└', '✔', 'leaf', TEST, 'CREATE_COMPLETE'],
    ]
    assert '"first" -> "second";' in command('graph', name, '--format', 'dot')[1]
    assert 'leaf' not in command('graph', name, '--nested', '0')[1]
    assert command('delete', '-y', name)[0] == 0


@shapes.of('embedded')
def test_types_that_need_a_cloud_are_listed_with_the_reason(service, command):
    status, output, _ = command('types', '--name', 'nova::server')
    assert status == 0 and 'not available: nova: there is no Keystone' in output
    assert '\n  OS::Nova::Server\n' in output
    rows = {row['resource_type']: row for row in strict_json.loads(command('types', '--json')[1])}
    assert rows['OS::Heat::Value'] == {'resource_type': 'OS::Heat::Value', 'available': True}
    assert not rows['OS::Nova::Server']['available'] and len(rows) >= 160
    offered = command('types', '--available')[1].split()
    assert 'OS::Heat::Value' in offered and 'OS::Nova::Server' not in offered
    # without the key of the query the answer is that of Heat
    listed = api_client.ApiClient(service.endpoint).call('GET', '/resource_types')
    assert listed.keys() == {'resource_types'} and sorted(listed['resource_types']) == offered


@shapes.of('embedded')
def test_hook_is_listed_and_cleared(service, folder, command, name):
    (folder / 'hook.yaml').write_text(
        'resource_registry: {resources: {plain: {hooks: pre-create}}}\n'
    )
    words = ('create', *FILES, '-e', 'hook.yaml', '--no-wait', name)
    assert command(*words)[0] == 0
    deadline = time.monotonic() + WAIT_SECONDS
    while 'plain' not in (output := command('hook', 'list', name)[1]):
        assert time.monotonic() < deadline, output
        time.sleep(0.1)
    assert 'pre-create' in output
    status, _, complaint = command('hook', 'clear', name, 'other')
    assert status == 1 and 'other waits at no hook; what waits at one: plain' in complaint
    follower = threading.Timer(
        0.5, lambda: main.main(['--endpoint', service.endpoint, 'hook', 'clear', *cleared(name)])
    )
    follower.start()
    status, output, _ = command('follow', name)
    follower.join()
    assert status == 0 and 'CREATE_COMPLETE' in output
    assert command('hook', 'list', name)[1].startswith('no resource waits at a hook')
    assert command('delete', '-y', name)[0] == 0


@shapes.of('embedded', 'mariadb')
def test_why_tells_what_a_stack_waits_for(folder, command, name):
    (folder / 'wait.yaml').write_text(
        f"""{VERSION}resources:
  handle: {{type: OS::Heat::WaitConditionHandle}}
  ready:
    type: OS::Heat::WaitCondition
    properties: {{handle: {{get_resource: handle}}, count: 2, timeout: 600}}
  after: {{type: {TEST}, depends_on: ready}}
  paused: {{type: {TEST}}}
"""
    )
    (folder / 'hook.yaml').write_text(
        'resource_registry: {resources: {paused: {hooks: pre-create}}}\n'
    )
    assert command('create', '-t', 'wait.yaml', '-e', 'hook.yaml', '--no-wait', name)[0] == 0
    waits = wait_for(command, name, 'paused')
    assert waits['ready'] == 'signals: 0 of 2 received; fails after 600 s'
    assert waits['paused'] == 'the hook pre-create to be cleared'
    assert waits['after'] == 'ready'
    assert '' not in waits  # a living engine works on it
    for number in '12':
        data = json.dumps({'id': number, 'status': 'SUCCESS'})
        assert command('signal', '--data', data, name, 'handle')[0] == 0
    assert command('hook', 'clear', name, 'paused', 'pre-create')[0] == 0
    assert command('follow', name)[0] == 0
    assert f'{name} is CREATE_COMPLETE and waits for nothing' in command('why', name)[1]
    assert command('delete', '-y', name)[0] == 0


def wait_for(command, name, *resources):
    """Return {resource: reason} when all of these resources wait, and ``ready`` for signals."""
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        found = strict_json.loads(command('why', '--json', name)[1])['waits']
        waits = {each['resource']: each['reason'] for each in found}
        if waits.keys() >= {*resources} and 'signals' in waits.get('ready', ''):
            return waits
        assert time.monotonic() < deadline, waits
        time.sleep(0.1)


def cleared(name):
    return name, 'plain', 'pre-create'


@shapes.of('embedded')
def test_update_is_cancelled(folder, command, name):
    (folder / 'app.yaml').write_text(f'{VERSION}resources:\n  a: {{type: {TEST}}}\n')
    assert command('create', '-t', 'app.yaml', name)[0] == 0
    (folder / 'app.yaml').write_text(
        f'{VERSION}resources:\n  a: {{type: {TEST}, properties: {{value: y, wait_secs: 3}}}}\n'
    )
    assert command('update', '--no-wait', '-t', 'app.yaml', name)[0] == 0
    status, output, _ = command('cancel', name)
    assert status == 0 and 'ROLLBACK_COMPLETE' in output
    assert command('delete', '-y', name)[0] == 0


@shapes.of('embedded')
def test_stack_is_signalled_exported_abandoned_and_adopted(folder, command, name):
    (folder / 'app.yaml').write_text(
        f'{VERSION}resources:\n  h: {{type: OS::Heat::WaitConditionHandle}}\n'
        f'  v: {{type: {TEST}, properties: {{value: x}}}}\n'
    )
    assert command('create', '-t', 'app.yaml', name)[0] == 0
    assert command('signal', '--data', '{"status": "SUCCESS"}', name, 'h')[0] == 0
    exported = strict_json.loads(command('export', name)[1])
    assert command('protect', name)[0] == 0
    assert command('abandon', '-y', '-o', 'app.json', name)[0] == 1
    assert not (folder / 'app.json').exists()
    assert command('protect', '--off', name)[0] == 0
    assert command('abandon', '-y', '-o', 'app.json', name)[:2] == (0, '')
    file = folder / 'app.json'
    document = strict_json.loads(file.read_text())
    assert document['resources'].keys() == exported['resources'].keys()
    assert file.stat().st_mode & 0o777 == 0o600
    assert 'choose the name of a new file' in command('export', '-o', 'app.json', name)[2]
    status, output, errors = command('adopt', '--adopt-file', 'app.json', name)
    assert (status, errors) == (0, '') and 'ADOPT_COMPLETE' in output
    assert command('delete', '-y', name)[0] == 0


@shapes.of('embedded')
def test_misspelt_names_get_a_suggestion(folder, command, name):
    assert command('create', *FILES, name)[0] == 0
    for words, text in (
        (('show', name[:-1]), f'Did you mean {name}?'),
        (('resource', 'show', name, 'plane'), 'Did you mean plain?'),
        (('types', 'OS::Heat::RandomStrin'), 'OS::Heat::RandomString'),
        (('outputs', name, 'mord'), 'Did you mean motd?'),
    ):
        status, _, errors = command(*words)
        assert status == 1 and text in errors, words
    assert command('delete', '-y', name)[0] == 0


def on_terminal(words, folder, answers):
    """Run the command in a terminal; answer each prompt. Return (exit status, output)."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.environ.update(COLUMNS='120', NO_COLOR='1', TERM='xterm')
        os.execv(sys.executable, [sys.executable, '-m', 'heat_lite.cli.main', *words])
    output, waiting = '', list(answers)
    with contextlib.suppress(OSError):  # the terminal is gone
        while chunk := os.read(terminal, 4096):
            output += chunk.decode(errors='replace')
            if waiting and output.rstrip().endswith(waiting[0][0]):
                os.write(terminal, waiting.pop(0)[1].encode() + b'\n')
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), output


@shapes.of('embedded')
def test_apply_asks_for_what_is_missing_after_the_warnings(folder, service, command, name):
    (folder / f'{name}.yaml').write_text(
        'heat_template_version: 2021-04-16\n'
        'parameters: {size: {type: number, description: How many}, word: {type: string, '
        'hidden: true}}\n'
        'resources:\n'
        '  a: {type: OS::Heat::Value, properties: {value: {get_param: size}}}\n'
        '  b: {type: OS::Heat::Value, properties: {value: {get_param: word}}}\n'
        '  c: {type: OS::Heat::Value, properties: {value: {get_atrr: [a, value]}}}\n'
    )
    words = ['--endpoint', service.endpoint, 'apply', '-t', f'{name}.yaml']
    answers = [('(number, How many):', '3'), ('(string):', 'geheim'), ('[y/N]', 'y')]
    status, output = on_terminal(words, folder, answers)
    assert status == 0, output
    assert output.index('Did you mean "get_attr"') < output.index('size (number')
    assert 'geheim' not in output and '3 of 3' in output
    assert json.loads(command('show', '--json', name)[1])['parameters']['size'] == '3'
    assert command('delete', name)[0] == 2
    status, output = on_terminal(words[:2] + ['delete', name], folder, [('[y/N]', 'n')])
    assert status == 1 and 'nothing is deleted' in output
    status, output, _ = command('timeline', name)
    assert status == 0 and output.split()[0] == 'RESOURCE' and '\na ' in output
    status, output, _ = command('list', '--all-projects', '--name', name)
    assert output.split()[:2] == ['PROJECT', 'NAME'] and output.splitlines()[1].startswith('demo')
    for words in (('file', 'list', name), ('resource', 'metadata', name, 'a')):
        assert command(*words, '--json')[:2] == (0, '{}\n')
    event = json.loads(command('events', '--json', name)[1])[1]
    words = ('event', 'show', name, event['resource_name'], event['id'])
    assert json.loads(command(*words, '--json')[1])['id'] == event['id']
    assert command('delete', '-y', name)[0] == 0
