"""What the operator says about servers counts where a template says nothing."""

import time

import pytest

from heat_lite.common import exception
from tests import databases, engines
from tests.waiting import PATIENCE

CONFIG = {'type': 'OS::Heat::SoftwareConfig', 'properties': {'config': 'x'}}


@pytest.fixture(scope='module')
def engine(tmp_path_factory):
    ways = {'default_deployment_signal_transport': 'HEAT_SIGNAL', 'default_software_config_transport': 'POLL_TEMP_URL'}
    with databases.migrated('sqlite', tmp_path_factory.mktemp('db')) as url, engines.running(url, **ways) as driver:
        yield driver


@pytest.mark.parametrize(('said', 'way'), [({}, 'HEAT_SIGNAL'), ({'signal_transport': 'CFN_SIGNAL'}, 'CFN_SIGNAL')])
def test_the_way_of_a_deployment(engine, said, way):
    server = f'server-{way}'
    deployment = {'config': {'get_resource': 'c'}, 'server': server, **said}
    group = {'config': {'get_resource': 'c'}, 'servers': {'a': f'{server}-a'}, **said}
    resources = {
        'c': CONFIG,
        'd': {'type': 'OS::Heat::SoftwareDeployment', 'properties': deployment},
        'g': {'type': 'OS::Heat::SoftwareDeploymentGroup', 'properties': group},
    }
    stack = engine.create({'resources': resources}, wait=False)
    for name in (server, f'{server}-a'):
        end = time.monotonic() + PATIENCE
        while not (listed := engine.client.metadata_software_deployments(engine.context, server_id=name)):
            assert time.monotonic() < end
            time.sleep(0.01)
        assert {each['name']: each['value'] for each in listed[0]['inputs']}['deploy_signal_transport'] == way
    engine.delete(stack)


def test_the_way_to_a_server(engine):
    with pytest.raises(exception.StackValidationFailed, match='POLL_TEMP_URL needs the object storage service: there is no Keystone'):
        engine.create({'resources': {'s': {'type': 'OS::Heat::DeployedServer'}}})
    properties = {'software_config_transport': 'POLL_SERVER_HEAT'}
    stack = engine.create({'resources': {'s': {'type': 'OS::Heat::DeployedServer', 'properties': properties}}})
    assert engine.state(stack) == 'CREATE_COMPLETE'
    engine.delete(stack)
