"""An engine that looks at what is really there before each update (observe_on_update)."""

import pytest

from tests import databases, engines
from tests.functional.clouds import ids, place  # noqa: F401 - fixtures

# ruff: noqa: F811 - fixtures are arguments


@pytest.fixture(scope='module')
def driver(place, tmp_path_factory):
    folder = tmp_path_factory.mktemp('engine')
    (folder / 'heat.conf').write_text(place.configuration())
    with databases.migrated('sqlite', folder) as url:
        with engines.running(url, files=[folder / 'heat.conf'], action_retry_limit=0, observe_on_update=True) as found:
            yield found


SUBNET = {'network': {'get_resource': 'net'}, 'cidr': '10.9.0.0/24', 'dns_nameservers': ['192.0.2.1', '192.0.2.2']}
TEMPLATE = {
    'resources': {
        'net': {'type': 'OS::Neutron::Net', 'properties': {'name': 'mine', 'tags': ['a']}},
        'subnet': {'type': 'OS::Neutron::Subnet', 'properties': SUBNET},
        'volume': {'type': 'OS::Cinder::Volume', 'properties': {'size': 1, 'metadata': {'a': 'b'}}},
    }
}


def test_the_same_template_mends_what_others_have_changed(place, driver, ids):
    stack = driver.create(TEMPLATE)
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    before = {name: driver.physical_id(stack, name) for name in TEMPLATE['resources']}
    objects = place.cloud.objects
    objects['network', '/networks', before['net']].update(name='theirs', tags=[])
    objects['network', '/subnets', before['subnet']]['dns_nameservers'] = ['192.0.2.2']
    objects['block-storage', '/volumes', before['volume']]['metadata'] = {'a': 'x', 'of': 'others'}
    driver.update(stack, TEMPLATE)
    assert driver.state(stack) == 'UPDATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert {name: driver.physical_id(stack, name) for name in before} == before
    net = objects['network', '/networks', before['net']]
    assert (net['name'], net['tags']) == ('mine', ['a'])
    assert objects['network', '/subnets', before['subnet']]['dns_nameservers'] == ['192.0.2.1', '192.0.2.2']
    assert objects['block-storage', '/volumes', before['volume']]['metadata']['a'] == 'b'
    driver.delete(stack)


def test_the_same_template_makes_anew_what_is_gone(place, driver, ids):
    stack = driver.create(TEMPLATE)
    before = {name: driver.physical_id(stack, name) for name in TEMPLATE['resources']}
    for service, path, name in (('network', '/networks', 'net'), ('network', '/subnets', 'subnet')):
        del place.cloud.objects[service, path, before[name]]
    driver.update(stack, TEMPLATE)
    assert driver.state(stack) == 'UPDATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    after = {name: driver.physical_id(stack, name) for name in before}
    assert after['volume'] == before['volume'] and after['net'] != before['net'] and after['subnet'] != before['subnet']
    assert place.cloud.objects['network', '/subnets', after['subnet']]['network_id'] == after['net']
    driver.delete(stack)


def test_what_is_as_it_should_be_is_asked_for_and_left_alone(place, driver, ids):
    stack = driver.create(TEMPLATE)
    place.cloud.asked.clear()
    driver.update(stack, TEMPLATE)
    assert driver.state(stack) == 'UPDATE_COMPLETE'
    assert {method for method, *_ in place.cloud.asked} == {'GET'}
    driver.delete(stack)
