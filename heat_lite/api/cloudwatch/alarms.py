"""The actions about alarms: DescribeAlarms and SetAlarmState."""

import dataclasses

from heat_lite.api.aws import faults, query
from heat_lite.common.context import RequestContext
from heat_lite.common.value_types import Values
from heat_lite.rpc.client import EngineClient

#: states of the engine -> those of Amazon
STATES = {'NORMAL': 'OK', 'ALARM': 'ALARM', 'NODATA': 'INSUFFICIENT_DATA'}
ENGINE_STATES = {state: name for name, state in STATES.items()}
SUSPENDED = 'SUSPENDED'
#: keys of the engine -> elements of the response
ELEMENTS = {
    'actions_enabled': 'ActionsEnabled',
    'actions': 'AlarmActions',
    'topic': 'AlarmArn',
    'updated_time': 'AlarmConfigurationUpdatedTimestamp',
    'description': 'AlarmDescription',
    'name': 'AlarmName',
    'comparison': 'ComparisonOperator',
    'dimensions': 'Dimensions',
    'periods': 'EvaluationPeriods',
    'insufficient_actions': 'InsufficientDataActions',
    'metric_name': 'MetricName',
    'namespace': 'Namespace',
    'ok_actions': 'OKActions',
    'period': 'Period',
    'state_reason': 'StateReason',
    'state_reason_data': 'StateReasonData',
    'state_updated_time': 'StateUpdatedTimestamp',
    'state_value': 'StateValue',
    'statistic': 'Statistic',
    'threshold': 'Threshold',
    'unit': 'Unit',
}
#: alarms of one page, at most and without MaxRecords
PAGE, MAX_NAMES = 100, 100


@dataclasses.dataclass
class Alarms:
    client: EngineClient

    def describe(self, context: RequestContext, arguments: query.Arguments) -> Values:
        """Return a page of the alarms; AlarmName is Heat's parameter for one of them."""
        if 'AlarmName' in arguments:
            found = self.client.show_watch(context, watch_name=arguments['AlarmName'])
            return {'MetricAlarms': [_alarm(each) for each in found]}
        names = query.values(arguments, 'AlarmNames')
        if len(names) > MAX_NAMES:
            raise faults.fault('InvalidParameterValue', f'more than {MAX_NAMES} AlarmNames')
        filters = {
            'names': names or None,
            'prefix': arguments.get('AlarmNamePrefix'),
            'state': _engine_state(arguments['StateValue']) if 'StateValue' in arguments else None,
        }
        limit = whole(arguments, 'MaxRecords', PAGE, 1, PAGE)
        after = whole(arguments, 'NextToken', 0, 0, 2**31 - 1)
        found = self.client.show_watch(context, filters=filters, limit=limit + 1, after=after)
        page = found[:limit]
        result: Values = {'MetricAlarms': [_alarm(each) for each in page]}
        if len(found) > limit:
            result['NextToken'] = str(page[-1]['watch_id'])
        return result

    def set_state(self, context: RequestContext, arguments: query.Arguments) -> Values:
        """Set the state of an alarm until its next evaluation, and perform its actions."""
        self.client.set_watch_state(
            context,
            watch_name=arguments['AlarmName'],
            state=_engine_state(arguments['StateValue']),
            reason=arguments.get('StateReason'),
        )
        return {}


def whole(arguments: query.Arguments, name: str, default: int, least: int, most: int) -> int:
    """Return a whole number of the arguments. Raises Fault for another text."""
    text = arguments.get(name)
    if text is None:
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 12 and least <= int(text) <= most):
        raise faults.fault(
            'InvalidParameterValue', f'{name} must be a whole number from {least} to {most}'
        )
    return int(text)


def pairs(dimensions: list[Values]) -> list[Values]:
    """Return dimensions as maps with Name and Value."""
    return [
        {'Name': name, 'Value': value}
        for each in dimensions
        for name, value in (
            [(each['Name'], each['Value'])] if each.keys() == {'Name', 'Value'} else each.items()
        )
    ]


def _engine_state(state: str) -> str:
    if state not in ENGINE_STATES:
        raise faults.fault(
            'InvalidParameterValue',
            f'Invalid state {state[:100]}, expecting one of {list(ENGINE_STATES)}',
        )
    return ENGINE_STATES[state]


def _alarm(found: Values) -> Values:
    """Return an alarm. As in Heat, its stack is one more dimension; a suspended one has no data."""
    result = {element: found[key] for key, element in ELEMENTS.items()}
    result['StateValue'] = STATES.get(found['state_value'], STATES['NODATA'])
    result['Dimensions'] = pairs([*found['dimensions'], {'StackId': found['stack_id']}])
    return result
