"""Updates that compare with the live state of resources first (observe_on_update)."""

import pytest

from tests import databases, engines
from tests.functional.clouds import ids, running_cloud  # noqa: F401 - fixtures

# ruff: noqa: F811 - fixtures are arguments


@pytest.fixture(scope='module')
def driver(running_cloud, tmp_path_factory):
    folder = tmp_path_factory.mktemp('engine')
    (folder / 'heat.conf').write_text(running_cloud.configuration())
    with databases.migrated('sqlite', folder) as url:
        with engines.running(
            url, files=[folder / 'heat.conf'], action_retry_limit=0, observe_on_update=True
        ) as found:
            yield found


SUBNET = {
    'network': {'get_resource': 'net'},
    'cidr': '10.9.0.0/24',
    'dns_nameservers': ['192.0.2.1', '192.0.2.2'],
}
TEMPLATE = {
    'resources': {
        'net': {'type': 'OS::Neutron::Net', 'properties': {'name': 'mine', 'tags': ['a']}},
        'subnet': {'type': 'OS::Neutron::Subnet', 'properties': SUBNET},
        'volume': {'type': 'OS::Cinder::Volume', 'properties': {'size': 1, 'metadata': {'a': 'b'}}},
    }
}


def test_update_reverts_changes_made_outside_of_the_stack(running_cloud, driver, ids):
    stack = driver.create(TEMPLATE)
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    before = {name: driver.physical_id(stack, name) for name in TEMPLATE['resources']}
    objects = running_cloud.cloud.objects
    objects['network', '/networks', before['net']].update(name='theirs', tags=[])
    objects['network', '/subnets', before['subnet']]['dns_nameservers'] = ['192.0.2.2']
    objects['block-storage', '/volumes', before['volume']]['metadata'] = {'a': 'x', 'of': 'others'}
    driver.update(stack, TEMPLATE)
    assert driver.state(stack) == 'UPDATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert {name: driver.physical_id(stack, name) for name in before} == before
    net = objects['network', '/networks', before['net']]
    assert (net['name'], net['tags']) == ('mine', ['a'])
    assert objects['network', '/subnets', before['subnet']]['dns_nameservers'] == [
        '192.0.2.1',
        '192.0.2.2',
    ]
    assert objects['block-storage', '/volumes', before['volume']]['metadata']['a'] == 'b'
    driver.delete(stack)


def test_update_creates_resources_deleted_outside_of_the_stack(running_cloud, driver, ids):
    stack = driver.create(TEMPLATE)
    before = {name: driver.physical_id(stack, name) for name in TEMPLATE['resources']}
    for service, path, name in (('network', '/networks', 'net'), ('network', '/subnets', 'subnet')):
        del running_cloud.cloud.objects[service, path, before[name]]
    driver.update(stack, TEMPLATE)
    assert driver.state(stack) == 'UPDATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    after = {name: driver.physical_id(stack, name) for name in before}
    assert (
        after['volume'] == before['volume']
        and after['net'] != before['net']
        and after['subnet'] != before['subnet']
    )
    assert (
        running_cloud.cloud.objects['network', '/subnets', after['subnet']]['network_id']
        == after['net']
    )
    driver.delete(stack)


def test_update_keeps_resources_without_changes(running_cloud, driver, ids):
    stack = driver.create(TEMPLATE)
    running_cloud.cloud.asked.clear()
    driver.update(stack, TEMPLATE)
    assert driver.state(stack) == 'UPDATE_COMPLETE'
    assert {method for method, *_ in running_cloud.cloud.asked} == {'GET'}
    driver.delete(stack)


def test_drift_names_changed_and_missing_objects_and_changes_nothing(running_cloud, driver, ids):
    stack = driver.create(TEMPLATE)
    before = {name: driver.physical_id(stack, name) for name in TEMPLATE['resources']}
    objects = running_cloud.cloud.objects
    objects['network', '/networks', before['net']].update(name='theirs')
    del objects['block-storage', '/volumes', before['volume']]
    for _ in range(2):
        found = driver.client.stack_drift(driver.context, stack_identity=stack, nested_depth=1)
        shown = {each['resource_name']: each for each in found['resources']}
        assert found['checked'] == 3 and not found['unchecked']
        assert shown.keys() == {'net', 'volume'}
        assert shown['net']['properties'] == [
            {'property': 'name', 'expected': 'mine', 'actual': 'theirs'}
        ]
        assert (shown['volume']['status'], shown['net']['status']) == ('missing', 'changed')
    assert set(driver.resources(stack).values()) == {'CREATE_COMPLETE'}
    driver.delete(stack)


def test_drift_hides_hidden_parameters(running_cloud, driver, ids):
    template = {
        'parameters': {'secret': {'type': 'string', 'hidden': True, 'default': 'abcdef'}},
        'resources': {
            'net': {'type': 'OS::Neutron::Net', 'properties': {'name': {'get_param': 'secret'}}}
        },
    }
    stack = driver.create(template)
    objects = running_cloud.cloud.objects
    objects['network', '/networks', driver.physical_id(stack, 'net')]['name'] = 'theirs'
    found = driver.client.stack_drift(driver.context, stack_identity=stack)
    assert found['resources'][0]['properties'] == [
        {'property': 'name', 'expected': '******', 'actual': '******'}
    ]
    driver.delete(stack)
