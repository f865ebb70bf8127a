import types

import pytest

from heat_lite.engine.execution import plan, recovery
from heat_lite.engine.scheduler import DependencyTaskGroup
from heat_lite.engine.stack.action_run import ActionRun


def stack(rows=(), failed=(), done=(), action='CREATE', now='CREATE'):
    records = {name: types.SimpleNamespace(status=state) for name, state in dict(rows).items()}
    told = recovery.Progress(action, frozenset(done), dict.fromkeys(failed, 'why'))
    return types.SimpleNamespace(
        action=now,
        run=ActionRun(resumed_from=told),
        records=types.SimpleNamespace(best=records.get),
    )


def node(name):
    return plan.Node(name, True)


GRAPH = plan.build((), {'a': (), 'b': {'a'}, 'c': {'a'}, 'd': {'b'}, 'e': {'a'}})


def order(graph):
    """The rounds in which a graph is walked."""
    group, rounds = DependencyTaskGroup(graph), []
    while ready := group.ready():
        rounds.append({each.key for each in ready})
        for each in ready:
            group.start(each)
        for each in ready:
            group.finish(each)
    return rounds


def test_without_a_failure_nothing_is_rearranged():
    assert recovery.reorder(stack({'b': 'IN_PROGRESS'}), GRAPH) is GRAPH


def test_steps_in_progress_complete_before_a_failure_and_no_new_step_starts():
    ordered = recovery.reorder(
        stack({'a': 'COMPLETE', 'b': 'IN_PROGRESS', 'c': 'FAILED'}, failed=['c']), GRAPH
    )
    assert order(ordered) == [{'a'}, {'b'}, {'c'}, {'d', 'e'}]


def test_what_a_failure_needed_does_not_wait_for_it():
    ordered = recovery.reorder(
        stack({'a': 'COMPLETE', 'd': 'FAILED', 'e': 'IN_PROGRESS'}, failed=['d']), GRAPH
    )
    assert order(ordered) == [{'a'}, {'b', 'e'}, {'d'}, {'c'}]


@pytest.mark.parametrize('now, counts', [('CREATE', True), ('ROLLBACK', False)])
def test_it_counts_for_its_own_action_alone(now, counts):
    item = stack(failed=['a'], done=['b'], now=now)
    assert recovery.is_done(item, 'b') == counts
    assert recovery.failure_of(item, 'a') == ('why' if counts else None)
    assert not recovery.is_done(item, 'a')
