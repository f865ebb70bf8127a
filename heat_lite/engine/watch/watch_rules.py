"""Watch rules: the alarms that engines evaluate, for their resources and for requests.

Tests: tests/functional/test_watch_rules.py.
"""

import datetime
import time
from collections.abc import Iterator, Mapping, Sequence

from heat_lite.common import context as request_context, exception, identifier
from heat_lite.common.context import RequestContext
from heat_lite.common.value_types import Row, Value, Values
from heat_lite.db import stacks as db_stacks, watch_rules as db_watch_rules
from heat_lite.db.column_types import utcnow
from heat_lite.engine.runtime import Runtime
from heat_lite.engine.stack import format
from heat_lite.engine.stack.stack import Stack
from heat_lite.engine.watch import watch_actions, watch_data, watch_evaluation
from heat_lite.engine.watch.watch_evaluation import NODATA, SUSPENDED

#: the key of a rule with what its actions name: ``{action: [stack id, resource name]}``
TARGETS = 'Targets'
#: seconds for which the number of measurements of a project is known
COUNT_SECONDS = 10
#: characters of the reason of a state that a request sets
MAX_REASON = 1023
#: rules and measurements that one reply lists
MAX_LISTED = 1000
REASON = {True: 'the alarm is suspended', False: ''}


class WatchRules:
    """The watch rules of one engine."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._counts: dict[str, tuple[int, float]] = {}
        self.actions = watch_actions.ActionQueue(runtime.pool, self._send)

    # ------------------------------------------------------------ for the resource

    def put(self, stack: Stack, name: str, rule: Mapping[str, Value]) -> None:
        """Store the rule of a stack, new or changed. Raises Error, RequestLimitExceeded."""
        known = db_watch_rules.find(stack.id, name)
        if known is None:
            self._require_room(stack)
        texts = [text for key in watch_evaluation.ACTIONS.values() for text in rule.get(key) or ()]
        targets = {text: watch_actions.target_of(stack, text) for text in texts}
        values = {'rule': {**rule, TARGETS: targets}, 'metric_name': rule['MetricName']}
        if known is None:
            values['state'] = NODATA
        if known is None or known.state != SUSPENDED:
            values['due_at'] = self._due(rule)
        db_watch_rules.put(stack.id, name, values)

    def _require_room(self, stack: Stack) -> None:
        limit = self._runtime.limits.max_alarms_per_tenant
        if 0 <= limit <= db_watch_rules.count(stack.tenant):
            raise exception.RequestLimitExceeded(
                f'the project has {limit} alarms, which is the limit (max_alarms_per_tenant). '
                'Delete alarms that are not needed'
            )

    def remove(self, stack: Stack, name: str) -> None:
        db_watch_rules.remove(stack.id, name)

    def suspend(self, stack: Stack, name: str) -> None:
        self._set(stack, name, {'state': SUSPENDED, 'due_at': None})

    def resume(self, stack: Stack, name: str) -> None:
        row = self._require(stack, name)
        self._set(stack, name, {'state': NODATA, 'due_at': self._due(row.rule)})

    def show(self, stack: Stack, name: str) -> Values:
        """Return the rule of a stack as ``show_watch`` does. Raises EntityNotFound."""
        return format_rule(self._require(stack, name))

    def _require(self, stack: Stack, name: str) -> Row:
        row = db_watch_rules.find(stack.id, name)
        return _known(row, name)

    def _set(self, stack: Stack, name: str, values: Values) -> None:
        row = self._require(stack, name)
        db_watch_rules.set_state(row.id, values)

    @staticmethod
    def _due(rule: Mapping[str, Value]) -> datetime.datetime:
        return watch_evaluation.due(int(rule['Period']), utcnow())

    # ------------------------------------------------------------ measurements

    def add_data(self, context: RequestContext, watch_name: str | None, stats_data: Value) -> Value:
        """Store measurements, one or a list, and return them.

        Without a name they are those of each rule that accepts them (see ``watch_data.accepts``).
        Raises EntityNotFound, Invalid, and RequestLimitExceeded for too many.
        """
        given = stats_data if isinstance(stats_data, list) else [stats_data]
        if len(given) > MAX_LISTED:
            raise exception.Invalid(reason=f'more than {MAX_LISTED} measurements')
        checked = [watch_data.checked(each) for each in given]
        rules = self._receivers(context, watch_name, checked)
        now, rows = utcnow(), []
        times = {id(each): watch_data.take_time(each, now) for each in checked}
        for rule in rules:
            accepted = [
                each for each in checked if watch_name or watch_data.accepts(rule.rule, each)
            ]
            if accepted and rule.state != SUSPENDED:
                rows += [
                    (rule, {'watch_rule_id': rule.id, 'data': each, 'created_at': times[id(each)]})
                    for each in accepted
                ]
        if rows:
            self._require_data_room(context, rows)
            db_watch_rules.add_data([row for _, row in rows])
        return stats_data

    @staticmethod
    def _receivers(
        context: RequestContext, watch_name: str | None, checked: Sequence[Values]
    ) -> Sequence[Row]:
        """Return the rule with the name, or all rules about one of the metrics."""
        if watch_name:
            return [_named(context, watch_name)]
        metrics = {name for data in checked for name in data if name != watch_data.NAMESPACE}
        return db_watch_rules.page(context, db_watch_rules.measuring(metrics))

    def _require_data_room(
        self, context: RequestContext, rows: Sequence[tuple[Row, Values]]
    ) -> None:
        """Raise RequestLimitExceeded if a rule or its project would have too many measurements.

        Those of a project are counted at intervals; several engines may exceed the limit by what
        they accept in one.
        """
        limits = self._runtime.limits
        rules = {rule.id: rule for rule, _ in rows}
        counts = db_watch_rules.count_data_of(list(rules))
        for rule, _ in rows:
            counts[rule.id] = counts.get(rule.id, 0) + 1
        number, most = max((count, rule_id) for rule_id, count in counts.items())
        if number > limits.max_measurements_per_alarm >= 0:
            raise exception.RequestLimitExceeded(
                f'the alarm {rules[most].name} has {limits.max_measurements_per_alarm} '
                'measurements in its window, which is the limit (max_measurements_per_alarm). '
                'Send them less often'
            )
        for rule, _ in rows:
            self._count(rule.tenant, limits.max_measurements_per_tenant)

    def _count(self, tenant: str, limit: int) -> None:
        number, until = self._counts.get(tenant, (0, 0.0))
        if time.monotonic() > until:
            self._counts = {
                each: known for each, known in self._counts.items() if known[1] > time.monotonic()
            }
            number = db_watch_rules.count_data(tenant)
            until = time.monotonic() + COUNT_SECONDS
        if 0 <= limit <= number:
            raise exception.RequestLimitExceeded(
                f'the alarms of the project have {limit} measurements, which is the limit '
                '(max_measurements_per_tenant). Send them less often'
            )
        self._counts[tenant] = number + 1, until

    # ------------------------------------------------------------ requests

    def override(
        self, context: RequestContext, watch_name: str, state: str, reason: Value = None
    ) -> Values:
        """Set the state of a rule until its next evaluation, and perform its actions.

        Return the rule. Raises EntityNotFound, Invalid.
        """
        if state not in watch_evaluation.SETTABLE:
            raise exception.Invalid(
                reason=f'the state must be one of {", ".join(watch_evaluation.SETTABLE)}, not '
                f'{state!r:.100}'
            )
        row = _named(context, watch_name)
        if db_watch_rules.override(row.id, state, unless=SUSPENDED) in (None, SUSPENDED):
            raise exception.Invalid(
                reason=f'the alarm {watch_name} is suspended: resume its stack first'
            )
        self.act(row, row.tenant, state, str(reason or 'set by a request')[:MAX_REASON])
        return {**format_rule(row), 'state_value': state}

    def act(self, row: Row, tenant: str, state: str, reason: str) -> None:
        """Queue the signals of a rule of a project in a state."""
        names = row.rule.get(watch_evaluation.ACTIONS[state]) or ()
        details = {'alarm': row.name, 'current': state, 'previous': row.state, 'reason': reason}
        for text in names:
            if text in row.rule.get(TARGETS, {}):
                stack_id, name = row.rule[TARGETS][text]
                signal = watch_actions.Signal(row.id, stack_id, name, details)
                self.actions.add(tenant, signal)

    def _send(self, tenant: str, signal: watch_actions.Signal) -> None:
        context = request_context.admin_context(tenant)
        row = db_stacks.get_row(signal.stack_id)
        if row is None or row.deleted_at is not None:
            raise exception.no_stack(signal.stack_id)
        self._runtime.local_calls.call(
            context,
            'resource_signal',
            stack_identity=identifier.HeatIdentifier(row.tenant, row.name, row.id).as_dict(),
            resource_name=signal.name,
            details=signal.details,
        )


def find(
    context: RequestContext, filters: Mapping[str, Value], limit: int | None, after: int
) -> list[Values]:
    """Return rules with the names, the prefix of names and the state in ``filters``."""
    makers = {
        'names': db_watch_rules.named,
        'prefix': db_watch_rules.begins_with,
        'state': db_watch_rules.in_state,
    }
    conditions = [makers[key](value) for key, value in filters.items() if value is not None]
    limit = min(limit or MAX_LISTED, MAX_LISTED)
    rows = db_watch_rules.page(context, *conditions, limit=limit, after=after)
    return [format_rule(row) for row in rows]


def format_rule(row: Row) -> Values:
    """Return a rule with the keys of Heat."""
    rule, suspended = row.rule, row.state == SUSPENDED
    return {
        'watch_id': row.id,
        'actions_enabled': not suspended,
        'actions': rule.get('AlarmActions') or [],
        'topic': None,
        'updated_time': format.time(row.updated_at or row.created_at),
        'description': rule.get('AlarmDescription'),
        'name': row.name,
        'comparison': rule['ComparisonOperator'],
        'dimensions': rule.get('Dimensions') or [],
        'periods': rule['EvaluationPeriods'],
        'insufficient_actions': rule.get('InsufficientDataActions') or [],
        'metric_name': rule['MetricName'],
        'namespace': rule.get('Namespace') or None,
        'ok_actions': rule.get('OKActions') or [],
        'period': rule['Period'],
        'state_reason': REASON[suspended],
        'state_reason_data': None,
        'state_updated_time': format.time(row.last_evaluated),
        'state_value': row.state,
        'statistic': rule['Statistic'],
        'threshold': rule['Threshold'],
        'unit': rule.get('Units') or None,
        'stack_id': row.stack_id,
    }


def find_data(
    context: RequestContext,
    namespace: str | None,
    metric: str | None,
    limit: int | None,
    after: int,
) -> list[Values]:
    """Return measurements with the keys of Heat; those of a namespace and a metric, if given."""
    limit = min(limit or MAX_LISTED, MAX_LISTED)
    found: list[Values] = []
    while len(found) < limit and (rows := db_watch_rules.data_page(context, MAX_LISTED, after)):
        found += [
            each
            for row in rows
            for each in _formatted_data(row)
            if metric in (None, each['metric_name']) and namespace in (None, each['namespace'])
        ]
        after = rows[-1].id
    return found[:limit]


def _formatted_data(row: Row) -> Iterator[Values]:
    for name, values in row.data.items():
        if name != watch_data.NAMESPACE:
            yield {
                'watch_data_id': row.id,
                'watch_name': row.name,
                'metric_name': name,
                'timestamp': format.time(row.created_at),
                'namespace': row.data.get(watch_data.NAMESPACE),
                'data': values,
            }


def _named(context: RequestContext, name: str) -> Row:
    rows = db_watch_rules.page(context, db_watch_rules.named([name]), limit=1)
    return _known(rows[0] if rows else None, name)


def _known(row: Row, name: str) -> Row:
    if row is None:
        raise exception.EntityNotFound(entity='Watch Rule', name=name)
    return row
