"""The role heat of kolla-ansible, rendered and run with the scripts of Kolla's images.

Both are as they are on PyPI.
"""

import json
import os
import pathlib
import subprocess
import sys
import urllib.parse

from sqlalchemy.engine import make_url

from tests import ports
from tests.deployers import cloud, upstream
from tests.deployers.container import ROOT

SERVICES = ('heat-engine', 'heat-api', 'heat-api-cfn')
SCRIPTS = {
    'base/set_configs.py': 'kolla_set_configs',
    'base/healthcheck_curl': 'healthcheck_curl',
    'base/healthcheck_port': 'healthcheck_port',
    'heat/heat-api/extend_start.sh': 'kolla_heat_extend_start',
}
#: where Kolla's containers have what was rendered
FILES = '/var/lib/kolla/config_files'


def render(folder, database, transport, keystone_port, **values):
    """Write what the role writes into a folder: one folder for each service, and services.json.

    ``values`` are added to what an operator writes into globals.yml and passwords.yml.
    """
    made = _options(folder, make_url(database), urllib.parse.urlsplit(transport), keystone_port)
    (folder / 'vars.json').write_text(json.dumps(made | values))
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
    command += ['--inventory', ansible / 'inventory/all-in-one']
    command += ['--extra-vars', f'@{folder}/vars.json']
    command.append(pathlib.Path(__file__).with_name('kolla.yml'))
    ended = subprocess.run(command, env=environ, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout[-3000:] + ended.stderr[-1000:]
    return json.loads((folder / 'services.json').read_text())


def _options(folder, database, broker, keystone_port):
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
        'openstack_service_workers': '2',
        'keystone_internal_port': keystone_port,
        'keystone_public_port': keystone_port,
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


def start(made, folder, services, bootstrap):
    """Run a command in a container, then start the services. Return the process of each."""
    _prepare(made)
    _set_configs(made, folder / SERVICES[0])
    made.run(*bootstrap)
    return {name: start_service(made, folder, services, name) for name in SERVICES}


def start_service(made, folder, services, name):
    """Start a service with its own files, and wait until it is healthy. Return its process."""
    _set_configs(made, folder / name)
    process = made.start('sh', '-c', 'exec $(cat /run_command)')
    # its files are read before those of the next service overwrite them
    assert_healthy(made, services[name])
    return process


def _set_configs(made, source):
    made.run('rm', '-rf', FILES)
    made.run('cp', '-r', source, FILES)
    made.run('env', 'KOLLA_CONFIG_STRATEGY=COPY_ALWAYS', 'kolla_set_configs')


def _prepare(made):
    """Do what the builds of Kolla's images do."""
    made.install_as_heat()
    made.run('ln', '-s', ROOT, '/heat')
    audit_map = f'{sys.prefix}/etc/pycadf/heat_api_audit_map.conf'
    made.run('sh', '-c', f'cp -r /heat/etc/heat/* {audit_map} /etc/heat/')
    for group in ('kolla', 'fluentd'):
        made.run('groupadd', group)
    made.run('useradd', '-M', '-g', 'fluentd', 'fluentd')
    made.run('mkdir', '-p', '/var/lib/kolla', '/var/log/kolla/heat')
    for source, name in SCRIPTS.items():
        path = upstream.file(f'docker/{source}')
        made.run('install', '-m', '755', path, f'/usr/local/bin/{name}')


def assert_healthy(made, service):
    """Wait until the health check of the service succeeds."""
    kind, command = service['healthcheck']['test']
    assert kind == 'CMD-SHELL'
    cloud.retry(lambda: made.run('sh', '-c', command))
