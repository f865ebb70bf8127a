"""Resource types implemented by templates of the package: load balancer, database, alarm."""

import time

import pytest
import yaml

from heat_lite.common import exception, installation
from tests.functional.clouds import driver, ids, running_cloud  # noqa: F401 - fixtures
from tests.timeouts import WAIT_SECONDS

# ruff: noqa: F811 - fixtures are arguments

LISTENERS = [{'InstancePort': 8080, 'LoadBalancerPort': 80, 'Protocol': 'HTTP'}]
CHECK = {
    'Target': 'HTTP:8080/well',
    'Interval': 10,
    'Timeout': 5,
    'HealthyThreshold': 3,
    'UnhealthyThreshold': 2,
}
CONFIGURATION = '/etc/haproxy/haproxy.cfg'


@pytest.fixture
def default_image(running_cloud, ids):
    """The default image and flavor of the templates; return the image."""
    running_cloud.cloud.put('compute', '/flavors', name='m1.small', id='small')
    image = running_cloud.cloud.put(
        'image',
        '/images',
        name='Fedora-Cloud-Base-20141203-21.x86_64',
        id='1f2bff62-53c3-4bbf-a2c8-1e22a8e2d4a1',
    )
    return image


def signal_success(driver, stack, resource, handle):
    """Signal success to the wait condition handle of a nested stack; return its identity."""
    deadline = time.monotonic() + WAIT_SECONDS
    while driver.resources(stack).get(resource) != 'CREATE_COMPLETE':
        assert time.monotonic() < deadline and driver.state(stack) == 'CREATE_IN_PROGRESS', (
            driver.stack(stack)['stack_status_reason']
        )
        listed = driver.client.list_stack_resources(
            driver.context, stack_identity=stack, nested_depth=2
        )
        found = {each['resource_name']: each for each in listed}
        if handle in found and found[handle]['resource_status'] == 'COMPLETE':
            nested = found[handle]['stack_identity']
            details = {'Status': 'SUCCESS', 'UniqueId': '1', 'Reason': 'well', 'Data': ''}
            driver.client.resource_signal(
                driver.context,
                stack_identity=nested,
                resource_name=handle,
                details=details,
                sync_call=True,
            )
            driver.wait(stack)
            return nested
        time.sleep(0.02)


def balancer(*servers, **more):
    properties = {
        'AvailabilityZones': ['nova'],
        'Listeners': LISTENERS,
        'HealthCheck': CHECK,
        'Instances': list(servers),
        **more,
    }
    outputs = {
        name: {'value': {'get_attr': ['it', name]}}
        for name in ('DNSName', 'CanonicalHostedZoneName')
    }
    outputs['reference'] = {'value': {'get_resource': 'it'}}
    return {
        'resources': {
            'it': {'type': 'AWS::ElasticLoadBalancing::LoadBalancer', 'properties': properties}
        },
        'outputs': outputs,
    }


def test_load_balancer_configures_servers_of_instances(running_cloud, driver, default_image):
    server = running_cloud.cloud.of('compute', '/servers')[0]
    port = next(
        each
        for each in running_cloud.cloud.of('network', '/ports')
        if each.get('device_id') == server['id']
    )
    subnet = running_cloud.cloud.of('network', '/subnets')[0]['id']
    port['fixed_ips'] = [{'ip_address': '10.1.0.77', 'subnet_id': subnet}]
    stack = driver.create(balancer(server['id']), name='balancer', wait=False)
    nested = signal_success(driver, stack, 'it', 'WaitHandle')
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    outputs = driver.outputs(stack)
    assert outputs['DNSName'] == driver.resource(nested, 'LB_instance')['attributes']['PublicIp']
    assert (outputs['CanonicalHostedZoneName'], outputs['reference']) == ('', 'it')

    def configuration():
        metadata = driver.resource(nested, 'LB_instance')['metadata']
        return metadata['AWS::CloudFormation::Init']['config']['files'][CONFIGURATION]['content']

    assert 'option httpchk GET /well' in configuration()
    assert 'server server1 10.1.0.77:8080 check inter 10s fall 2 rise 3' in configuration()
    before = driver.physical_id(nested, 'LB_instance')
    server_port = next(
        each
        for each in running_cloud.cloud.of('network', '/ports')
        if each.get('device_id') == before
    )
    assert server_port['fixed_ips'] == [{'subnet_id': subnet}]
    driver.update(stack, balancer())
    assert driver.state(stack) == 'UPDATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert (
        'server server1' not in configuration()
        and driver.physical_id(nested, 'LB_instance') == before
    )
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE'


def scaled(size=2, flavor='a flavor', balancers=('it',), subnets=()):
    """A group behind the balancer, which does not list its instances."""
    template = balancer()
    template['resources'] |= {
        'launch': {
            'type': 'AWS::AutoScaling::LaunchConfiguration',
            'properties': {'ImageId': 'a images', 'InstanceType': flavor},
        },
        'group': {
            'type': 'AWS::AutoScaling::AutoScalingGroup',
            'properties': {
                'AvailabilityZones': ['nova'],
                'LaunchConfigurationName': {'get_resource': 'launch'},
                'MinSize': 1,
                'MaxSize': 3,
                'DesiredCapacity': size,
                'LoadBalancerNames': list(balancers),
                'VPCZoneIdentifier': list(subnets),
            },
        },
        'more': {
            'type': 'AWS::AutoScaling::ScalingPolicy',
            'properties': {
                'AutoScalingGroupName': {'get_resource': 'group'},
                'AdjustmentType': 'ChangeInCapacity',
                'ScalingAdjustment': '1',
            },
        },
    }
    return template


def count_servers(driver, nested):
    """Return the number of servers in the configuration of the load balancer."""
    metadata = driver.resource(nested, 'LB_instance')['metadata']
    init = metadata['AWS::CloudFormation::Init']['config']
    return init['files'][CONFIGURATION]['content'].count('    server server')


def test_load_balancer_serves_the_members_of_a_group(running_cloud, driver, default_image):
    subnet = running_cloud.cloud.of('network', '/subnets')[0]['id']
    stack = driver.create(scaled(subnets=[subnet]), name='behind', wait=False)
    nested = signal_success(driver, stack, 'it', 'WaitHandle')
    driver.wait(stack)
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']

    assert count_servers(driver, nested) == 2
    balancer_id = driver.physical_id(nested, 'LB_instance')
    ports = running_cloud.cloud.of('network', '/ports')
    (port,) = [each for each in ports if each.get('device_id') == balancer_id]
    assert port['fixed_ips'] == [{'subnet_id': subnet}]
    driver.client.resource_signal(
        driver.context, stack_identity=stack, resource_name='more', details=None, sync_call=True
    )
    assert count_servers(driver, nested) == 3
    driver.update(stack, scaled(1, subnets=[subnet]))
    assert driver.state(stack) == 'UPDATE_COMPLETE' and count_servers(driver, nested) == 1
    without = scaled(subnets=[subnet])
    del without['resources']['group'], without['resources']['more']
    driver.update(stack, without)
    assert driver.state(stack) == 'UPDATE_COMPLETE' and count_servers(driver, nested) == 0
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE', driver.stack(stack)['stack_status_reason']


@pytest.mark.parametrize(
    ('name', 'text'),
    [
        ('else', '"else" is neither a load balancer of the stack nor a pool'),
        ('launch', "Unsupported resource 'launch'"),
    ],
)
def test_group_behind_something_else_is_refused(driver, default_image, name, text):
    with pytest.raises(exception.StackValidationFailed, match=text):
        driver.create(scaled(balancers=[name]), name='refused')


def test_load_balancer_with_timeout_above_interval_is_refused(driver, default_image):
    with pytest.raises(
        exception.StackValidationFailed, match='Interval must be larger than Timeout'
    ):
        driver.create(balancer(HealthCheck={**CHECK, 'Timeout': 11}), name='refused')


def test_database_instance_returns_endpoint(driver, default_image):
    values = {
        'AllocatedStorage': '5',
        'DBInstanceClass': 'db.m1.small',
        'DBName': 'wiki',
        'MasterUsername': 'me',
        'MasterUserPassword': 'x',
    }
    output_definitions = {
        name.replace('.', ''): {'value': {'get_attr': ['it', name]}}
        for name in ('Endpoint.Address', 'Endpoint.Port')
    }
    template = {
        'resources': {'it': {'type': 'AWS::RDS::DBInstance', 'properties': values}},
        'outputs': output_definitions,
    }
    stack = driver.create(template, name='database', wait=False)
    nested = signal_success(driver, stack, 'it', 'handle')
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    outputs = driver.outputs(stack)
    assert outputs == {
        'EndpointAddress': driver.resource(nested, 'server')['attributes']['PublicIp'],
        'EndpointPort': '3306',
    }
    driver.delete(stack)


def test_cloudwatch_alarm_creates_gnocchi_alarm(running_cloud, driver, ids):
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
    stack = driver.create(
        {'resources': {'it': {'type': 'AWS::CloudWatch::Alarm', 'properties': values}}},
        name='alarm',
    )
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    alarm = running_cloud.cloud.of('alarm', '/alarms')[-1]
    rule = alarm['gnocchi_aggregation_by_resources_threshold_rule']
    assert (rule['aggregation_method'], rule['comparison_operator']) == ('mean', 'gt')
    assert rule['query'] == '{"and": [{"=": {"server_group": "one"}}]}'
    assert alarm['alarm_actions'] == ['http://example.org/a']
    driver.delete(stack)


def test_template_resource_types_are_listed_and_described(driver):
    names = driver.client.list_resource_types(driver.context)
    assert {'AWS::RDS::DBInstance', 'AWS::CloudWatch::Alarm'} <= set(names)
    schema = driver.client.resource_schema(driver.context, type_name='AWS::RDS::DBInstance')
    assert schema['properties']['MasterUsername']['required'] and schema['attributes'].keys() == {
        'Endpoint.Address',
        'Endpoint.Port',
    }
    generated = driver.client.generate_template(
        driver.context, type_name='AWS::RDS::DBInstance', template_type='cfn'
    )
    assert generated['Outputs'] and generated['Parameters']['Port']['Default'] == '3306'


WORDPRESS = installation.data_path('etc', 'templates', 'wordpress_autoscaling.template')


def test_wordpress_scales_behind_its_balancer(running_cloud, driver, default_image, ids):
    values = {
        'KeyName': 'a keypair',
        'ImageId': 'a images',
        'InstanceType': 'a flavor',
        'LbImageId': 'a images',
        'LbFlavor': 'a flavor',
        'SubnetId': ids['subnet'],
        'DBPassword': 'opensesame',
        'Cooldown': 0,
        'MaxSize': 2,
    }
    # the fake cloud has an alarm service
    alarms = {'resource_registry': {'AWS::CloudWatch::Alarm': 'OS::Heat::CWLiteAlarm'}}
    stack = driver.client.create_stack(
        driver.context,
        stack_name='wordpress',
        template=yaml.safe_load(WORDPRESS.read_text()),
        params={**alarms, 'parameters': values},
        files={},
        args={},
    )
    nested = signal_success(driver, stack, 'Balancer', 'WaitHandle')
    driver.wait(stack)
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']

    assert count_servers(driver, nested) == 1
    for policy, size in (('Grow', 2), ('Shrink', 1)):
        driver.client.resource_signal(
            driver.context, stack_identity=stack, resource_name=policy, details=None, sync_call=True
        )
        assert count_servers(driver, nested) == size
    # what guests push reaches all alarms with the metric
    data = {'Namespace': 'system/linux', 'CPUUtilization': {'Value': 90, 'Unit': 'Percent'}}
    driver.client.create_watch_data(driver.context, watch_name=None, stats_data=data)
    found = driver.client.show_watch_metric(driver.context, metric_name='CPUUtilization')
    assert len({each['watch_name'] for each in found}) == 2
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE', driver.stack(stack)['stack_status_reason']
