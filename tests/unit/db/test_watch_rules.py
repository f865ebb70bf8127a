"""The rows of watch rules and measurements, and the evaluation of what is due."""

import datetime
import threading

import pytest

from heat_lite.common.context import RequestContext
from heat_lite.db import session, stacks, watch_rules
from heat_lite.db.column_types import utcnow
from heat_lite.db.heat_database import give_back
from heat_lite.db.maintenance import purge
from heat_lite.db.watch_rules import Verdict
from tests import databases

PAST = datetime.timedelta(seconds=5)


@pytest.fixture
def make_rule(context, make_stack):
    """Return a function that creates a stack with a rule, and returns (stack id, rule id)."""

    def make(name='alarm', due_at=None, **values):
        stack_id = make_stack(name, action='CREATE', status='COMPLETE', **values)
        row = {'rule': {'of': name}, 'state': 'NODATA', 'due_at': due_at or utcnow() - PAST}
        watch_rules.put(stack_id, name, row)
        return stack_id, watch_rules.find(stack_id, name).id

    return make


def judged(state='ALARM', keep=3600):
    """Return a judge, and the list of (rule id, points) that it gets."""
    seen = []

    def judge(rule, points, now):
        seen.append((rule.id, [data for _, data in points]))
        return Verdict(state, 'why', now + PAST, now - datetime.timedelta(seconds=keep))

    return judge, seen


def evaluate(context, judge, share=(0, 1), limit=10):
    return watch_rules.evaluate_due(utcnow(), share, limit, judge)


def add(context, rule_id, *values, age=0):
    at = utcnow() - datetime.timedelta(seconds=age)
    watch_rules.add_data(
        [{'watch_rule_id': rule_id, 'data': {'v': each}, 'created_at': at} for each in values],
    )


def test_put_changes_a_rule_that_exists(context, make_rule):
    stack_id, rule_id = make_rule()
    watch_rules.put(stack_id, 'alarm', {'rule': {'new': 1}})
    watch_rules.put(stack_id, 'alarm', {'rule': {'new': 1}})
    row = watch_rules.find(stack_id, 'alarm')
    assert (row.id, row.rule, row.state, row.tenant) == (rule_id, {'new': 1}, 'NODATA', 'tenant')
    assert watch_rules.count('tenant') == 1


def test_due_rule_is_evaluated_once_and_stored(context, make_rule):
    stack_id, rule_id = make_rule()
    add(context, rule_id, 1, 2)
    judge, seen = judged()
    (found,) = evaluate(context, judge)
    assert (found.rule.name, found.tenant, found.acts) == ('alarm', 'tenant', True)
    assert seen == [(rule_id, [{'v': 1}, {'v': 2}])]
    row = watch_rules.find(stack_id, 'alarm')
    assert (row.state, row.updated_at) == ('ALARM', None)
    assert row.due_at > row.last_evaluated
    assert evaluate(context, judge) == []


def test_measurements_before_the_window_are_deleted(context, make_rule):
    _, rule_id = make_rule()
    add(context, rule_id, 'old', age=60)
    add(context, rule_id, 'new')
    evaluate(context, judged(keep=30)[0])
    assert [row.data for row in watch_rules.data_page(context, 9)] == [{'v': 'new'}]
    assert watch_rules.count_data('tenant') == 1


@pytest.mark.parametrize(
    ('values', 'acts'),
    [
        ({'action': 'UPDATE', 'status': 'IN_PROGRESS'}, False),
        ({'action': 'CREATE', 'status': 'FAILED'}, False),
        ({'action': 'DELETE', 'status': 'COMPLETE'}, False),
        ({'action': 'UPDATE', 'status': 'COMPLETE'}, True),
    ],
)
def test_rule_acts_while_its_stack_is_complete(context, make_rule, values, acts):
    stack_id, _ = make_rule()
    stacks.update(stack_id, values)
    (found,) = evaluate(context, judged()[0])
    assert found.acts is acts


def test_rule_of_a_deleted_stack_is_never_due_again(context, make_rule):
    stack_id, _ = make_rule()
    stacks.update(stack_id, {'deleted_at': utcnow()})
    assert evaluate(context, judged()[0]) == []
    stacks.update(stack_id, {'deleted_at': None})
    assert watch_rules.find(stack_id, 'alarm').due_at is None


def test_engines_share_the_rules(context, make_rule):
    ids = {make_rule(f'alarm{number}')[1] for number in range(4)}
    shares = []
    for number in range(2):
        found = evaluate(context, judged()[0], share=(number, 2))
        shares.append({each.rule.id for each in found})
    assert shares[0] | shares[1] == ids
    assert not shares[0] & shares[1]


def test_rules_with_too_many_measurements_are_left_for_the_next_time(
    context, make_rule, monkeypatch
):
    monkeypatch.setattr(watch_rules, 'MAX_POINTS', 3)
    for number in range(3):
        add(context, make_rule(f'alarm{number}')[1], 1, 2)
    judge, seen = judged()
    assert [len(evaluate(context, judge)) for _ in range(4)] == [1, 1, 1, 0]
    assert len(seen) == 3


def test_concurrent_evaluations_see_each_rule_once(context, make_rule):
    ids = [make_rule(f'alarm{number}')[1] for number in range(6)]
    judge, seen = judged()
    barrier = threading.Barrier(3)

    def work():
        barrier.wait()
        evaluate(context, judge)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # a transaction that was aborted and repeated has asked the judge again, but stored once
    assert {rule_id for rule_id, _ in seen} == set(ids)
    assert evaluate(context, judge) == []


def test_stack_users_see_the_rules_of_their_tree(context, other, make_rule):
    root, _ = make_rule('root', stack_user_project_id='users')
    nested, _ = make_rule('nested', owner_id=root)
    make_rule('foreign')
    users = RequestContext(project_id='users', overwrite=False)
    assert [row.name for row in watch_rules.page(users)] == ['root', 'nested']
    assert [row.name for row in watch_rules.page(users, watch_rules.named(['foreign']))] == []
    assert [row.name for row in watch_rules.page(other)] == []
    below = RequestContext(project_id='below', overwrite=False)
    stacks.update(nested, {'stack_user_project_id': 'below'})
    assert [row.name for row in watch_rules.page(below)] == ['root', 'nested']


def test_filters_of_a_page(context, make_rule):
    for name in ('a_b', 'a_c', 'axd'):
        make_rule(name)
    stack_id, _ = make_rule('measuring')
    watch_rules.put(stack_id, 'measuring', {'metric_name': 'Cpu'})
    (row,) = watch_rules.page(context, watch_rules.measuring({'Cpu', 'Mem'}))
    assert row.name == 'measuring'
    names = [row.name for row in watch_rules.page(context, watch_rules.begins_with('a_'))]
    assert names == ['a_b', 'a_c']
    assert list(watch_rules.page(context, watch_rules.in_state('ALARM'))) == []


def test_remove_deletes_the_measurements(context, make_rule):
    stack_id, rule_id = make_rule()
    add(context, rule_id, 1)
    watch_rules.remove(stack_id, 'alarm')
    assert watch_rules.count_data('tenant') == 0
    assert watch_rules.find(stack_id, 'alarm') is None


def test_purge_removes_rules_and_measurements(context, make_rule):
    stack_id, rule_id = make_rule()
    add(context, rule_id, 1)
    stacks.update(stack_id, {'deleted_at': utcnow() - PAST})
    assert purge.purge_deleted(0, 'seconds') == 1
    assert f'{stack_id}' not in databases.dump()
    assert 'watch_' not in databases.dump()


def test_give_back_names_the_stacks_with_alarms(context, make_rule, make_stack):
    stack_id, _ = make_rule()
    make_stack('plain')
    assert [(row.id, reason) for row, reason in give_back.losses()] == [
        (stack_id, give_back.UNWATCHED)
    ]


def test_rules_are_encrypted_like_parameters(tmp_path):
    with databases.migrated('sqlite', tmp_path) as url:
        context = RequestContext(project_id='tenant', overwrite=False)
        session.dispose()
        with databases.configured(url, key='k' * 32, encrypt=True):
            stack_id = databases.make_stack(context)
            watch_rules.put(stack_id, 'alarm', {'rule': {'AlarmActions': ['signed']}})
            assert 'signed' not in databases.dump()
            row = watch_rules.find(stack_id, 'alarm')
            assert row.rule == {'AlarmActions': ['signed']}
