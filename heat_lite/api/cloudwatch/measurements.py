"""The actions about measurements: PutMetricData and ListMetrics."""

import dataclasses

from heat_lite.api.aws import faults, query
from heat_lite.api.cloudwatch.alarms import pairs, whole
from heat_lite.common.context import RequestContext
from heat_lite.common.value_types import Values
from heat_lite.rpc.client import EngineClient

#: the dimension that names the alarm of a measurement
ALARM_NAME = 'AlarmName'
#: measurements of one request, and of one page of a list
MAX_DATA, PAGE = 150, 500
FIELDS = ('MetricName', 'Value', 'Unit', 'Timestamp')
#: statistics of several values, in the place of Value
STATISTICS = 'StatisticValues'
SET_FIELDS = ('SampleCount', 'Sum', 'Minimum', 'Maximum')
SET_KEYS = tuple(f'{STATISTICS}.{field}' for field in SET_FIELDS)


@dataclasses.dataclass
class Measurements:
    client: EngineClient

    def put(self, context: RequestContext, arguments: query.Arguments) -> Values:
        """Send the measurements to their alarms: those of one alarm together."""
        if not arguments['Namespace']:
            raise faults.fault('MissingParameter', 'Namespace')
        given = query.groups(arguments, 'MetricData')
        if not given:
            raise faults.fault('MissingParameter', 'Request does not contain required MetricData')
        if len(given) > MAX_DATA:
            raise faults.fault(
                'InvalidParameterValue',
                f'MetricData has {len(given)} members, the limit is {MAX_DATA}',
            )
        by_alarm: dict[str | None, list[Values]] = {}
        for number, datum in given:
            alarm, stats = _datum(f'MetricData.member.{number}', datum)
            by_alarm.setdefault(alarm, []).append({'Namespace': arguments['Namespace'], **stats})
        for alarm, data in by_alarm.items():
            stats_data = data if len(data) > 1 else data[0]
            self.client.create_watch_data(context, watch_name=alarm, stats_data=stats_data)
        return {'ResponseMetadata': None}

    def list_metrics(self, context: RequestContext, arguments: query.Arguments) -> Values:
        """Return a page of the stored measurements, as Heat: one metric for each."""
        after = whole(arguments, 'NextToken', 0, 0, 2**31 - 1)
        found = self.client.show_watch_metric(
            context,
            metric_namespace=arguments.get('Namespace'),
            metric_name=arguments.get('MetricName'),
            limit=PAGE,
            after=after,
        )
        result: Values = {'Metrics': [_metric(each) for each in found]}
        if len(found) == PAGE:
            result['NextToken'] = str(found[-1]['watch_data_id'])
        return result


def _datum(place: str, datum: dict[str, str]) -> tuple[str | None, Values]:
    """Return the name of the alarm, and the measurement as the engine takes it. Raises Fault."""
    numbers = _numbers(place, datum)
    dimensions: list[dict[str, str]] = []
    alarm = None
    for each in query.structures(datum, 'Dimensions', ('Name', 'Value')):
        if len(each) < 2:
            raise faults.fault('MissingParameter', f'{place}.Dimensions: Name and Value')
        if each['Name'] == ALARM_NAME:
            alarm = each['Value']
        else:
            dimensions.append({each['Name']: each['Value']})
    values = {key: datum[key] for key in ('Unit', 'Timestamp') if key in datum}
    return alarm, {datum['MetricName']: {**numbers, **values, 'Dimensions': dimensions}}


def _numbers(place: str, datum: dict[str, str]) -> Values:
    """Return the value or the statistics of a measurement. Raises Fault for other parameters."""
    for key in datum:
        if key not in (*FIELDS, *SET_KEYS) and query.base_name(key) != 'Dimensions':
            raise faults.fault(
                'InvalidQueryParameter',
                f'{place}.{key[:100]} is not supported: a measurement has {", ".join(FIELDS)}, '
                f'{STATISTICS} and Dimensions',
            )
    is_set = any(key in datum for key in SET_KEYS)
    for key in ('MetricName', *(SET_KEYS if is_set else ('Value',))):
        if not datum.get(key):
            raise faults.fault('MissingParameter', f'{place}.{key}')
    if not is_set:
        return {'Value': datum['Value']}
    if 'Value' in datum:
        raise faults.fault(
            'InvalidParameterCombination', f'{place} has both Value and {STATISTICS}'
        )
    return {
        STATISTICS: {field: datum[key] for field, key in zip(SET_FIELDS, SET_KEYS, strict=True)}
    }


def _metric(found: Values) -> Values:
    """Return a measurement as Heat does: alarm, time and values are dimensions."""
    values = {key: value for key, value in found['data'].items() if key != 'Dimensions'}
    values.update(values.pop(STATISTICS, {}))
    dimensions = [
        {ALARM_NAME: found['watch_name']},
        {'Timestamp': found['timestamp']},
        *({key: value} for key, value in values.items()),
        *found['data'].get('Dimensions', ()),
    ]
    return {
        'MetricName': found['metric_name'],
        'Namespace': found['namespace'],
        'Dimensions': pairs(dimensions),
    }
