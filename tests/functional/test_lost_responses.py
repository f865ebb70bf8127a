"""Objects without a name whose create lost its response, or its engine, are made once."""

import copy

import pytest
import sqlalchemy

from heat_lite.db import models, session
from heat_lite.resources.base import added_object
from heat_lite.resources.openstack.mistral import external_resource
from tests import samples
from tests.functional.clouds import driver, ids, running_cloud  # noqa: F401 - fixtures
from tests.functional.test_cloud_types import REGISTRY, contents, one_resource
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
def note(stack, **data):
    """Store what the engine that was killed had stored before its request."""
    row = models.resource.c.stack_id == stack['stack_id']
    (one,) = session.execute(sqlalchemy.select(models.resource.c.id).where(row)).one()
    for key, value in data.items():
        values = {'resource_id': one, 'key': key, 'value': value, 'redact': False}
        session.execute(models.resource_data.insert().values(**values))


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
    note(stack, **{added_object.BEFORE: old[:8]})
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


NOTED = {added_object.BEFORE: ''}
#: types whose objects have no name of their own -> what the engine has stored before its request
NAMELESS = {
    'Cinder::EncryptedVolumeType': {},
    'Cinder::QoSAssociation': {},
    'Keystone::Region': {},
    'Neutron::ExtraRoute': NOTED,
    'Neutron::ExtraRouteSet': NOTED,
    'Neutron::FloatingIP': {},
    'Neutron::FloatingIPAssociation': {},
    'Neutron::FloatingIPPortForward': {},
    'Neutron::L2GatewayConnection': {},
    'Neutron::MeteringRule': {},
    'Neutron::QoSBandwidthLimitRule': {},
    'Neutron::QoSDscpMarkingRule': {},
    'Neutron::QoSMinimumBandwidthRule': {},
    'Neutron::QoSMinimumPacketRateRule': {},
    'Neutron::RBACPolicy': {},
    'Neutron::RouterGateway': {},
    'Neutron::SecurityGroupRule': {},
    'Nova::FloatingIPAssociation': {},
    'Octavia::L7Rule': NOTED,
}
#: properties without those by which the samples name the object
UNNAMED = {'Keystone::Region': ('id',), 'Neutron::FloatingIP': ('description',)}


def nameless(name, ids):
    kind = REGISTRY.get(f'OS::{name}')
    values = samples.properties(kind, ids)
    for each in UNNAMED.get(name, ()):
        values.pop(each, None)
    return one_resource(kind.resource_type, values)


def interrupted(driver, text, data):
    """Create a stack whose engine is killed before it stores the result of its only create."""
    stack = driver.create(text)
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    driver.wait_for_free_lock(stack)
    interrupt(stack)
    note(stack, **data)
    return stack


@pytest.mark.parametrize('name', NAMELESS)
def test_nameless_object_of_an_interrupted_create_is_deleted(name, running_cloud, driver, ids):
    before = contents(running_cloud.cloud)
    stack = interrupted(driver, nameless(name, ids), NAMELESS[name])
    assert contents(running_cloud.cloud) != before
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert contents(running_cloud.cloud) == before


@pytest.mark.parametrize('name', NAMELESS)
def test_delete_of_a_create_that_sent_nothing_deletes_nothing(name, running_cloud, driver, ids):
    fake = running_cloud.cloud
    before = copy.deepcopy((fake.objects, fake.state))
    stack = interrupted(driver, nameless(name, ids), NAMELESS[name])
    fake.objects, fake.state = copy.deepcopy(before)
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert (fake.objects, fake.state) == before


#: types whose objects their services refuse to make twice
REFUSED = (
    'Cinder::VolumeAttachment',
    'Neutron::FloatingIPPortForward',
    'Neutron::QoSBandwidthLimitRule',
    'Neutron::RBACPolicy',
    'Neutron::RouterInterface',
    'Neutron::SecurityGroupRule',
    'Nova::InterfaceAttachment',
)


@pytest.mark.parametrize('name', REFUSED)
def test_delete_of_a_refused_create_leaves_the_object_of_another(name, running_cloud, driver, ids):
    fake, text = running_cloud.cloud, nameless(name, ids)
    others = driver.create(text, name='others')
    assert driver.state(others) == 'CREATE_COMPLETE', driver.stack(others)['stack_status_reason']
    before = contents(fake)
    for method in ('POST', 'PUT'):
        fake.fail(method, 'rules|forwardings|policies|attachments|interface', 400)
    stack = driver.create(text)
    fake.faults.clear()
    assert driver.state(stack) == 'CREATE_FAILED'
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert contents(fake) == before


@pytest.mark.parametrize('name', NAMELESS)
def test_interrupted_create_goes_on_with_its_object(name, running_cloud, driver, ids):
    text = nameless(name, ids)
    stack = interrupted(driver, text, NAMELESS[name])
    made = contents(running_cloud.cloud)
    driver.update(stack, text)
    assert driver.state(stack) == 'UPDATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert contents(running_cloud.cloud) == made
    driver.delete(stack)


def test_delete_of_a_failed_create_leaves_the_object_of_its_replacement(running_cloud, driver, ids):
    fake, text = running_cloud.cloud, nameless('Neutron::RBACPolicy', ids)
    fake.fail('POST', '/rbac-policies$', 501)
    stack = driver.create(text)
    assert driver.state(stack) == 'CREATE_FAILED'
    driver.update(stack, text)
    assert driver.state(stack) == 'UPDATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    [made] = fake.of('network', '/rbac-policies')
    assert made['id'] == driver.physical_id(stack, 'it')
    driver.delete(stack)


@pytest.mark.parametrize(
    ('kind', 'values'),
    [
        ('OS::Neutron::FloatingIP', {'description': 'mine'}),
        ('OS::Keystone::Region', {'id': 'mine'}),
    ],
)
def test_object_that_may_be_of_others_is_left_and_named(kind, values, running_cloud, driver, ids):
    given = samples.properties(REGISTRY.get(kind), ids) | values
    stack = interrupted(driver, one_resource(kind, given), {})
    made = contents(running_cloud.cloud)
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_FAILED'
    assert 'its engine stopped before the result' in driver.stack(stack)['stack_status_reason']
    assert contents(running_cloud.cloud) == made


def cut_off_execution(driver, running_cloud, text):
    """Create a stack whose engine is killed while the workflow of the create runs."""
    stack = driver.create(text)
    [execution] = running_cloud.cloud.of('workflow', '/executions')
    driver.wait_for_free_lock(stack)
    interrupt(stack)
    keys, one = external_resource, execution['id']
    note(stack, **{keys.CREATED: one, keys.ALL: one, keys.RUNNING: f'CREATE:{one}'})
    running_cloud.cloud.asked.clear()
    return stack, one


EXTERNAL = {
    'resources': {
        'it': {
            'type': 'OS::Mistral::ExternalResource',
            'properties': {
                'actions': {each: {'workflow': 'a workflows'} for each in ('CREATE', 'DELETE')}
            },
        }
    }
}


@pytest.mark.parametrize('sent', [True, False])
def test_interrupted_execution_is_started_once(sent, running_cloud, driver, ids):
    stack, execution = cut_off_execution(driver, running_cloud, EXTERNAL)
    if not sent:
        running_cloud.cloud.objects.pop(('workflow', '/executions', execution))
    driver.update(stack, EXTERNAL)
    assert driver.state(stack) == 'UPDATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert [each['id'] for each in running_cloud.cloud.of('workflow', '/executions')] == [execution]
    assert driver.physical_id(stack, 'it') == 'made by it'
    driver.delete(stack)
    assert not running_cloud.cloud.of('workflow', '/executions')


def test_interrupted_execution_is_undone_by_the_workflow_for_deletes(running_cloud, driver, ids):
    stack, execution = cut_off_execution(driver, running_cloud, EXTERNAL)
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert not running_cloud.cloud.of('workflow', '/executions')
    asked = running_cloud.cloud.asked
    sent = [body for method, path, body in asked if (method, path[-11:]) == ('POST', '/executions')]
    assert [each['id'] == execution for each in sent] == [True, False]
    assert 'made by it' in sent[1]['params']
