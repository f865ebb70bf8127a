"""Statistics, comparisons and states of watch rules."""

import datetime
import random
import types

import pytest

from heat_lite.engine.watch import watch_evaluation

NOW = datetime.datetime(2026, 3, 4, 12, 0, 0)
PERIOD = 60


def row(state='NODATA', age=3600, **rule):
    given = {
        'MetricName': 'Cpu',
        'Statistic': 'Average',
        'ComparisonOperator': 'GreaterThanThreshold',
        'Threshold': '50',
        'Period': str(PERIOD),
        'EvaluationPeriods': '1',
        **rule,
    }
    created_at = NOW - datetime.timedelta(seconds=age)
    return types.SimpleNamespace(rule=given, state=state, created_at=created_at, due_at=NOW)


def points(*values, metric='Cpu'):
    """Return measurements: (seconds before now, value)."""
    return [
        (NOW - datetime.timedelta(seconds=age), {'Namespace': None, metric: {'Value': value}})
        for age, value in values
    ]


def state_of(rule, *values):
    return watch_evaluation.judge(rule, points(*values), NOW).state


@pytest.mark.parametrize(
    ('statistic', 'least'),
    [('SampleCount', 3), ('Average', 20), ('Sum', 60), ('Minimum', 10), ('Maximum', 30)],
)
def test_statistic_is_that_of_the_values_of_the_period(statistic, least):
    values = (1, 10), (30, 20), (59, 30), (61, 1000)
    reached = {'Statistic': statistic, 'ComparisonOperator': 'GreaterThanOrEqualToThreshold'}
    assert state_of(row(**reached, Threshold=str(least)), *values) == 'ALARM'
    assert state_of(row(**reached, Threshold=str(least + 0.5)), *values) == 'NORMAL'


@pytest.mark.parametrize(
    ('statistic', 'least'),
    [('SampleCount', 5), ('Average', 24), ('Sum', 120), ('Minimum', 10), ('Maximum', 60)],
)
def test_statistics_that_were_pushed_count_as_their_values(statistic, least):
    pushed = {'SampleCount': 4, 'Sum': 100, 'Minimum': 10, 'Maximum': 60}
    data = [(NOW, {'Cpu': {'Value': 25, 'StatisticValues': pushed}}), *points((1, 20))]
    reached = {'Statistic': statistic, 'ComparisonOperator': 'GreaterThanOrEqualToThreshold'}
    for threshold, state in ((least, 'ALARM'), (least + 0.5, 'NORMAL')):
        rule = row(**reached, Threshold=str(threshold))
        assert watch_evaluation.judge(rule, data, NOW).state == state


@pytest.mark.parametrize(
    ('comparison', 'states'),
    [
        ('GreaterThanOrEqualToThreshold', ('NORMAL', 'ALARM', 'ALARM')),
        ('GreaterThanThreshold', ('NORMAL', 'NORMAL', 'ALARM')),
        ('LessThanThreshold', ('ALARM', 'NORMAL', 'NORMAL')),
        ('LessThanOrEqualToThreshold', ('ALARM', 'ALARM', 'NORMAL')),
    ],
)
def test_comparison_below_at_and_above_the_threshold(comparison, states):
    rule = row(ComparisonOperator=comparison)
    assert tuple(state_of(rule, (1, value)) for value in (49, 50, 51)) == states


def test_window_without_measurements_is_nodata():
    rule = row('ALARM')
    assert state_of(rule) == 'NODATA'
    assert state_of(rule, (2 * PERIOD, 99)) == 'NODATA'
    assert watch_evaluation.judge(rule, points((1, 99), metric='Other'), NOW).state == 'NODATA'


def test_number_of_samples_is_known_without_measurements():
    rule = row(Statistic='SampleCount', ComparisonOperator='LessThanThreshold', Threshold='1')
    assert state_of(rule) == 'ALARM'
    assert state_of(rule, (1, 0)) == 'NORMAL'


def test_number_of_samples_of_a_period_before_the_rule_is_unknown():
    few = {'Statistic': 'SampleCount', 'ComparisonOperator': 'LessThanThreshold', 'Threshold': '1'}
    assert state_of(row(age=PERIOD, EvaluationPeriods='2', **few)) == 'NODATA'
    assert state_of(row(age=2 * PERIOD, EvaluationPeriods='2', **few)) == 'ALARM'


@pytest.mark.parametrize(
    ('before', 'values', 'after'),
    [
        ('NORMAL', [(1, 99), (61, 99), (121, 99)], 'ALARM'),
        ('ALARM', [(1, 99), (61, 1), (121, 99)], 'NORMAL'),
        ('NODATA', [(1, 99)], 'NODATA'),
        ('NORMAL', [(1, 99), (61, 99)], 'NORMAL'),
        ('ALARM', [(121, 99)], 'ALARM'),
        ('ALARM', [(121, 1)], 'NORMAL'),
        ('ALARM', [(181, 99)], 'ALARM'),
        ('ALARM', [(241, 99)], 'NODATA'),
        # two in one period, and none in the next
        ('NORMAL', [(1, 99), (61, 99), (119, 99)], 'ALARM'),
        # one period more, as one of three is missing
        ('NORMAL', [(59, 99), (61, 99), (181, 99)], 'ALARM'),
        ('ALARM', [(59, 99), (61, 99), (181, 1)], 'NORMAL'),
        ('ALARM', [(1, 99), (61, 99), (121, 99), (181, 1)], 'ALARM'),
    ],
)
def test_state_of_three_periods(before, values, after):
    assert state_of(row(before, EvaluationPeriods='3'), *values) == after


def test_window_ends_when_the_evaluation_was_due():
    rule = row()
    late = NOW + datetime.timedelta(seconds=4)
    verdict = watch_evaluation.judge(rule, points((PERIOD - 1, 99)), late)
    assert (verdict.state, verdict.due_at) == ('ALARM', NOW + datetime.timedelta(seconds=PERIOD))
    assert watch_evaluation.judge(rule, points((-1, 99)), late).state == 'NODATA'


def test_window_of_a_late_evaluation_ends_now():
    late = NOW + datetime.timedelta(seconds=PERIOD)
    verdict = watch_evaluation.judge(row(), points((-1, 99)), late)
    assert (verdict.state, verdict.due_at) == ('ALARM', late + datetime.timedelta(seconds=PERIOD))


def test_next_evaluation_is_a_period_later_and_the_window_is_kept():
    verdict = watch_evaluation.judge(row(EvaluationPeriods='5'), [], NOW)
    assert verdict.due_at == NOW + datetime.timedelta(seconds=PERIOD)
    assert verdict.before == NOW - datetime.timedelta(seconds=6 * PERIOD)
    short = watch_evaluation.judge(row(Period='1'), [], NOW)
    assert short.due_at == NOW + datetime.timedelta(seconds=watch_evaluation.SHORTEST_INTERVAL)


def test_reason_names_value_comparison_and_periods():
    reason = watch_evaluation.judge(row(), points((1, 60.5)), NOW).reason
    assert reason == 'in 1 of 1 periods: Average 60.5, GreaterThanThreshold 50'


@pytest.mark.parametrize('count', [1, 3])
def test_alarms_of_guests_that_push_at_the_change_of_periods_come_and_stay(count):
    """Each guest pushes once a period, up to 2 s early or late; all of them are busy at once."""
    chance, busy = random.Random(1), 10 * PERIOD
    for guest in range(200):
        phase = guest * PERIOD / 200
        pushed = [phase + n * PERIOD + chance.uniform(-2, 2) for n in range(25)]
        rule, states = row(EvaluationPeriods=str(count)), []
        for n in range(23):
            at = NOW + datetime.timedelta(seconds=n * PERIOD)
            seen = points(*[(-each, 99 if each > busy else 1) for each in pushed])
            verdict = watch_evaluation.judge(rule, seen, at)
            rule.state, rule.due_at = verdict.state, verdict.due_at
            states.append(verdict.state)
        first = states.index('ALARM')
        assert first <= 10 + count + 2, (guest, states)
        assert set(states[first:]) == {'ALARM'}, (guest, states)
