"""Both transports: calls, casts, contexts, errors, timeouts, concurrency, orderly shutdown."""

import gc
import threading
import weakref

import amqp
import kombu
import oslo_messaging
import pytest

from heat_lite.common import exception
from heat_lite.operations.remote_method import call, cast
from heat_lite.rpc import messaging
from heat_lite.rpc.contract import RpcClient
from tests.timeouts import wait_until


class Probe(RpcClient):
    echo = call('echo', '1.0', 'value')
    whoami = call('whoami')
    server_name = call('server_name')
    slow = call('slow', '1.0', 'seconds')
    held = call('held')
    note = cast('note', '1.0', 'text')
    note_slowly = cast('note_slowly', '1.0', 'text')
    absent = call('absent')
    refused = call('refused')
    private = call('_private')
    newer = call('echo', '1.1', 'value')

    def __init__(self, topic, **options):
        super().__init__(**options)
        self.topic = topic


class Endpoint:
    def __init__(self, name='one'):
        self.name = name
        self.notes = []
        self.noted, self.go_on = threading.Event(), threading.Event()
        self.value = None

    def echo(self, ctxt, value):
        return value

    def whoami(self, ctxt):
        return [
            ctxt.user_id,
            ctxt.project_id,
            ctxt.roles,
            ctxt.auth_token,
            ctxt.user_domain_id,
            ctxt.request_id,
            ctxt.is_admin,
        ]

    def server_name(self, ctxt):
        return self.name

    def slow(self, ctxt, seconds):
        self.go_on.wait(seconds)
        return 'done'

    def held(self, ctxt):
        self.noted.set()
        self.go_on.wait(60)

    def note(self, ctxt, text):
        self.notes.append(text)
        self.noted.set()

    def note_slowly(self, ctxt, text):
        self.noted.set()
        self.go_on.wait(60)
        self.notes.append(text)

    def refused(self, ctxt):
        value = threading.Event()  # what a frame of the traceback holds
        self.value = weakref.ref(value)
        raise exception.StackValidationFailed(message='no')

    def _private(self, ctxt):
        return 'should not be reachable'


VALUES = [
    None,
    True,
    0,
    -1.5,
    '',
    'grüße 𝒳 \U0001f600 "quoted" \\ \n',
    [],
    {},
    {'a': [1, {'b': None}], 'ß': ['x'] * 3},
    [[[]], {'': ''}],
]


@pytest.mark.parametrize('value', VALUES, ids=repr)
def test_call_returns_value_unchanged(transport, topic, start, ctx, value):
    start(topic, [Endpoint()])
    assert Probe(topic, timeout=60).echo(ctx, value=value) == value


def test_call_with_large_template_returns_it_unchanged(transport, topic, start, ctx):
    start(topic, [Endpoint()])
    value = {
        'resources': {
            f'r{number}': {'type': 'OS::Heat::None', 'properties': {'x': 'y' * 200}}
            for number in range(3000)
        }
    }
    assert Probe(topic, timeout=60).echo(ctx, value=value) == value


def test_context_reaches_the_server(transport, topic, start, ctx):
    start(topic, [Endpoint()])
    got = Probe(topic, timeout=60).whoami(ctx)
    assert got == ['u1', 'p1', ['member', 'reader'], 'secret', 'default', ctx.request_id, False]


def test_server_with_several_endpoints_finds_methods_of_all(transport, topic, start, ctx):
    class Other:
        def absent(self, ctxt):
            return 'here after all'

    start(topic, [Endpoint(), Other()])
    probe = Probe(topic, timeout=60)
    assert probe.absent(ctx) == 'here after all'
    assert probe.echo(ctx, value=1) == 1


def test_cast_returns_before_the_server_has_finished(transport, topic, start, ctx):
    endpoint = Endpoint()
    start(topic, [endpoint])
    assert Probe(topic).note_slowly(ctx, text='later') is None
    assert endpoint.noted.wait(60) and endpoint.notes == []
    endpoint.go_on.set()


def test_private_method_cannot_be_called(transport, topic, start, ctx):
    start(topic, [Endpoint()])
    with pytest.raises(exception.EngineTooOld):
        Probe(topic, timeout=60).private(ctx)


def test_unknown_method_raises_engine_too_old(transport, topic, start, ctx):
    start(topic, [Endpoint()])
    with pytest.raises(
        exception.EngineTooOld, match='The engine does not know absent .*Upgrade all engines'
    ) as caught:
        Probe(topic, timeout=60).absent(ctx)
    assert caught.value.code == 501


def test_failed_call_keeps_no_values_until_a_collection_of_garbage(
    transport, topic, start, ctx, monkeypatch
):
    monkeypatch.setattr(messaging.LOG, 'disabled', True)  # pytest keeps records with their errors
    endpoint = Endpoint()
    start(topic, [endpoint])
    gc.disable()
    try:
        with pytest.raises(exception.StackValidationFailed):
            Probe(topic).refused(ctx)
        # the server may still work on the end of the call
        wait_until(lambda: endpoint.value() is None)
    finally:
        gc.enable()


def test_newer_version_than_the_server_raises_engine_too_old(transport, topic, start, ctx):
    start(topic, [Endpoint()])
    with pytest.raises(exception.EngineTooOld):
        Probe(topic, timeout=60).newer(ctx, value=1)


def test_own_queue_of_stopped_server_is_deleted(conf, rabbit, topic, ctx):
    messaging.setup(conf, rabbit)
    one, two = (messaging.serve(topic, name, [Endpoint(name)]) for name in ('one', 'two'))
    one.start(), two.start()
    one.stop(), one.wait()
    with kombu.Connection(rabbit.replace('rabbit://', 'amqp://')) as connection:
        for name, exists in ((f'{topic}.one', False), (f'{topic}.two', True), (topic, True)):
            assert queue_exists(connection, name) is exists
    with pytest.raises(oslo_messaging.MessageUndeliverable):
        MandatoryProbe(topic, server='one').echo(ctx, value=1)
    assert Probe(topic, timeout=60).echo(ctx, value=1) == 1
    two.stop(), two.wait()
    messaging.cleanup()


def queue_exists(connection, queue):
    try:
        connection.channel().queue_declare(queue=queue, passive=True)
    except amqp.exceptions.NotFound:
        return False
    return True


class MandatoryProbe(Probe):
    mandatory = True


def test_delete_queue_without_broker_does_not_raise(conf, caplog):
    messaging.setup(conf, 'rabbit://guest:guest@127.0.0.1:1/')
    messaging.delete_queue('some queue')
    messaging.cleanup()


def test_calls_go_round_robin_or_to_the_named_server(transport, topic, start, ctx):
    for name in ('one', 'two'):
        start(topic, [Endpoint(name)], name)
    probe = Probe(topic, timeout=60)
    assert {probe.server_name(ctx) for _ in range(10)} == {'one', 'two'}
    assert {Probe(topic, server='two', timeout=60).server_name(ctx) for _ in range(5)} == {'two'}


def test_fanout_cast_reaches_all_servers(transport, topic, start, ctx):
    endpoints = [Endpoint('one'), Endpoint('two')]
    for endpoint in endpoints:
        start(topic, [endpoint], endpoint.name)
    oslo_messaging.get_rpc_client(
        messaging.transport,
        oslo_messaging.Target(topic=topic, fanout=True),
        serializer=messaging.ContextSerializer(),
    ).cast(ctx, 'note', text='all')
    assert all(endpoint.noted.wait(60) for endpoint in endpoints)


def test_call_without_server_raises_engine_timeout(transport, topic, ctx):
    with pytest.raises(exception.EngineTimeout) as caught:
        Probe(topic, timeout=1).echo(ctx, value=1)
    assert caught.value.code == 504
    assert f'No answer to echo from the topic {topic!r} within 1 seconds' in str(caught.value)


class RetryingProbe(Probe):
    mandatory = retry_undeliverable = True


def test_call_waits_for_a_starting_server(transport, topic, start, ctx):
    timer = threading.Timer(0.5, lambda: start(topic, [Endpoint()]))
    timer.start()
    probe = RetryingProbe(topic, timeout=60)
    assert [probe.echo(ctx, value=number) for number in range(20)] == list(range(20))
    timer.join()


def test_cast_waits_for_a_starting_server(transport, topic, start, ctx):
    endpoint = Endpoint()
    timer = threading.Timer(0.3, lambda: start(topic, [endpoint]))
    timer.start()
    RetryingProbe(topic, timeout=60).note(ctx, text='once')
    timer.join()
    assert endpoint.noted.wait(60)
    assert endpoint.notes == ['once']


def test_undeliverable_call_is_retried_until_its_timeout(transport, topic, ctx):
    with pytest.raises(exception.EngineTimeout, match='No answer to echo from .* within 1 seconds'):
        RetryingProbe(topic, timeout=1).echo(ctx, value=1)


def test_call_of_slow_method_raises_engine_timeout(transport, topic, start, ctx):
    start(topic, [Endpoint()])
    with pytest.raises(exception.EngineTimeout):
        Probe(topic, timeout=1).slow(ctx, seconds=4)


def test_default_timeout_is_rpc_response_timeout(conf, transport, topic, ctx):
    conf.set_override('rpc_response_timeout', 1)
    with pytest.raises(exception.EngineTimeout, match='within 1 seconds'):
        Probe(topic).echo(ctx, value=1)


def test_slow_call_does_not_delay_others(transport, topic, start, ctx):
    endpoint = Endpoint()
    start(topic, [endpoint])
    probe = Probe(topic, timeout=60)
    waiting = threading.Thread(target=probe.held, args=(ctx,))
    waiting.start()
    assert endpoint.noted.wait(60)
    assert probe.echo(ctx, value=1) == 1
    endpoint.go_on.set()
    waiting.join()


def test_concurrent_callers_get_their_own_replies(transport, topic, start, ctx):
    start(topic, [Endpoint()])
    probe = Probe(topic, timeout=60)
    answers = {}

    def call_repeatedly(number):
        answers[number] = [probe.echo(ctx, value=[number, turn]) for turn in range(5)]

    threads = [threading.Thread(target=call_repeatedly, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {number: [[number, turn] for turn in range(5)] for number in range(20)}


def test_server_stop_finishes_accepted_requests(transport, topic, ctx):
    endpoint = Endpoint()
    server = messaging.serve(topic, 'one', [endpoint])
    server.start()
    Probe(topic).note_slowly(ctx, text='begun')
    assert endpoint.noted.wait(60)
    threading.Timer(0.3, endpoint.go_on.set).start()
    server.stop()
    server.wait()
    assert endpoint.notes == ['begun']


def test_casts_that_wait_for_a_thread_of_a_stopped_server_are_processed(
    conf, transport, topic, ctx
):
    endpoint = Endpoint()
    server = messaging.serve(topic, 'one', [endpoint])
    conf.set_override('executor_thread_pool_size', 1)  # an option that servers register
    server.start()
    for number in range(10):
        Probe(topic).note_slowly(ctx, text=str(number))
    assert endpoint.noted.wait(60)
    threading.Event().wait(0.3)  # the others are received, too
    threading.Timer(1, endpoint.go_on.set).start()
    server.stop()
    server.wait()
    assert sorted(endpoint.notes) == [str(number) for number in range(10)]


def test_servers_stop_in_time_although_a_request_goes_on(transport, topic, ctx):
    endpoint = Endpoint()
    server = messaging.serve(topic, 'one', [endpoint])
    server.start()
    Probe(topic).note_slowly(ctx, text='begun')
    assert endpoint.noted.wait(60)
    assert not messaging.stop_servers([server], 0.1)
    endpoint.go_on.set()
    server.wait()
    assert endpoint.notes == ['begun']


def test_pool_size_limits_concurrent_requests(transport, topic, start, ctx):
    peak, running, lock = [0], [0], threading.Lock()
    pair = threading.Barrier(2)  # a loaded machine would start one call after another

    class Counting:
        def slow(self, ctxt, seconds):
            with lock:
                running[0] += 1
                peak[0] = max(peak[0], running[0])
            pair.wait(60)
            threading.Event().wait(seconds)
            with lock:
                running[0] -= 1

    start(topic, [Counting()], pool_size=2)
    probe = Probe(topic, timeout=60)
    threads = [
        threading.Thread(target=probe.slow, args=(ctx,), kwargs={'seconds': 0.1}) for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert peak[0] == 2


@pytest.mark.parametrize(
    'send',
    [lambda probe, ctx: probe.note(ctx, text='x'), lambda probe, ctx: probe.echo(ctx, value=1)],
)
def test_send_without_broker_raises_service_unavailable(conf, ctx, send):
    messaging.setup(conf, 'rabbit://guest:guest@127.0.0.1:1/')
    try:
        with pytest.raises(exception.ServiceUnavailable) as caught:
            send(Probe('nowhere', timeout=1), ctx)
    finally:
        messaging.cleanup()
    assert caught.value.code == 503


def test_probe_of_a_transport_that_is_closed_meanwhile_does_not_fail(conf, rabbit, monkeypatch):
    messaging.setup(conf, rabbit)
    try:
        driver = messaging.transport._driver
        get = driver._get_connection

        def close_and_get(*args, **options):
            messaging.cleanup()
            return get(*args, **options)

        messaging.probe()
        monkeypatch.setattr(driver, '_get_connection', close_and_get)
        messaging.probe()
        assert messaging.transport is None
    finally:
        messaging.cleanup()


def test_check_broker_with_one_of_two_hosts_succeeds(conf, rabbit, topic, start, ctx):
    messaging.setup(conf, rabbit.replace('@', '@127.0.0.1:1,guest:guest@'))
    try:
        messaging.check_broker()
    finally:
        messaging.cleanup()
