import types

import pytest

from heat_lite.engine import plan, progress
from heat_lite.engine.scheduler import DependencyTaskGroup


def stack(rows=(), failed=(), done=(), action='CREATE', now='CREATE'):
    records = {name: types.SimpleNamespace(status=state) for name, state in dict(rows).items()}
    told = progress.Progress(action, frozenset(done), dict.fromkeys(failed, 'why'))
    return types.SimpleNamespace(action=now, progress=told, best_record=records.get)


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
    assert progress.arranged(stack({'b': 'IN_PROGRESS'}), GRAPH) is GRAPH


def test_what_was_begun_comes_to_its_end_before_a_failure_is_told_and_nothing_new_begins_before_that():
    arranged = progress.arranged(stack({'a': 'COMPLETE', 'b': 'IN_PROGRESS', 'c': 'FAILED'}, failed=['c']), GRAPH)
    assert order(arranged) == [{'a'}, {'b'}, {'c'}, {'d', 'e'}]


def test_what_a_failure_needed_does_not_wait_for_it():
    arranged = progress.arranged(stack({'a': 'COMPLETE', 'd': 'FAILED', 'e': 'IN_PROGRESS'}, failed=['d']), GRAPH)
    assert order(arranged) == [{'a'}, {'b', 'e'}, {'d'}, {'c'}]


@pytest.mark.parametrize('now, counts', [('CREATE', True), ('ROLLBACK', False)])
def test_it_counts_for_its_own_action_alone(now, counts):
    item = stack(failed=['a'], done=['b'], now=now)
    assert progress.is_done(item, 'b') == counts
    assert progress.failure_of(item, 'a') == ('why' if counts else None)
    assert not progress.is_done(item, 'a')
