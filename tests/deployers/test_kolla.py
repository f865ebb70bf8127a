"""The role heat of kolla-ansible and the scripts of Kolla's images, as they are on PyPI."""

import json
import os
import pathlib
import subprocess
import urllib.parse

import pytest
from sqlalchemy.engine import make_url

from tests import brokers, databases, ports
from tests.deployers import cloud, container, upstream

# one worker, since all tests share the services
pytestmark = pytest.mark.xdist_group('kolla')

SERVICES = ('heat-engine', 'heat-api', 'heat-api-cfn')
SCRIPTS = {
    'set_configs.py': 'kolla_set_configs',
    'healthcheck_curl': 'healthcheck_curl',
    'healthcheck_port': 'healthcheck_port',
}
#: where Kolla's containers have what was rendered
FILES = '/var/lib/kolla/config_files'


keystone = pytest.fixture(scope='module')(cloud.keystone)


@pytest.fixture(scope='module')
def rendered(tmp_path_factory, keystone):
    """The folder with what the role writes, one folder for each service, and services.json."""
    folder = tmp_path_factory.mktemp('kolla')
    with (
        databases.empty('mysql', folder) as database,
        brokers.virtual_host_or_skip() as transport,
    ):
        values = options(folder, make_url(database), urllib.parse.urlsplit(transport), keystone)
        (folder / 'vars.json').write_text(json.dumps(values))
        render(folder / 'vars.json')
        yield folder


def options(folder, database, broker, keystone):
    """Return what an operator writes into globals.yml and passwords.yml."""
    identity_port = str(urllib.parse.urlsplit(keystone.url).port)
    return {
        'kolla': str(upstream.kolla_ansible()),
        'CONFIG_DIR': str(folder / 'custom'),
        'node_config_directory': str(folder),
        'ansible_become': False,
        'ansible_python_interpreter': str(upstream.environment() / 'bin/python'),
        'kolla_base_distro': 'debian',
        'network_interface': 'lo',
        'kolla_internal_vip_address': '127.0.0.1',
        # else it asks a filter of a collection that is not on PyPI
        'kolla_same_external_internal_vip': True,
        'openstack_service_workers': '1',
        'keystone_internal_port': identity_port,
        'keystone_public_port': identity_port,
        'heat_api_port': str(ports.reserve()),
        'heat_api_cfn_port': str(ports.reserve()),
        'heat_keystone_password': cloud.PASSWORD,
        'heat_domain_admin_password': cloud.PASSWORD,
        'heat_database_user': database.username,
        'heat_database_password': database.password or '',
        'heat_database_name': database.database,
        'database_address': database.host,
        'database_port': str(database.port or 3306),
        'rabbitmq_user': broker.username,
        'rabbitmq_password': broker.password,
        'rabbitmq_port': str(broker.port),
        'om_rpc_vhost': broker.path.strip('/'),
        'memcached_port': str(ports.reserve()),
        'memcache_secret_key': cloud.PASSWORD,
    }


def render(values):
    ansible = upstream.kolla_ansible()
    environ = {
        **os.environ,
        'ANSIBLE_ACTION_PLUGINS': ansible / 'action_plugins',
        'ANSIBLE_FILTER_PLUGINS': ansible / 'filter_plugins',
        'ANSIBLE_LIBRARY': ansible / 'library',
        'ANSIBLE_ROLES_PATH': ansible / 'roles',
        'ANSIBLE_LOCALHOST_WARNING': 'False',
        'LC_ALL': 'C.UTF-8',
    }
    command = [upstream.environment() / 'bin/ansible-playbook', '--limit', 'localhost']
    command += ['--inventory', ansible / 'inventory/all-in-one', '--extra-vars', f'@{values}']
    command.append(pathlib.Path(__file__).with_name('kolla.yml'))
    ended = subprocess.run(command, env=environ, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout[-3000:] + ended.stderr[-1000:]


@pytest.fixture(scope='module')
def running(rendered, services, tmp_path_factory):
    """A container in which the services run, each started with its own files."""
    with container.new(tmp_path_factory.mktemp('container')) as made:
        prepare(made)
        for name in SERVICES:
            made.run('rm', '-rf', FILES)
            made.run('cp', '-r', rendered / name, FILES)
            made.run('env', 'KOLLA_CONFIG_STRATEGY=COPY_ALWAYS', 'kolla_set_configs')
            if name == SERVICES[0]:
                made.run('heat-manage', 'db_sync')
            made.start('sh', '-c', 'exec $(cat /run_command)')
            # its files are read before the next service overwrites them
            assert_healthy(made, services[name])
        yield made


def prepare(made):
    """Do what the builds of Kolla's images do."""
    made.install_as_heat()
    for group in ('kolla', 'fluentd'):
        made.run('groupadd', group)
    made.run('useradd', '-M', '-g', 'fluentd', 'fluentd')
    made.run('mkdir', '-p', '/var/lib/kolla', '/var/log/kolla/heat')
    for source, name in SCRIPTS.items():
        path = upstream.file(f'docker/base/{source}')
        made.run('install', '-m', '755', path, f'/usr/local/bin/{name}')


def assert_healthy(made, service):
    """Wait until the health check of the service succeeds."""
    kind, command = service['healthcheck']['test']
    assert kind == 'CMD-SHELL'
    cloud.retry(lambda: made.run('sh', '-c', command))


@pytest.fixture(scope='module')
def services(rendered):
    return json.loads((rendered / 'services.json').read_text())


@pytest.mark.parametrize('name', SERVICES)
def test_health_check_of_the_container_succeeds(running, services, name):
    assert_healthy(running, services[name])


def test_stack_is_created_through_the_rendered_services(running, services, keystone):
    port = services['heat-api']['haproxy']['heat_api']['port']
    cloud.assert_creates_stacks(port, keystone)


@pytest.mark.parametrize('job', ('service clean', 'purge_deleted -g minutes 60'))
def test_cron_job_succeeds(running, job):
    running.run('heat-manage', *job.split())
