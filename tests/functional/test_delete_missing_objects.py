"""Deletes of resources whose objects are gone already: such a delete never fails."""

import pytest

from heat_lite.db import models, session
from tests import samples
from tests.functional.clouds import driver, ids, running_cloud  # noqa: F401 - fixtures
from tests.functional.test_cloud_types import REGISTRY, TYPES, one_resource

# ruff: noqa: F811 - fixtures are arguments


@pytest.mark.parametrize('everything', [False, True], ids=['own', 'all'])
@pytest.mark.parametrize('name', TYPES)
def test_resource_whose_objects_are_gone_is_deleted(name, everything, running_cloud, driver, ids):
    before = set(running_cloud.cloud.objects)
    values = samples.properties(REGISTRY.get(name), ids)
    stack = driver.create(one_resource(name, values), name=name.rpartition(':')[2])
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    for key in set(running_cloud.cloud.objects) - (set() if everything else before):
        del running_cloud.cloud.objects[key]
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE', driver.stack(stack)['stack_status_reason']


@pytest.mark.parametrize('name', [None, 'chosen'])
def test_object_of_a_create_that_was_not_recorded_is_deleted(name, running_cloud, driver, ids):
    before = set(running_cloud.cloud.objects)
    stack = driver.create(one_resource('OS::Neutron::Net', {'name': name} if name else {}))
    assert set(running_cloud.cloud.objects) != before
    # as an engine leaves it that dies before it has the answer to the create
    unknown = {'nova_instance': None, 'rsrc_prop_data_id': None, 'status': 'IN_PROGRESS'}
    with session.engine().begin() as connection:
        row = models.resource.c.stack_id == stack['stack_id']
        connection.execute(models.resource.update().where(row).values(unknown))
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert set(running_cloud.cloud.objects) == before


def test_workflow_of_the_delete_is_gone(running_cloud, driver, ids):
    values = {'actions': {name: {'workflow': 'a workflows'} for name in ('CREATE', 'DELETE')}}
    stack = driver.create(one_resource('OS::Mistral::ExternalResource', values))
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    for key in [
        key for key in running_cloud.cloud.objects if key[:2] == ('workflow', '/workflows')
    ]:
        del running_cloud.cloud.objects[key]
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE', driver.stack(stack)['stack_status_reason']


@pytest.mark.parametrize(
    ('name', 'method', 'path'),
    [
        ('OS::Zaqar::Queue', 'PUT', '/queues/'),
        ('OS::Swift::Container', 'PUT', '/'),
        ('AWS::EC2::EIP', 'POST', '/floatingips'),
    ],
)
def test_check_of_what_was_never_created_says_so(name, method, path, running_cloud, driver, ids):
    running_cloud.cloud.fail(method, path, 400, times=9)
    values = samples.properties(REGISTRY.get(name), ids)
    stack = driver.create(one_resource(name, values))
    assert driver.state(stack) == 'CREATE_FAILED'
    driver.client.stack_check(driver.context, stack_identity=stack)
    driver.wait(stack)
    reason = driver.stack(stack)['stack_status_reason']
    assert driver.state(stack) == 'CHECK_FAILED' and 'the object was never created' in reason
