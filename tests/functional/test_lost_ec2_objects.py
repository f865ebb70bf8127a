"""Objects of EC2 types whose create lost its response, or its engine, are made once and deleted."""

import pytest
import sqlalchemy

from heat_lite.db import models, session
from tests.functional.clouds import driver, ids, running_cloud  # noqa: F401 - fixtures

# ruff: noqa: F811 - fixtures are arguments

IMAGE = {'ImageId': 'a images', 'InstanceType': 'a flavor'}
#: what an engine leaves in the row of a resource if it is killed before it stores the result
INTERRUPTED = {'action': 'CREATE', 'status': 'IN_PROGRESS', 'nova_instance': None}
COLLECTIONS = (
    ('network', '/ports'),
    ('network', '/floatingips'),
    ('network', '/networks'),
    ('network', '/routers'),
    ('network', '/security-groups'),
    ('block-storage', '/volumes'),
    ('compute', '/servers'),
    ('object-store', '/'),
)


def one(kind, **properties):
    return {'resources': {'it': {'type': f'AWS::EC2::{kind}', 'properties': properties}}}


def objects(running_cloud):
    found = running_cloud.cloud.objects
    return {key for key in found if key[:2] in COLLECTIONS}


def cases(ids):
    """Return a template, and the collection of its object, for each case."""
    return {
        'port of an instance': (one('Instance', **IMAGE, SubnetId=ids['subnet']), '/ports'),
        'interface': (one('NetworkInterface', SubnetId=ids['subnet']), '/ports'),
        'address': (one('EIP'), '/floatingips'),
        'volume': (one('Volume', AvailabilityZone='nova', Size=1), '/volumes'),
        'network': (one('VPC'), '/networks'),
        'bucket': ({'resources': {'it': {'type': 'AWS::S3::Bucket'}}}, '/'),
        'group': (one('SecurityGroup', GroupDescription='it'), '/security-groups'),
    }


CASES = list(cases({'subnet': None}))


@pytest.mark.parametrize('case', [each for each in CASES if each != 'bucket'])
def test_create_with_a_lost_response_makes_one_object(case, running_cloud, driver, ids):
    template, path = cases(ids)[case]
    before = objects(running_cloud)
    running_cloud.cloud.lose('POST', f'{path}$')
    stack = driver.create(template)
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert not running_cloud.cloud.lost
    assert len([key for key in objects(running_cloud) - before if key[1] == path]) == 1
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert objects(running_cloud) == before


@pytest.mark.parametrize('case', CASES)
def test_delete_of_an_interrupted_create_leaves_no_object(case, running_cloud, driver, ids):
    template, _ = cases(ids)[case]
    before = objects(running_cloud)
    stack = driver.create(template)
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    driver.wait_for_free_lock(stack)
    interrupt(stack)
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert objects(running_cloud) == before


def test_port_of_an_instance_without_server_is_deleted(running_cloud, driver, ids):
    """The port was made, and Nova refuses the server."""
    before = objects(running_cloud)
    running_cloud.cloud.fail('POST', '/servers$', 403)
    running_cloud.cloud.lose('POST', '/ports$')
    stack = driver.create(one('Instance', **IMAGE, SubnetId=ids['subnet']))
    assert driver.state(stack) == 'CREATE_FAILED' and objects(running_cloud) != before
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE' and objects(running_cloud) == before


@session.writer
def interrupt(stack):
    row = models.resource.c.stack_id == stack['stack_id']
    session.execute(models.resource.update().where(row).values(**INTERRUPTED))
    mine = sqlalchemy.select(models.resource.c.id).where(row)
    data = models.resource_data
    session.execute(data.delete().where(data.c.resource_id.in_(mine)))


def test_interrupted_attachments_are_undone(running_cloud, driver, ids):
    server, volume = ids['other_server'], ids['volume']
    port = running_cloud.cloud.put('network', '/ports', device_id=server)
    attachments = {
        'disk': {
            'type': 'AWS::EC2::VolumeAttachment',
            'properties': {'InstanceId': server, 'VolumeId': volume, 'Device': '/dev/vdb'},
        },
        'address': {
            'type': 'AWS::EC2::EIPAssociation',
            'properties': {'AllocationId': ids['floatingip'], 'NetworkInterfaceId': port},
        },
    }
    stack = driver.create({'resources': attachments})
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    address = running_cloud.cloud.objects['network', '/floatingips', ids['floatingip']]
    disk = running_cloud.cloud.objects['block-storage', '/volumes', volume]
    assert address['port_id'] == port and disk['status'] == 'in-use'
    driver.wait_for_free_lock(stack)
    interrupt(stack)
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert address['port_id'] is None and disk['status'] == 'available'
