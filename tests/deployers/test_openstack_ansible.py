"""The templates of OpenStack-Ansible's roles os_heat and uwsgi, rendered from checkouts."""

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
pytestmark = pytest.mark.xdist_group('openstack-ansible')

PLAYBOOK = pathlib.Path(__file__).with_name('openstack_ansible.yml')
APIS = {'heat-api': 'heat_service_port', 'heat-api-cfn': 'heat_cfn_service_port'}

keystone = pytest.fixture(scope='module')(cloud.keystone)


@pytest.fixture(scope='module')
def values(tmp_path_factory, keystone):
    """What a site sets; ``folder`` is where the playbook has rendered all."""
    checkouts = upstream.checkout('openstack-ansible-os_heat').parent
    upstream.checkout('ansible-role-uwsgi')
    folder = tmp_path_factory.mktemp('openstack-ansible')
    with (
        databases.empty('mysql', folder) as database,
        brokers.virtual_host_or_skip() as transport,
    ):
        made = values_of_site(make_url(database), urllib.parse.urlsplit(transport), keystone)
        made |= {'folder': str(folder), 'checkouts': str(checkouts)}
        (folder / 'values.json').write_text(json.dumps(made))
        (folder / 'hosts').write_text('\n'.join(f'[{each}]\nlocalhost' for each in GROUPS))
        command = [upstream.environment() / 'bin/ansible-playbook', PLAYBOOK]
        command += ['--inventory', folder / 'hosts', '--extra-vars', f'@{folder}/values.json']
        environ = {**os.environ, 'LC_ALL': 'C.UTF-8'}
        ended = subprocess.run(command, capture_output=True, text=True, env=environ)
        assert ended.returncode == 0, ended.stdout[-3000:] + ended.stderr[-1000:]
        yield made


GROUPS = ('heat_api', 'heat_api_cfn', 'heat_engine')


def values_of_site(database, broker, keystone):
    names = ('stack_domain_admin', 'service', 'container_mysql', 'oslomsg_rpc')
    return {
        **{f'heat_{name}_password': cloud.PASSWORD for name in names},
        'heat_auth_encryption_key': 'a key of these tests, 32 letters',
        'memcached_encryption_key': cloud.PASSWORD,
        'memcached_servers': '127.0.0.1:1',
        'ansible_python_interpreter': str(upstream.environment() / 'bin/python'),
        'heat_bin': str(container.BIN),
        'heat_engine_workers': 1,
        'heat_wsgi_processes': 1,
        'heat_galera_address': database.host,
        'heat_galera_port': str(database.port or 3306),
        'heat_galera_database': database.database,
        'heat_galera_user': database.username,
        'heat_container_mysql_password': database.password or '',
        'heat_oslomsg_rpc_servers': broker.hostname,
        'heat_oslomsg_rpc_port': broker.port,
        'heat_oslomsg_rpc_userid': broker.username,
        'heat_oslomsg_rpc_password': broker.password,
        'heat_oslomsg_rpc_vhost': broker.path.strip('/'),
        'keystone_service_adminurl': keystone.url,
        'keystone_service_publicuri': keystone.url.removesuffix('/v3'),
        'keystone_service_internaluri': keystone.url.removesuffix('/v3'),
        'keystone_service_internaluri_insecure': False,
        'keystone_service_region': 'RegionOne',
        'internal_lb_vip_address': '127.0.0.1',
        'external_lb_vip_address': '127.0.0.1',
        **{name: ports.reserve() for name in APIS.values()},
    }


@pytest.fixture(scope='module')
def running(values, tmp_path_factory):
    """A container in which the services run, started as the units of the roles start them."""
    folder = pathlib.Path(values['folder'])
    services = json.loads((folder / 'services.json').read_text())
    with container.new(tmp_path_factory.mktemp('container')) as made:
        made.install_as_heat()
        for each in services['files']:  # the role copies and edits them
            made.run('cp', each['target_f'], f'{each["target_f"]}.original')
        # the role installs systemd-python, which has to be compiled, for the journal
        made.run('sh', '-c', f'grep -v use_journal {folder}/heat.conf > /etc/heat/heat.conf')
        made.run('cp', folder / 'policy.yaml', '/etc/heat/policy.yaml')
        made.run('heat-manage', 'db_sync')
        made.start(*services['engine'].split())
        for name in APIS:
            made.run('mkdir', '-p', f'/run/{name}/uwsgi')
            made.start('uwsgi', '--ini', folder / f'{name}.ini')
        yield made


@pytest.mark.parametrize('name', APIS)
def test_health_check_of_the_balancer_succeeds(running, values, name):
    url = f'http://127.0.0.1:{values[APIS[name]]}/healthcheck'
    cloud.retry(lambda: cloud.assert_answers(url, [200]))


def test_stack_is_created_through_the_rendered_services(running, values, keystone):
    port = values[APIS['heat-api']]
    cloud.retry(lambda: cloud.assert_answers(f'http://127.0.0.1:{port}/'))
    cloud.assert_creates_stacks(port, keystone)
