"""Replies that would take much memory are refused, or their outputs have errors."""

import json

import pytest

from heat_lite.common import exception
from heat_lite.engine.endpoints import events
from heat_lite.engine.stack import stack_outputs
from heat_lite.rpc import reply_size
from tests import databases, engines

OUTPUTS, REPLY = 10_000, 60_000


@pytest.fixture(scope='module')
def engine(tmp_path_factory):
    ours = {'outputs_characters': OUTPUTS, 'max_reply_size': REPLY}
    with (
        databases.migrated('sqlite', tmp_path_factory.mktemp('replies')) as url,
        engines.running(url, ours=ours, enable_stack_abandon=True) as driver,
    ):
        yield driver


def template(characters, type='OS::Heat::TestResource', **sections):
    resource = {'type': type, 'properties': {'value': 'x' * characters}}
    return {'resources': {'large': resource}, **sections}


def test_outputs_beyond_the_limit_have_errors(engine, caplog):
    caplog.set_level('INFO')
    value = {'value': {'get_attr': ['large', 'output']}}
    stack = engine.create(
        template(3000, outputs={f'o{number}': value for number in range(20)}), name='outputs'
    )
    outputs = engine.stack(stack)['outputs']
    shown = [each for each in outputs if each['output_value'] is not None]
    refused = [each for each in outputs if 'output_error' in each]
    assert 1 <= len(shown) <= OUTPUTS // 3000 and len(shown) + len(refused) == 20
    assert all(f'the limit is {OUTPUTS}' in each['output_error'] for each in refused)
    assert len(json.dumps(outputs)) < 2 * OUTPUTS
    lines = [each for each in caplog.messages if 'the limit is' in each]
    assert len(lines) <= stack_outputs.LOGGED_ERRORS * caplog.text.count('more outputs have errors')
    (one,) = [
        each
        for each in engine.client.list_outputs(engine.context, stack_identity=stack)
        if each['output_key'] == 'o19'
    ]
    assert one['output_key'] == 'o19'


def test_reply_beyond_the_limit_is_refused_and_abandon_is_not(engine):
    stack = engine.create(template(REPLY, 'OS::Heat::None'), name='large')
    with pytest.raises(exception.RequestLimitExceeded, match=f'get_template has more than {REPLY}'):
        engine.client.get_template(engine.context, stack_identity=stack)
    assert engine.state(stack) == 'CREATE_COMPLETE'
    document = engine.client.abandon_stack(engine.context, stack_identity=stack)
    assert document['template']['resources']['large']['properties']['value'] == 'x' * REPLY


def test_events_beyond_the_limit_are_asked_for_by_pages(engine, monkeypatch):
    stack = engine.create(template(1), name='events')
    monkeypatch.setattr(events, 'MAX_EVENTS', 3)
    for limit in (None, 4, 2**31 - 1):
        with pytest.raises(exception.RequestLimitExceeded, match='more than 3 events'):
            engine.client.list_events(engine.context, stack_identity=stack, limit=limit)
    page = engine.client.list_events(engine.context, stack_identity=stack, limit=3)
    assert len(page) == 3


@pytest.mark.parametrize(
    ('data', 'size'), [('x' * 100, 104), ({'a': ['x' * 50, 1, None]}, 75), ([], 4), (None, 4)]
)
def test_size_of_a_reply_is_counted(data, size):
    assert not reply_size.excess(data, size)
    assert reply_size.excess(data, size - 1) == f'{size - 1} characters'


def test_values_of_a_reply_are_limited(monkeypatch):
    """The largest list of JSON is written and read without a pause."""
    monkeypatch.setattr(reply_size, 'MAX_VALUES', 10)
    assert not reply_size.excess({'a': [1] * 5, 'b': {'c': 1}}, 1000)
    assert reply_size.excess({'a': [1] * 5, 'b': [[], [1]]}, 1000) == '10 values'
    reply_size.check('create_stack', [1] * 11, 1000)
    with pytest.raises(exception.RequestLimitExceeded, match='more than 10 values'):
        reply_size.check('preview_stack', [1] * 11, 1000)
