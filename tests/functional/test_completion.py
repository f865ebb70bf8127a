"""The completion of ``heat-lite`` in real shells: bash and zsh on a terminal, fish by command."""

import contextlib
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

from heat_lite.cli import main
from tests.functional import shapes
from tests.timeouts import WAIT_SECONDS

BIN = Path(sys.executable).parent
ROOT = Path(__file__).resolve().parents[2]
HELLO = ROOT / 'etc' / 'heat_lite' / 'templates' / 'hello.yaml'
READY = 'ready-for-input'
CONTROL = re.compile(r'\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\r')
#: {shell: (arguments, commands before the first completion)}
SHELLS = {
    'bash': (('--norc', '--noprofile', '-i'), 'eval "$(heat-lite completion bash)"'),
    'zsh': (('-f', '-i'), 'autoload -U compinit; compinit -u; eval "$(heat-lite completion zsh)"'),
}


def environment(home, endpoint):
    keep = {key: value for key, value in os.environ.items() if not key.startswith(('OS_', 'PS'))}
    return {
        **keep,
        'PATH': f'{BIN}:{os.environ["PATH"]}',
        'PYTHONPATH': str(ROOT),
        'HOME': str(home),
        'TERM': 'dumb',
        'HEAT_LITE_ENDPOINT': endpoint,
        'HEAT_LITE_DATA_DIR': str(home / 'none'),
        'BASH_SILENCE_DEPRECATION_WARNING': '1',
    }


class Shell:
    """A shell on a terminal of its own."""

    def __init__(self, name, home, endpoint):
        program = shutil.which(name)
        if program is None:
            pytest.skip(f'{name} is not installed')
        arguments, setup = SHELLS[name]
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.execve(program, [program, *arguments], environment(home, endpoint))
        self.output = ''
        self.send(f'{setup}; echo {READY[:5]}{READY[5:]!r}\n')
        self.wait_for(f'\n{READY}')

    def send(self, text):
        self.output = ''
        os.write(self.terminal, text.encode())

    def wait_for(self, *texts):
        """Read until the terminal has shown all texts."""
        until = time.monotonic() + WAIT_SECONDS
        while any(text not in CONTROL.sub('', self.output) for text in texts):
            assert time.monotonic() < until, (texts, self.output)
            if select.select([self.terminal], [], [], 0.1)[0]:
                self.output += os.read(self.terminal, 65536).decode('utf-8', 'replace')

    def close(self):
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.terminal)


@pytest.fixture
def stack(service):
    name = f'completed-{uuid.uuid4().hex[:8]}'
    command = ['--endpoint', service.endpoint]
    assert main.main([*command, 'create', '-t', str(HELLO), name]) == 0
    yield name
    assert main.main([*command, 'delete', '-y', name]) == 0


@pytest.mark.parametrize('name', SHELLS)
@shapes.of('embedded')
def test_shell_completes_verbs_stacks_resources_and_types(name, service, stack, tmp_path):
    shell = Shell(name, tmp_path, service.endpoint)
    try:
        for typed, shown in (
            ('heat-lite snapsh\t', ['heat-lite snapshot ']),
            (f'heat-lite resource show {stack[:-2]}\t', [f'show {stack} ']),
            (f'heat-lite resource show {stack} gree\t', [f'{stack} greeting ']),
            (f'heat-lite outputs {stack} sec\t', [f'{stack} secret ']),
            ('heat-lite types OS::Heat::RandomS\t', ['String ']),
            ('heat-lite show --os-cl\t', ['--os-cloud ']),
        ):
            shell.send(typed)
            shell.wait_for(*shown)
            shell.send('\x15')  # clear the line
    finally:
        shell.close()


@shapes.of('embedded')
def test_fish_completes_with_descriptions(service, stack, tmp_path):
    if shutil.which('fish') is None:
        pytest.skip('fish is not installed')
    for typed, shown in (
        ('heat-lite snapsh', 'snapshot'),
        (f'heat-lite show {stack[:-2]}', f'{stack}\tCREATE_COMPLETE'),
        (f'heat-lite resource show {stack} gree', 'greeting\tOS::Heat::Value'),
    ):
        command = f'heat-lite completion fish | source; complete -C "{typed}"'
        done = subprocess.run(
            ['fish', '--no-config', '-c', command],
            capture_output=True,
            text=True,
            env=environment(tmp_path, service.endpoint),
            timeout=120,
        )
        assert shown in done.stdout, done.stdout + done.stderr


def test_completion_without_service_is_silent(tmp_path):
    line = 'heat-lite show a'
    env = environment(tmp_path, 'http://127.0.0.1:1/v1/default') | {
        '_ARGCOMPLETE': '1',
        '_ARGCOMPLETE_STDOUT_FILENAME': str(tmp_path / 'output'),
        'COMP_LINE': line,
        'COMP_POINT': str(len(line)),
    }
    command = [sys.executable, '-m', 'heat_lite.cli.main']
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, '', '')
    assert (tmp_path / 'output').read_text() == ''
