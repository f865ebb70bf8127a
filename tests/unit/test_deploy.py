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


def requirements():
    """Return the requirements of the service: {name: its minimum, ''}."""
    setup = configparser.ConfigParser()
    setup.read(ROOT / 'setup.cfg')
    lines = setup['options']['install_requires'].split()
    return {re.sub(r'\[.*\]', '', name): low for name, _, low in (x.partition('>=') for x in lines)}


#: what the package of Debian is named after, where that is not the requirement's name
DEBIAN_NAMES = {'PyYAML': 'yaml', 'psycopg2-binary': 'psycopg2', 'python-memcached': 'memcache'}


def test_debian_package_brings_each_requirement():
    control = (ROOT / 'deploy/debian/control').read_text()
    bundled = (ROOT / 'deploy/debian/bundled.txt').read_text()
    named = dict(re.findall(r'^ python3-(\S+?)(?: \(>= (?:1:)?(.+)\))?,$', control, re.MULTILINE))
    named |= dict(re.findall(r'^([\w.]+)>=([\d.]+)', bundled, re.MULTILINE))
    named = {name.lower(): low for name, low in named.items()}
    for name, low in requirements().items():
        debian = DEBIAN_NAMES.get(name, name).lower()
        # regex has a version of Debian's own there
        assert named.get(debian) in (low, '' if debian == 'regex' else low), name


def test_debian_packages_of_apis_alone_depend_on_eventlet():
    """Engines, commands and APIs under another WSGI server do not import it."""
    control = (ROOT / 'deploy/debian/control').read_text()
    found = set()
    for paragraph in control.split('\n\n'):
        depends = re.search(r'^Depends:\n((?: .*\n)+)', paragraph, re.MULTILINE)
        if depends and 'python3-eventlet' in depends[1]:
            found.add(re.match('Package: (.*)', paragraph)[1])
    assert found == {'heat-api', 'heat-api-cfn'}


def test_pip_of_openstack_ansible_is_asked_for_distributions_that_exist():
    path = ROOT / 'deploy/openstack-ansible/user_variables_heat_lite.yml'
    values = yaml.safe_load(path.read_text())
    asked = [
        *values['heat_user_pip_packages'],
        values['heat_git_install_branch'] + 'egg=openstack-heat',
    ]
    for url in asked:
        options = dict(word.split('=') for word in url.partition('#')[2].split('&'))
        setup = configparser.ConfigParser()
        setup.read(ROOT / options.get('subdirectory', '.') / 'setup.cfg')
        assert setup['metadata']['name'] == options['egg']
