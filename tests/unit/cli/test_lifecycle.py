"""The text of a check about changes by others, read by ``heat-lite drift``."""

import pytest

from heat_lite.cli.lifecycle import read_drift
from heat_lite.resources.base import live_state


@pytest.mark.parametrize(
    ('stored', 'observed'),
    [
        ({'name': 'mine'}, {'name': 'theirs'}),
        ({'a': 1, 'b': [1, {'c': None}]}, {'a': 2, 'b': []}),
        ({'name': 'a; b is 1, not 2', 'tags': ['"']}, {'name': ', not "x"', 'tags': ['; x is 1']}),
    ],
)
def test_drift_is_read_as_the_service_writes_it(stored, observed):
    assert read_drift(live_state.describe_drift(stored, observed)) == [
        {'property': name, 'wanted': stored[name], 'found': observed[name]}
        for name in sorted(observed)
    ]


@pytest.mark.parametrize('text', ['gone', 'a is 1', 'a is ***, not 2', 'a is 1, not 2; b is "x'])
def test_other_text_is_kept(text):
    assert read_drift(text) == [{'property': None, 'wanted': None, 'found': text}]
