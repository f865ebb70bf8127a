"""The role heat of kolla-ansible and the scripts of Kolla's images, as they are on PyPI."""

import json
import re
import subprocess
import urllib.parse

import pytest

from tests import brokers, databases
from tests.deployers import cloud, container, kolla, upstream
from tests.timeouts import WAIT_SECONDS

# one worker, since all tests share the services
pytestmark = pytest.mark.xdist_group('kolla')


keystone = pytest.fixture(scope='module')(cloud.keystone)


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp('kolla')


@pytest.fixture(scope='module')
def services(folder, keystone):
    """What the role knows of each service."""
    port = str(urllib.parse.urlsplit(keystone.url).port)
    with (
        databases.empty('mysql', folder) as database,
        brokers.virtual_host_or_skip() as transport,
    ):
        yield kolla.render(folder, database, transport, port)


@pytest.fixture(scope='module')
def made(tmp_path_factory):
    with container.new(tmp_path_factory.mktemp('container')) as made:
        yield made


@pytest.fixture(scope='module')
def processes(made, folder, services):
    """The running services: their processes by name."""
    return kolla.start(made, folder, services, ('heat-manage', 'db_sync'))


@pytest.mark.parametrize('name', kolla.SERVICES)
def test_health_check_of_the_container_succeeds(processes, made, services, name):
    kolla.assert_healthy(made, services[name])


def test_stack_is_created_through_the_rendered_services(processes, services, keystone):
    port = services['heat-api']['haproxy']['heat_api']['port']
    cloud.assert_creates_stacks(port, keystone)


@pytest.mark.parametrize('job', ('service clean', 'purge_deleted -g minutes 60'))
def test_cron_job_succeeds(processes, made, job):
    made.run('heat-manage', *job.split())


#: an option of the role that oslo.messaging has no longer
COMPLAINT = 'oslo_messaging_rabbit/heartbeat_in_pthread is not part of the sample config'


@pytest.mark.parametrize('name', kolla.SERVICES)
def test_validator_of_the_role_knows_the_options_of_heat(processes, made, folder, name):
    """The command is that of the role service-config-validate."""
    files = ('--config-file', '/heat/etc/heat/heat-config-generator.conf')
    command = made.command('oslo-config-validator', *files)
    command += ['--input-file', folder / name / 'heat.conf']
    ended = subprocess.run(command, capture_output=True, text=True)
    errors = [line for line in ended.stderr.splitlines() if line.startswith('ERROR')]
    assert errors == [f'ERROR:oslo_config.validator:{COMPLAINT}'], ended.stderr


@pytest.mark.parametrize('name', kolla.SERVICES)
def test_service_ends_by_the_signal_of_a_stop_and_starts_again(
    processes, made, folder, services, name
):
    command = json.loads((folder / name / 'config.json').read_text())['command']
    made.run('pkill', '--oldest', '--full', command)
    assert processes[name].wait(WAIT_SECONDS) == 0
    processes[name] = kolla.start_service(made, folder, services, name)


def test_fluentd_of_the_role_reads_each_line_of_the_logs(processes, made):
    source = upstream.kolla_ansible() / 'roles/fluentd/templates/conf/input/00-global.conf.j2'
    expressions = re.findall(r'^ *format\w+ /(.*)/$', source.read_text(), re.MULTILINE)
    first, whole = (re.compile(each.replace('(?<', '(?P<')) for each in expressions)
    found = {}
    for name in kolla.SERVICES:
        for line in made.run('cat', f'/var/log/kolla/heat/{name}.log').splitlines():
            assert first.match(line), line
            record = whole.match(line).groupdict()
            found.setdefault(record['python_module'], []).append(record)
    ready = [each['Payload'] for each in found['heat_lite.engine.service']]
    assert any('is ready' in each for each in ready)
