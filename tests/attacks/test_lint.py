"""``heat-lite lint`` of a stranger's template: files read, texts shown, time taken."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HOT = 'heat_template_version: 2021-04-16\n'
SECRET = 'tr0ub4dor'
READS = HOT + 'resources:\n  r: {{type: {0}}}\n'
GETS = (
    HOT
    + 'resources:\n  r:\n    type: OS::Heat::RandomString\n'
    + '    properties: {{salt: {{get_file: "{0}"}}, length: {{get_file: "{0}"}}}}\n'
)


@pytest.fixture
def place(tmp_path):
    """Return the folder of a stranger's templates; its parent has a secret file."""
    (tmp_path / 'secret.yaml').write_text(f'{SECRET}: &{SECRET} 0{"7" * 9}\n*{SECRET}_\n')
    (tmp_path / 'strange').mkdir()
    return tmp_path / 'strange'


def lint(folder, *argv, seconds=60):
    command = [sys.executable, '-m', 'heat_lite.cli.main', 'lint', *map(str, argv)]
    environ = {'PYTHONPATH': str(ROOT), 'PATH': '', 'PYTHONIOENCODING': 'utf-8'}
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, env=environ, timeout=seconds
    )


def test_file_outside_of_the_folder_is_not_read(place):
    number = 0
    for template in (READS, GETS):
        for file in ('../secret.yaml', '../missing.yaml'):
            for name in (file, str((place / file).resolve())):
                number += 1
                (place / f'{number}.yaml').write_text(template.format(name))
    done = lint(place, *(f'{each}.yaml' for each in range(1, number + 1)))
    text = 'outside of the folders of the linted files: it is not read'
    assert done.stdout.count(text) >= number
    assert all(f'{each}.yaml:' in done.stdout for each in range(1, number + 1))
    assert SECRET not in done.stdout
    assert '777' not in done.stdout
    assert 'There is no' not in done.stdout, 'whether the file exists is not shown'


def test_environment_maps_no_file_outside_of_the_folder(place):
    text = 'resource_registry:\n  Mine: ../secret.yaml\n  Ours: file:///etc/passwd.yaml\n'
    (place / 'e.yaml').write_text(text)
    done = lint(place, 'e.yaml')
    assert done.stdout.count('outside of the folders of the linted files') == 2
    assert SECRET not in done.stdout


def test_symbolic_links_lead_to_no_file_outside_of_the_folder(place):
    (place / 'link.yaml').symlink_to('../secret.yaml')
    (place / 'up').symlink_to('..')
    (place / 'a.yaml').write_text(READS.format('link.yaml'))
    (place / 'b.yaml').write_text(READS.format('up/secret.yaml'))
    for name in ('a.yaml', 'b.yaml'):
        assert 'outside of the folders of the linted files' in lint(place, name).stdout
    done = lint(place, 'link.yaml')
    assert 'outside of the folders of the linted files' in done.stdout
    assert (done.returncode, SECRET in done.stdout) == (2, False)


def test_settings_of_a_stranger_name_no_file_outside_of_the_folder(place):
    (place / 'a.yaml').write_text(HOT)
    (place / 'up').symlink_to('..')
    for name in ('../secret.yaml', '/etc/passwd', 'up/secret.yaml'):
        (place / '.heat-lint.yaml').write_text(f'environments: [{name}]\n')
        done = lint(place, '.')
        assert 'environments in .heat-lint.yaml is ignored' in done.stderr
        assert not re.search(f'{SECRET}|root:', done.stdout)
        # the user may choose it
        assert f'{Path(name).name}:' in lint(place, '--config', '.heat-lint.yaml', '.').stdout


@pytest.mark.parametrize('target', ['../secret.yaml', '/dev/zero', 'pipe'])
def test_settings_of_a_stranger_are_a_regular_file_in_the_folder(place, target):
    os.mkfifo(place / 'pipe')
    (place / '.heat-lint.yaml').symlink_to(target)
    done = lint(place, '--timeout', '50', '.')
    assert done.returncode == 2 and re.search('out of the working|no regular file', done.stderr)
    assert SECRET not in done.stderr


def test_root_option_permits_another_folder(place):
    inner = HOT + 'resources:\n  r: {type: OS::Heat::Vlaue}\n'
    (place.parent / 'shared.yaml').write_text(inner)
    (place / 'a.yaml').write_text(READS.format('../shared.yaml'))
    assert '../shared.yaml:3:13: error unknown-type' in lint(place, '--root', '..', 'a.yaml').stdout
    assert 'unknown-type' not in lint(place, 'a.yaml').stdout


def test_only_regular_files_are_read(place):
    os.mkfifo(place / 'pipe.yaml')
    (place / 'a.yaml').write_text(
        HOT
        + 'resources:\n  p: {type: pipe.yaml}\n  r:\n    type: OS::Heat::None\n'
        + '    metadata: {a: {get_file: /dev/zero}, b: {get_file: pipe.yaml}}\n'
    )
    began = time.monotonic()
    names = ('pipe.yaml', '/dev/zero', '/dev/null')
    done = lint(place, '--root', '/', *names, 'a.yaml')
    assert time.monotonic() - began < 50
    for name in names:
        assert f'{name}:1:1: error syntax: The file ' in done.stdout
    assert done.stdout.count('The file is no regular file') == 3
    assert 'error missing-file: There is no file "/dev/zero"' in done.stdout


CONTENTS = (
    f'{SECRET}: 077777',
    f'{SECRET}: 077777\n{SECRET}: 2',
    f'a: &a b\nc: *{SECRET}077',
    f'%{SECRET} 077',
    f'- {SECRET}',
    f'{{"a": {SECRET}}}',
    f'a: !{SECRET} b',
    f'a: "{SECRET}',
    SECRET,
)


def test_file_that_is_no_template_is_not_quoted(place):
    for number, content in enumerate(CONTENTS):
        (place / f'inner{number}.yaml').write_text(content)
        (place / f'{number}.yaml').write_text(READS.format(f'inner{number}.yaml'))
    done = lint(place, *(f'{number}.yaml' for number in range(len(CONTENTS))))
    found = [line for line in done.stdout.splitlines() if line.startswith('inner')]
    assert len(found) == len(CONTENTS)
    assert all(' error syntax: The file is no ' in line for line in found)
    assert SECRET not in done.stdout + done.stderr
    assert '077' not in done.stdout + done.stderr


PROPERTIES = {
    'integer': 'OS::Heat::RandomString, properties: {length: VALUE}',
    'range': 'OS::Heat::RandomString, properties: {length: 3, character_classes: [VALUE]}',
    'allowed value': 'OS::Heat::SoftwareDeployment, properties: {server: s, config: c,'
    ' signal_transport: VALUE}',
    'part': 'OS::Heat::RandomString, properties: {length: {str_split: ["-", VALUE, 0]}}',
    'data': 'OS::Heat::Value, properties: {type: json, value: VALUE}',
    'name': 'OS::Heat::AccessPolicy, properties: {allowed_resources: [VALUE]}',
    'template': 'OS::Heat::Stack, properties: {template: VALUE}',
}


def test_finding_does_not_quote_the_content_of_a_file(place):
    (place / 'data').write_text(f'{SECRET}-2\n: [')
    for name, properties in PROPERTIES.items():
        snippet = properties.replace('VALUE', '{get_file: data}')
        (place / f'{name}.yaml').write_text(f'{HOT}resources:\n  r: {{type: {snippet}}}\n')
    done = lint(place, *(f'{name}.yaml' for name in PROPERTIES))
    assert SECRET not in done.stdout + done.stderr
    assert 'Traceback' not in done.stderr
    assert done.returncode == 2


def test_finding_states_that_the_content_of_a_file_is_invalid(place):
    (place / 'data').write_text(SECRET)
    snippet = PROPERTIES['allowed value'].replace('VALUE', '{get_file: data}')
    (place / 'a.yaml').write_text(f'{HOT}resources:\n  r: {{type: {snippet}}}\n')
    done = lint(place, 'a.yaml')
    assert 'error validation: The content of a file that the resource reads' in done.stdout
    assert done.returncode == 2


def test_lint_ends_after_its_time_limit(place):
    """A pattern that backtracks holds the interpreter; a signal handler would not run."""
    value = 'a' * 60
    text = HOT + (
        f'parameters:\n  p: {{type: string, default: "{value}!",'
        ' constraints: [{allowed_pattern: "(a|aa|a?a)+b"}]}\n'
    )
    (place / 'a.yaml').write_text(text + 'resources:\n' + ''.join(
        f'  r{i}: {{type: OS::Heat::Value, properties: {{value: {{get_param: p}}}}}}\n'
        for i in range(40_000)
    ))  # fmt: skip
    began = time.monotonic()
    done = lint(place, '--timeout', '3', 'a.yaml')
    assert (done.returncode, done.stdout) == (2, '')
    assert done.stderr == 'heat-lite lint: not finished after 3 seconds\n'
    assert time.monotonic() - began < 30


def test_files_are_limited_in_size_together(place):
    (place / 'a.yaml').write_text(
        HOT + 'resources:\n' + ''.join(f'  r{i}: {{type: n{i}.yaml}}\n' for i in range(12))
    )
    for i in range(12):
        with open(place / f'n{i}.yaml', 'w') as file:
            file.truncate(7 * 1024 * 1024)
    done = lint(place, 'a.yaml')
    assert 'All files together are longer than' in done.stdout
    assert done.returncode == 2
