"""The packages heat-lite-aliases and openstack-heat: built, installed and called."""

import configparser
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from heat_lite import conf as options
from heat_lite.cmd.aliases import commands
from heat_lite.policies import rules

ROOT = Path(__file__).parents[3]
#: the programs of oslo in the environment of the tests
TOOLS = Path(sys.executable).parent
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
#: the modules of the WSGI applications, with the status of a request to /
MODULES = {'heat.wsgi.api': 300, 'heat.wsgi.cfn': 300}
DATA = (
    'api-paste.ini',
    'environment.d/default.yaml',
    'heat-config-generator.conf',
    'heat-policy-generator.conf',
    'templates/AWS_CloudWatch_Alarm.yaml',
    'templates/AWS_RDS_DBInstance.yaml',
)
MODULE_REQUEST = """
import importlib, sys, webob
from heat_lite.common import heat_imports
app = importlib.import_module(sys.argv.pop(1)).application
status = webob.Request.blank('/').get_response(app).status_int
print('status', status, heat_imports.is_heat_installed())
"""
REQUEST = """
import runpy, sys, webob
script, path, *sys.argv[1:] = sys.argv[1:]
app = runpy.run_path(script)['application']
print('status', webob.Request.blank(path, method='POST').get_response(app).status_int)
"""


@pytest.fixture(scope='module')
def prefix(tmp_path_factory):
    """The folder that the packages are installed into, from their wheels."""
    folder = tmp_path_factory.mktemp('aliases')
    for name in ('aliases', 'etc/heat'):
        shutil.copytree(ROOT / name, folder / 'source' / name)
    python = [sys.executable, '-W', 'ignore', '-m']
    build = ['build', '--wheel', '--no-isolation', '--outdir', str(folder)]
    for name in ('aliases', 'aliases/openstack-heat'):
        subprocess.run([*python, *build, str(folder / 'source' / name)], check=True, timeout=120)
    install = ['pip', 'install', '--quiet', '--no-deps', '--no-index', '--ignore-installed']
    where = ['--prefix', str(folder / 'prefix'), *map(str, folder.glob('*.whl'))]
    subprocess.run([*python, *install, *where], check=True, timeout=120)
    return folder / 'prefix'


@pytest.fixture(scope='module')
def site(prefix):
    """The folder of the modules and the metadata that the packages install."""
    (found,) = prefix.glob('lib/python*/site-packages')
    return found


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


def test_packages_have_the_commands_and_the_version_of_the_service(prefix, site):
    assert {path.name for path in (prefix / 'bin').iterdir()} == {*COMMANDS, *SCRIPTS}
    own, service = configparser.ConfigParser(), configparser.ConfigParser()
    own.read(ROOT / 'aliases' / 'setup.cfg')
    service.read(ROOT / 'setup.cfg')
    version = own['metadata']['version']
    assert version == service['metadata']['version']
    assert own['options']['install_requires'].strip() == f'heat-lite=={version}'
    wanted = service['options.extras_require']['aliases'].strip()
    assert wanted == f'heat-lite-aliases=={version}'
    (in_its_place,) = importlib.metadata.distributions(name='openstack-heat', path=[str(site)])
    assert in_its_place.version.endswith(f'+heat.lite.{version}')
    assert in_its_place.requires == [f'heat-lite-aliases=={version}']


def test_files_are_where_deployment_tools_copy_them_from(prefix):
    found = {
        str(path.relative_to(prefix / 'etc/heat')): path.read_bytes()
        for path in (prefix / 'etc').rglob('*')
        if path.is_file()
    }
    assert set(found) == set(DATA)
    for name, content in found.items():
        # in a checkout they are files, not links, which "cp -r etc/heat/* /etc/heat/" would copy
        source = ROOT / 'etc' / 'heat' / name
        assert (source.read_bytes(), source.is_symlink()) == (content, False)


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


def test_file_without_a_key_is_accepted_with_a_warning(prefix, call):
    script = [sys.executable, '-c', REQUEST, prefix / 'bin' / SCRIPTS[0], '/']
    flavor = '[paste_deploy]\nflavor = noauth\n'
    done = call(*script, options=flavor)
    assert done.stdout.splitlines()[-1:] == ['status 300'], done.stderr
    (line,) = [each for each in done.stderr.splitlines() if 'auth_encryption_key' in each]
    assert 'WARNING' in line and 'former_encryption_keys' in line and 'generate_key' in line
    refusal = '[heat_lite]\naccept_public_key = false\n'
    for words in (script, [prefix / 'bin' / 'heat-engine']):
        done = call(*words, options=f'{flavor}{refusal}')
        assert done.returncode == 1 and 'is its default, which is public' in done.stderr


@pytest.mark.parametrize(('module', 'status'), MODULES.items())
def test_wsgi_module_has_an_application(site, call, module, status):
    key = 'auth_encryption_key = a key of these tests, 32 letters\n'
    flavor = '[paste_deploy]\nflavor = noauth\n'
    command = [sys.executable, '-c', MODULE_REQUEST, module]
    done = call(*command, options=f'{key}{flavor}', path=site)
    assert done.stdout.splitlines()[-1:] == [f'status {status} False'], done.stderr


def install_heat(folder):
    """Install a package with the name and the entry points of Heat 27."""
    info = folder / 'openstack_heat-27.0.1.dist-info'
    info.mkdir(parents=True)
    (info / 'METADATA').write_text('Metadata-Version: 2.1\nName: openstack-heat\nVersion: 27.0.1\n')
    (info / 'entry_points.txt').write_text(
        '[console_scripts]\nheat-manage = heat.names:main\n'
        '[wsgi_scripts]\nheat-wsgi-api = heat.names:application\n'
        '[oslo.policy.policies]\nheat = heat.names:rules\n'
        '[oslo.policy.enforcer]\nheat = heat.names:main\n'
    )
    (folder / 'heat').mkdir()
    (folder / 'heat' / '__init__.py').touch()
    (folder / 'heat' / 'names.py').write_text(
        'from oslo_policy import policy\n'
        'def main():\n    print("Heat itself")\n'
        'def application():\n    return "the application of Heat"\n'
        'def rules():\n    return [policy.RuleDefault("of:heat", "@")]\n'
    )
    return folder


def test_beside_heat_the_commands_are_those_of_heat(prefix, site, call, tmp_path):
    path = f'{site}:{install_heat(tmp_path / "site")}'
    done = call(prefix / 'bin' / 'heat-manage', 'db_version', path=path)
    assert (done.returncode, done.stdout) == (0, 'Heat itself\n'), done.stderr
    done = call(prefix / 'bin' / 'heat-api', path=path)
    assert done.returncode == 1 and 'OpenStack Heat is installed' in done.stderr


def test_beside_heat_the_module_and_the_tools_are_those_of_heat(site, call, tmp_path):
    heat = install_heat(tmp_path / 'site')
    # as after an installation into the same folder
    shutil.copytree(site / 'heat' / 'wsgi', heat / 'heat' / 'wsgi')
    done = call(
        sys.executable, '-c', 'from heat.wsgi import api; print(api.application)', path=heat
    )
    assert done.stdout == 'the application of Heat\n', done.stderr
    sample = [TOOLS / 'oslopolicy-sample-generator', '--namespace', 'heat']
    for path in (f'{site}:{heat}', f'{heat}:{site}'):
        done = call(*sample, path=path)
        assert done.stdout.strip() == '#"of:heat": "@"', done.stderr
    done = call(TOOLS / 'oslo-config-generator', '--namespace', 'heat.common.config', path=path)
    assert '#max_resources_per_stack' not in done.stdout


@pytest.fixture(scope='module')
def listed(site):
    """The options in the sample file of the namespaces of Heat, as (namespace, group, name)."""
    config = ROOT / 'etc' / 'heat' / 'heat-config-generator.conf'
    names = re.findall(r'^namespace = (heat\..+)$', config.read_text(), re.M)
    command = [TOOLS / 'oslo-config-generator', *(f'--namespace={name}' for name in names)]
    env = {**os.environ, 'PYTHONPATH': f'{ROOT}:{site}', 'PYTHONWARNINGS': 'ignore'}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=env)
    assert done.returncode == 0 and not done.stderr, done.stderr
    found, namespace, group = [], '', ''
    for line in done.stdout.splitlines():
        if start := re.fullmatch(r'\[(.+)\]', line):
            group = start[1]
        elif start := re.fullmatch('# From (.+)', line):
            namespace = start[1]
        elif start := re.match(r'#(\w+) =', line):
            found.append((namespace, group, start[1]))
    return found


def test_namespaces_of_heat_list_each_option_once(listed):
    ours = {(group, opt.dest) for group, opts in options.list_opts() for opt in opts}
    found = [(group, name) for _, group, name in listed]
    assert ours <= set(found) and ('database', 'connection') in found
    assert len(found) == len(set(found))


@pytest.mark.parametrize(
    'place',
    [
        ('heat.api.aws.ec2token', 'ec2authtoken', 'auth_url'),
        ('heat.common.cache', 'resource_finder_cache', 'caching'),
        ('heat.common.config', 'DEFAULT', 'max_resources_per_stack'),
        ('heat.common.config', 'clients_nova', 'endpoint_type'),
        ('heat.common.context', 'trustee', 'username'),
        ('heat.common.crypt', 'DEFAULT', 'auth_encryption_key'),
        ('heat.common.wsgi', 'DEFAULT', 'max_json_body_size'),
        ('heat.engine.clients', 'DEFAULT', 'cloud_backend'),
        (
            'heat.engine.clients.os.keystone.heat_keystoneclient',
            'DEFAULT',
            'keystone_backend',
        ),
        ('heat.engine.hot.functions', 'yaql', 'limit_iterators'),
        ('heat.engine.notification', 'DEFAULT', 'default_publisher_id'),
        ('heat.engine.resources', 'DEFAULT', 'loadbalancer_template'),
    ],
    ids='.'.join,
)
def test_option_is_in_the_namespace_where_heat_has_it(listed, place):
    assert place in listed


def test_validator_accepts_what_deployment_tools_write(site, call, tmp_path):
    groups = {
        'DEFAULT': 'transport_url region_name_for_services server_keystone_endpoint_type '
        'log_config_append use_journal fatal_deprecations host trusts_delegated_roles',
        'database': 'connection connection_recycle_time max_pool_size max_overflow max_retries '
        'mysql_wsrep_sync_wait db_max_retries',
        'keystone_authtoken': 'auth_type memcache_security_strategy service_token_roles username',
        'trustee': 'auth_type auth_url username password user_domain_id',
        'ec2authtoken': 'auth_type auth_url insecure valid_interfaces region_name',
        'cache': 'enabled backend memcache_servers',
        'clients_keystone': 'auth_uri endpoint_type',
        'oslo_concurrency': 'lock_path',
        'oslo_messaging_notifications': 'driver topics transport_url',
        'oslo_messaging_rabbit': 'use_queue_manager rabbit_quorum_queue rabbit_stream_fanout '
        'rabbit_transient_quorum_queue rabbit_qos_prefetch_count processname',
        'oslo_middleware': 'enable_proxy_headers_parsing',
        'oslo_policy': 'policy_file',
        'paste_deploy': 'api_paste_config',
        'profiler': 'enabled hmac_keys trace_sqlalchemy connection_string',
        'volumes': 'backups_enabled',
    }
    lines = [
        line
        for group, names in groups.items()
        for line in (f'[{group}]', *(f'{name} = 1' for name in names.split()))
    ]
    file = tmp_path / 'deployed.conf'
    file.write_text('\n'.join(lines))
    config = ROOT / 'etc' / 'heat' / 'heat-config-generator.conf'
    command = [TOOLS / 'oslo-config-validator', '--config-file', config, '--input-file', file]
    done = call(*command, path=site)
    assert (done.returncode, 'ERROR' in done.stderr) == (0, False), done.stderr
    file.write_text('\n'.join([*lines, 'of_nobody = 1']))
    done = call(*command, path=site)
    assert done.returncode == 1 and 'volumes/of_nobody is not part' in done.stderr


def test_policy_tools_read_the_rules_and_the_configuration_of_heat(site, call, tmp_path):
    rule = 'stacks:index'
    file = tmp_path / '.heat' / 'policy.yaml'
    file.write_text(f'"{rule}": "role:observer"\n"actions:action": "!"\n')
    policy = '[oslo_policy]\npolicy_file = policy.yaml\n'

    def run(tool):
        done = call(TOOLS / tool, '--namespace', 'heat', options=policy, path=site)
        return done.returncode, yaml.safe_load(done.stdout), done.stderr

    status, merged, _ = run('oslopolicy-policy-generator')
    assert (status, merged[rule]) == (0, 'role:observer')
    assert set(merged) == {each.name for each in rules.list_rules()}
    assert run('oslopolicy-sample-generator')[0] == 0
    assert run('oslopolicy-list-redundant') == (0, None, '')
    assert run('oslopolicy-validator') == (0, None, '')
    file.write_text('{}\n')
    assert run('oslopolicy-validator') == (0, None, '')
    file.write_text(f'"stacks:of_nobody": "@"\n"{rule}": "rule:deny_everybody"\n')
    status, found, _ = run('oslopolicy-validator')
    assert (status, found) == (1, {'Unknown rule found in policy file': 'stacks:of_nobody'})


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
