"""A slow, failing or unreachable cloud: requests are retried, and no object is created twice."""

import time

import pytest

from tests.functional.clouds import driver, ids, running_cloud  # noqa: F401 - fixtures
from tests.timeouts import WAIT_SECONDS

# ruff: noqa: F811 - fixtures are arguments

NET = {'resources': {'net': {'type': 'OS::Neutron::Net'}}}
NAMED = {'resources': {'net': {'type': 'OS::Neutron::Net', 'properties': {'name': 'mine'}}}}


def count(running_cloud, before=()):
    return len(running_cloud.cloud.of('network', '/networks')) - len(before)


def complete(driver, stack, action='CREATE'):
    driver.wait(stack)
    assert driver.state(stack) == f'{action}_COMPLETE', driver.stack(stack)['stack_status_reason']


@pytest.mark.parametrize('status', [502, 503, 504])
def test_unavailable_service_is_retried(status, running_cloud, driver, ids):
    before = list(running_cloud.cloud.of('network', '/networks'))
    for method in ('POST', 'GET', 'DELETE'):
        running_cloud.cloud.fail(method, '/networks', status, times=2)
    stack = driver.create(NET)
    complete(driver, stack)
    assert count(running_cloud, before) == 1
    driver.delete(stack)
    complete(driver, stack, 'DELETE')
    assert count(running_cloud, before) == 0


@pytest.fixture
def impatient(driver):
    """The configuration of an engine whose requests to Neutron end after a second."""
    conf = driver.service.runtime.clients.conf
    conf.set_override('timeout', 1, 'clients_neutron')
    yield conf
    conf.clear_override('timeout', 'clients_neutron')


def test_object_of_a_lost_response_is_found(running_cloud, driver, ids, impatient):
    """The client times out, and the service creates the object afterwards."""
    before = list(running_cloud.cloud.of('network', '/networks'))
    running_cloud.cloud.fail('POST', '/networks', None, seconds=2)
    running_cloud.cloud.fail('GET', '/networks', None, seconds=1.6)
    stack = driver.create(NET)
    complete(driver, stack)
    time.sleep(1)
    assert count(running_cloud, before) == 1
    driver.delete(stack)


def test_create_of_a_slow_service_ends_with_the_timeout_of_its_group(
    running_cloud, driver, ids, impatient
):
    for timeout, state in ((1, 'CREATE_FAILED'), (30, 'CREATE_COMPLETE')):
        impatient.set_override('timeout', timeout, 'clients_neutron')
        running_cloud.cloud.fail('POST', '/networks', None, seconds=1.5)
        stack = driver.create(NAMED)
        driver.wait(stack)
        assert driver.state(stack) == state
        driver.delete(stack)


def test_create_with_user_given_name_is_not_retried_after_gateway_timeout(
    running_cloud, driver, ids
):
    """The name does not prove that an object is ours, because users choose it."""
    running_cloud.cloud.fail('POST', '/networks', 504)
    stack = driver.create(NAMED)
    assert driver.state(stack) == 'CREATE_FAILED'
    assert 'neutron 504, POST /networks' in driver.stack(stack)['stack_status_reason']
    driver.delete(stack)


@pytest.mark.parametrize(('times', 'state'), [(2, 'CREATE_COMPLETE'), (100, 'CREATE_FAILED')])
def test_internal_error_of_a_service_is_retried_a_limited_number_of_times(
    times, state, running_cloud, driver, ids
):
    running_cloud.cloud.fail('GET', '/networks/[0-9a-f]', 500, times=times)
    stack = driver.create(NET)
    assert driver.state(stack) == state, driver.stack(stack)['stack_status_reason']
    running_cloud.cloud.faults.clear()
    driver.delete(stack)
    complete(driver, stack, 'DELETE')


def test_resource_waiting_for_a_service_names_it_in_the_status_reason(running_cloud, driver, ids):
    running_cloud.cloud.fail('GET', '/networks/[0-9a-f]', 503, times=1000, message='be right back')
    stack = driver.create(NET, wait=False)

    def status_reasons():
        listed = driver.client.list_stack_resources(driver.context, stack_identity=stack)
        return ''.join(each['resource_status_reason'] for each in listed)

    until = time.monotonic() + WAIT_SECONDS
    while not status_reasons().startswith('waiting for neutron since '):
        assert time.monotonic() < until, status_reasons()
        time.sleep(0.05)
    assert 'be right back (neutron 503, GET /networks/' in status_reasons()
    assert driver.resource(stack, 'net')['resource_status'] == 'IN_PROGRESS'
    running_cloud.cloud.faults.clear()
    complete(driver, stack)
    assert status_reasons() == 'state changed'
    driver.delete(stack)


def test_forced_delete_does_not_wait_for_an_unavailable_service(running_cloud, driver, ids):
    stack = driver.create(NET)
    running_cloud.cloud.fail('DELETE', '/networks', 503, times=1000)
    driver.client.delete_stack(driver.context, stack_identity=stack, force=True)
    complete(driver, stack, 'DELETE')
    running_cloud.cloud.faults.clear()
