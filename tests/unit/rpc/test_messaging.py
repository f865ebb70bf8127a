"""What both transports must do: calls, casts, contexts, errors, timeouts, many at a time, an orderly end."""

import threading
import time

import amqp
import kombu
import oslo_messaging
import pytest

from heat_lite.common import exception
from heat_lite.rpc import messaging
from heat_lite.rpc.remote import Remote, call, cast


class Probe(Remote):
    echo = call('echo', '1.0', 'value')
    whoami = call('whoami')
    server_name = call('server_name')
    slow = call('slow', '1.0', 'seconds')
    note = cast('note', '1.0', 'text')
    note_slowly = cast('note_slowly', '1.0', 'text')
    absent = call('absent')
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

    def echo(self, ctxt, value):
        return value

    def whoami(self, ctxt):
        return [ctxt.user_id, ctxt.project_id, ctxt.roles, ctxt.auth_token, ctxt.user_domain_id, ctxt.request_id, ctxt.is_admin]

    def server_name(self, ctxt):
        return self.name

    def slow(self, ctxt, seconds):
        time.sleep(seconds)
        return 'done'

    def note(self, ctxt, text):
        self.notes.append(text)
        self.noted.set()

    def note_slowly(self, ctxt, text):
        self.noted.set()
        self.go_on.wait(60)
        self.notes.append(text)

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
def test_values_come_back_as_they_went(transport, topic, start, ctx, value):
    start(topic, [Endpoint()])
    assert Probe(topic, timeout=60).echo(ctx, value=value) == value


def test_a_large_template_crosses(transport, topic, start, ctx):
    start(topic, [Endpoint()])
    value = {'resources': {f'r{number}': {'type': 'OS::Heat::None', 'properties': {'x': 'y' * 200}} for number in range(3000)}}
    assert Probe(topic, timeout=60).echo(ctx, value=value) == value


def test_the_context_crosses(transport, topic, start, ctx):
    start(topic, [Endpoint()])
    got = Probe(topic, timeout=60).whoami(ctx)
    assert got == ['u1', 'p1', ['member', 'reader'], 'secret', 'default', ctx.request_id, False]


def test_several_endpoints_are_one_remote_object(transport, topic, start, ctx):
    class Other:
        def absent(self, ctxt):
            return 'here after all'

    start(topic, [Endpoint(), Other()])
    probe = Probe(topic, timeout=60)
    assert probe.absent(ctx) == 'here after all'
    assert probe.echo(ctx, value=1) == 1


def test_a_cast_is_not_waited_for(transport, topic, start, ctx):
    endpoint = Endpoint()
    start(topic, [endpoint])
    assert Probe(topic).note_slowly(ctx, text='later') is None
    assert endpoint.noted.wait(60) and endpoint.notes == []
    endpoint.go_on.set()


def test_private_names_are_not_reachable(transport, topic, start, ctx):
    start(topic, [Endpoint()])
    with pytest.raises(exception.EngineTooOld):
        Probe(topic, timeout=60).private(ctx)


def test_methods_that_are_not_there(transport, topic, start, ctx):
    start(topic, [Endpoint()])
    with pytest.raises(exception.EngineTooOld, match='The engine does not know absent .*Upgrade all engines') as caught:
        Probe(topic, timeout=60).absent(ctx)
    assert caught.value.code == 501


def test_a_newer_version_than_the_server_knows(transport, topic, start, ctx):
    start(topic, [Endpoint()])
    with pytest.raises(exception.EngineTooOld):
        Probe(topic, timeout=60).newer(ctx, value=1)


def test_the_queue_of_a_server_that_has_ended_is_gone(conf, rabbit, topic, ctx):
    messaging.setup(conf, rabbit)
    one, two = (messaging.serve(topic, name, [Endpoint(name)]) for name in ('one', 'two'))
    one.start(), two.start()
    one.stop(), one.wait()
    with kombu.Connection(rabbit.replace('rabbit://', 'amqp://')) as connection:
        for name, there in ((f'{topic}.one', False), (f'{topic}.two', True), (topic, True)):
            assert is_there(connection, name) is there
    with pytest.raises(oslo_messaging.MessageUndeliverable):
        Listening(topic, server='one').echo(ctx, value=1)
    assert Probe(topic, timeout=60).echo(ctx, value=1) == 1
    two.stop(), two.wait()
    messaging.cleanup()


def is_there(connection, queue):
    try:
        connection.channel().queue_declare(queue=queue, passive=True)
    except amqp.exceptions.NotFound:
        return False
    return True


class Listening(Probe):
    mandatory = True


def test_a_broker_that_is_gone_keeps_no_server_from_ending(conf, caplog):
    messaging.setup(conf, 'rabbit://guest:guest@127.0.0.1:1/')
    messaging.forget('some queue')
    messaging.cleanup()


def test_servers_take_turns_and_can_be_meant_alone(transport, topic, start, ctx):
    for name in ('one', 'two'):
        start(topic, [Endpoint(name)], name)
    probe = Probe(topic, timeout=60)
    assert {probe.server_name(ctx) for _ in range(10)} == {'one', 'two'}
    assert {Probe(topic, server='two', timeout=60).server_name(ctx) for _ in range(5)} == {'two'}


def test_fanout_reaches_all_servers(transport, topic, start, ctx):
    endpoints = [Endpoint('one'), Endpoint('two')]
    for endpoint in endpoints:
        start(topic, [endpoint], endpoint.name)
    oslo_messaging.get_rpc_client(
        messaging.transport, oslo_messaging.Target(topic=topic, fanout=True), serializer=messaging.ContextSerializer()
    ).cast(ctx, 'note', text='all')
    assert all(endpoint.noted.wait(60) for endpoint in endpoints)


def test_no_engine_in_time(transport, topic, ctx):
    with pytest.raises(exception.EngineTimeout) as caught:
        Probe(topic, timeout=1).echo(ctx, value=1)
    assert caught.value.code == 504
    assert f'{topic} did not answer echo within 1 seconds' in str(caught.value)


class Patient(Probe):
    mandatory = patient = True


def test_an_engine_that_is_just_starting_is_waited_for(transport, topic, start, ctx):
    timer = threading.Timer(0.5, lambda: start(topic, [Endpoint()]))
    timer.start()
    probe = Patient(topic, timeout=60)
    began = time.monotonic()
    assert [probe.echo(ctx, value=number) for number in range(20)] == list(range(20))
    assert time.monotonic() - began > 0.4
    timer.join()


def test_a_cast_waits_for_an_engine_that_is_just_starting(transport, topic, start, ctx):
    endpoint = Endpoint()
    timer = threading.Timer(0.3, lambda: start(topic, [endpoint]))
    timer.start()
    Patient(topic, timeout=60).note(ctx, text='once')
    timer.join()
    assert endpoint.noted.wait(60)
    assert endpoint.notes == ['once']


def test_patience_ends_at_the_timeout(transport, topic, ctx):
    began = time.monotonic()
    with pytest.raises(exception.EngineTimeout, match='did not answer echo within 1 seconds'):
        Patient(topic, timeout=1).echo(ctx, value=1)
    assert time.monotonic() - began > 0.9


def test_an_engine_that_takes_too_long(transport, topic, start, ctx):
    start(topic, [Endpoint()])
    with pytest.raises(exception.EngineTimeout):
        Probe(topic, timeout=1).slow(ctx, seconds=1.5)


def test_the_default_timeout_is_the_option(conf, transport, topic, ctx):
    messaging.client(topic)  # which declares the option
    conf.set_override('rpc_response_timeout', 1)
    with pytest.raises(exception.EngineTimeout, match='within 1 seconds'):
        Probe(topic).echo(ctx, value=1)


def test_slow_calls_do_not_hold_up_others(transport, topic, start, ctx):
    start(topic, [Endpoint()])
    probe = Probe(topic, timeout=60)
    waiting = threading.Thread(target=probe.slow, args=(ctx,), kwargs={'seconds': 4})
    waiting.start()
    assert probe.echo(ctx, value=1) == 1
    assert waiting.is_alive()
    waiting.join()


def test_many_callers_at_a_time_each_get_their_own(transport, topic, start, ctx):
    start(topic, [Endpoint()])
    probe = Probe(topic, timeout=60)
    answers = {}

    def ask(number):
        answers[number] = [probe.echo(ctx, value=[number, turn]) for turn in range(5)]

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {number: [[number, turn] for turn in range(5)] for number in range(20)}


def test_what_was_taken_is_finished_before_the_end(transport, topic, ctx):
    endpoint = Endpoint()
    server = messaging.serve(topic, 'one', [endpoint])
    server.start()
    Probe(topic).note_slowly(ctx, text='begun')
    assert endpoint.noted.wait(60)
    threading.Timer(0.3, endpoint.go_on.set).start()
    server.stop()
    server.wait()
    assert endpoint.notes == ['begun']


def test_requests_wait_for_a_server_that_comes_back(transport, topic, start, ctx):
    first = messaging.serve(topic, 'one', [Endpoint()])
    first.start()
    first.stop()
    first.wait()
    endpoint = Endpoint()
    Probe(topic).note(ctx, text='meanwhile')
    start(topic, [endpoint])
    assert endpoint.noted.wait(60)
    assert endpoint.notes == ['meanwhile']


def test_the_pool_bounds_what_runs_at_a_time(transport, topic, start, ctx):
    most, now, lock = [0], [0], threading.Lock()

    class Counting:
        def slow(self, ctxt, seconds):
            with lock:
                now[0] += 1
                most[0] = max(most[0], now[0])
            time.sleep(seconds)
            with lock:
                now[0] -= 1

    start(topic, [Counting()], pool_size=2)
    probe = Probe(topic, timeout=60)
    threads = [threading.Thread(target=probe.slow, args=(ctx,), kwargs={'seconds': 0.1}) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most[0] == 2


@pytest.mark.parametrize('ask', [lambda probe, ctx: probe.note(ctx, text='x'), lambda probe, ctx: probe.echo(ctx, value=1)])
def test_a_broker_that_is_away_is_said_so(conf, ctx, ask):
    messaging.setup(conf, 'rabbit://guest:guest@127.0.0.1:1/')
    try:
        with pytest.raises(exception.ServiceUnavailable) as caught:
            ask(Probe('nowhere', timeout=1), ctx)
    finally:
        messaging.cleanup()
    assert caught.value.code == 503


def test_one_broker_of_several_is_enough(conf, rabbit, topic, start, ctx):
    messaging.setup(conf, rabbit.replace('@', '@127.0.0.1:1,guest:guest@'))
    try:
        messaging.reach()
    finally:
        messaging.cleanup()
