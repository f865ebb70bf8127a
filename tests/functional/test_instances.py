"""Servers in the words of EC2: their network cards, volumes, and what the compute service is told."""

import base64
import email

import pytest

from heat_lite.common import exception
from tests.functional.clouds import driver, ids, place  # noqa: F401 - fixtures

#: what is the same of servers that are made after each other
KEYS = ('imageRef', 'flavorRef', 'key_name')
IMAGE = {'ImageId': 'a images', 'InstanceType': 'a flavor'}


def one(**properties):
    return {'resources': {'it': {'type': 'AWS::EC2::Instance', 'properties': {**IMAGE, **properties}}}}


def asked(place):  # noqa: F811 - a fixture
    """The last request for a server."""
    return [body for method, path, body in place.cloud.asked if method == 'POST' and path.endswith('/servers')][-1]


def cards(place, driver, stack):  # noqa: F811 - fixtures
    server = driver.physical_id(stack, 'it')
    return [each['id'] for each in place.cloud.of('network', '/ports') if each.get('device_id') == server]


def test_what_the_service_is_told(place, driver, ids):  # noqa: F811 - fixtures
    hints = [{'Key': 'group', 'Value': 'one'}, {'Key': 'near', 'Value': 'a'}, {'Key': 'near', 'Value': 'b'}]
    values = {'UserData': 'echo hello', 'NovaSchedulerHints': hints, 'Tags': [{'Key': 'a', 'Value': 'b'}], 'KeyName': 'a keypair'}
    stack = driver.create(one(**values), name='told')
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    body = asked(place)
    assert body['os:scheduler_hints'] == {'group': 'one', 'near': ['a', 'b']}
    server = body['server']
    assert (server['networks'], server['metadata'], server['key_name']) == ('auto', {'a': 'b'}, 'a keypair')
    parts = email.message_from_string(base64.b64decode(server['user_data']).decode()).get_payload()
    assert {part.get_filename(): part.get_payload(decode=True) for part in parts}['cfn-userdata'] == b'echo hello'
    driver.delete(stack)


def test_without_a_key(place, driver, ids):  # noqa: F811 - fixtures
    stack = driver.create(one(KeyName=''), name='keyless')
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert 'key_name' not in asked(place)['server']
    driver.delete(stack)


def test_cards_come_and_go(place, driver, ids):  # noqa: F811 - fixtures
    card = [{'NetworkInterfaceId': ids['free_port'], 'DeviceIndex': '1'}, {'NetworkInterfaceId': ids['port'], 'DeviceIndex': '0'}]
    place.cloud.objects['network', '/ports', ids['port']]['device_id'] = ''
    stack = driver.create(one(NetworkInterfaces=card), name='cards')
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert asked(place)['server']['networks'] == [{'port': ids['port']}, {'port': ids['free_port']}]
    before = driver.physical_id(stack, 'it')
    driver.update(stack, one(NetworkInterfaces=[ids['free_port']]))
    assert driver.state(stack) == 'UPDATE_COMPLETE' and cards(place, driver, stack) == [ids['free_port']]
    driver.update(stack, one(SubnetId=ids['subnet']))
    assert driver.state(stack) == 'UPDATE_COMPLETE' and driver.physical_id(stack, 'it') == before
    assert len(cards(place, driver, stack)) == 1 and ids['free_port'] not in cards(place, driver, stack)
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE'
    assert not [each for each in place.cloud.of('network', '/ports') if (each.get('name') or '').startswith('cards')]


def test_who_takes_its_place_gets_its_cards(place, driver, ids):  # noqa: F811 - fixtures
    stack = driver.create(one(NetworkInterfaces=[ids['free_port']]), name='place')
    before = driver.physical_id(stack, 'it')
    driver.update(stack, one(NetworkInterfaces=[ids['free_port']], UserData='another'))
    assert driver.state(stack) == 'UPDATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert driver.physical_id(stack, 'it') != before and cards(place, driver, stack) == [ids['free_port']]
    driver.delete(stack)


def test_members_that_are_made_after_another(place, driver, ids):  # noqa: F811 - fixtures
    model = driver.create(one(KeyName='a keypair', SubnetId=ids['subnet']), name='model')
    server = driver.physical_id(model, 'it')
    launch = {'type': 'AWS::AutoScaling::LaunchConfiguration', 'properties': {'InstanceId': server, 'UserData': 'own'}}
    group = {'AvailabilityZones': ['nova'], 'LaunchConfigurationName': {'get_resource': 'launch'}, 'Size': 1}
    scaling = {'AvailabilityZones': ['nova'], 'InstanceId': server, 'MinSize': 1, 'MaxSize': 1, 'VPCZoneIdentifier': [ids['subnet']]}
    for name, resources in {
        'launched': {'launch': launch, 'it': {'type': 'OS::Heat::InstanceGroup', 'properties': group}},
        'scaled': {'it': {'type': 'AWS::AutoScaling::AutoScalingGroup', 'properties': scaling}},
    }.items():
        before = asked(place)['server']
        stack = driver.create({'resources': resources}, name=name)
        assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
        made = asked(place)['server']
        assert made is not before and {key: made[key] for key in KEYS} == {key: before[key] for key in KEYS}
        driver.delete(stack)
    driver.delete(model)


@pytest.mark.parametrize(
    'values, text',
    [
        ({'NetworkInterfaces': ['a'], 'SecurityGroups': ['b']}, 'at the same time: SecurityGroups/SecurityGroupIds, NetworkInterfaces'),
        ({'BlockDeviceMappings': [{'DeviceName': 'vdb'}]}, 'Ebs is missing'),
        ({'BlockDeviceMappings': [{'DeviceName': 'vdb', 'Ebs': {'VolumeSize': '1'}}]}, 'SnapshotId is missing'),
        ({'Tenancy': 'default'}, 'not implemented yet'),
    ],
)
def test_what_cannot_be(driver, ids, values, text):  # noqa: F811 - fixtures
    with pytest.raises(exception.HeatException, match=text):
        driver.create(one(**values), name='refused')
