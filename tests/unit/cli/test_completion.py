"""The completion of a command line, without a shell."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from heat_lite.cli import completion, main, verbs

ROOT = Path(__file__).parents[3]


def complete(tmp_path, line, **env):
    """Return the completions of a line, as a shell gets them."""
    file = tmp_path / 'output'
    environ = {
        'PYTHONPATH': str(ROOT),
        'HOME': str(tmp_path),
        'PATH': '/usr/bin:/bin',
        '_ARGCOMPLETE': '1',
        '_ARGCOMPLETE_IFS': '\n',
        '_ARGCOMPLETE_STDOUT_FILENAME': str(file),
        'COMP_LINE': line,
        'COMP_POINT': str(len(line)),
        **env,
    }
    command = [sys.executable, '-m', 'heat_lite.cli.main']
    done = subprocess.run(command, capture_output=True, text=True, env=environ, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, '', ''), line
    return [word.strip() for word in file.read_text().splitlines()]


@pytest.mark.parametrize(
    ('line', 'found'),
    [
        ('heat-lite snapsh', ['snapshot']),
        ('heat-lite snapshot re', ['restore']),
        ('heat-lite stack snapshot re', ['restore']),
        ('heat-lite --os-cloud x snapshot re', ['restore']),
        ('heat-lite --os-cl', ['--os-cloud']),
        ('heat-lite show --os-cl', ['--os-cloud']),
        ('heat-lite --json x show --os-cl', []),
        ('heat-lite hook clear a b post-d', ['post-delete']),
        ('heat-lite lint --form', ['--format']),
        ('heat-lite test --jun', ['--junit']),
        ('heat-lite docs OS::Heat::Val', ['OS::Heat::Value']),
        ('heat-lite init OS::Heat::Val', ['OS::Heat::Value']),
        ('heat-lite init serv', ['server']),
        ('heat-lite completion f', ['fish']),
        ('heat-lite wrong wo', []),
        ('heat-lite "sho', ['show']),
        ('heat-lite \'"', []),
    ],
)
def test_line_is_completed(line, found, tmp_path):
    assert complete(tmp_path, line) == found


def test_files_are_completed(tmp_path):
    (tmp_path / 'template.yaml').touch()
    line = f'heat-lite lint {tmp_path}/temp'
    assert complete(tmp_path, line) == [f'{tmp_path}/template.yaml']


def test_every_command_has_a_parser():
    for name in main.COMMANDS:
        consumed, parser = completion.parser_of([name])
        assert consumed == 1 and parser.format_help(), name
    for name in verbs.VERBS:
        consumed, parser = completion.parser_of(name.split())
        assert consumed == len(name.split()) and parser.prog == f'heat-lite {name}'


def test_service_that_does_not_answer_is_not_waited_for(tmp_path):
    with socket.create_server(('127.0.0.1', 0)) as server:
        endpoint = f'http://127.0.0.1:{server.getsockname()[1]}/v1/default'
        assert complete(tmp_path, 'heat-lite show a', HEAT_LITE_ENDPOINT=endpoint) == []


@pytest.mark.parametrize('shell', completion.SHELLS)
def test_script_of_each_shell_is_printed(shell, capsys):
    assert completion.main([shell]) == 0
    assert '_ARGCOMPLETE' in capsys.readouterr().out
    with pytest.raises(SystemExit) as caught:
        completion.main(['csh'])
    assert caught.value.code == 2
    assert "invalid choice: 'csh'" in capsys.readouterr().err
    assert os.environ.get('_ARGCOMPLETE') is None
