"""The evaluation of a watch rule: states, statistics and comparisons.

A rule is the map of the properties of OS::Heat::CWLiteAlarm. Its window consists of
EvaluationPeriods periods that end now. The statistic of each period is compared with the threshold.

Measurements that a guest sends once a period come a little early or late. So a period may have two
and the next one none, for as long as they come at the time at which the periods change. A window
with fewer measurements than periods is therefore longer by one period.
"""

import collections
import datetime
import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence

from heat_lite.common.value_types import Row
from heat_lite.db.watch_rules import Point, Verdict
from heat_lite.engine.watch import watch_data

STATES = NODATA, NORMAL, ALARM, SUSPENDED = 'NODATA', 'NORMAL', 'ALARM', 'SUSPENDED'
#: states that a request can set
SETTABLE = (NODATA, NORMAL, ALARM)
#: states -> the key of a rule with the actions
ACTIONS = {ALARM: 'AlarmActions', NORMAL: 'OKActions', NODATA: 'InsufficientDataActions'}
SAMPLE_COUNT = 'SampleCount'
#: (SampleCount, Sum, Minimum, Maximum) of a measurement
Sample = tuple[float, float, float, float]
STATISTICS: dict[str, Callable[[Sequence[Sample]], float]] = {
    SAMPLE_COUNT: lambda samples: _sum(samples, 0),
    'Average': lambda samples: _sum(samples, 1) / _sum(samples, 0),
    'Sum': lambda samples: _sum(samples, 1),
    'Minimum': lambda samples: min(sample[2] for sample in samples),
    'Maximum': lambda samples: max(sample[3] for sample in samples),
}
COMPARISONS = {
    'GreaterThanOrEqualToThreshold': operator.ge,
    'GreaterThanThreshold': operator.gt,
    'LessThanThreshold': operator.lt,
    'LessThanOrEqualToThreshold': operator.le,
}
#: seconds between two evaluations of a rule, however short its period is
SHORTEST_INTERVAL = 5


def judge(row: Row, points: Sequence[Point], now: datetime.datetime) -> Verdict:
    """Return the verdict about a rule at a time.

    ALARM needs a measurement for each period, and statistics beyond the threshold only; NORMAL
    one within it in some period; NODATA a window without measurements. If all statistics are
    beyond the threshold, but the measurements are too few, the state stays. The number of samples
    is known in each period since the rule exists.
    """
    rule, at = row.rule, end_of_window(row, now)
    period, count = int(rule['Period']), int(rule['EvaluationPeriods'])
    values = _by_period(points, rule['MetricName'], period, at)
    compute = STATISTICS[rule['Statistic']]
    if rule['Statistic'] == SAMPLE_COUNT:
        age = (at - row.created_at).total_seconds()
        known = [number for number in range(count) if age >= (number + 1) * period]
        pushed = len(known)
    else:
        length = count if _pushed(values, count) >= count else count + 1
        known = [number for number in sorted(values) if number < length]
        pushed = _pushed(values, length)
    measured = {number: compute(values[number]) for number in known}
    state, reason = _state(row, measured, pushed)
    kept = datetime.timedelta(seconds=period * (count + 1))
    return Verdict(state, reason, due(period, at), at - kept)


def _sum(samples: Iterable[Sample], place: int) -> float:
    return math.fsum(sample[place] for sample in samples)


def _pushed(values: Mapping[int, Sequence[Sample]], length: int) -> int:
    """Return the number of measurements of the last periods."""
    return sum(len(values[number]) for number in values if number < length)


def end_of_window(row: Row, now: datetime.datetime) -> datetime.datetime:
    """Return the time at which the window of an evaluation ends.

    It is the time at which the evaluation was due, so that each measurement is in one period
    whenever the timer comes; or ``now`` if that is a period ago.
    """
    late = (now - row.due_at).total_seconds()
    return row.due_at if 0 <= late < int(row.rule['Period']) else now


def due(period: int, now: datetime.datetime) -> datetime.datetime:
    """Return the time of the evaluation after one at ``now``."""
    return now + datetime.timedelta(seconds=max(period, SHORTEST_INTERVAL))


def _state(row: Row, measured: Mapping[int, float], pushed: int) -> tuple[str, str]:
    rule, threshold = row.rule, float(row.rule['Threshold'])
    count = int(rule['EvaluationPeriods'])
    if not measured:
        return NODATA, f'no measurement of {rule["MetricName"]} in the window'
    is_beyond = COMPARISONS[rule['ComparisonOperator']]
    within = {n: value for n, value in measured.items() if not is_beyond(value, threshold)}
    number, value = min((within or measured).items())
    compared = f'{rule["Statistic"]} {value:g}, {rule["ComparisonOperator"]} {threshold:g}'
    if within:
        return NORMAL, f'not in period {number + 1} of {max(number + 1, count)}: {compared}'
    if pushed < count:
        return row.state, f'too few measurements for {count} periods: {compared}'
    return ALARM, f'in {len(measured)} of {count} periods: {compared}'


def _by_period(
    points: Sequence[Point], metric: str, period: int, at: datetime.datetime
) -> dict[int, list[Sample]]:
    """Return the samples of a metric by the number of their period before ``at``, from 0."""
    values = collections.defaultdict(list)
    for time, data in points:
        if metric in data:
            age = (at - time).total_seconds()
            if age >= 0:
                values[int(age // period)].append(watch_data.statistics_of(data[metric]))
    return values
