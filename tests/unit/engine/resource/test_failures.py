import datetime
import types

import pytest

from heat_lite.common import exception, status
from heat_lite.engine.execution import traversal
from heat_lite.engine.resource import failures


class Journal:
    def __init__(self):
        self.kept = {}

    def stack(self, **values):
        self.kept.update(values)


class Rows:
    """A stack with these rows, as far as failures look at it."""

    def __init__(self, action=status.DELETE, **needs):
        ids = {name: number for number, name in enumerate(needs, 1)}
        rows = [
            types.SimpleNamespace(
                id=ids[name], name=name, requires=[ids[each] for each in needs[name]]
            )
            for name in needs
        ]
        self.records = types.SimpleNamespace(all=lambda: rows)
        self.action, self.failures, self.journal = action, None, Journal()

    redact = staticmethod(str)

    def store(self, failures):
        self.failures = self.journal.kept['failures'] = failures

    @staticmethod
    def utcnow():
        return datetime.datetime(2026, 1, 31)


def resource(stack, name='r', physical='p'):
    return types.SimpleNamespace(stack=stack, name=name, type=lambda: 'T', resource_id=physical)


def test_failures_over_limit_keep_first_and_last():
    stack = Rows()
    for number in range(100):
        failures.note(resource(stack, f'r{number}'), 'CREATE', f'reason {number}')
    kept = [each['resource_name'] for each in stack.failures]
    assert len(kept) == failures.LIMIT
    assert (
        kept[: failures.LIMIT // 2] == [f'r{number}' for number in range(failures.LIMIT // 2)]
        and kept[-1] == 'r99'
    )
    assert stack.journal.kept['failures'] == stack.failures


def test_repeated_failure_is_counted():
    stack = Rows()
    for _ in range(3):
        failures.note(resource(stack), 'CHECK', 'gone')
    failures.note(resource(stack), 'CHECK', 'other')
    assert [(each['reason'], each['times']) for each in stack.failures] == [
        ('gone', 3),
        ('other', 1),
    ]


def test_long_reason_is_cut():
    stack = Rows()
    failures.note(resource(stack), 'CREATE', 'x' * 10000)
    assert len(stack.failures[0]['reason']) == failures.TEXT


def test_update_starts_new_list():
    stack = Rows()
    failures.note(resource(stack), 'CREATE', 'x')
    failures.clear(stack)
    assert stack.failures == [] and stack.journal.kept['failures'] == []


def test_failed_delete_names_held_resources():
    stack = Rows(network=[], subnet=['network'], port=['subnet'], alone=[])
    failures.note(resource(stack, 'port'), 'DELETE', 'no')
    error = exception.ResourceFailure(ValueError('no'), ('resources', 'port'), 'DELETE')
    failures.note_walk(stack, status.DELETE, traversal.Outcome([error]), 'Resource DELETE failed')
    assert [each['holds'] for each in stack.failures] == [['network', 'subnet']]


@pytest.mark.parametrize(
    'outcome, told',
    [
        (traversal.Outcome(stopped=traversal.TIMEOUT), [(None, 'Timed out')]),
        (traversal.Outcome(stopped='cancel'), []),
        (traversal.Outcome([ValueError('ours')]), [(None, 'ours')]),
        (traversal.Outcome([exception.ResourceFailure(ValueError('x'), (), 'CREATE')]), []),
    ],
)
def test_failed_walk_without_resource_is_noted(outcome, told):
    stack = Rows(action=status.CREATE)
    failures.note_walk(stack, status.CREATE, outcome, 'Timed out')
    assert [(each['resource_name'], each['reason']) for each in stack.failures or ()] == told


def test_remaining_summary_names_forgotten_objects():
    stack = Rows()
    assert failures.remaining_summary(stack) == ''
    failures.note(resource(stack, 'a', 'id-a'), 'DELETE', 'no')
    failures.note(resource(stack, 'b', 'id-b'), 'DELETE', 'no')
    failures.forget(resource(stack, 'b', 'id-b'))
    assert failures.remaining_summary(stack) == '. Left behind: b (id-b)'
