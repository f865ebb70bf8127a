"""AWS::EC2::Instance: its network interfaces, volumes and requests to Nova."""

import base64
import email

import pytest

from heat_lite.common import exception
from tests.functional.clouds import driver, ids, running_cloud  # noqa: F401 - fixtures

# ruff: noqa: F811 - fixtures are arguments

#: values that a launch configuration copies from an instance
KEYS = ('imageRef', 'flavorRef', 'key_name')
IMAGE = {'ImageId': 'a images', 'InstanceType': 'a flavor'}


def one(**properties):
    return {
        'resources': {'it': {'type': 'AWS::EC2::Instance', 'properties': {**IMAGE, **properties}}}
    }


def create_request(running_cloud):
    """The last request for a server."""
    return [
        body
        for method, path, body in running_cloud.cloud.asked
        if method == 'POST' and path.endswith('/servers')
    ][-1]


def attached_ports(running_cloud, driver, stack):
    server = driver.physical_id(stack, 'it')
    return [
        each['id']
        for each in running_cloud.cloud.of('network', '/ports')
        if each.get('device_id') == server
    ]


def test_create_sends_properties_to_nova(running_cloud, driver, ids):
    hints = [
        {'Key': 'group', 'Value': 'one'},
        {'Key': 'near', 'Value': 'a'},
        {'Key': 'near', 'Value': 'b'},
    ]
    values = {
        'UserData': 'echo hello',
        'NovaSchedulerHints': hints,
        'Tags': [{'Key': 'a', 'Value': 'b'}],
        'KeyName': 'a keypair',
    }
    stack = driver.create(one(**values), name='requested')
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    body = create_request(running_cloud)
    assert body['os:scheduler_hints'] == {'group': 'one', 'near': ['a', 'b']}
    server = body['server']
    assert (server['networks'], server['metadata'], server['key_name']) == (
        'auto',
        {'a': 'b'},
        'a keypair',
    )
    parts = email.message_from_string(base64.b64decode(server['user_data']).decode()).get_payload()
    assert {part.get_filename(): part.get_payload(decode=True) for part in parts}[
        'cfn-userdata'
    ] == b'echo hello'
    driver.delete(stack)


def test_create_without_key_name_omits_it(running_cloud, driver, ids):
    stack = driver.create(one(KeyName=''), name='keyless')
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert 'key_name' not in create_request(running_cloud)['server']
    driver.delete(stack)


def test_update_of_network_interfaces_attaches_and_detaches_ports(running_cloud, driver, ids):
    card = [
        {'NetworkInterfaceId': ids['free_port'], 'DeviceIndex': '1'},
        {'NetworkInterfaceId': ids['port'], 'DeviceIndex': '0'},
    ]
    running_cloud.cloud.objects['network', '/ports', ids['port']]['device_id'] = ''
    stack = driver.create(one(NetworkInterfaces=card), name='cards')
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert create_request(running_cloud)['server']['networks'] == [
        {'port': ids['port']},
        {'port': ids['free_port']},
    ]
    before = driver.physical_id(stack, 'it')
    driver.update(stack, one(NetworkInterfaces=[ids['free_port']]))
    assert driver.state(stack) == 'UPDATE_COMPLETE' and attached_ports(
        running_cloud, driver, stack
    ) == [ids['free_port']]
    driver.update(stack, one(SubnetId=ids['subnet']))
    assert driver.state(stack) == 'UPDATE_COMPLETE' and driver.physical_id(stack, 'it') == before
    assert len(attached_ports(running_cloud, driver, stack)) == 1 and ids[
        'free_port'
    ] not in attached_ports(running_cloud, driver, stack)
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE'
    assert not [
        each
        for each in running_cloud.cloud.of('network', '/ports')
        if (each.get('name') or '').startswith('cards')
    ]


def test_replacing_instance_gets_the_network_interfaces(running_cloud, driver, ids):
    stack = driver.create(one(NetworkInterfaces=[ids['free_port']]), name='replaced')
    before = driver.physical_id(stack, 'it')
    driver.update(stack, one(NetworkInterfaces=[ids['free_port']], UserData='another'))
    assert driver.state(stack) == 'UPDATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert driver.physical_id(stack, 'it') != before and attached_ports(
        running_cloud, driver, stack
    ) == [ids['free_port']]
    driver.delete(stack)


def test_launch_configuration_with_instance_id_copies_its_values(running_cloud, driver, ids):
    running_cloud.cloud.put('network', '/security-groups', name='default')
    model = driver.create(one(KeyName='a keypair', SubnetId=ids['subnet']), name='model')
    server = driver.physical_id(model, 'it')
    launch = {
        'type': 'AWS::AutoScaling::LaunchConfiguration',
        'properties': {'InstanceId': server, 'UserData': 'own'},
    }
    group = {
        'AvailabilityZones': ['nova'],
        'LaunchConfigurationName': {'get_resource': 'launch'},
        'Size': 1,
    }
    scaling = {
        'AvailabilityZones': ['nova'],
        'InstanceId': server,
        'MinSize': 1,
        'MaxSize': 1,
        'VPCZoneIdentifier': [ids['subnet']],
    }
    for name, resources in {
        'launched': {
            'launch': launch,
            'it': {'type': 'OS::Heat::InstanceGroup', 'properties': group},
        },
        'scaled': {'it': {'type': 'AWS::AutoScaling::AutoScalingGroup', 'properties': scaling}},
    }.items():
        before = create_request(running_cloud)['server']
        stack = driver.create({'resources': resources}, name=name)
        assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
        created = create_request(running_cloud)['server']
        assert created is not before and {key: created[key] for key in KEYS} == {
            key: before[key] for key in KEYS
        }
        driver.delete(stack)
    driver.delete(model)


@pytest.mark.parametrize(
    'values, text',
    [
        (
            {'NetworkInterfaces': ['a'], 'SecurityGroups': ['b']},
            'at the same time: SecurityGroups/SecurityGroupIds, NetworkInterfaces',
        ),
        ({'BlockDeviceMappings': [{'DeviceName': 'vdb'}]}, 'Ebs is missing'),
        (
            {'BlockDeviceMappings': [{'DeviceName': 'vdb', 'Ebs': {'VolumeSize': '1'}}]},
            'SnapshotId is missing',
        ),
        ({'Tenancy': 'default'}, 'not implemented yet'),
    ],
)
def test_invalid_properties_are_refused(driver, ids, values, text):
    with pytest.raises(exception.HeatException, match=text):
        driver.create(one(**values), name='refused')
