"""``heat-lite lint`` and ``heat-lite schema`` as a person runs them: processes, files, exit statuses."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from heat_lite.cmd import lint, offline
from heat_lite.template.lint.rules import RULES

ROOT = Path(__file__).parents[3]
HOT = 'heat_template_version: 2021-04-16\n'
GOOD = HOT + 'resources:\n  r: {type: OS::Heat::Value, properties: {value: {get_file: data.txt}}}\n'
WARNED = HOT + 'parameters:\n  unused: {type: string}\n' + GOOD.removeprefix(HOT)
BAD = HOT + 'resources:\n  r: {type: nested/inner.yaml, properties: {nmae: x}}\n'
INNER = (
    HOT + 'parameters:\n  name: {type: string, default: a}\nresources:\n  r: {type: OS::Heat::Vlaue, metadata: {x: {get_param: name}}}\n'
)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / 'nested').mkdir()
    for name, text in {'good': GOOD, 'warned': WARNED, 'bad': BAD, 'nested/inner': INNER}.items():
        (tmp_path / f'{name}.yaml').write_text(text)
    (tmp_path / 'data.txt').write_text('data')
    return tmp_path


def run(*argv, cwd=ROOT, stdin=''):
    command = [sys.executable, '-m', 'heat_lite.cmd.cli.main', *argv]
    env = {'PYTHONPATH': str(ROOT), 'PATH': '', 'PYTHONIOENCODING': 'utf-8'}
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, input=stdin, env=env, timeout=60)


def test_text(folder):
    done = run('lint', 'good.yaml', 'warned.yaml', 'bad.yaml', cwd=folder)
    assert done.stdout.splitlines() == [
        'warned.yaml:3:3: warning unused-parameter: The parameter "unused" is never used',
        'bad.yaml:3:45: error unknown-property: There is no property "nmae". Did you mean "name"?',
        'nested/inner.yaml:5:7: error unknown-type: There is no resource type "OS::Heat::Vlaue". Did you mean "OS::Heat::Value"?',
        '2 errors, 1 warning',
    ]
    assert (done.returncode, done.stderr) == (2, '')


def test_json(folder):
    done = run('lint', '--format', 'json', 'warned.yaml', cwd=folder)
    [found] = json.loads(done.stdout)
    assert (found['file'], found['line'], found['column'], found['rule'], done.returncode) == ('warned.yaml', 3, 3, 'unused-parameter', 1)


def test_sarif(folder):
    done = run('lint', '--format', 'sarif', 'bad.yaml', cwd=folder)
    log = json.loads(done.stdout)
    assert log['version'] == '2.1.0' and log['runs'][0]['tool']['driver']['semanticVersion']
    places = [result['locations'][0]['physicalLocation'] for result in log['runs'][0]['results']]
    assert [place['artifactLocation']['uri'] for place in places] == ['bad.yaml', 'nested/inner.yaml']
    assert done.returncode == 2


def test_nothing_wrong(folder):
    done = run('lint', 'good.yaml', cwd=folder)
    assert (done.returncode, done.stdout) == (0, 'nothing to complain about\n')


def test_standard_input():
    done = run('lint', '-', stdin='{"heat_template_version": "2021-04-16", "resorces": {}}')
    assert '-:1:41: error unknown-section' in done.stdout and done.returncode == 2


@pytest.mark.parametrize('argv', [[], ['--format', 'xml', 'x'], ['--ignore', 'no-such-rule', 'x']])
def test_wrong_use(argv):
    done = run('lint', *argv)
    assert done.returncode == 2 and 'usage:' in done.stderr


def test_a_file_that_is_not_there(folder):
    done = run('lint', 'gone.yaml', cwd=folder)
    assert 'gone.yaml:1:1: error syntax: The file cannot be read: No such file or directory' in done.stdout
    assert done.returncode == 2


def test_shipped_templates_are_clean():
    paths = sorted(str(path.relative_to(ROOT)) for path in (ROOT / 'etc/heat_lite/templates').rglob('*.yaml'))
    done = run('lint', *paths)
    assert paths and (done.stdout, done.returncode) == ('nothing to complain about\n', 0)


def test_schema():
    done = run('schema')
    schema = json.loads(done.stdout)
    assert done.returncode == 0
    assert set(offline.Types().names()) <= set(schema['definitions'])


def test_rules_are_told(capsys):
    assert lint.main(['--rules']) == 0
    told = capsys.readouterr().out
    assert all(rule.name in told for rule in RULES)


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
def test_names_of_files(name, reference, joined):
    assert lint.Files().join(name, reference) == joined


def test_the_paper_tells_the_rules_that_there_are():
    """docs/lint.md has a row for each rule: name, level, what it looks for."""
    text = (ROOT / 'docs/lint.md').read_text()
    rows = re.findall(r'^\| `([\w-]+)` \| (\w+) \| (.+) \|$', text, re.MULTILINE)
    assert rows == [(rule.name, rule.level, rule.summary()) for rule in RULES]
