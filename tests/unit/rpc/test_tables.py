"""Lists on the wire by columns: the same rows arrive, and their size counts as before."""

import json
import sys

import oslo_messaging
import pytest
from hypothesis import given, settings, strategies as st

from heat_lite.common import exception
from heat_lite.operations.remote_method import call
from heat_lite.rpc import messaging, reply_size, tables
from heat_lite.rpc.contract import RpcClient

TEXTS = st.one_of(st.none(), st.text(max_size=3))
VALUES = st.one_of(TEXTS, st.just(True), st.integers(0, 1), st.lists(TEXTS, max_size=2))
IDENTITY = {'tenant': 't', 'path': None}
KEYS = ('name', 'kind', 'identity', 'each')
MAPS = st.one_of(
    st.just({}),
    st.just(IDENTITY),
    TEXTS.map(lambda text: {'path': text, 'tenant': 't'}),
    TEXTS.map(lambda text: {'tenant': 't', 'path': text}),
)
ROWS = st.lists(
    st.tuples(VALUES, st.just('k'), MAPS, VALUES).map(
        lambda row: dict(zip(KEYS, row, strict=True))
    ),
    min_size=tables.MIN_ROWS,
    max_size=tables.MIN_ROWS + 5,
)


def sent(value):
    return json.loads(json.dumps(value))


@settings(deadline=None, max_examples=30)
@given(ROWS, st.sampled_from([1, 7, 1000]))
def test_tables_are_the_rows_of_the_list(rows, number):
    repeated = rows * number
    arrived = tables.unpack('list_events', sent(tables.pack(repeated)))
    assert json.dumps(arrived) == json.dumps(repeated)


@settings(deadline=None, max_examples=30)
@given(ROWS)
def test_size_of_tables_is_that_of_the_list(rows):
    low, high = 0, 10_000
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if reply_size.excess(rows, middle) else (low, middle)
    packed = tables.pack(rows)
    assert reply_size.excess_of_tables(packed, low) is None
    assert reply_size.excess_of_tables(packed, low - 1) == f'{low - 1} characters'


def test_values_of_tables_are_limited(monkeypatch):
    packed = tables.pack([{'a': 'x', 'b': {'c': str(number)}} for number in range(30)])
    monkeypatch.setattr(reply_size, 'MAX_VALUES', 1 + 30 * 4)
    assert reply_size.excess_of_tables(packed, sys.maxsize) is None
    monkeypatch.setattr(reply_size, 'MAX_VALUES', 30 * 4)
    assert reply_size.excess_of_tables(packed, sys.maxsize) == '120 values'


@pytest.mark.parametrize(
    'reply',
    [
        None,
        {},
        {'tables': []},
        [{'a': 1}] * (tables.MIN_ROWS - 1),
        ['a'] * tables.MIN_ROWS,
        [{'a': 1}] * tables.MIN_ROWS + [{'b': 1}],
        [{'a': 1, 'b': 2}] * tables.MIN_ROWS + [{'b': 2, 'a': 1}],
        [{1: 1}] * tables.MIN_ROWS,
    ],
)
def test_other_replies_are_no_tables(reply):
    assert tables.pack(reply) is None
    assert tables.unpack('get_files', reply) is reply


class Client(RpcClient):
    list_events = call('list_events')

    def __init__(self, topic):
        super().__init__(timeout=60)
        self.topic = topic


class Endpoint:
    rows = [{'name': f'r{number}', 'stack': {'id': '1'}} for number in range(50)]

    def list_events(self, ctxt):
        return self.rows


def test_client_reads_tables(transport, topic, start, ctx):
    start(topic, [Endpoint()])
    assert Client(topic).list_events(ctx) == Endpoint.rows
    assert tables.is_packed(Client(topic).ask_for_tables(Client.list_events, ctx))


def test_client_of_the_release_before_reads_rows(transport, topic, start, ctx):
    start(topic, [Endpoint()])
    former = oslo_messaging.get_rpc_client(
        messaging.transport,
        oslo_messaging.Target(topic=topic),
        serializer=messaging.ContextSerializer(),
    )
    assert former.call(ctx, 'list_events') == Endpoint.rows


def test_tables_beyond_the_limit_of_a_reply_are_refused(transport, topic, start, ctx):
    start(topic, [Endpoint()], max_reply=1000)
    with pytest.raises(exception.RequestLimitExceeded, match='more than 1000 characters'):
        Client(topic).list_events(ctx)
