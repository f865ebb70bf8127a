"""Alarms in a whole engine: measurements scale a group out and in, without an alarm service."""

import json
import time

import pytest

from heat_lite.common import exception
from heat_lite.common.context import RequestContext
from heat_lite.db import models, session, watch_rules as db_watch_rules
from heat_lite.engine.watch import watch_evaluation, watch_rules
from tests import databases, engines
from tests.timeouts import WAIT_SECONDS

ALARM, GROUP, POLICY = (
    'OS::Heat::CWLiteAlarm',
    'OS::Heat::AutoScalingGroup',
    'OS::Heat::ScalingPolicy',
)
#: seconds; the window of an alarm must be longer than a slow test waits
PERIOD = 30


@pytest.fixture(scope='module')
def engine(tmp_path_factory):
    with databases.migrated('sqlite', tmp_path_factory.mktemp('db')) as url:
        ours = {
            'alarm_interval': 0.1,
            'max_alarms_per_tenant': 3,
            'max_measurements_per_alarm': 20,
            'max_measurements_per_tenant': 30,
        }
        options = {'enable_stack_adopt': True, 'enable_stack_abandon': True}
        with engines.running(url, ours=ours, **options) as driver:
            yield driver


@pytest.fixture(autouse=True)
def new_project(engine):
    engine.context.project_id = f'p{time.monotonic_ns()}'


@pytest.fixture(autouse=True)
def evaluations_at_once(monkeypatch):
    """Evaluate rules in each interval of the timer, not once a period."""
    monkeypatch.setattr(watch_evaluation, 'due', lambda period, now: now)
    monkeypatch.setattr(watch_evaluation, 'end_of_window', lambda row, now: now)


def alarm(**properties):
    values = {
        'MetricName': 'Cpu',
        'Statistic': 'Maximum',
        'ComparisonOperator': 'GreaterThanThreshold',
        'Threshold': 50,
        'Period': PERIOD,
        'EvaluationPeriods': 1,
        **properties,
    }
    return {'type': ALARM, 'properties': values}


def policy(change):
    properties = {
        'adjustment_type': 'change_in_capacity',
        'scaling_adjustment': change,
        'auto_scaling_group_id': {'get_resource': 'group'},
        'cooldown': 0,
    }
    return {'type': POLICY, 'properties': properties}


def scaled(**properties):
    member = {'type': 'OS::Heat::TestResource'}
    group = {'min_size': 1, 'max_size': 2, 'desired_capacity': 1, 'resource': member}
    return {
        'resources': {
            'group': {'type': GROUP, 'properties': {**group, 'cooldown': 0}},
            'out': policy(1),
            'in': policy(-1),
            'alarm': alarm(AlarmActions=[{'get_resource': 'out'}], OKActions=['in'], **properties),
        },
        'outputs': {
            'size': {'value': {'get_attr': ['group', 'current_size']}},
            'name': {'value': {'get_resource': 'alarm'}},
        },
    }


def only(**properties):
    return {
        'resources': {'alarm': alarm(**properties)},
        'outputs': {'name': {'value': {'get_resource': 'alarm'}}},
    }


def push(engine, name, *values, metric='Cpu', context=None, **fields):
    data = [{metric: {'Value': value, **fields}} for value in values]
    engine.client.create_watch_data(context or engine.context, watch_name=name, stats_data=data)


def watch(engine, name):
    return engine.client.show_watch(engine.context, watch_name=name)[0]


def wait_until(condition):
    until = time.monotonic() + WAIT_SECONDS
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


def wait_for_state(engine, name, state):
    wait_until(lambda: watch(engine, name)['state_value'] == state)


def reasons(engine, identity, name):
    listed = engine.client.list_events(engine.context, stack_identity=identity)
    return [each['resource_status_reason'] for each in listed if each['resource_name'] == name]


def forget_data(engine, name):
    """Remove the measurements of a rule, as if their window had passed."""
    row = db_watch_rules.page(engine.context, db_watch_rules.named([name]))[0]
    with session.engine().begin() as connection:
        table = models.watch_data
        connection.execute(table.delete().where(table.c.watch_rule_id == row.id))


def test_measurements_scale_a_group_out_and_in(engine):
    identity = engine.create(scaled())
    assert engine.state(identity) == 'CREATE_COMPLETE', engine.events(identity)
    found = engine.outputs(identity)
    assert watch(engine, found['name'])['state_value'] == 'NODATA'
    push(engine, found['name'], 99)
    wait_until(lambda: engine.outputs(identity)['size'] == 2)
    assert watch(engine, found['name'])['state_value'] == 'ALARM'
    wait_until(
        lambda: (
            (
                'alarm state changed from NODATA to ALARM (in 1 of 1 periods: Maximum 99, '
                'GreaterThanThreshold 50)'
            )
            in reasons(engine, identity, 'out')
        )
    )
    forget_data(engine, found['name'])
    push(engine, found['name'], 1)
    wait_until(lambda: engine.outputs(identity)['size'] == 1)
    assert watch(engine, found['name'])['state_value'] == 'NORMAL'


def test_alarm_of_a_stack_that_is_deleted_is_gone(engine):
    identity = engine.create(only())
    name = engine.outputs(identity)['name']
    push(engine, name, 1)
    engine.delete(identity)
    with pytest.raises(exception.EntityNotFound, match=f'The Watch Rule \\({name}\\) could not'):
        watch(engine, name)
    assert db_watch_rules.count_data(engine.context.project_id) == 0


def test_alarm_is_updated_in_place(engine):
    identity = engine.create(only())
    name = engine.outputs(identity)['name']
    push(engine, name, 60)
    wait_for_state(engine, name, 'ALARM')
    engine.update(identity, only(Threshold=70, AlarmDescription='hot'))
    assert engine.outputs(identity)['name'] == name
    shown = watch(engine, name)
    assert (shown['threshold'], shown['description'], shown['period']) == ('70', 'hot', '30')
    wait_for_state(engine, name, 'NORMAL')


def test_suspended_alarm_is_not_evaluated(engine):
    identity = engine.create(only())
    name = engine.outputs(identity)['name']
    engine.client.stack_suspend(engine.context, stack_identity=identity)
    engine.wait(identity)
    assert watch(engine, name)['state_value'] == 'SUSPENDED'
    assert watch(engine, name)['actions_enabled'] is False
    push(engine, name, 99)
    assert engine.client.show_watch_metric(engine.context) == []
    with pytest.raises(exception.Invalid, match=f'the alarm {name} is suspended'):
        engine.client.set_watch_state(engine.context, watch_name=name, state='ALARM')
    engine.client.stack_resume(engine.context, stack_identity=identity)
    engine.wait(identity)
    assert watch(engine, name)['state_value'] == 'NODATA'
    push(engine, name, 99)
    wait_for_state(engine, name, 'ALARM')


def test_state_of_an_alarm_that_is_suspended_meanwhile_is_not_set(engine, monkeypatch):
    identity = engine.create(only())
    name = engine.outputs(identity)['name']
    find = watch_rules._named

    def find_before_a_suspension(context, watch_name):
        row = find(context, watch_name)
        db_watch_rules.set_state(row.id, {'state': 'SUSPENDED', 'due_at': None})
        return row

    monkeypatch.setattr(watch_rules, '_named', find_before_a_suspension)
    with pytest.raises(exception.Invalid, match=f'the alarm {name} is suspended'):
        engine.client.set_watch_state(engine.context, watch_name=name, state='ALARM')
    assert watch(engine, name)['state_value'] == 'SUSPENDED'


def test_check_finds_a_rule_that_is_gone(engine):
    identity = engine.create(only())
    name = engine.outputs(identity)['name']
    engine.client.stack_check(engine.context, stack_identity=identity)
    assert engine.state(engine.wait(identity)) == 'CHECK_COMPLETE'
    db_watch_rules.remove(identity['stack_id'], name)
    engine.client.stack_check(engine.context, stack_identity=identity)
    assert engine.state(engine.wait(identity)) == 'CHECK_FAILED'


def test_state_can_be_set_until_the_next_evaluation(engine, monkeypatch):
    monkeypatch.undo()  # a period is longer than this test
    identity = engine.create(scaled())
    name = engine.outputs(identity)['name']
    shown = engine.client.set_watch_state(engine.context, watch_name=name, state='ALARM')
    assert shown['state_value'] == 'ALARM'
    wait_until(lambda: engine.outputs(identity)['size'] == 2)
    with pytest.raises(exception.Invalid, match='the state must be one of NODATA, NORMAL, ALARM'):
        engine.client.set_watch_state(engine.context, watch_name=name, state='SUSPENDED')


def test_measurements_without_a_name_go_to_the_alarms_with_their_dimensions(engine):
    names = {}
    for zone in 'ab':
        dimensions = [{'Name': 'zone', 'Value': zone}]
        identity = engine.create(only(Namespace='sys', Dimensions=dimensions), name=f's{zone}')
        names[zone] = engine.outputs(identity)['name']
    data = {'Namespace': 'sys', 'Cpu': {'Value': 99, 'Dimensions': [{'zone': 'a'}]}}
    engine.client.create_watch_data(engine.context, watch_name=None, stats_data=data)
    (found,) = engine.client.show_watch_metric(engine.context)
    assert (found['watch_name'], found['metric_name'], found['namespace']) == (
        names['a'],
        'Cpu',
        'sys',
    )
    assert found['data'] == {'Value': 99.0, 'Unit': None, 'Dimensions': [{'zone': 'a'}]}
    assert engine.client.show_watch_metric(engine.context, metric_name='Mem') == []
    wait_for_state(engine, names['a'], 'ALARM')
    assert watch(engine, names['b'])['state_value'] == 'NODATA'


def test_other_project_sees_and_measures_no_alarm(engine):
    name = engine.outputs(engine.create(only()))['name']
    other = RequestContext(project_id='other', roles=['member'], overwrite=False)
    with pytest.raises(exception.EntityNotFound):
        engine.client.show_watch(other, watch_name=name)
    with pytest.raises(exception.EntityNotFound):
        push(engine, name, 99, context=other)
    with pytest.raises(exception.EntityNotFound):
        engine.client.set_watch_state(other, watch_name=name, state='ALARM')
    push(engine, None, 99, context=other)
    assert engine.client.show_watch(other) == []
    assert engine.client.show_watch_metric(engine.context) == []


def test_action_that_names_no_resource_of_the_project_fails(engine):
    foreign = engine.create(scaled())
    url = f'http://h/v1/p/stacks/stack/{foreign["stack_id"]}/resources/out/signal?Signature=x'
    same = engine.create(only(AlarmActions=[url]), name='same')
    assert engine.state(same) == 'CREATE_COMPLETE', engine.events(same)
    engine.context.project_id = 'attacker'
    for action in (url, 'http://127.0.0.1/secret', 'nothing', 'alarm'):
        identity = engine.create(only(AlarmActions=[action]), name=f'n{time.monotonic_ns()}')
        assert engine.state(identity) == 'CREATE_FAILED'
        assert (
            'is neither a resource of the stack that takes signals'
            in (engine.stack(identity)['stack_status_reason'])
        )
        assert 'Signature' not in engine.stack(identity)['stack_status_reason']
        engine.delete(identity)


@pytest.mark.parametrize(
    ('properties', 'text'),
    [
        ({'Threshold': 'x'}, "Threshold must be a number, not 'x'"),
        ({'Threshold': 'nan'}, 'Threshold must be a number'),
        ({'Period': 0}, 'Period must be a whole number from 1, not 0'),
        ({'EvaluationPeriods': '1.5'}, 'EvaluationPeriods must be a whole number from 1'),
        ({'Period': 86400, 'EvaluationPeriods': 8}, 'must be at most 604800 seconds'),
        ({'Dimensions': ['x']}, 'Dimensions[0]: "x" is not a map'),
        ({'AlarmActions': ['x'] * 11}, 'AlarmActions must have at most 10 texts'),
        ({'Statistic': 'Median'}, '"Median" is not an allowed value'),
    ],
)
def test_alarm_beyond_the_limits_is_refused(engine, properties, text):
    with pytest.raises(exception.StackValidationFailed) as caught:
        engine.create(only(**properties))
    assert text in str(caught.value)


def test_number_of_alarms_and_measurements_is_limited(engine):
    names = [engine.outputs(engine.create(only(), name=f's{n}'))['name'] for n in range(3)]
    more = engine.create(only(), name='more')
    assert engine.state(more) == 'CREATE_FAILED'
    assert 'the project has 3 alarms' in engine.stack(more)['stack_status_reason']
    push(engine, names[0], *[1] * 15)
    with pytest.raises(exception.RequestLimitExceeded, match='20 measurements in its window'):
        push(engine, names[0], *[1] * 6)
    push(engine, names[1], *[1] * 15)
    with pytest.raises(exception.RequestLimitExceeded, match='the project have 30 measurements'):
        push(engine, names[2], 1)


def test_alarms_are_listed_in_pages(engine):
    names = [engine.outputs(engine.create(only(), name=f's{n}'))['name'] for n in range(3)]
    first = engine.client.show_watch(engine.context, limit=2)
    assert [each['name'] for each in first] == names[:2]
    rest = engine.client.show_watch(engine.context, after=first[-1]['watch_id'])
    assert [each['name'] for each in rest] == names[2:]
    found = engine.client.show_watch(engine.context, filters={'prefix': 's1-'})
    assert [each['name'] for each in found] == names[1:2]
    assert engine.client.show_watch(engine.context, filters={'state': 'ALARM'}) == []


def test_amazons_alarm_without_alarm_service_is_a_watch_rule(engine):
    values = {
        'MetricName': 'Cpu',
        'Statistic': 'Maximum',
        'ComparisonOperator': 'GreaterThanThreshold',
        'Threshold': '50',
        'Period': str(PERIOD),
        'EvaluationPeriods': '1',
        'AlarmActions': [{'get_resource': 'out'}],
        'Dimensions': [{'Name': 'group', 'Value': 'web'}],
    }
    template = scaled()
    template['resources']['alarm'] = {'type': 'AWS::CloudWatch::Alarm', 'properties': values}
    template['resources']['out'] = {
        'type': 'AWS::AutoScaling::ScalingPolicy',
        'properties': {
            'AdjustmentType': 'ChangeInCapacity',
            'ScalingAdjustment': 1,
            'Cooldown': 0,
            'AutoScalingGroupName': {'get_resource': 'group'},
        },
    }
    identity = engine.create(template)
    assert engine.state(identity) == 'CREATE_COMPLETE', engine.stack(identity)[
        'stack_status_reason'
    ]
    name = engine.outputs(identity)['name']
    push(engine, None, 99, Dimensions=[{'group': 'web'}])
    wait_until(lambda: engine.outputs(identity)['size'] == 2)
    assert watch(engine, name)['state_value'] == 'ALARM'
    values['Threshold'] = '100'
    engine.update(identity, template)
    assert engine.state(identity) == 'UPDATE_COMPLETE', engine.stack(identity)[
        'stack_status_reason'
    ]
    assert engine.outputs(identity)['name'] == name
    wait_for_state(engine, name, 'NORMAL')


def test_adopted_alarm_has_a_rule(engine):
    old = engine.create(only())
    name = engine.outputs(old)['name']
    document = engine.client.abandon_stack(engine.context, stack_identity=old)
    identity = engine.create(only(), name='adopted', adopt_stack_data=json.dumps(document))
    assert engine.state(identity) == 'ADOPT_COMPLETE', engine.stack(identity)
    assert engine.outputs(identity)['name'] == name
    push(engine, name, 99)
    wait_for_state(engine, name, 'ALARM')
