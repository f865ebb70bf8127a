"""The evaluation of a watch rule: states, statistics and comparisons.

A rule is the map of the properties of OS::Heat::CWLiteAlarm. Its window consists of
EvaluationPeriods periods that end now. The statistic of each period is compared with the threshold.
"""

import collections
import datetime
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

from heat_lite.db.watch_rules import Point, Verdict

STATES = NODATA, NORMAL, ALARM, SUSPENDED = 'NODATA', 'NORMAL', 'ALARM', 'SUSPENDED'
#: states that a request can set
SETTABLE = (NODATA, NORMAL, ALARM)
#: states -> the key of a rule with the actions
ACTIONS = {ALARM: 'AlarmActions', NORMAL: 'OKActions', NODATA: 'InsufficientDataActions'}
SAMPLE_COUNT = 'SampleCount'
STATISTICS: dict[str, Callable[[Sequence[float]], float]] = {
    SAMPLE_COUNT: len,
    'Average': lambda values: math.fsum(values) / len(values),
    'Sum': math.fsum,
    'Minimum': min,
    'Maximum': max,
}
COMPARISONS = {
    'GreaterThanOrEqualToThreshold': operator.ge,
    'GreaterThanThreshold': operator.gt,
    'LessThanThreshold': operator.lt,
    'LessThanOrEqualToThreshold': operator.le,
}
#: seconds between two evaluations of a rule, however short its period is
SHORTEST_INTERVAL = 5
#: seconds of the longest window, as of Amazon's
LONGEST_WINDOW = 7 * 86400


def judge(row: Any, points: Sequence[Point], now: datetime.datetime) -> Verdict:
    """Return the verdict about a rule at a time.

    ALARM needs a statistic beyond the threshold in each period of the window, NORMAL one within
    it in some period, NODATA a window without measurements. A period without measurements decides
    nothing: if all others are beyond the threshold, the state stays. The number of samples is known
    in each period since the rule exists.
    """
    rule, at = row.rule, end_of_window(row, now)
    period, count = int(rule['Period']), int(rule['EvaluationPeriods'])
    values = _by_period(points, rule['MetricName'], period, at)
    known = set(values)
    if rule['Statistic'] == SAMPLE_COUNT:
        age = (at - row.created_at).total_seconds()
        known.update(number for number in range(count) if age >= (number + 1) * period)
    compute = STATISTICS[rule['Statistic']]
    measured = {number: compute(values[number]) for number in sorted(known) if number < count}
    state, reason = _state(row, measured, count)
    window = datetime.timedelta(seconds=period * count)
    return Verdict(state, reason, due(period, at), at - window)


def end_of_window(row: Any, now: datetime.datetime) -> datetime.datetime:
    """Return the time at which the window of an evaluation ends.

    It is the time at which the evaluation was due, so that each measurement is in one period
    whenever the timer comes; or ``now`` if that is a period ago.
    """
    late = (now - row.due_at).total_seconds()
    return row.due_at if 0 <= late < int(row.rule['Period']) else now


def due(period: int, now: datetime.datetime) -> datetime.datetime:
    """Return the time of the evaluation after one at ``now``."""
    return now + datetime.timedelta(seconds=max(period, SHORTEST_INTERVAL))


def _state(row, measured, count):
    rule, threshold = row.rule, float(row.rule['Threshold'])
    if not measured:
        return NODATA, f'no measurement of {rule["MetricName"]} in {count} periods'
    is_beyond = COMPARISONS[rule['ComparisonOperator']]
    within = {n: value for n, value in measured.items() if not is_beyond(value, threshold)}
    number, value = min((within or measured).items())
    compared = f'{rule["Statistic"]} {value:g}, {rule["ComparisonOperator"]} {threshold:g}'
    if within:
        return NORMAL, f'not in period {number + 1} of {count}: {compared}'
    if len(measured) < count:
        return row.state, f'{len(measured)} of {count} periods have measurements: {compared}'
    return ALARM, f'in {count} of {count} periods: {compared}'


def _by_period(points, metric, period, at):
    """Return the values of a metric by the number of their period before ``at``, from 0."""
    values = collections.defaultdict(list)
    for time, data in points:
        if metric in data:
            age = (at - time).total_seconds()
            if age >= 0:
                values[int(age // period)].append(float(data[metric]['Value']))
    return values
