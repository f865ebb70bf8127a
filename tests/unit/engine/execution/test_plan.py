"""Plans: which node comes before which."""

import collections

from heat_lite.engine.execution import plan
from heat_lite.engine.execution.plan import Node

Row = collections.namedtuple('Row', 'id name requires')


def test_no_rows_is_a_create():
    assert plan.build((), {'a': set(), 'b': {'a'}}) == {
        Node('a', True): set(),
        Node('b', True): {Node('a', True)},
    }


def test_nothing_wanted_is_a_delete_users_first():
    rows = [Row(1, 'a', []), Row(2, 'b', [1])]
    assert plan.build(rows, {}) == {Node(1, False): {Node(2, False)}, Node(2, False): set()}


def test_an_update_makes_the_new_before_it_takes_the_old_away():
    rows = [Row(1, 'a', []), Row(2, 'b', [1])]
    graph = plan.build(rows, {'a': set(), 'b': {'a'}})
    assert graph[Node(2, False)] == {Node('b', True)}
    assert graph[Node(1, False)] == {Node('a', True), Node(2, False)}


def test_a_removed_resource_waits_for_its_former_users():
    rows = [Row(1, 'gone', []), Row(2, 'user', [1])]
    graph = plan.build(rows, {'user': set()})
    assert graph[Node(1, False)] == {Node(2, False)}
    assert graph[Node(2, False)] == {Node('user', True)}


def test_a_requirement_that_is_no_longer_there_does_not_matter():
    assert plan.build([Row(2, 'b', [1])], {}) == {Node(2, False): set()}


def test_order_adds_requirements_that_close_no_circle():
    wanted = {'server': set(), 'volume': {'key'}, 'key': set()}
    ordered = plan.with_order(wanted, [('server', 'volume'), ('key', 'server'), ('gone', 'key')])
    assert ordered == {**wanted, 'server': {'volume'}}
    assert wanted['server'] == set()
