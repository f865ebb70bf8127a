"""Groups of instances whose LoadBalancerNames refer to pools of Octavia."""

import pytest

from heat_lite.common import exception
from tests.functional.clouds import driver, ids, running_cloud  # noqa: F401 - fixtures

# ruff: noqa: F811 - fixtures are arguments


def template(ids, size=2, names=({'Ref': 'pool'},)):
    """A group of instances in front of a pool."""
    definitions = {
        'balancer': ('OS::Octavia::LoadBalancer', {'vip_subnet': 'a subnet'}),
        'pool': (
            'OS::Octavia::Pool',
            {
                'lb_algorithm': 'ROUND_ROBIN',
                'protocol': 'HTTP',
                'loadbalancer': {'Ref': 'balancer'},
            },
        ),
        'listener': (
            'OS::Octavia::Listener',
            {
                'loadbalancer': {'Ref': 'balancer'},
                'protocol': 'HTTP',
                'protocol_port': 8080,
                'default_pool': {'Ref': 'pool'},
            },
        ),
        'launch': (
            'AWS::AutoScaling::LaunchConfiguration',
            {'ImageId': 'a images', 'InstanceType': 'a flavor'},
        ),
        'group': (
            'AWS::AutoScaling::AutoScalingGroup',
            {
                'AvailabilityZones': {'Fn::GetAZs': ''},
                'LaunchConfigurationName': {'Ref': 'launch'},
                'LoadBalancerNames': list(names),
                'VPCZoneIdentifier': [ids['subnet']],
                'MinSize': 0,
                'MaxSize': 4,
                'DesiredCapacity': size,
            },
        ),
    }
    return {
        'HeatTemplateFormatVersion': '2012-12-12',
        'Resources': {
            name: {'Type': type_name, 'Properties': properties}
            for name, (type_name, properties) in definitions.items()
        },
        'Outputs': {'zones': {'Value': {'Fn::GetAZs': ''}}},
    }


def members(running_cloud):
    """Return the members of all pools."""
    return [
        each
        for (service, path, _), each in running_cloud.cloud.objects.items()
        if service == 'load-balancer' and path.endswith('/members')
    ]


def of_group(running_cloud):
    """Return {server: its member} of the members that belong to a group."""
    pairs = [(each['name'].rpartition(':'), each) for each in members(running_cloud)]
    return {server: each for (_, separator, server), each in pairs if separator}


def servers(driver, stack):
    """Return the ids of the servers of the group."""
    nested = driver.resource(stack, 'group')['nested_stack_id']
    return {driver.physical_id(nested, name) for name in driver.resources(nested)}


def test_instances_are_members_of_the_pool_as_the_group_scales(running_cloud, driver, ids):
    stack = driver.create(template(ids), name='pooled')
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert driver.outputs(stack) == {'zones': ['nova', 'other']}
    first = of_group(running_cloud)
    assert len(first) == 2 and first.keys() == servers(driver, stack)
    assert {each['subnet_id'] for each in first.values()} == {ids['subnet']}
    assert len({each['address'] for each in first.values()}) == 2
    for size in (3, 1):
        driver.update(stack, template(ids, size))
        assert driver.state(stack) == 'UPDATE_COMPLETE'
        found = of_group(running_cloud)
        assert len(found) == size and found.keys() == servers(driver, stack)
    pool = ('load-balancer', '/lbaas/pools', driver.physical_id(stack, 'pool'))
    asked = len(running_cloud.cloud.asked)
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE' and pool not in running_cloud.cloud.objects
    paths = [path for method, path, _ in running_cloud.cloud.asked[asked:] if method == 'DELETE']
    assert not [path for path in paths if '/members/' in path], 'they are deleted with their pool'


def test_group_comes_after_the_listener_of_its_pool(running_cloud, driver, ids):
    stack = driver.create(template(ids, 0), name='ordered')
    finished = [name for name, state in driver.events(stack) if state == 'CREATE_COMPLETE']
    assert finished.index('listener') < finished.index('group')
    driver.delete(stack)


def test_pool_outside_of_the_stack_keeps_its_other_members(running_cloud, driver, ids):
    port = running_cloud.cloud.put('load-balancer', '/lbaas/listeners', protocol_port=8443)
    pool = running_cloud.cloud.put(
        'load-balancer', '/lbaas/pools', name='ours', protocol='HTTPS', listeners=[{'id': port}]
    )
    other = {'id': 'it', 'name': 'other', 'address': '10.9.9.9', 'protocol_port': 1}
    running_cloud.cloud.objects['load-balancer', f'/lbaas/pools/{pool}/members', 'it'] = other
    stack = driver.create(template(ids, names=['ours']), name='outside')
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert [each['protocol_port'] for each in of_group(running_cloud).values()] == [8443, 8443]
    driver.update(stack, template(ids, names=[]))
    assert driver.state(stack) == 'UPDATE_COMPLETE' and members(running_cloud) == [other]
    driver.delete(stack)


def test_pool_by_its_name_in_the_template_is_refused(running_cloud, driver, ids):
    with pytest.raises(exception.StackValidationFailed, match='refer to it by get_resource or Ref'):
        driver.create(template(ids, names=['pool']), name='literal')
