"""What is particular to the driver for one process."""

import threading
import time
import uuid

import oslo_messaging
import pytest

from heat_lite.common import exception
from heat_lite.rpc import messaging
from heat_lite.rpc.local import BACKLOG
from heat_lite.rpc.remote import Remote, call, cast
from tests.waiting import PATIENCE


class Client(Remote):
    keep = call('keep', '1.0', 'value')
    note = cast('note', '1.0', 'text')
    ask = call('ask', '1.0', 'text')

    def __init__(self, topic, timeout=5):
        super().__init__(timeout=timeout)
        self.topic = topic


class Keeper:
    def __init__(self):
        self.kept = []

    def keep(self, ctxt, value):
        self.kept.append(value)
        return value

    def note(self, ctxt, text):
        self.kept.append(text)

    ask = note


def wait_for(condition, seconds=PATIENCE):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.005)
    assert condition()


def test_both_sides_own_what_they_hold(local, topic, start, ctx):
    keeper = Keeper()
    start(topic, [keeper])
    sent = {'list': [1], 'tuple': (1, 2)}
    got = Client(topic).keep(ctx, value=sent)
    got['list'].append('theirs')
    sent['list'].append('ours')
    assert keeper.kept == [{'list': [1], 'tuple': [1, 2]}]


def test_what_no_broker_would_carry_is_refused(local, topic, start, ctx):
    start(topic, [Keeper()])
    endless = []
    endless.append(endless)
    with pytest.raises((ValueError, RecursionError)):
        Client(topic).keep(ctx, value=endless)


def test_names_are_worlds_of_their_own(conf, topic, ctx):
    servers = {}
    for name in ('a', 'b'):
        messaging.setup(conf, f'local:///{uuid.uuid4().hex}')
        servers[name] = Keeper()
        server = messaging.serve(topic, 'one', [servers[name]])
        server.start()
        Client(topic).keep(ctx, value=name)
        server.stop()
        server.wait()
    messaging.cleanup()
    assert {name: keeper.kept for name, keeper in servers.items()} == {'a': ['a'], 'b': ['b']}


def test_what_a_caller_no_longer_waits_for_is_not_done(local, topic, start, ctx):
    with pytest.raises(exception.EngineTimeout):
        Client(topic, timeout=0.05).ask(ctx, text='too late')
    time.sleep(0.05)
    keeper = Keeper()
    start(topic, [keeper])
    Client(topic).note(ctx, text='in time')
    wait_for(lambda: keeper.kept)
    assert keeper.kept == ['in time']


def test_a_server_that_stops_loses_nothing(local, topic, ctx):
    """Servers come and go while casts are sent: each is done exactly once."""
    done, lock, sent = [], threading.Lock(), range(300)

    class Counter:
        def note(self, ctxt, text):
            with lock:
                done.append(text)

    sender = threading.Thread(target=lambda: [Client(topic).note(ctx, text=number) for number in sent])
    sender.start()
    while sender.is_alive():
        server = messaging.serve(topic, 'one', [Counter()])
        server.start()
        time.sleep(0.01)
        server.stop()
        server.wait()
    server = messaging.serve(topic, 'one', [Counter()])
    server.start()
    server.stop()
    server.wait()
    assert sorted(done) == list(sent)


def test_the_backlog_is_bounded(local, topic, start, ctx):
    client = Client(topic)
    for number in range(BACKLOG + 5):
        client.note(ctx, text=number)
    keeper = Keeper()
    start(topic, [keeper])
    wait_for(lambda: len(keeper.kept) == BACKLOG)
    assert 4 not in keeper.kept and 5 in keeper.kept


def test_a_call_costs_little(local, topic, start, ctx):
    start(topic, [Keeper()])
    client = Client(topic)
    client.keep(ctx, value=0)
    began = time.process_time()
    for number in range(500):
        client.keep(ctx, value=number)
    # 0.25 ms on a slow machine; a driver that polls would need 50 ms of patience, one that copies deeply many times the CPU
    assert (time.process_time() - began) / 500 < 0.002


def test_signs_of_life_prolong_a_call(local, topic, start, ctx):
    class Slow:
        def ask(self, ctxt, text):
            time.sleep(2.4)
            return text

    start(topic, [Slow()])
    target = oslo_messaging.Target(topic=topic)
    caller = oslo_messaging.get_rpc_client(messaging.transport, target, timeout=10, serializer=messaging.ContextSerializer())
    assert caller.prepare(call_monitor_timeout=2).call(ctx, 'ask', text='still here') == 'still here'


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

    def begin(reader, pool=None):
        transport = oslo_messaging.get_notification_transport(local.conf, url=messaging._url)
        target = oslo_messaging.Target(topic=topic)
        made = oslo_messaging.get_notification_listener(transport, [target], [reader], allow_requeue=True, pool=pool)
        made.start()
        started.append(made)

    yield begin
    for made in started:
        made.stop()
        made.wait()


@pytest.fixture
def notifier(local, topic):
    local.conf.register_opts(oslo_messaging.notify.notifier._notifier_opts, group='oslo_messaging_notifications')
    local.conf.set_override('driver', ['messagingv2'], group='oslo_messaging_notifications')
    local.conf.set_override('topics', [topic], group='oslo_messaging_notifications')
    return messaging.notifier('orchestration.here')


def test_notifications_go_where_the_options_say(listen, notifier, ctx):
    reader = Reader()
    listen(reader)
    notifier.info(ctx, 'orchestration.stack.create.end', {'state': 'CREATE_COMPLETE'})
    wait_for(lambda: reader.got)
    assert reader.got == [('orchestration.here', 'orchestration.stack.create.end', {'state': 'CREATE_COMPLETE'})]


def test_each_pool_gets_its_copy(listen, notifier, ctx):
    readers = {pool: Reader() for pool in ('billing', 'audit')}
    for pool, reader in readers.items():
        listen(reader, pool)
    notifier.info(ctx, 'event', {})
    wait_for(lambda: all(reader.got for reader in readers.values()))
    assert [len(reader.got) for reader in readers.values()] == [1, 1]


def test_notifications_wait_for_a_reader(listen, notifier, ctx):
    notifier.info(ctx, 'early', {})
    reader = Reader()
    listen(reader)
    wait_for(lambda: reader.got)


def test_a_reader_may_give_one_back(listen, notifier, ctx):
    reader = Reader([oslo_messaging.NotificationResult.REQUEUE, oslo_messaging.NotificationResult.HANDLED])
    listen(reader)
    notifier.info(ctx, 'again', {})
    wait_for(lambda: len(reader.got) == 2)


def test_no_driver_no_notifications(local):
    assert messaging.notifier('orchestration.here') is None
