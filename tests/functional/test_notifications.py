"""What an engine tells the message bus about stacks, read as others read it: from the topic exchange ``heat`` of RabbitMQ."""

import json
import time

import kombu
import pytest

from heat_lite.engine.resource import Resource
from heat_lite.template.schema import number
from tests import brokers, databases, engines

CONFIGURATION = '[oslo_messaging_notifications]\ndriver = messagingv2\n'
TEST = 'OS::Heat::TestResource'
ALLOWED = {'enable_stack_adopt': True, 'enable_stack_abandon': True}


class Reader:
    """Takes what is told under any level of the topic ``notifications``."""

    def __init__(self, channel):
        self.told = []
        exchange = kombu.Exchange('heat', 'topic', durable=False)
        queue = kombu.Queue(exchange=exchange, routing_key='notifications.#', exclusive=True)(channel)
        queue.declare()
        self.consumer = kombu.Consumer(channel, queue, callbacks=[self._take], auto_declare=False)

    def _take(self, body, message):
        self.told.append((message.delivery_info['routing_key'], json.loads(body['oslo.message'])))
        message.ack()

    def until(self, event_type, seconds=10):
        """All up to the first of this type."""
        end = time.monotonic() + seconds
        with self.consumer:
            while not self.told or self.told[-1][1]['event_type'] != event_type:
                assert time.monotonic() < end, [told['event_type'] for _, told in self.told]
                try:
                    self.consumer.channel.connection.client.drain_events(timeout=1)
                except TimeoutError:
                    continue
        return self.told


@pytest.fixture
def bus(tmp_path):
    """(an engine that tells, a reader)"""
    file = tmp_path / 'heat-lite.conf'
    file.write_text(CONFIGURATION)
    with brokers.virtual_host_or_skip() as transport, databases.migrated('sqlite', tmp_path) as url:
        with engines.running(url, [Group], transport=transport, files=[str(file)], host='here', **ALLOWED) as driver:
            with kombu.Connection(transport.replace('rabbit://', 'amqp://')) as connection:
                yield driver, Reader(connection.channel())


def test_what_becomes_of_a_stack(bus):
    engine, reader = bus
    engine.context.auth_token = 'secret token'
    identity = engine.create({'description': 'D', 'resources': {'a': {'type': TEST}}}, name='told', tags=['x'])
    engine.update(identity, {'resources': {'a': {'type': TEST, 'properties': {'value': 'new', 'fail': True}}}})
    engine.delete(identity)
    told = reader.until('orchestration.stack.delete.end')
    assert [(level, each['event_type'].removeprefix('orchestration.stack.')) for level, each in told] == [
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
    assert failed['state_reason'] == 'Resource UPDATE failed: ValueError: resources.a: Test Resource failed a'
    assert failed['updated_at'] is not None
    assert 'secret token' not in json.dumps(told)


class Group(Resource):
    """Tells when it scales, as groups do."""

    resource_type = 'Test::Group'
    properties_schema = {'size': number('How many.', update_allowed=True)}

    def handle_create(self):
        self.resource_id_set('group')

    def handle_update(self, definition, tmpl_diff, prop_diff):
        told = {'groupname': self.name, 'adjustment_type': 'ExactCapacity', 'adjustment': prop_diff['size'], 'capacity': 1}
        self.stack.tell_scaling('start', message='Start resizing', **told)
        self.stack.tell_scaling('error', message='no room', **told)


def test_what_becomes_of_groups_and_of_stacks_that_come_and_go(bus):
    engine, reader = bus
    identity = engine.create({'resources': {'g': {'type': 'Test::Group', 'properties': {'size': 1}}}})
    engine.update(identity, {'resources': {'g': {'type': 'Test::Group', 'properties': {'size': 2}}}})
    taken = engine.client.stack_snapshot(engine.context, stack_identity=identity, name='s')
    engine.wait(identity)
    engine.client.stack_restore(engine.context, stack_identity=identity, snapshot_id=taken['id'])
    engine.wait(identity)
    document = engine.client.abandon_stack(engine.context, stack_identity=identity)
    engine.wait(identity)
    engine.create(document['template'], adopt_stack_data=json.dumps(document))
    told = [each for _, each in reader.until('orchestration.stack.adopt.end')]
    scaling = [each for each in told if each['event_type'].startswith('orchestration.autoscaling.')]
    assert [(each['event_type'], each['priority']) for each in scaling] == [
        ('orchestration.autoscaling.start', 'INFO'),
        ('orchestration.autoscaling.error', 'ERROR'),
    ]
    first = scaling[0]['payload']
    assert (first['groupname'], first['adjustment'], first['adjustment_type'], first['capacity']) == ('g', 2, 'ExactCapacity', 1)
    assert (first['message'], first['stack_name'], first['state']) == ('Start resizing', 'stack', 'UPDATE_IN_PROGRESS')
    stacks = [each['event_type'].removeprefix('orchestration.stack.') for each in told if each not in scaling]
    assert stacks == [
        f'{verb}.{word}' for verb in ('create', 'update', 'snapshot', 'restore', 'delete', 'adopt') for word in ('start', 'end')
    ]
