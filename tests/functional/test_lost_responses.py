"""Objects without a name whose create lost its response, or its engine, are made once."""

import pytest
import sqlalchemy

from heat_lite.db import models, session
from heat_lite.resources.base import added_object
from tests.functional.clouds import driver, ids, running_cloud  # noqa: F401 - fixtures
from tests.functional.test_lost_ec2_objects import interrupt

# ruff: noqa: F811 - fixtures are arguments

CASES = {
    'trust': (
        'OS::Keystone::Trust',
        {'trustee': 'a user', 'roles': ['member']},
        ('identity', '/OS-TRUST/trusts'),
    ),
    'credential': (
        'OS::Keystone::Credential',
        {'type': 'cert', 'blob': 'text'},
        ('identity', '/credentials'),
    ),
    'access key': ('OS::Keystone::EC2Credential', {}, ('identity', '/credentials')),
    'rule': (
        'OS::Ironic::InspectionRule',
        {'actions': [{'op': 'fail', 'args': {'msg': 'no'}}]},
        ('baremetal', '/inspection_rules'),
    ),
    'chassis': ('OS::Ironic::Chassis', {}, ('baremetal', '/chassis')),
    'replica': (
        'OS::Manila::ShareReplica',
        {'share': 'a share'},
        ('shared-file-system', '/share-replicas'),
    ),
}


def template(case):
    kind, properties, collection = CASES[case]
    return {'resources': {'it': {'type': kind, 'properties': properties}}}, collection


def objects(running_cloud, collection):
    return {key for key in running_cloud.cloud.objects if key[:2] == collection}


@pytest.mark.parametrize('case', CASES)
def test_create_with_a_lost_response_makes_one_object(case, running_cloud, driver, ids):
    text, collection = template(case)
    before = objects(running_cloud, collection)
    running_cloud.cloud.lose('POST', f'{collection[1]}$')
    stack = driver.create(text)
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert not running_cloud.cloud.lost
    (made,) = objects(running_cloud, collection) - before
    assert driver.physical_id(stack, 'it') == made[2]
    driver.delete(stack)
    assert objects(running_cloud, collection) == before


@pytest.mark.parametrize('case', [each for each in CASES if each != 'replica'])
def test_delete_of_an_interrupted_create_leaves_no_object(case, running_cloud, driver, ids):
    text, collection = template(case)
    before = objects(running_cloud, collection)
    stack = driver.create(text)
    assert objects(running_cloud, collection) != before
    driver.wait_for_free_lock(stack)
    interrupt(stack)
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert objects(running_cloud, collection) == before


@session.writer
def note_before(stack, ids):
    """Store what the engine that was killed had stored before its request."""
    row = models.resource.c.stack_id == stack['stack_id']
    (one,) = session.execute(sqlalchemy.select(models.resource.c.id).where(row)).one()
    values = {'resource_id': one, 'key': added_object.BEFORE, 'value': ' '.join(ids)}
    session.execute(models.resource_data.insert().values(**values, redact=False))


@pytest.mark.parametrize('others', [0, 1])
def test_interrupted_create_of_a_replica_deletes_no_other(others, running_cloud, driver, ids):
    text, collection = template('replica')
    stack = driver.create(text)
    driver.wait_for_free_lock(stack)
    (made,) = objects(running_cloud, collection)
    before = running_cloud.cloud.objects[made]
    old = running_cloud.cloud.put(*collection, share_id=before['share_id'])
    for _ in range(others):
        running_cloud.cloud.put(*collection, share_id=before['share_id'])
    interrupt(stack)
    note_before(stack, [old[:8]])
    driver.delete(stack)
    left = objects(running_cloud, collection)
    if others:
        assert driver.state(stack) == 'DELETE_FAILED' and made in left
        assert (
            f'any of {", ".join(sorted(each[2] for each in left if each[2] != old))}'
            in (driver.stack(stack)['stack_status_reason'])
        )
    else:
        assert driver.state(stack) == 'DELETE_COMPLETE', driver.stack(stack)['stack_status_reason']
        assert left == {(*collection, old)}


def test_transfer_is_accepted_once_when_the_response_is_lost(running_cloud, driver, ids):
    fake = running_cloud.cloud
    offered = fake.objects['block-storage', '/volume-transfers', ids['transfer']]['volume_id']
    fake.lose('POST', '/accept$')
    values = {'transfer': ids['transfer'], 'auth_key': 'sesame'}
    accept = {'type': 'OS::Cinder::VolumeTransferAccept', 'properties': values}
    stack = driver.create({'resources': {'it': accept}})
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert driver.physical_id(stack, 'it') == offered
    assert len([each for each in fake.asked if each[1].endswith('/accept')]) == 1
    driver.delete(stack)


@pytest.mark.parametrize(
    ('kind', 'properties', 'parent'),
    [
        (
            'OS::Cinder::HostAttachment',
            {'volume': 'a volume', 'connector': {'host': 'h'}},
            ('block-storage', '/volumes'),
        ),
        (
            'OS::Designate::ZoneShare',
            {'zone': 'a zones', 'target_project': 'a project'},
            ('dns', '/zones'),
        ),
    ],
)
@pytest.mark.parametrize('gone', [False, True])
def test_interrupted_create_is_deleted_also_without_its_parent(
    kind, properties, parent, gone, running_cloud, driver, ids
):
    before = set(running_cloud.cloud.objects)
    stack = driver.create({'resources': {'it': {'type': kind, 'properties': properties}}})
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    driver.wait_for_free_lock(stack)
    interrupt(stack)
    if gone:
        for key in objects(running_cloud, parent):
            del running_cloud.cloud.objects[key]
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert gone or set(running_cloud.cloud.objects) == before
