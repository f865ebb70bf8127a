"""Updates of Neutron types: an engine against a fake cloud over HTTP."""

import pytest

from tests.functional.clouds import driver, ids, running_cloud  # noqa: F401

# ruff: noqa: F811 - fixtures are arguments

PROFILE = 'binding:profile'


def stack_of(kind, **properties):
    return {'resources': {'it': {'type': f'OS::Neutron::{kind}', 'properties': properties}}}


def test_update_of_value_specs_keeps_what_others_have_changed(running_cloud, driver, ids):
    def port(**profile):
        return stack_of('Port', network='a network', value_specs={'description': 'a', **profile})

    stack = driver.create(port(**{PROFILE: {'trusted': False, 'removed': 1}}))
    found = running_cloud.cloud.of('network', '/ports')[-1]
    found.update({PROFILE: {**found[PROFILE], 'pci_slot': '0000:03:00.1'}, 'description': 'b'})
    driver.update(stack, port(**{PROFILE: {'trusted': True}}))
    assert driver.state(stack) == 'UPDATE_COMPLETE'
    assert found[PROFILE] == {'trusted': True, 'pci_slot': '0000:03:00.1'}
    assert found['description'] == 'b'
    driver.delete(stack)


RULES = '/security-group-rules'


def tcp(port, **values):
    return {'protocol': 'tcp', 'port_range_min': port, 'port_range_max': port, **values}


def posts(running_cloud):
    return [each for each in running_cloud.cloud.asked if each[0] == 'POST' and RULES in each[1]]


def ports_of_rules(running_cloud):
    rules = running_cloud.cloud.of('network', RULES)
    return sorted(each['port_range_min'] for each in rules if each.get('protocol'))


def test_rules_of_a_security_group_are_created_by_one_request(running_cloud, driver, ids):
    stack = driver.create(stack_of('SecurityGroup', rules=[tcp(1), tcp(2), tcp(3)]))
    assert driver.state(stack) == 'CREATE_COMPLETE'
    assert len(posts(running_cloud)) == 1
    driver.update(stack, stack_of('SecurityGroup', rules=[tcp(2), tcp(4), tcp(5)]))
    assert len(posts(running_cloud)) == 2
    assert ports_of_rules(running_cloud) == [2, 4, 5]
    driver.delete(stack)


def test_rules_with_equivalents_among_them_are_created_one_by_one(running_cloud, driver, ids):
    rules = [tcp(1), tcp(1), tcp(2), tcp(2, remote_ip_prefix='0.0.0.0/0'), tcp(3)]
    stack = driver.create(stack_of('SecurityGroup', rules=rules))
    assert driver.state(stack) == 'CREATE_COMPLETE'
    assert ports_of_rules(running_cloud) == [1, 2, 3]
    driver.delete(stack)


def test_rules_beyond_the_quota_fail_the_security_group(running_cloud, driver, ids):
    message = "Quota exceeded for resources: ['security_group_rule']."
    running_cloud.cloud.fail('POST', RULES, 409, message=message)
    stack = driver.create(stack_of('SecurityGroup', rules=[tcp(1)]))
    assert driver.state(stack) == 'CREATE_FAILED'
    assert message in driver.stack(stack)['stack_status_reason']
    driver.delete(stack)


@pytest.mark.parametrize('status', [400, 504])
def test_failed_request_for_rules_leaves_a_group_that_the_next_update_completes(
    status, running_cloud, driver, ids
):
    wanted = stack_of('SecurityGroup', rules=[tcp(1), tcp(2)])
    running_cloud.cloud.fail('POST', RULES, status, message='it went wrong')
    stack = driver.create(wanted)
    assert driver.state(stack) == 'CREATE_FAILED'
    driver.update(stack, wanted)
    assert driver.state(stack) == 'UPDATE_COMPLETE'
    assert ports_of_rules(running_cloud) == [1, 2]
    driver.delete(stack)
