"""Types that are made of templates that come with the package: load balancers, databases, alarms."""

import time

import pytest

from heat_lite.common import exception
from tests.functional.clouds import driver, ids, place  # noqa: F401 - fixtures
from tests.waiting import PATIENCE

LISTENERS = [{'InstancePort': 8080, 'LoadBalancerPort': 80, 'Protocol': 'HTTP'}]
CHECK = {'Target': 'HTTP:8080/well', 'Interval': 10, 'Timeout': 5, 'HealthyThreshold': 3, 'UnhealthyThreshold': 2}
CONFIGURATION = '/etc/haproxy/haproxy.cfg'


@pytest.fixture
def small(place, ids):  # noqa: F811 - fixtures
    """What the templates name when nobody says anything else."""
    place.cloud.put('compute', '/flavors', name='m1.small', id='small')
    image = place.cloud.put('image', '/images', name='Fedora-Cloud-Base-20141203-21.x86_64', id='1f2bff62-53c3-4bbf-a2c8-1e22a8e2d4a1')
    return image


def until_signalled(driver, stack, resource, handle):  # noqa: F811 - a fixture
    """Waits for the handle inside a resource, and says that all went well; gives the stack inside."""
    until = time.monotonic() + PATIENCE
    while driver.resources(stack).get(resource) != 'CREATE_COMPLETE':
        assert time.monotonic() < until and driver.state(stack) == 'CREATE_IN_PROGRESS', driver.stack(stack)['stack_status_reason']
        listed = driver.client.list_stack_resources(driver.context, stack_identity=stack, nested_depth=2)
        found = {each['resource_name']: each for each in listed}
        if handle in found and found[handle]['resource_status'] == 'COMPLETE':
            inside = found[handle]['stack_identity']
            details = {'Status': 'SUCCESS', 'UniqueId': '1', 'Reason': 'well', 'Data': ''}
            driver.client.resource_signal(driver.context, stack_identity=inside, resource_name=handle, details=details, sync_call=True)
            driver.wait(stack)
            return inside
        time.sleep(0.02)


def balancer(*servers, **more):
    properties = {'AvailabilityZones': ['nova'], 'Listeners': LISTENERS, 'HealthCheck': CHECK, 'Instances': list(servers), **more}
    outputs = {name: {'value': {'get_attr': ['it', name]}} for name in ('DNSName', 'CanonicalHostedZoneName')}
    outputs['reference'] = {'value': {'get_resource': 'it'}}
    return {'resources': {'it': {'type': 'AWS::ElasticLoadBalancing::LoadBalancer', 'properties': properties}}, 'outputs': outputs}


def test_load_balancer(place, driver, small):  # noqa: F811 - fixtures
    server = place.cloud.of('compute', '/servers')[0]
    port = next(each for each in place.cloud.of('network', '/ports') if each.get('device_id') == server['id'])
    subnet = place.cloud.of('network', '/subnets')[0]['id']
    port['fixed_ips'] = [{'ip_address': '10.1.0.77', 'subnet_id': subnet}]
    stack = driver.create(balancer(server['id']), name='balancer', wait=False)
    inside = until_signalled(driver, stack, 'it', 'WaitHandle')
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    told = driver.outputs(stack)
    assert told['DNSName'] == driver.resource(inside, 'LB_instance')['attributes']['PublicIp']
    assert (told['CanonicalHostedZoneName'], told['reference']) == ('', 'it')

    def configured():
        metadata = driver.resource(inside, 'LB_instance')['metadata']
        return metadata['AWS::CloudFormation::Init']['config']['files'][CONFIGURATION]['content']

    assert 'option httpchk GET /well' in configured()
    assert 'server server1 10.1.0.77:8080 check inter 10s fall 2 rise 3' in configured()
    before = driver.physical_id(inside, 'LB_instance')
    own = next(each for each in place.cloud.of('network', '/ports') if each.get('device_id') == before)
    assert own['fixed_ips'] == [{'subnet_id': subnet}]
    driver.update(stack, balancer())
    assert driver.state(stack) == 'UPDATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert 'server server1' not in configured() and driver.physical_id(inside, 'LB_instance') == before
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE'


def test_a_check_takes_no_longer_than_until_the_next(driver, small):  # noqa: F811 - fixtures
    with pytest.raises(exception.StackValidationFailed, match='Interval must be larger than Timeout'):
        driver.create(balancer(HealthCheck={**CHECK, 'Timeout': 11}), name='refused')


def test_database(driver, small):  # noqa: F811 - fixtures
    values = {
        'AllocatedStorage': '5',
        'DBInstanceClass': 'db.m1.small',
        'DBName': 'wiki',
        'MasterUsername': 'me',
        'MasterUserPassword': 'x',
    }
    outputs = {name.replace('.', ''): {'value': {'get_attr': ['it', name]}} for name in ('Endpoint.Address', 'Endpoint.Port')}
    template = {'resources': {'it': {'type': 'AWS::RDS::DBInstance', 'properties': values}}, 'outputs': outputs}
    stack = driver.create(template, name='database', wait=False)
    inside = until_signalled(driver, stack, 'it', 'handle')
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    told = driver.outputs(stack)
    assert told == {'EndpointAddress': driver.resource(inside, 'server')['attributes']['PublicIp'], 'EndpointPort': '3306'}
    driver.delete(stack)


def test_alarm(place, driver, ids):  # noqa: F811 - fixtures
    values = {
        'MetricName': 'cpu_util',
        'Statistic': 'Average',
        'ComparisonOperator': 'GreaterThanThreshold',
        'Threshold': '50',
        'Period': '60',
        'EvaluationPeriods': '1',
        'Dimensions': [{'Name': 'server_group', 'Value': 'one'}],
        'AlarmActions': ['http://example.org/a'],
    }
    stack = driver.create({'resources': {'it': {'type': 'AWS::CloudWatch::Alarm', 'properties': values}}}, name='alarm')
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    made = place.cloud.of('alarm', '/alarms')[-1]
    rule = made['gnocchi_aggregation_by_resources_threshold_rule']
    assert (rule['aggregation_method'], rule['comparison_operator']) == ('mean', 'gt')
    assert rule['query'] == '{"and": [{"=": {"server_group": "one"}}]}'
    assert made['alarm_actions'] == ['http://example.org/a']
    driver.delete(stack)


def test_they_are_listed_and_described(driver):  # noqa: F811 - a fixture
    names = driver.client.list_resource_types(driver.context)
    assert {'AWS::RDS::DBInstance', 'AWS::CloudWatch::Alarm'} <= set(names)
    schema = driver.client.resource_schema(driver.context, type_name='AWS::RDS::DBInstance')
    assert schema['properties']['MasterUsername']['required'] and schema['attributes'].keys() == {'Endpoint.Address', 'Endpoint.Port'}
    made = driver.client.generate_template(driver.context, type_name='AWS::RDS::DBInstance', template_type='cfn')
    assert made['Outputs'] and made['Parameters']['Port']['Default'] == '3306'
