"""Resources with ``external_id``: the object must exist when a stack is created."""

import pytest

from heat_lite.common import exception
from tests.functional.clouds import driver, ids, running_cloud  # noqa: F401 - fixtures

# ruff: noqa: F811 - fixtures are arguments
MISSING = [
    'OS::Cinder::Volume',
    'OS::Glance::WebImage',
    'OS::Heat::SoftwareConfig',
    'OS::Neutron::Net',
    'OS::Nova::Server',
    'OS::Octavia::LoadBalancer',
    'OS::Swift::Container',
]


def external(type_name, object_id, **more):
    return {'resources': {'one': {'type': type_name, 'external_id': object_id}}, **more}


@pytest.mark.parametrize('name', MISSING)
def test_stack_with_a_missing_external_object_is_refused(name, running_cloud, driver, ids):
    with pytest.raises(exception.StackValidationFailed) as caught:
        driver.create(external(name, 'absent'))
    text = f'Invalid external resource: Resource absent ({name}) can not be found.'
    assert str(caught.value) == text


@pytest.mark.parametrize('found', ['../networks/x', '%2e%2e', '/', 'x?y=z', ['x']])
def test_external_id_that_leads_elsewhere_is_refused(found, running_cloud, driver, ids):
    kind = 'json' if isinstance(found, list) else 'string'
    parameters = {'found': {'type': kind, 'default': found}}
    template = external('OS::Neutron::Net', {'get_param': 'found'}, parameters=parameters)
    with pytest.raises(exception.StackValidationFailed, match='is no id of an object'):
        driver.create(template)


def test_missing_external_object_of_a_parameter_is_refused(running_cloud, driver, ids):
    parameters = {'net': {'type': 'string', 'default': 'absent'}}
    template = external('OS::Neutron::Net', {'get_param': 'net'}, parameters=parameters)
    with pytest.raises(exception.StackValidationFailed, match='Resource absent'):
        driver.create(template)


@pytest.mark.parametrize('name', ['OS::Heat::RandomString', 'OS::Cinder::VolumeAttachment'])
def test_external_object_of_a_type_that_cannot_tell_is_accepted(name, running_cloud, driver, ids):
    stack = driver.create(external(name, 'any'))
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']


def test_empty_external_id_fails_the_resource(running_cloud, driver, ids):
    stack = driver.create(external('OS::Heat::RandomString', ''))
    reason = driver.stack(stack)['stack_status_reason']
    assert reason.endswith('resources.one: Resource ID was not provided.')


def test_external_id_that_is_null_creates_the_object(running_cloud, driver, ids):
    template = external('OS::Neutron::Net', {'if': [{'equals': [1, 2]}, 'absent', None]})
    stack = driver.create(template)
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert driver.physical_id(stack, 'one') not in (None, 'absent')


def drift(driver, stack):
    return driver.client.stack_drift(driver.context, stack_identity=stack)


def test_external_object_that_is_gone_drifts_and_refuses_the_update(running_cloud, driver, ids):
    net = driver.create({'resources': {'net': {'type': 'OS::Neutron::Net'}}}, name='owner')
    template = external('OS::Neutron::Net', driver.physical_id(net, 'net'))
    stack = driver.create(template)
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert drift(driver, stack) == {'checked': 1, 'resources': [], 'unchecked': []}
    driver.delete(net)
    [missing] = drift(driver, stack)['resources']
    assert (missing['path'], missing['status']) == ('one', 'missing')
    template['resources']['more'] = {'type': 'OS::Heat::RandomString'}
    with pytest.raises(exception.StackValidationFailed, match='can not be found'):
        driver.update(stack, template)
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE'


def test_external_id_that_is_a_number_is_its_text(running_cloud, driver, ids):
    parameters = {'id': {'type': 'number', 'default': 5}}
    outputs = {'ref': {'value': {'get_resource': 'one'}}}
    more = {'parameters': parameters, 'outputs': outputs}
    template = external('OS::Heat::RandomString', {'get_param': 'id'}, **more)
    stack = driver.create(template)
    assert driver.physical_id(stack, 'one') == '5'
    driver.update(stack, {**template, 'description': 'changed'})
    assert driver.state(stack) == 'UPDATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert driver.stack(stack)['outputs'][0]['output_value'] == '5'
