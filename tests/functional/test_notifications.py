"""Notifications of an engine, read from RabbitMQ's topic exchange ``heat`` as other services do."""

import json
import time

import kombu
import pytest

from tests import brokers, databases, engines

CONFIGURATION = '[oslo_messaging_notifications]\ndriver = messagingv2\n'
TEST = 'OS::Heat::TestResource'
ALLOWED = {'enable_stack_adopt': True, 'enable_stack_abandon': True}


@pytest.fixture
def bus(tmp_path):
    """Yield a driver of an engine that sends notifications, and a brokers.Reader."""
    file = tmp_path / 'heat-lite.conf'
    file.write_text(CONFIGURATION)
    with brokers.virtual_host_or_skip() as transport, databases.migrated('sqlite', tmp_path) as url:
        with engines.running(
            url, transport=transport, files=[str(file)], host='here', **ALLOWED
        ) as driver:
            with kombu.Connection(transport.replace('rabbit://', 'amqp://')) as connection:
                yield driver, brokers.Reader(connection.channel())


def test_notifications_contain_no_hidden_parameter(bus):
    engine, reader = bus
    template = {
        'parameters': {'secret': {'type': 'string', 'hidden': True}},
        'resources': {
            'kept': {'type': TEST, 'properties': {'value': {'get_param': 'secret'}}},
            'broken': {
                'type': 'OS::Heat::RandomString',
                # the error quotes the attribute
                'properties': {'length': {'get_attr': ['kept', 'output']}},
            },
        },
    }
    engine.create(template, params={'parameters': {'secret': 'planted-secret'}})
    told = reader.until('orchestration.stack.create.error')
    assert '******' in told[-1][1]['payload']['state_reason']
    assert 'planted-secret' not in json.dumps(told)


def test_stack_actions_send_notifications(bus):
    engine, reader = bus
    engine.context.auth_token = 'secret token'
    identity = engine.create(
        {'description': 'D', 'resources': {'a': {'type': TEST}}}, name='told', tags=['x']
    )
    engine.update(
        identity, {'resources': {'a': {'type': TEST, 'properties': {'value': 'new', 'fail': True}}}}
    )
    engine.delete(identity)
    told = reader.until('orchestration.stack.delete.end')
    assert [
        (level, each['event_type'].removeprefix('orchestration.stack.')) for level, each in told
    ] == [
        ('notifications.info', 'create.start'),
        ('notifications.info', 'create.end'),
        ('notifications.info', 'update.start'),
        ('notifications.error', 'update.error'),
        ('notifications.info', 'delete.start'),
        ('notifications.info', 'delete.end'),
    ]
    first = told[0][1]
    assert (first['publisher_id'], first['priority']) == ('orchestration.here', 'INFO')
    created = first['payload'].pop('create_at')
    assert time.strptime(created, '%Y-%m-%dT%H:%M:%SZ')
    assert first['payload'] == {
        'tenant_id': engine.context.project_id,
        'user_id': 'tester',
        'user_identity': 'u',
        'username': 'tester',
        'stack_identity': identity['stack_id'],
        'stack_name': 'told',
        'state': 'CREATE_IN_PROGRESS',
        'state_reason': 'Stack CREATE started',
        'updated_at': None,
        'tags': ['x'],
        'description': 'D',
    }
    failed = told[3][1]['payload']
    assert failed['state'] == 'UPDATE_FAILED'
    assert (
        failed['state_reason']
        == 'Resource UPDATE failed: ValueError: resources.a: Test Resource failed a'
    )
    assert failed['updated_at'] is not None
    assert 'secret token' not in json.dumps(told)


#: the events of a stack that is created, and the loggers of the driver "log"
CREATED = ['orchestration.stack.create.start', 'orchestration.stack.create.end']
LOGGERS = [f'oslo.messaging.notification.{each}' for each in CREATED]


def create_with(options, tmp_path, transport):
    """Create a stack in an engine with these options of notifications, and stop the engine, which
    sends what waits.
    """
    file = tmp_path / 'heat-lite.conf'
    file.write_text(f'[oslo_messaging_notifications]\n{options}\n')
    with databases.migrated('sqlite', tmp_path) as url:
        with engines.running(url, transport=transport, files=[str(file)]) as driver:
            driver.create({'resources': {'a': {'type': TEST}}})


def test_notifications_go_to_each_driver_and_topic_of_their_own_broker(tmp_path, caplog):
    caplog.set_level('INFO')
    with brokers.virtual_host_or_skip() as transport, brokers.virtual_host_or_skip() as own:
        with kombu.Connection(own.replace('rabbit://', 'amqp://')) as connection:
            readers = [
                brokers.Reader(connection.channel(), topic) for topic in ('notifications', 'bills')
            ]
            create_with(
                'driver = noop\ndriver = log\ndriver = messagingv2\ntopics = notifications, bills\n'
                f'transport_url = {own}',
                tmp_path,
                transport,
            )
            for reader in readers:
                told = reader.until(CREATED[-1])
                assert [each['event_type'] for _, each in told] == CREATED
        assert 'notifications.info' not in brokers.queues(transport)
    logged = [json.loads(each.message) for each in caplog.records if each.name in LOGGERS]
    assert [each['event_type'] for each in logged] == CREATED
    assert logged[-1]['payload']['state'] == 'CREATE_COMPLETE'


@pytest.mark.parametrize(('driver', 'sent'), [('noop', False), ('', False), ('messaging', True)])
def test_notifications_are_sent_by_drivers_of_messages_only(driver, sent, tmp_path):
    with brokers.virtual_host_or_skip() as transport:
        create_with(f'driver = {driver}' if driver else '', tmp_path, transport)
        assert ('notifications.info' in brokers.queues(transport)) is sent


def test_short_lived_stacks_send_notifications(bus):
    engine, reader = bus
    identity = engine.create({'resources': {'t': {'type': TEST}}})
    taken = engine.client.stack_snapshot(engine.context, stack_identity=identity, name='s')
    engine.wait(identity)
    engine.client.stack_restore(engine.context, stack_identity=identity, snapshot_id=taken['id'])
    engine.wait(identity)
    document = engine.client.abandon_stack(engine.context, stack_identity=identity)
    engine.wait(identity)
    engine.create(document['template'], adopt_stack_data=json.dumps(document))
    told = [each for _, each in reader.until('orchestration.stack.adopt.end')]
    stacks = [each['event_type'].removeprefix('orchestration.stack.') for each in told]
    assert stacks == [
        f'{verb}.{word}'
        for verb in ('create', 'snapshot', 'restore', 'delete', 'adopt')
        for word in ('start', 'end')
    ]


def test_scaling_groups_send_notifications(bus):
    engine, reader = bus
    group = {'min_size': 0, 'max_size': 3, 'desired_capacity': 1, 'resource': {'type': TEST}}
    rule = {
        'adjustment_type': 'change_in_capacity',
        'auto_scaling_group_id': {'get_resource': 'g'},
        'scaling_adjustment': 1,
    }
    resources = {
        'g': {'type': 'OS::Heat::AutoScalingGroup', 'properties': group},
        'p': {'type': 'OS::Heat::ScalingPolicy', 'properties': rule},
    }
    identity = engine.create({'resources': resources}, name='scales')
    engine.client.resource_signal(
        engine.context, stack_identity=identity, resource_name='p', details={}, sync_call=True
    )
    listed = engine.client.list_events(engine.context, stack_identity=identity)
    said = [
        each['resource_status_reason'] for each in listed if each['resource_action'] == 'SIGNAL'
    ]
    assert said == ['Unknown']
    told = [each for _, each in reader.until('orchestration.autoscaling.end')]
    start, end = (
        each for each in told if each['event_type'].startswith('orchestration.autoscaling.')
    )
    assert (start['event_type'], start['priority']) == ('orchestration.autoscaling.start', 'INFO')
    for each, capacity in ((start, 1), (end, 2)):
        payload = each['payload']
        assert (payload['adjustment'], payload['adjustment_type'], payload['capacity']) == (
            1,
            'change_in_capacity',
            capacity,
        )
        assert (
            payload['stack_name'] == 'scales'
            and payload['groupname']
            and payload['message'].endswith(f' resizing the group {payload["groupname"]}')
        )
