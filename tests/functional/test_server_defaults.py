"""The operator's defaults for transports of servers and deployments."""

import time

import pytest

from heat_lite.common import exception
from tests import databases, engines
from tests.timeouts import WAIT_SECONDS

CONFIG = {'type': 'OS::Heat::SoftwareConfig', 'properties': {'config': 'x'}}


@pytest.fixture(scope='module')
def engine(tmp_path_factory):
    settings = {
        'default_deployment_signal_transport': 'HEAT_SIGNAL',
        'default_software_config_transport': 'POLL_TEMP_URL',
    }
    with (
        databases.migrated('sqlite', tmp_path_factory.mktemp('db')) as url,
        engines.running(url, **settings) as driver,
    ):
        yield driver


@pytest.mark.parametrize(
    ('properties', 'transport'),
    [({}, 'HEAT_SIGNAL'), ({'signal_transport': 'CFN_SIGNAL'}, 'CFN_SIGNAL')],
)
def test_deployment_without_transport_uses_the_default(engine, properties, transport):
    server = f'server-{transport}'
    deployment = {'config': {'get_resource': 'c'}, 'server': server, **properties}
    group = {'config': {'get_resource': 'c'}, 'servers': {'a': f'{server}-a'}, **properties}
    resources = {
        'c': CONFIG,
        'd': {'type': 'OS::Heat::SoftwareDeployment', 'properties': deployment},
        'g': {'type': 'OS::Heat::SoftwareDeploymentGroup', 'properties': group},
    }
    stack = engine.create({'resources': resources}, wait=False)
    for name in (server, f'{server}-a'):
        end = time.monotonic() + WAIT_SECONDS
        while not (
            listed := engine.client.metadata_software_deployments(engine.context, server_id=name)
        ):
            assert time.monotonic() < end
            time.sleep(0.01)
        assert {each['name']: each['value'] for each in listed[0]['inputs']}[
            'deploy_signal_transport'
        ] == transport
    engine.delete(stack)


def test_server_without_transport_uses_the_default(engine):
    with pytest.raises(
        exception.StackValidationFailed,
        match='POLL_TEMP_URL needs the object storage service: there is no Keystone',
    ):
        engine.create({'resources': {'s': {'type': 'OS::Heat::DeployedServer'}}})
    properties = {'software_config_transport': 'POLL_SERVER_HEAT'}
    stack = engine.create(
        {'resources': {'s': {'type': 'OS::Heat::DeployedServer', 'properties': properties}}}
    )
    assert engine.state(stack) == 'CREATE_COMPLETE'
    engine.delete(stack)
