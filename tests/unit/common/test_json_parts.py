"""JSON of large values in parts: the same text, and pauses while it is written."""

import json
import time

import pytest

from heat_lite.common import cooperation, json_parts

ROWS = [{'name': f'r{number}', 'value': [number, None, 'é\n"']} for number in range(5000)]
VALUES = [
    {'resources': ROWS, 'links': []},
    {'graph': {'nodes': ROWS, 'edges': []}},
    ROWS,
    [['x' * 10_000] * 50] * 40,
    {'a': {'b': {'c': {'d': [1, 2]}}}, 1: True, None: 1.5, 'last': {}},
    {},
    [],
    [[]],
    ({'a': 1}, 2),
    'é',
    None,
]


@pytest.mark.parametrize('value', VALUES)
def test_parts_make_the_text_of_the_encoder(value):
    assert json_parts.dumps(value) == json.dumps(value)


def test_large_value_is_written_with_pauses(monkeypatch):
    """A slice is compared with the whole, as the machine may be busy."""
    value = {'metadata': [{'config': 'x' * 500_000} for _ in range(100)]}
    pauses = []
    monkeypatch.setattr(cooperation, 'cooperate', lambda: pauses.append(time.thread_time()))
    begun = time.thread_time()
    json_parts.dumps(value)
    ends = [begun, *pauses, time.thread_time()]
    slices = [after - before for before, after in zip(ends, ends[1:], strict=False)]
    assert max(slices) < sum(slices) / 3
