"""``heat-lite lint`` and ``heat-lite schema`` as processes: files, output, exit statuses."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from heat_lite.authoring import lint, offline_types
from heat_lite.template.lint.rules import RULES

ROOT = Path(__file__).parents[3]
HOT = 'heat_template_version: 2021-04-16\n'
GOOD = HOT + 'resources:\n  r: {type: OS::Heat::Value, properties: {value: {get_file: data.txt}}}\n'
WARNED = HOT + 'parameters:\n  unused: {type: string}\n' + GOOD.removeprefix(HOT)
BAD = HOT + 'resources:\n  r: {type: nested/inner.yaml, properties: {nmae: x}}\n'
INNER = (
    HOT
    + 'parameters:\n  name: {type: string, default: a}\n'
    + 'resources:\n  r: {type: OS::Heat::Vlaue, metadata: {x: {get_param: name}}}\n'
)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / 'nested').mkdir()
    for name, text in {'good': GOOD, 'warned': WARNED, 'bad': BAD, 'nested/inner': INNER}.items():
        (tmp_path / f'{name}.yaml').write_text(text)
    (tmp_path / 'data.txt').write_text('data')
    return tmp_path


def run(*argv, cwd=ROOT, stdin=''):
    command = [sys.executable, '-m', 'heat_lite.cli.main', *argv]
    env = {'PYTHONPATH': str(ROOT), 'PATH': '', 'PYTHONIOENCODING': 'utf-8'}
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, input=stdin, env=env)


def test_text_format_shows_the_line_of_each_finding_and_a_summary(folder):
    done = run('lint', 'good.yaml', 'warned.yaml', 'bad.yaml', cwd=folder)
    line = (folder / 'bad.yaml').read_text().splitlines()[2]
    nested = (folder / 'nested' / 'inner.yaml').read_text().splitlines()[4]
    assert done.stdout.splitlines() == [
        'warned.yaml:3:3: warning unused-parameter: The parameter "unused" is never used',
        '    3 |   unused: {type: string}',
        '      |   ^',
        'bad.yaml:3:45: error unknown-property: There is no property "nmae". Did you mean "name"?',
        f'    3 | {line}',
        '      | ' + ' ' * 44 + '^',
        'nested/inner.yaml:5:13: error unknown-type: There is no resource type "OS::Heat::Vlaue".'
        ' Did you mean "OS::Heat::Value"?',
        f'    5 | {nested}',
        '      |             ^',
        '2 errors, 1 warning',
    ]
    assert (done.returncode, done.stderr) == (2, '')


def test_environments_are_named_by_their_option_or_as_files(folder):
    (folder / 'env.yaml').write_text('parameter_defaults: {unused: 1}\nresource_registry: [a]\n')
    done = run('lint', '--format', 'short', 'good.yaml', '-e', 'env.yaml', cwd=folder)
    same = run('lint', '--format', 'short', 'good.yaml', 'env.yaml', cwd=folder)
    assert done.stdout == same.stdout
    assert done.returncode == 2 and done.stdout.startswith('env.yaml:2')


def test_short_format_has_one_line_for_each_finding(folder):
    done = run('lint', '--format', 'short', 'warned.yaml', cwd=folder)
    assert done.stdout.splitlines() == [
        'warned.yaml:3:3: warning unused-parameter: The parameter "unused" is never used',
        '1 warning',
    ]


def test_text_format_shows_no_line_of_a_file_that_is_no_template(tmp_path):
    secret = 'prefix: zvqkwpml: wrong\n'
    (tmp_path / 'secret.yaml').write_text(secret)
    (tmp_path / 'app.yaml').write_text(
        'heat_template_version: 2021-04-16\nresources:\n  r: {type: secret.yaml}\n'
    )
    done = run('lint', 'app.yaml', cwd=tmp_path)
    assert 'secret.yaml:' in done.stdout and done.returncode == 2
    assert 'zvqkwpml' not in done.stdout + done.stderr
    assert 'zvqkwpml' in run('lint', 'secret.yaml', cwd=tmp_path).stdout


def test_text_format_shows_no_line_with_a_password(tmp_path):
    (tmp_path / 'app.yaml').write_text(
        'heat_template_version: 2021-04-16\nresources:\n  u:\n    type: OS::Keystone::User\n'
        '    properties: {name: user, password: zvqkwpml}\n'
    )
    done = run('lint', 'app.yaml', cwd=tmp_path)
    assert 'hard-coded-password' in done.stdout and 'zvqkwpml' not in done.stdout


def test_folder_has_the_findings_of_its_files_and_names_what_is_left_out(tmp_path):
    (tmp_path / 'app.yaml').write_text('resources: {r: {type: OS::Heat::RandomString}}\n')
    (tmp_path / 'values.yaml').write_text('resources: {limits: {cpu: 1}}\n')
    done = run('lint', '--format', 'short', '.', cwd=tmp_path)
    assert done.stdout == run('lint', '--format', 'short', 'app.yaml', cwd=tmp_path).stdout
    assert 'error version' in done.stdout and done.stderr.endswith(': values.yaml\n')


def test_json_format_lists_findings(folder):
    done = run('lint', '--format', 'json', 'warned.yaml', cwd=folder)
    [found] = json.loads(done.stdout)
    assert (found['file'], found['line'], found['column'], found['rule'], done.returncode) == (
        'warned.yaml',
        3,
        3,
        'unused-parameter',
        1,
    )


def test_sarif_format_is_sarif_2_1(folder):
    done = run('lint', '--format', 'sarif', 'bad.yaml', cwd=folder)
    log = json.loads(done.stdout)
    assert log['version'] == '2.1.0' and log['runs'][0]['tool']['driver']['semanticVersion']
    places = [result['locations'][0]['physicalLocation'] for result in log['runs'][0]['results']]
    assert [place['artifactLocation']['uri'] for place in places] == [
        'bad.yaml',
        'nested/inner.yaml',
    ]
    assert done.returncode == 2


def test_suggestions_for_many_wrong_references_are_those_of_the_first_names(tmp_path):
    """They are the same in each run, although not all names of a large template are compared."""
    rows = [
        f'  node_{number}: {{type: OS::Heat::Value, '
        f'properties: {{value: {{get_resource: {wrong}}}}}}}'
        for number in range(4000)
        for wrong in [f'nodes_{number}' if number % 100 == 0 else 'node_0']
    ]
    (tmp_path / 'app.yaml').write_text(HOT + 'resources:\n' + '\n'.join(rows) + '\n')
    done = run('lint', '--format', 'short', 'app.yaml', cwd=tmp_path)
    found = [line for line in done.stdout.splitlines() if 'unknown-reference' in line]
    for number, line in zip(range(0, 2000, 100), found, strict=False):
        assert line.endswith(f'Did you mean "node_{number}"?')
    assert len(found) == 40


def test_valid_template_exits_with_0(folder):
    done = run('lint', 'good.yaml', cwd=folder)
    assert (done.returncode, done.stdout) == (0, 'nothing to complain about\n')


def test_dash_reads_standard_input():
    done = run('lint', '-', stdin='{"heat_template_version": "2021-04-16", "resorces": {}}')
    assert '-:1:41: error unknown-section' in done.stdout and done.returncode == 2


@pytest.mark.parametrize('argv', [[], ['--format', 'xml', 'x'], ['--ignore', 'no-such-rule', 'x']])
def test_wrong_arguments_print_the_usage(argv):
    done = run('lint', *argv)
    assert done.returncode == 2 and 'usage:' in done.stderr


def test_missing_file_is_a_syntax_error(folder):
    done = run('lint', 'gone.yaml', cwd=folder)
    assert (
        'gone.yaml:1:1: error syntax: The file cannot be read: No such file or directory'
        in done.stdout
    )
    assert done.returncode == 2


@pytest.mark.parametrize(
    'name', ['http://far.example/notes.txt', '/outside/of/all/folders.txt', '{get_param: name}']
)
def test_property_fed_by_a_file_that_is_not_read_is_no_error(tmp_path, name):
    (tmp_path / 'app.yaml').write_text(
        f'{HOT}parameters:\n  name: {{type: string, default: x}}\nresources:\n'
        '  config: {type: OS::Heat::SoftwareConfig, properties: {config: "true"}}\n'
        '  work:\n    type: OS::Heat::SoftwareDeployment\n    properties:\n'
        '      config: {get_resource: config}\n      server: an-id\n'
        f'      input_values: {{notes: {{get_file: {name}}}, name: {{get_param: name}}}}\n'
    )
    done = run('lint', '--format', 'short', 'app.yaml', cwd=tmp_path)
    assert (done.returncode, 'error' in done.stdout) == (0, False), done.stdout


def test_packaged_templates_have_no_findings():
    paths = sorted(
        str(path.relative_to(ROOT)) for path in (ROOT / 'etc/heat_lite/templates').rglob('*.yaml')
    )
    done = run('lint', '--root', 'etc', *paths)  # some are links
    assert paths and (done.stdout, done.returncode) == ('nothing to complain about\n', 0)


def test_schema_adds_the_types_of_plugins():
    done = run('schema', '--plugin-dir', str(ROOT / 'tests' / 'heat_plugins'))
    assert 'Test::Logged::Server' in json.loads(done.stdout)['definitions']


def test_schema_defines_all_types():
    done = run('schema')
    schema = json.loads(done.stdout)
    assert done.returncode == 0
    assert set(offline_types.OfflineTypes().names()) <= set(schema['definitions'])


def test_rules_option_lists_all_rules(capsys):
    assert lint.main(['--rules']) == 0
    output = capsys.readouterr().out
    assert all(rule.name in output for rule in RULES)


@pytest.mark.parametrize(
    'name, reference, joined',
    [
        ('a/t.yaml', 'b.yaml', 'a/b.yaml'),
        ('a/t.yaml', '../b.yaml', 'b.yaml'),
        ('t.yaml', 'http://host/b.yaml', 'http://host/b.yaml'),
        ('a/t.yaml', '/etc/b.yaml', '/etc/b.yaml'),
        ('-', 'b.yaml', 'b.yaml'),
    ],
)
def test_join_resolves_references(name, reference, joined):
    assert lint.Files().join(name, reference) == joined


def test_docs_list_all_rules():
    """docs/lint.md has a row for each rule: name, level, summary."""
    text = (ROOT / 'docs/lint.md').read_text()
    rows = re.findall(r'^\| `([\w-]+)` \| (\w+) \| (.+) \|$', text, re.MULTILINE)
    assert rows == [(rule.name, rule.level, rule.summary()) for rule in RULES]


PLUGIN = """
from heat_lite.plugin import properties, resource


class Thing(resource.Resource):
    properties_schema = {'size': properties.Schema(properties.Schema.INTEGER, required=True)}


def resource_mapping():
    return {'Acme::Thing': Thing}
"""


@pytest.fixture
def project(tmp_path):
    """Return a folder with templates, other files, a plug-in and settings."""
    files = {
        'stacks/web.yaml': HOT + 'resources:\n  r: {type: Acme::Thing, properties: {size: x}}\n',
        'stacks/.hidden/bad.yaml': BAD,
        'stacks/compose.yaml': 'services: {a: {image: b}}\n',
        'stacks/old/bad.yaml': BAD,
        'stacks/notes.txt': HOT,
        'stacks/web.env': 'parameter_default: {}\nresource_registry: {}\n',
        'stacks/variables.env': 'PASSWORD=zvqkwpml\n',
        'stacks/broken.yaml': HOT + 'resources: {\n',
        'plugins/thing.py': PLUGIN,
        '.heat-lint.yaml': 'ignore: [stacks/old]\nplugin_dirs: [plugins]\n',
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def found(done):
    lines = [line for line in done.splitlines()[:-1] if ' | ' not in line]
    return {tuple(line.split(':')[::3][:1]) + (line.split()[2],) for line in lines}


def test_folder_is_searched_for_templates(project):
    done = run('lint', 'stacks', cwd=project)
    assert found(done.stdout) == {
        ('stacks/web.env', 'environment-section:'),
        ('stacks/web.yaml', 'foreign-type:'),
        ('stacks/broken.yaml', 'syntax:'),
    }
    assert 'plugin_dirs in .heat-lint.yaml is ignored: plug-ins are code' in done.stderr
    assert done.returncode == 2


@pytest.mark.parametrize('argv', [('--plugin-dir', 'plugins'), ('--config', '.heat-lint.yaml')])
def test_plugin_folder_that_the_user_names_is_loaded(project, argv):
    done = run('lint', *argv, 'stacks/web.yaml', cwd=project)
    assert found(done.stdout) == {('stacks/web.yaml', 'property-value:')}


def test_settings_change_levels_types_and_environments(project):
    (project / 'lint').mkdir()
    (project / 'lint' / 'settings.yaml').write_text(
        'rules: {syntax: off, environment-section: off, no-resources: error}\n'
        'resource_types: ["Other::*"]\nenvironments: [types.yaml]\n'
    )
    (project / 'lint' / 'types.yaml').write_text('resource_registry: {Acme::Thing: Other::Thing}\n')
    (project / 'stacks' / 'empty.yaml').write_text(HOT)
    done = run('lint', '--config', 'lint/settings.yaml', 'stacks', cwd=project)
    assert found(done.stdout) == {
        ('stacks/empty.yaml', 'no-resources:'),
        ('stacks/old/bad.yaml', 'nested-file:'),
    }
    assert 'stacks/empty.yaml:1:1: error no-resources' in done.stdout


def test_template_for_heat_has_no_types_of_ours(tmp_path):
    (tmp_path / 'a.yaml').write_text(HOT + 'resources: {a: {type: HeatLite::Container::Volume}}\n')
    done = run('lint', '--for', 'heat', 'a.yaml', cwd=tmp_path)
    assert 'error not-in-heat: Heat does not have the type HeatLite::Con' in done.stdout
    assert run('lint', 'a.yaml', cwd=tmp_path).returncode == 0
    ignoring = run('lint', '--for', 'heat', '--ignore', 'not-in-heat', 'a.yaml', cwd=tmp_path)
    assert ignoring.returncode == 0


def test_invalid_settings_exit_with_2(project):
    (project / '.heat-lint.yaml').write_text('rules: {cycel: off}\n')
    done = run('lint', 'stacks', cwd=project)
    assert (done.stdout, done.returncode) == ('', 2)
    assert '.heat-lint.yaml: There is no rule "cycel". Did you mean "cycle"?' in done.stderr
    assert run('lint', '--config', 'gone.yaml', 'stacks', cwd=project).returncode == 2
