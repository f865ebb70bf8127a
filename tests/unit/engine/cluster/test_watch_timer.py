"""The share of an engine, and rules that cannot be evaluated."""

import datetime
import types

import pytest

from heat_lite.engine.cluster import watch_timer

NOW = datetime.datetime(2026, 3, 4, 12, 0, 0)


def task(alive, own='b', alone=False):
    membership = types.SimpleNamespace(alone=alone, alive_ids=lambda: set(alive))
    return watch_timer.WatchTask(types.SimpleNamespace(engine_id=own), membership, None)


@pytest.mark.parametrize(
    ('alive', 'share'),
    [('abc', (1, 3)), ('bc', (0, 2)), ('b', (0, 1)), ('ac', (1, 3)), ('', (0, 1))],
)
def test_share_is_the_place_among_the_living_engines(alive, share):
    assert task(alive)._share() == share
    assert task(alive, alone=True)._share() == (0, 1)


@pytest.mark.parametrize('rule', [{}, {'Period': 'x'}, {'Period': '0', 'EvaluationPeriods': '1'}])
def test_rule_that_cannot_be_evaluated_keeps_its_state_until_a_later_try(rule, caplog):
    row = types.SimpleNamespace(
        rule=rule, name='alarm', stack_id='s', state='NORMAL', due_at=NOW, created_at=NOW
    )
    points = [(NOW, {'Cpu': {'Value': 1.0}})]
    verdict = watch_timer._judge(row, points, NOW)
    assert verdict.state == 'NORMAL'
    assert verdict.due_at == NOW + datetime.timedelta(seconds=watch_timer.RETRY_SECONDS)
    assert 'Watch rule alarm of stack s cannot be evaluated' in caplog.text
