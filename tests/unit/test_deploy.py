"""The files in deploy/ and compose.yaml: they name programs and options that exist."""

import configparser
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from heat_lite.operate.config_check import option_report

ROOT = Path(__file__).resolve().parents[2]
UNITS = sorted((ROOT / 'deploy' / 'systemd').glob('*.service'))
MAN = runpy.run_path(str(ROOT / 'deploy' / 'man_pages.py'))
#: exposure that systemd-analyze may find at most, in tenths
EXPOSURE = 15


def unit(path):
    parser = configparser.RawConfigParser(strict=False)
    parser.optionxform = str
    parser.read(path)
    return parser


@pytest.mark.parametrize('path', UNITS, ids=lambda path: path.stem)
def test_unit_starts_a_program_that_exists(path):
    program = unit(path)['Service']['ExecStart'].rpartition('/')[2]
    assert program == path.stem and program in MAN['programs']()


@pytest.mark.parametrize('path', UNITS, ids=lambda path: path.stem)
def test_unit_is_hardened(path):
    if not shutil.which('systemd-analyze'):
        pytest.skip('systemd is needed')
    command = ['systemd-analyze', 'security', '--offline=true', f'--threshold={EXPOSURE}', path]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize('path', UNITS, ids=lambda path: path.stem)
def test_unit_is_valid(path, tmp_path):
    if not shutil.which('systemd-analyze'):
        pytest.skip('systemd is needed')
    installed = f'{Path(sys.executable).parent}/'  # verify looks for the program
    copy = tmp_path / path.name
    copy.write_text(path.read_text().replace('/usr/bin/', installed))
    command = ['systemd-analyze', 'verify', '--man=no', copy]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout + done.stderr) == (0, '')


def test_variables_of_compose_are_options():
    options = yaml.safe_load((ROOT / 'compose.yaml').read_text())['x-options']
    types = option_report.Setting('compose.yaml', 1, 'trustee', 'auth_type', 'password')
    known = option_report.known_options([types])
    for variable in options:
        group, _, name = variable.removeprefix('OS_').lower().partition('__')
        group = 'DEFAULT' if group == 'default' else group
        assert name in known[group], variable


def test_services_of_compose_run_programs_that_exist():
    services = yaml.safe_load((ROOT / 'compose.yaml').read_text())['services']
    commands = {each['command'][0] for each in services.values() if 'command' in each}
    assert commands - {'sh'} <= MAN['programs']().keys()


@pytest.mark.parametrize('program', ['heat-lite', 'heat-lite-db-setup', 'heat-lite-status'])
def test_man_page_is_without_faults(program, tmp_path):
    text = MAN['page'](program, MAN['help_of'](program, MAN['programs']()[program]))
    assert text.startswith('.TH ') and '.SH SYNOPSIS' in text
    # a line that begins with a dot is a macro of man
    assert set(re.findall(r'^\.(\w+)', text, re.MULTILINE)) <= {'TH', 'SH', 'nf', 'fi'}
    page = tmp_path / f'{program}.1'
    page.write_text(text)
    if shutil.which('man'):
        done = subprocess.run(['man', '--warnings', '-l', page], capture_output=True, text=True)
        assert program in done.stdout and done.stderr == ''
