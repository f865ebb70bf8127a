"""The driver for one process, where it differs from that of a broker."""

import threading
import uuid

import oslo_messaging
import pytest

from heat_lite.common import exception
from heat_lite.operations.remote_method import call, cast
from heat_lite.rpc import messaging
from heat_lite.rpc.contract import RpcClient
from heat_lite.rpc.local import BACKLOG
from tests.timeouts import WAIT_SECONDS, wait_until


class Client(RpcClient):
    store = call('store', '1.0', 'value')
    note = cast('note', '1.0', 'text')
    submit = call('submit', '1.0', 'text')

    def __init__(self, topic, timeout=60):
        super().__init__(timeout=timeout)
        self.topic = topic


class Recorder:
    def __init__(self):
        self.received = []

    def store(self, ctxt, value):
        self.received.append(value)
        return value

    def note(self, ctxt, text):
        self.received.append(text)

    submit = note


def test_call_shares_no_objects_between_sender_and_receiver(local, topic, start, ctx):
    recorder = Recorder()
    start(topic, [recorder])
    sent = {'list': [1], 'tuple': (1, 2)}
    got = Client(topic).store(ctx, value=sent)
    got['list'].append('theirs')
    sent['list'].append('ours')
    assert recorder.received == [{'list': [1], 'tuple': [1, 2]}]


def test_circular_argument_is_refused(local, topic, start, ctx):
    start(topic, [Recorder()])
    endless = []
    endless.append(endless)
    with pytest.raises((ValueError, RecursionError)):
        Client(topic).store(ctx, value=endless)


def test_transports_of_different_names_are_separate(conf, topic, ctx):
    servers = {}
    for name in ('a', 'b'):
        messaging.setup(conf, f'local:///{uuid.uuid4().hex}')
        servers[name] = Recorder()
        server = messaging.serve(topic, 'one', [servers[name]])
        server.start()
        Client(topic).store(ctx, value=name)
        server.stop()
        server.wait()
    messaging.cleanup()
    assert {name: recorder.received for name, recorder in servers.items()} == {
        'a': ['a'],
        'b': ['b'],
    }


def test_request_of_timed_out_caller_is_dropped(local, topic, start, ctx):
    with pytest.raises(exception.EngineTimeout):
        Client(topic, timeout=0.05).submit(ctx, text='too late')
    recorder = Recorder()
    start(topic, [recorder])
    Client(topic).note(ctx, text='in time')
    wait_until(lambda: recorder.received)
    assert recorder.received == ['in time']


def test_server_restart_loses_no_cast(local, topic, ctx):
    """Servers start and stop while casts are sent: each cast is processed exactly once."""
    done, lock, sent = [], threading.Lock(), range(300)
    noted = threading.Event()

    class Counter:
        def note(self, ctxt, text):
            with lock:
                done.append(text)
            noted.set()

    sender = threading.Thread(
        target=lambda: [Client(topic).note(ctx, text=number) for number in sent]
    )
    sender.start()
    while sender.is_alive():
        server = messaging.serve(topic, 'one', [Counter()])
        server.start()
        noted.wait(0.01)
        noted.clear()
        server.stop()
        server.wait()
    server = messaging.serve(topic, 'one', [Counter()])
    server.start()
    server.stop()
    server.wait()
    assert sorted(done) == list(sent)


def test_backlog_over_its_limit_drops_the_oldest(local, topic, start, ctx):
    client = Client(topic)
    for number in range(BACKLOG + 5):
        client.note(ctx, text=number)
    recorder = Recorder()
    start(topic, [recorder])
    wait_until(lambda: len(recorder.received) == BACKLOG)
    assert 4 not in recorder.received and 5 in recorder.received


def test_heartbeat_prolongs_a_monitored_call(local, topic, start, ctx):
    class Slow:
        def submit(self, ctxt, text):
            threading.Event().wait(6)
            return text

    start(topic, [Slow()])
    target = oslo_messaging.Target(topic=topic)
    caller = oslo_messaging.get_rpc_client(
        messaging.transport, target, timeout=WAIT_SECONDS, serializer=messaging.ContextSerializer()
    )
    assert (
        caller.prepare(call_monitor_timeout=5).call(ctx, 'submit', text='still here')
        == 'still here'
    )


# --------------------------------------------------------------- notifications


class Reader:
    def __init__(self, results=()):
        self.got = []
        self.results = list(results)

    def info(self, ctxt, publisher_id, event_type, payload, metadata):
        self.got.append((publisher_id, event_type, payload))
        return self.results.pop(0) if self.results else None


@pytest.fixture
def listen(local, topic):
    started = []

    def start_listener(reader, pool=None):
        transport = oslo_messaging.get_notification_transport(local.conf, url=messaging._url)
        target = oslo_messaging.Target(topic=topic)
        made = oslo_messaging.get_notification_listener(
            transport, [target], [reader], allow_requeue=True, pool=pool
        )
        made.start()
        started.append(made)

    yield start_listener
    for made in started:
        made.stop()
        made.wait()


@pytest.fixture
def notifier(local, topic):
    local.conf.register_opts(
        oslo_messaging.notify.notifier._notifier_opts, group='oslo_messaging_notifications'
    )
    local.conf.set_override('driver', ['messagingv2'], group='oslo_messaging_notifications')
    local.conf.set_override('topics', [topic], group='oslo_messaging_notifications')
    return messaging.notifier('orchestration.here')


def test_notification_goes_to_the_configured_topic(listen, notifier, ctx):
    reader = Reader()
    listen(reader)
    notifier.info(ctx, 'orchestration.stack.create.end', {'state': 'CREATE_COMPLETE'})
    wait_until(lambda: reader.got)
    assert reader.got == [
        ('orchestration.here', 'orchestration.stack.create.end', {'state': 'CREATE_COMPLETE'})
    ]


def test_notification_reaches_each_pool(listen, notifier, ctx):
    readers = {pool: Reader() for pool in ('billing', 'audit')}
    for pool, reader in readers.items():
        listen(reader, pool)
    notifier.info(ctx, 'event', {})
    wait_until(lambda: all(reader.got for reader in readers.values()))
    assert [len(reader.got) for reader in readers.values()] == [1, 1]


def test_notification_without_listener_is_kept(listen, notifier, ctx):
    notifier.info(ctx, 'early', {})
    reader = Reader()
    listen(reader)
    wait_until(lambda: reader.got)


def test_requeued_notification_is_delivered_again(listen, notifier, ctx):
    reader = Reader(
        [oslo_messaging.NotificationResult.REQUEUE, oslo_messaging.NotificationResult.HANDLED]
    )
    listen(reader)
    notifier.info(ctx, 'again', {})
    wait_until(lambda: len(reader.got) == 2)


def test_notifier_without_driver_is_none(local):
    assert messaging.notifier('orchestration.here') is None
