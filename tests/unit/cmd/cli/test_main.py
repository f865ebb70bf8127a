import pkgutil
import subprocess
import sys

import pytest

from heat_lite.cmd.cli import main


@pytest.mark.parametrize('argv', [[], ['--help'], ['help']])
def test_help_names_every_command(argv, capsys):
    assert main.main(argv) == 0
    told = capsys.readouterr().out
    assert all(name in told for name in main.COMMANDS)


def test_an_unknown_command(capsys):
    assert main.main(['strut']) == 2
    assert "no command 'strut'" in capsys.readouterr().err


@pytest.mark.parametrize('name', main.COMMANDS)
def test_each_command_is_there(name):
    assert callable(pkgutil.resolve_name(main.COMMANDS[name][0]))


def test_is_cheap_to_import():
    """Help comes at once, and `up` can choose its threads before anything else is loaded."""
    code = 'import heat_lite.cmd.cli.main, sys; print(*sys.modules)'
    loaded = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True).stdout.split()
    assert not {'eventlet', 'oslo_config', 'sqlalchemy', 'yaml', 'requests', 'threading'} & set(loaded)
