"""Measurements of watch rules: their checks, and the rules that they are for.

A measurement is a map: ``{Namespace: text, metric: {Value, Unit, Dimensions}}``. A metric may have
StatisticValues, which stand for several values; its Value is their average then.
"""

import datetime
import math
from collections.abc import Iterable, Mapping

from heat_lite.common import exception
from heat_lite.common.value_types import Value, Values

NAMESPACE, TIMESTAMP = 'Namespace', 'Timestamp'
#: the key of statistics that stand for several values, and those which they have
STATISTIC_VALUES = 'StatisticValues'
SET_KEYS = ('SampleCount', 'Sum', 'Minimum', 'Maximum')
#: characters of a name, and dimensions of a measurement
MAX_NAME, MAX_DIMENSIONS = 255, 10
#: how far, in parts of the greatest value, an average may be off by rounding
SLACK = 1e-9
#: how far the time of a measurement may differ from now
OLDEST, LATEST = datetime.timedelta(days=14), datetime.timedelta(minutes=5)
#: the greatest value of a measurement, as of Amazon's
MAX_VALUE = 2.0**360


def accepts(rule: Mapping[str, Value], data: Mapping[str, Value]) -> bool:
    """Return whether a measurement without the name of an alarm is one of a rule.

    It has the metric and, if the rule has one, the namespace; its dimensions include all of the
    rule.
    """
    metric = data.get(rule['MetricName'])
    if metric is None or rule.get(NAMESPACE) not in (None, '', data.get(NAMESPACE)):
        return False
    wanted = {each['Name']: str(each['Value']) for each in rule.get('Dimensions') or ()}
    return wanted.items() <= dimensions_of(metric).items()


def dimensions_of(metric: Mapping[str, Value]) -> dict[str, str]:
    """Return the dimensions of a measurement: ``{name: value}``."""
    return {
        str(name): str(value)
        for each in metric.get('Dimensions') or ()
        for name, value in _pairs(each)
    }


def _pairs(dimension: Mapping[str, Value]) -> Iterable[tuple[Value, Value]]:
    if {'Name', 'Value'} == dimension.keys():
        return [(dimension['Name'], dimension['Value'])]
    return dimension.items()


# --------------------------------------------------------------- checks


def checked(stats_data: Value) -> Values:
    """Return a measurement ``{Namespace, metric: {Value, Unit, Dimensions}}`` in its stored form.

    Raises Invalid.
    """
    if not isinstance(stats_data, Mapping):
        raise exception.Invalid(reason=f'a measurement must be a map, not {stats_data!r:.100}')
    given = {_name(key, 'metric'): value for key, value in stats_data.items()}
    namespace = given.pop(NAMESPACE, None)
    if not given:
        raise exception.Invalid(reason='the measurement has no metric')
    result: Values = {NAMESPACE: namespace and _name(namespace, 'namespace')}
    for metric, values in given.items():
        result[metric] = _checked_metric(metric, values)
    return result


def _checked_metric(metric: str, values: Value) -> Values:
    if not isinstance(values, Mapping):
        raise exception.Invalid(reason=f'the metric {metric} must be a map, not {values!r:.100}')
    found = values.get('Dimensions') or []
    dimensions = [found] if isinstance(found, Mapping) else found
    if not isinstance(dimensions, list) or not all(isinstance(e, Mapping) for e in dimensions):
        raise exception.Invalid(reason=f'the dimensions of {metric} must be a list of maps')
    pairs = [
        {_name(name, 'dimension'): _name(value, 'dimension') for name, value in _pairs(each)}
        for each in dimensions
    ]
    if sum(map(len, pairs)) > MAX_DIMENSIONS:
        raise exception.Invalid(reason=f'{metric} has more than {MAX_DIMENSIONS} dimensions')
    unit = values.get('Unit')
    if STATISTIC_VALUES in values:
        numbers = _checked_set(metric, values)
    else:
        numbers = {'Value': _number(f'value of {metric}', values.get('Value'))}
    time = {TIMESTAMP: values[TIMESTAMP]} if TIMESTAMP in values else {}
    return {
        **time,
        **numbers,
        'Unit': unit and _name(unit, 'unit'),
        'Dimensions': pairs,
    }


def _checked_set(metric: str, values: Mapping[str, Value]) -> Values:
    """Return the statistics of several values, and their average as Value. Raises Invalid."""
    place, given = f'{STATISTIC_VALUES} of {metric}', values[STATISTIC_VALUES]
    if not isinstance(given, Mapping) or given.keys() != set(SET_KEYS) or 'Value' in values:
        raise exception.Invalid(
            reason=f'{place} must be a map with {", ".join(SET_KEYS)}, without a Value beside it'
        )
    found = {key: _number(f'{key} in {place}', given[key]) for key in SET_KEYS}
    count, total, least, most = found.values()
    if count < 1:
        raise exception.Invalid(reason=f'SampleCount in {place} must be at least 1, not {count:g}')
    average = total / count
    slack = SLACK * max(abs(least), abs(most))
    if not least - slack <= average <= most + slack:
        raise exception.Invalid(
            reason=f'{place} contradict each other: the average {average:g} must be from the '
            f'Minimum {least:g} to the Maximum {most:g}'
        )
    return {'Value': average, STATISTIC_VALUES: found}


def statistics_of(metric: Mapping[str, Value]) -> tuple[float, float, float, float]:
    """Return SampleCount, Sum, Minimum and Maximum of a checked measurement."""
    if STATISTIC_VALUES in metric:
        count, total, least, most = (metric[STATISTIC_VALUES][key] for key in SET_KEYS)
        return count, total, least, most
    value = float(metric['Value'])
    return 1, value, value, value


def _number(what: str, value: Value) -> float:
    try:
        found = float(value)
    except (TypeError, ValueError):
        found = math.nan
    if isinstance(value, bool) or not abs(found) <= MAX_VALUE:
        raise exception.Invalid(
            reason=f'the {what} must be a number up to 2**360, not {value!r:.100}'
        )
    return found


def _name(value: Value, kind: str) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= MAX_NAME or not value.isprintable():
        raise exception.Invalid(
            reason=f'the {kind} {value!r:.100} must be a text of 1 to {MAX_NAME} printable '
            'characters'
        )
    return value


def take_time(data: Values, now: datetime.datetime) -> datetime.datetime:
    """Return the time of a checked measurement, and remove it from its metrics; ``now`` without.

    Raises Invalid for several times, or one that is too old or in the future.
    """
    given = {
        metric.pop(TIMESTAMP)
        for name, metric in data.items()
        if name != NAMESPACE and TIMESTAMP in metric
    }
    if not given:
        return now
    try:
        (text,) = given
        found = datetime.datetime.fromisoformat(text)
        if found.tzinfo is not None:
            found = found.astimezone(datetime.UTC).replace(tzinfo=None)
    except (ValueError, TypeError, OverflowError):
        raise exception.Invalid(
            reason=f'{TIMESTAMP} must be one time like 2026-01-31T12:00:00Z, not {given!r:.100}'
        ) from None
    if not now - OLDEST <= found <= now + LATEST:
        raise exception.Invalid(
            reason=f'{TIMESTAMP} {text} must be at most {OLDEST.days} days old, and at most '
            f'{LATEST.seconds} seconds later than the clock of the engine'
        )
    return found
