"""The package heat-lite-aliases: built, installed and called."""

import configparser
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from heat_lite.cmd.aliases import commands

ROOT = Path(__file__).parents[3]
COMMANDS = (
    'heat-api',
    'heat-api-cfn',
    'heat-api-cloudwatch',
    'heat-engine',
    'heat-manage',
    'heat-status',
    'heat-db-setup',
    'heat-keystone-setup-domain',
)
SCRIPTS = ('heat-wsgi-api', 'heat-wsgi-api-cfn', 'heat-wsgi-api-cloudwatch')
REQUEST = """
import runpy, sys, webob
script, path, *sys.argv[1:] = sys.argv[1:]
app = runpy.run_path(script)['application']
print('status', webob.Request.blank(path, method='POST').get_response(app).status_int)
"""


@pytest.fixture(scope='module')
def prefix(tmp_path_factory):
    """The folder that the package is installed into, from its wheel."""
    folder = tmp_path_factory.mktemp('aliases')
    shutil.copytree(ROOT / 'aliases', folder / 'source')
    python = [sys.executable, '-W', 'ignore', '-m']
    build = ['build', '--wheel', '--no-isolation', '--outdir', str(folder)]
    subprocess.run([*python, *build, str(folder / 'source')], check=True, timeout=120)
    (wheel,) = folder.glob('heat_lite_aliases-*.whl')
    install = ['pip', 'install', '--quiet', '--no-deps', '--no-index', '--ignore-installed']
    where = ['--prefix', str(folder / 'prefix'), str(wheel)]
    subprocess.run([*python, *install, *where], check=True, timeout=120)
    return folder / 'prefix'


@pytest.fixture
def call(tmp_path):
    """A function that runs a program of a user, whose folder has the configuration of Heat."""
    (tmp_path / '.heat').mkdir()

    def run(*words, options='', path=''):
        connection = f'[database]\nconnection = sqlite:///{tmp_path}/db\n'
        text = f'[DEFAULT]\ntransport_url = local://\n{options}{connection}'
        (tmp_path / '.heat' / 'heat.conf').write_text(text)
        env = {**os.environ, 'HOME': str(tmp_path), 'PYTHONPATH': f'{ROOT}:{path}'}
        env['PYTHONWARNINGS'] = 'ignore'
        words = [str(word) for word in words]
        return subprocess.run(words, capture_output=True, text=True, timeout=120, env=env)

    return run


def test_package_has_the_commands_and_the_version_of_the_service(prefix):
    assert {path.name for path in (prefix / 'bin').iterdir()} == {*COMMANDS, *SCRIPTS}
    own, service = configparser.ConfigParser(), configparser.ConfigParser()
    own.read(ROOT / 'aliases' / 'setup.cfg')
    service.read(ROOT / 'setup.cfg')
    version = own['metadata']['version']
    assert version == service['metadata']['version']
    assert own['options']['install_requires'].strip() == f'heat-lite=={version}'
    wanted = service['options.extras_require']['aliases'].strip()
    assert wanted == f'heat-lite-aliases=={version}'


def test_manage_reads_the_configuration_of_heat(prefix, call, tmp_path):
    done = call(prefix / 'bin' / 'heat-manage', 'db_sync')
    assert done.returncode == 0, done.stderr
    assert (tmp_path / 'db').is_file()
    other = tmp_path / 'other.conf'
    other.write_text(f'[database]\nconnection = sqlite:///{tmp_path}/other\n')
    done = call(prefix / 'bin' / 'heat-manage', '--config-file', other, 'db_version')
    assert (done.returncode, done.stdout) == (0, 'none: db_sync has not run\n')


@pytest.mark.parametrize('name', COMMANDS[:4])
def test_service_reads_the_configuration_of_heat(prefix, call, name):
    done = call(prefix / 'bin' / name, options='auth_encryption_key = too-short-a-key\n')
    assert done.returncode == 1
    assert '15 characters' in done.stderr


@pytest.mark.parametrize(
    ('name', 'path', 'status'),
    [(SCRIPTS[0], '/', 300), (SCRIPTS[1], '/', 300), (SCRIPTS[2], '/', 400)],
)
def test_wsgi_script_has_an_application(prefix, call, tmp_path, name, path, status):
    key = 'auth_encryption_key = a key of these tests, 32 letters\n'
    flavor = '[paste_deploy]\nflavor = noauth\n'
    command = [sys.executable, '-c', REQUEST, prefix / 'bin' / name, path]
    done = call(*command, options=f'{key}{flavor}')
    assert done.stdout.splitlines()[-1:] == [f'status {status}'], done.stderr
    refused = call(*command, '--config-file', tmp_path / 'absent.conf')
    assert 'absent.conf' in refused.stderr


def test_beside_heat_the_commands_are_those_of_heat(prefix, call, tmp_path):
    info = tmp_path / 'site' / 'openstack_heat-27.0.1.dist-info'
    info.mkdir(parents=True)
    (info / 'METADATA').write_text('Metadata-Version: 2.1\nName: openstack-heat\nVersion: 27.0.1\n')
    (info / 'entry_points.txt').write_text('[console_scripts]\nheat-manage = real_heat:main\n')
    (tmp_path / 'site' / 'real_heat.py').write_text('def main():\n    print("Heat itself")\n')
    done = call(prefix / 'bin' / 'heat-manage', 'db_version', path=tmp_path / 'site')
    assert (done.returncode, done.stdout) == (0, 'Heat itself\n')
    done = call(prefix / 'bin' / 'heat-api', path=tmp_path / 'site')
    assert done.returncode == 1 and 'openstack-heat is installed' in done.stderr


def test_configuration_that_is_given_replaces_that_of_heat(tmp_path, monkeypatch):
    monkeypatch.setenv('HOME', str(tmp_path))
    assert commands.config_arguments('heat-api', []) == []
    (tmp_path / '.heat' / 'heat.conf.d').mkdir(parents=True)
    (tmp_path / '.heat' / 'heat.conf').touch()
    assert commands.config_arguments('heat-api', ['--debug']) == [
        *('--config-file', str(tmp_path / '.heat' / 'heat.conf')),
        *('--config-dir', f'{tmp_path}/.heat/heat.conf.d'),
    ]
    assert commands.config_arguments('heat-api', ['--config-dir=/etc/other']) == []
