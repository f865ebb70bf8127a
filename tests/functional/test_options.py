"""Options of the operator that change what resources do."""

import types

import pytest

from heat_lite.common import exception, urlfetch
from heat_lite.resources.base import config_transports
from heat_lite.resources.openstack.nova.server.interfaces import ServerInterfaces
from tests import databases, engines
from tests.functional.clouds import ids, running_cloud  # noqa: F401 - fixtures

OPTIONS = """
[DEFAULT]
server_keystone_endpoint_type = internal
max_interface_check_attempts = 3
metadata_put_timeout = 7.5
max_template_size = 4321
template_fetch_timeout = 1.5
[volumes]
backups_enabled = false
"""


@pytest.fixture(scope='module')
def driver(running_cloud, tmp_path_factory):  # noqa: F811
    folder = tmp_path_factory.mktemp('engine')
    (folder / 'heat.conf').write_text(running_cloud.configuration() + OPTIONS)
    with (
        databases.migrated('sqlite', folder) as url,
        engines.running(url, files=[folder / 'heat.conf'], action_retry_limit=0) as found,
    ):
        yield found


@pytest.fixture
def volume():
    return {'type': 'OS::Cinder::Volume', 'properties': {'size': 1}}


@pytest.mark.parametrize('kind', ['OS::Cinder::Volume', 'AWS::EC2::Volume'])
def test_snapshot_policy_without_backups_is_refused(driver, ids, kind):  # noqa: F811
    values = {'size': 1} if kind.startswith('OS') else {'Size': '1', 'AvailabilityZone': 'nova'}
    resource = {'type': kind, 'deletion_policy': 'Snapshot', 'properties': values}
    with pytest.raises(
        exception.StackValidationFailed, match='"Snapshot" deletion policy not supported'
    ):
        driver.create({'resources': {'disk': resource}})


def test_snapshot_of_a_volume_without_backups_fails(driver, ids, volume):  # noqa: F811
    stack = driver.create({'resources': {'disk': volume}})
    driver.client.stack_snapshot(driver.context, stack_identity=stack, name='s')
    driver.wait(stack)
    assert driver.state(stack) == 'SNAPSHOT_FAILED'
    assert 'backups_enabled' in driver.stack(stack)['stack_status_reason']
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE'


def test_servers_get_the_keystone_of_the_configured_interface(driver, ids, running_cloud):  # noqa: F811
    catalog = running_cloud.identity.tokens[running_cloud.token]['catalog']
    endpoints = next(entry['endpoints'] for entry in catalog if entry['type'] == 'identity')
    wanted = next(each['url'] for each in endpoints if each['interface'] == 'internal')
    properties = {'software_config_transport': 'POLL_SERVER_HEAT'}
    template = {
        'resources': {'s': {'type': 'OS::Heat::DeployedServer', 'properties': properties}},
        'outputs': {'o': {'value': {'get_attr': ['s', 'os_collect_config']}}},
    }
    stack = driver.create(template)
    found = driver.outputs(stack)['o']['heat']['auth_url']
    assert found == f'{wanted.removesuffix("/v3")}/v3/' != f'{running_cloud.auth_url}/'
    driver.delete(stack)


def test_interface_is_checked_as_often_as_configured(driver):
    """The server is one whose service never detaches."""
    listed = []

    def call_with_retry(call, *arguments):
        listed.append(arguments)
        return [{'port_id': 'p'}]
        yield

    def delete_path(path):
        return True
        yield

    server = types.SimpleNamespace(
        stack=types.SimpleNamespace(limits=driver.service.runtime.limits),
        resource_id='server-id',
        object_path=lambda: '/servers/server-id',
        client=lambda: types.SimpleNamespace(list=None),
        call_with_retry=call_with_retry,
        delete_path=delete_path,
    )
    pauses = []
    with pytest.raises(exception.Error, match='Failed to detach interface'):
        pauses.extend(ServerInterfaces(server).detach('p'))
    assert len(listed) == 3


def test_metadata_is_put_with_the_configured_timeout(driver):
    sent = []
    swift = types.SimpleNamespace(put_object=lambda *where, **how: sent.append((where, how)))
    resource = types.SimpleNamespace(
        stack=types.SimpleNamespace(limits=driver.service.runtime.limits),
        data=lambda: {config_transports.CONTAINER: 'c', config_transports.NAME: 'n'},
        client=lambda name: swift,
    )
    config_transports.TempUrl(resource).publish({'a': 1})
    assert sent == [(('c', 'n', '{"a": 1}'), {'timeout': 7.5})]


def test_engine_fetches_templates_within_the_configured_limits(driver):
    assert urlfetch._limits == (4321, 1.5)
