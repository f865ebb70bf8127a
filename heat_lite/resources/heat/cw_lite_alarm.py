"""OS::Heat::CWLiteAlarm: an alarm that engines evaluate by pushed measurements."""

import math

from heat_lite.common import exception
from heat_lite.engine.resource.resource import Resource
from heat_lite.template.schema import OURS, list_, map_, string
from heat_lite.template.unknown import is_known

ACTIONS = ('AlarmActions', 'OKActions', 'InsufficientDataActions')
OPERATORS = [
    'GreaterThanOrEqualToThreshold',
    'GreaterThanThreshold',
    'LessThanThreshold',
    'LessThanOrEqualToThreshold',
]
SIZES = ('Bytes', 'Kilobytes', 'Megabytes', 'Gigabytes', 'Terabytes')
BITS = ('Bits', 'Kilobits', 'Megabits', 'Gigabits', 'Terabits')
UNITS = [
    'Seconds',
    'Microseconds',
    'Milliseconds',
    *SIZES,
    *BITS,
    'Percent',
    'Count',
    *(f'{each}/Second' for each in (*SIZES, *BITS, 'Count')),
    '',  # none
]
#: actions of one state, characters of an action, and seconds of the window
MAX_ACTIONS, MAX_ACTION, MAX_WINDOW = 10, 4096, 7 * 86400
INVALID_DIMENSION = 'each dimension must be a map with the texts "Name" and "Value"'


def _actions(state):
    return list_(
        'Resources to signal in each evaluation with the state '
        f'"{state}": by name, by reference, or by the URL for their signals.',
        update_allowed=True,
    )


class CloudWatchAlarm(Resource):
    """An alarm about measurements that are pushed to the CloudWatch API. It needs no service.

    Engines compare a statistic of the measurements of each period with a threshold. The name of
    the alarm is the reference of the resource.
    """

    resource_type = 'OS::Heat::CWLiteAlarm'
    since = OURS
    stands_for = 'aodh'
    calls_cloud = False
    repeatable = True

    properties_schema = {
        'ComparisonOperator': string(
            'Comparison of the statistic with the threshold.',
            required=True,
            update_allowed=True,
            allowed=OPERATORS,
        ),
        'AlarmDescription': string('Description of the alarm.', update_allowed=True),
        'EvaluationPeriods': string(
            'Number of consecutive periods that the comparison must hold in.',
            required=True,
            update_allowed=True,
        ),
        'MetricName': string('Name of the measured metric.', required=True, min=1, max=255),
        'Namespace': string('Namespace of the metric.'),
        'Period': string('Length of a period in seconds.', required=True, update_allowed=True),
        'Dimensions': list_(
            'Names and values that select the measurements, of those pushed without the name of an '
            'alarm.',
            map_(),
        ),
        'Statistic': string(
            'Statistic of the measurements of a period.',
            required=True,
            update_allowed=True,
            allowed=['SampleCount', 'Average', 'Sum', 'Minimum', 'Maximum'],
        ),
        'AlarmActions': _actions('ALARM'),
        'OKActions': _actions('NORMAL'),
        'InsufficientDataActions': _actions('NODATA'),
        'Threshold': string(
            'Value that the statistic is compared with.', required=True, update_allowed=True
        ),
        'Units': string(
            'Unit of the metric, for readers. Measurements of all units count.',
            update_allowed=True,
            allowed=UNITS,
        ),
    }

    # ------------------------------------------------------------ validation

    def validate(self):
        super().validate()
        if self.stack.checks_values:
            self._check(self.properties)

    def _check(self, values):
        """Raise StackValidationFailed for a value beyond the limits."""
        count, period = (_whole(name, values[name]) for name in ('EvaluationPeriods', 'Period'))
        if count * period > MAX_WINDOW:
            raise exception.StackValidationFailed(
                f'EvaluationPeriods times Period must be at most {MAX_WINDOW} seconds'
            )
        _number('Threshold', values['Threshold'])
        for name in ACTIONS:
            texts = values[name] or ()
            if len(texts) > MAX_ACTIONS or any(
                not isinstance(each, str) or not 0 < len(each) <= MAX_ACTION
                for each in filter(is_known, texts)
            ):
                raise exception.StackValidationFailed(
                    f'{name} must have at most {MAX_ACTIONS} texts of 1 to {MAX_ACTION} characters'
                )
        if not all(map(_is_dimension, filter(is_known, values['Dimensions'] or ()))):
            raise exception.StackValidationFailed(f'Dimensions: {INVALID_DIMENSION}')

    def implied_dependencies(self, others):
        """Return the resources that actions name as plain text, not by a function."""
        given = self.definition.properties or {}
        lists = [given.get(name) for name in ACTIONS]
        return {
            each
            for texts in lists
            if isinstance(texts, list)
            for each in texts
            if isinstance(each, str) and each in others and each != self.name
        }

    # ------------------------------------------------------------ handlers

    @property
    def _rules(self):
        return self.stack.runtime.watch_rules

    def _rule(self, properties):
        self._check(properties)
        return {name: properties[name] for name in self.properties_schema}

    def handle_create(self):
        # stored first, so that an interrupted create is deleted with its rule
        self.resource_id_set(self.physical_resource_name())
        yield
        self._rules.put(self.stack, self.resource_id, self._rule(self.properties))

    def handle_update(self, definition, tmpl_diff, prop_diff):
        self._rules.put(self.stack, self.resource_id, self._rule(self.properties_of(definition)))

    def handle_adopt(self, resource_data):
        super().handle_adopt(resource_data)
        self._rules.put(self.stack, self.resource_id, self._rule(self.properties))

    def handle_delete(self):
        self._rules.remove(self.stack, self.resource_id)

    def handle_suspend(self):
        self._rules.suspend(self.stack, self.resource_id)

    def handle_resume(self):
        self._rules.resume(self.stack, self.resource_id)

    def handle_check(self):
        self.show()

    def show(self):
        """Return the alarm as ``show_watch`` does. Raises EntityNotFound if it is gone."""
        return self._rules.show(self.stack, self.resource_id)


def _whole(name, value):
    number = _number(name, value)
    if number < 1 or number != int(number):
        raise exception.StackValidationFailed(f'{name} must be a whole number from 1, not {value}')
    return int(number)


def _number(name, value):
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise exception.StackValidationFailed(f'{name} must be a number, not {value!r:.100}')
    return number


def _is_dimension(value):
    return (
        isinstance(value, dict)
        and value.keys() == {'Name', 'Value'}
        and all(isinstance(each, (str, int, float)) for each in value.values())
    )
