import pytest
from hypothesis import given, strategies as st

from heat_lite.common import exception
from heat_lite.template.dependencies import Dependencies

EDGES = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=30)


@given(EDGES)
def test_order_puts_each_node_after_its_dependencies(edges):
    downwards = [(max(edge), min(edge)) for edge in edges if edge[0] != edge[1]]
    graph = Dependencies(downwards)
    order = list(graph)
    assert sorted(order) == sorted({node for edge in downwards for node in edge})
    assert all(order.index(required) < order.index(requirer) for requirer, required in downwards)


def diamond():
    return Dependencies(
        [
            ('top', 'left'),
            ('top', 'right'),
            ('left', 'bottom'),
            ('right', 'bottom'),
            ('alone', None),
        ]
    )


def test_requires_and_required_by_return_adjacent_nodes():
    graph = diamond()
    assert graph.requires('top') == {'left', 'right'}
    assert graph.required_by('bottom') == {'left', 'right'}
    assert len(graph) == 5 and 'alone' in graph and 'nobody' not in graph
    assert graph.graph()['left'] == {'bottom'}


def test_subgraph_holds_a_node_and_its_dependents():
    part = diamond()['left']
    assert part.graph() == {'left': set(), 'top': {'left'}}


def test_order_is_deterministic():
    edges = [(f'r{number}', f'r{number // 2}') for number in range(1, 200)]
    assert list(Dependencies(edges)) == list(Dependencies(list(edges)))


@pytest.mark.parametrize(
    ('edges', 'text'),
    [
        ([('a', 'a')], '"a" needs "a"'),
        ([('a', 'b'), ('b', 'a')], '"a" needs "b", "b" needs "a"'),
        ([('x', 'a'), ('a', 'b'), ('b', 'a'), ('y', None)], '"a" needs "b", "b" needs "a"'),
        (
            [('a', 'z'), ('a', 'b'), ('b', 'c'), ('b', 'z'), ('c', 'b')],
            '"b" needs "c", "c" needs "b"',
        ),
    ],
)
def test_order_with_a_cycle_raises(edges, text):
    with pytest.raises(exception.CircularDependencyException) as caught:
        list(Dependencies(edges))
    assert str(caught.value) == f'Circular Dependency Found: {text}'
    assert f'"{caught.value.subject}" needs' in text


def test_order_of_a_long_chain_uses_no_recursion():
    chain = Dependencies((number, number + 1) for number in range(20_000))
    assert next(iter(chain)) == 20_000
    assert len(chain[20_000]) == 20_001
