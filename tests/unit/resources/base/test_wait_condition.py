"""The signals that wait condition handles accept."""

import contextlib
import json

import pytest

from heat_lite.common import exception
from heat_lite.engine.runtime import EngineLimits
from heat_lite.resources.aws.wait_condition import WaitConditionHandle
from heat_lite.resources.base.wait_condition import SignalGate
from heat_lite.resources.heat.wait_condition import HeatWaitConditionHandle


def test_gate_refuses_what_a_handle_has_no_place_for():
    stored = {'1': {'data': 'x' * 20, 'reason': '', 'status': 'SUCCESS'}}
    new = {'id': '2', 'data': 'y' * 20, 'reason': ''}
    name, signal = heat(new, stored)
    size = len(json.dumps({**stored, name: signal}))
    gate = SignalGate(HeatWaitConditionHandle('h', None, None, None), stored)
    gate.check(new, EngineLimits(max_handle_signals=2, max_handle_size=size))
    gate.check({'id': '1', 'data': 'z'}, EngineLimits(max_handle_signals=1))  # replaces another
    with pytest.raises(exception.Invalid):
        gate.check({'status': 'malformed'}, EngineLimits())
    with pytest.raises(exception.RequestLimitExceeded, match='h stores 1 signals already'):
        gate.check(None, EngineLimits(max_handle_signals=1))
    with pytest.raises(exception.RequestLimitExceeded, match=f'would store {size} bytes'):
        gate.check(new, EngineLimits(max_handle_size=size - 1))


def test_gate_counts_what_its_handle_would_store():
    """Signals that are pending, and those after them, with ids of their own and without."""
    several = [None, {'id': 'a'}, {'status': 'malformed'}, {}, {'id': '4', 'data': 'é"'}, {}]
    several += [{'id': 'a', 'data': [1, {}]}, {'id': 'a'}, {'id': '"é', 'reason': None}, {}]
    stored: dict = {}
    gate = SignalGate(HeatWaitConditionHandle('h', None, None, None), {}, several[:4])
    for number, details in enumerate(several):
        with contextlib.suppress(exception.Invalid):
            name, signal = heat(details, stored)
            stored[name] = signal
            if number >= 4:
                size = len(json.dumps(stored))
                count = len(stored)
                limits = EngineLimits(max_handle_signals=count, max_handle_size=size)
                smaller = EngineLimits(max_handle_signals=count, max_handle_size=size - 1)
                with pytest.raises(exception.RequestLimitExceeded, match=f'store {size} bytes'):
                    gate.check(details, smaller)
                gate.check(details, limits)()
    assert gate.weight == len(stored) == 7
    gate.check({'id': 'x' * 64_000}, EngineLimits())()
    assert gate.weight == 1008


KNOWN = {'a': {}, '2': {}}


def heat(details, known=()):
    return HeatWaitConditionHandle('h', None, None, None).parse_signal(details, known)


def aws(details, known=()):
    return WaitConditionHandle('h', None, None, None).parse_signal(details, known)


@pytest.mark.parametrize(
    ('details', 'known', 'expected'),
    [
        (None, {}, ('1', (None, 'Signal 1 received', 'SUCCESS'))),
        ({}, {'a': {}}, ('2', (None, 'Signal 2 received', 'SUCCESS'))),
        ({'id': 5, 'data': [1]}, {'a': {}}, ('5', ([1], 'Signal 2 received', 'SUCCESS'))),
        ({'id': 'a', 'reason': 'again'}, KNOWN, ('a', (None, 'again', 'SUCCESS'))),
        ({'status': 'FAILURE', 'reason': 'boom'}, KNOWN, ('3', (None, 'boom', 'FAILURE'))),
        ({}, {'2': {}}, ('3', (None, 'Signal 2 received', 'SUCCESS'))),
    ],
)
def test_heat_handle_signal_with_missing_keys_gets_defaults(details, known, expected):
    name, signal = heat(details, known)
    assert (name, (signal['data'], signal['reason'], signal['status'])) == expected


@pytest.mark.parametrize(
    'details',
    [
        {'status': 'MAYBE'},
        {'status': 'success'},
        {'status': None},
        {'status': 'DONE'},
        {'status': ['SUCCESS']},
        [{'status': 'FAILURE'}],
        'FAILURE',
        'status=FAILURE',
        '',
        0,
        False,
        [],
        {'foo': 'bar'},
        {'id': '1', 'x': 1},
    ],
)
def test_heat_handle_invalid_signal_is_rejected_with_the_expected_form(details):
    with pytest.raises(
        exception.Invalid,
        match='a signal to h is a map of id, status, reason, data '
        'with a status of SUCCESS or FAILURE',
    ):
        heat(details)


def test_aws_handle_signal_with_missing_or_unknown_keys_is_rejected():
    details = {'Status': 'SUCCESS', 'UniqueId': 7, 'Reason': 'r', 'Data': 'd'}
    assert aws(details) == ('7', {'Data': 'd', 'Reason': 'r', 'Status': 'SUCCESS'})
    for wrong in (
        {**details, 'Status': 'X'},
        {**details, 'More': 1},
        {'status': 'SUCCESS'},
        'text',
        {},
    ):
        with pytest.raises(exception.Invalid, match='a map of UniqueId, Status, Reason, Data'):
            aws(wrong)
    gate = SignalGate(WaitConditionHandle('h', None, None, None), {})
    with pytest.raises(exception.Invalid):
        gate.check({**details, 'Status': 'X'}, EngineLimits())
    gate.check(None, EngineLimits(max_handle_signals=0))()
    assert gate.weight == 0
    without = {key: value for key, value in details.items() if key != 'Data'}
    with pytest.raises(exception.Invalid):
        aws(without)
