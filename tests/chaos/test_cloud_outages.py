"""A cloud that is slow, broken or away for a while: what it is asked is asked again, and nothing is made twice."""

import time

import pytest

from heat_lite.clients import session
from tests.functional.clouds import driver, ids, place  # noqa: F401 - fixtures
from tests.waiting import PATIENCE

# ruff: noqa: F811 - fixtures are arguments

NET = {'resources': {'net': {'type': 'OS::Neutron::Net'}}}
NAMED = {'resources': {'net': {'type': 'OS::Neutron::Net', 'properties': {'name': 'mine'}}}}


def count(place, before=()):
    return len(place.cloud.of('network', '/networks')) - len(before)


def complete(driver, stack, action='CREATE'):
    driver.wait(stack, 60)
    assert driver.state(stack) == f'{action}_COMPLETE', driver.stack(stack)['stack_status_reason']


@pytest.mark.parametrize('status', [502, 503, 504])
def test_a_service_that_is_away_is_waited_for(status, place, driver, ids):
    before = list(place.cloud.of('network', '/networks'))
    for method in ('POST', 'GET', 'DELETE'):
        place.cloud.fail(method, '/networks', status, times=2)
    stack = driver.create(NET)
    complete(driver, stack)
    assert count(place, before) == 1
    driver.delete(stack)
    complete(driver, stack, 'DELETE')
    assert count(place, before) == 0


def test_what_was_made_while_nobody_heard_of_it_is_found(place, driver, ids, monkeypatch):
    """The service hangs, we hang up, and then it does what it was asked after all."""
    monkeypatch.setattr(session, 'TIMEOUT', 1)
    before = list(place.cloud.of('network', '/networks'))
    place.cloud.fail('POST', '/networks', None, seconds=2)
    place.cloud.fail('GET', '/networks', None, seconds=1.6)
    stack = driver.create(NET)
    complete(driver, stack)
    time.sleep(1)
    assert count(place, before) == 1
    driver.delete(stack)


def test_what_might_be_made_twice_is_not_asked_for_twice(place, driver, ids):
    """Of a name that others may have chosen, too, nobody can tell."""
    place.cloud.fail('POST', '/networks', 504)
    stack = driver.create(NAMED)
    assert driver.state(stack) == 'CREATE_FAILED'
    assert 'neutron 504, POST /networks' in driver.stack(stack)['stack_status_reason']
    driver.delete(stack)


@pytest.mark.parametrize(('times', 'state'), [(2, 'CREATE_COMPLETE'), (100, 'CREATE_FAILED')])
def test_a_broken_service_is_asked_some_times(times, state, place, driver, ids):
    place.cloud.fail('GET', '/networks/[0-9a-f]', 500, times=times)
    stack = driver.create(NET)
    assert driver.state(stack) == state, driver.stack(stack)['stack_status_reason']
    place.cloud.faults.clear()
    driver.delete(stack)
    complete(driver, stack, 'DELETE')


def test_who_waits_says_for_what(place, driver, ids):
    place.cloud.fail('GET', '/networks/[0-9a-f]', 503, times=1000, message='be right back')
    stack = driver.create(NET, wait=False)

    def told():
        listed = driver.client.list_stack_resources(driver.context, stack_identity=stack)
        return ''.join(each['resource_status_reason'] for each in listed)

    until = time.monotonic() + PATIENCE
    while not told().startswith('waiting for neutron since '):
        assert time.monotonic() < until, told()
        time.sleep(0.05)
    assert 'be right back (neutron 503, GET /networks/' in told()
    assert driver.resource(stack, 'net')['resource_status'] == 'IN_PROGRESS'
    place.cloud.faults.clear()
    complete(driver, stack)
    assert told() == 'state changed'
    driver.delete(stack)


def test_force_does_not_wait_for_who_is_away(place, driver, ids):
    stack = driver.create(NET)
    place.cloud.fail('DELETE', '/networks', 503, times=1000)
    driver.client.delete_stack(driver.context, stack_identity=stack, force=True)
    complete(driver, stack, 'DELETE')
    place.cloud.faults.clear()
