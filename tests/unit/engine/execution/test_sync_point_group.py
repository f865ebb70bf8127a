from heat_lite.engine.execution.plan import Node
from heat_lite.engine.execution.sync_point_group import SyncPointGroup

A, B, C = (Node(name, True) for name in 'abc')
KEYS = {A: (1, True), B: (2, True), C: (3, True)}


def group(graph, **options):
    return SyncPointGroup(
        graph,
        {node: KEYS[node] for node in graph},
        'here',
        lambda node: {'engine_id': 'here', 'name': node.key},
        lambda node, error: {'key': list(KEYS[node]), 'message': str(error)},
        error_wait_time=None,
        **options,
    )


def finish(nodes, node, error=None):
    nodes.start(node)
    nodes.finish(node, error)


def test_node_starts_when_this_engine_is_given_it():
    nodes = group({A: set(), B: {A}})
    assert nodes.ready() == []
    assert nodes.assign([(1, True)]) == [A]
    assert nodes.ready() == [A] and nodes.rows() == {1}


def test_node_whose_requirements_ended_here_is_begun_at_once():
    nodes = group({A: set(), B: {A}})
    nodes.assign([(1, True)])
    finish(nodes, A)
    assert nodes.ready() == [B]


def test_node_on_a_foreign_row_is_left_to_the_database():
    nodes = group({A: set(), B: {A}})
    nodes.foreign = {2}
    nodes.assign([(1, True)])
    finish(nodes, A)
    assert nodes.ready() == []
    assert nodes.take().inputs == {(2, True): {'[1, True]': {'engine_id': 'here', 'name': 'a'}}}


def test_node_that_another_engine_completes_is_passed_on():
    nodes = group({A: set(), B: set(), C: {A, B}})
    nodes.assign([(1, True)])
    finish(nodes, A)
    turn = nodes.take()
    assert nodes.ready() == [] and turn.needed == {(3, True): 2}
    assert list(turn.inputs[3, True]) == ['[1, True]']


def test_chain_that_ends_in_one_turn_passes_nothing_on():
    nodes = group({A: set(), B: {A}})
    nodes.assign([(1, True)])
    finish(nodes, A)
    finish(nodes, B)
    assert nodes.dirty
    assert nodes.take().inputs == {} and not nodes.dirty


def test_many_ready_nodes_are_shared_with_other_engines():
    wide = {Node(f'n{number}', True): {A} for number in range(100)}
    keys = {node: (number + 10, True) for number, node in enumerate(wide)} | {A: (1, True)}
    nodes = SyncPointGroup(
        {A: set(), **wide}, keys, 'here', lambda node: {}, None, others=['there']
    )
    nodes.assign([(1, True)])
    finish(nodes, A)
    assert 0 < len(nodes.ready()) < 20
    assert len(nodes.take().inputs) == 100


def test_failure_stops_the_others_and_is_described():
    nodes = group({A: set(), B: {A}, C: set()})
    nodes.assign([(1, True), (3, True)])
    finish(nodes, A, ValueError('broken'))
    assert nodes.ready() == [] and nodes.drop_ready() == [C]
    assert nodes.take().failures == [{'key': [1, True], 'message': 'broken'}]


def test_ended_node_is_not_taken_again():
    nodes = group({A: set()})
    nodes.assign([(1, True)])
    finish(nodes, A)
    assert nodes.assign([(1, True)]) == []


def test_lost_row_is_taken_out_of_the_turn():
    nodes = group({A: set(), B: {A}, C: {B}})
    nodes.assign([(1, True), (2, True)])
    finish(nodes, A)
    turn = nodes.take()
    nodes.lost([1], turn)
    assert turn.inputs == {(2, True): {}}
    assert nodes.news() == ([], {1}) and nodes.news() == ([], set())


def test_lost_node_gets_what_ended_in_the_same_turn():
    nodes = group({A: set(), B: {A}, C: {B}})
    nodes.assign([(1, True)])
    for node in (A, B, C):
        finish(nodes, node)
    turn = nodes.take()
    assert turn.inputs == {}
    nodes.lost({2, 3}, turn)
    assert list(turn.inputs) == [(2, True)] and turn.needed == {(2, True): 1}
    assert nodes.take().is_outdated
    nodes.news()
    assert not nodes.take().is_outdated
    assert nodes.assign([(2, True)]) == []
    nodes.reopen({2, 3})
    assert nodes.assign([(2, True)]) == [B]


def test_node_is_not_begun_again_before_its_handler_has_ended():
    nodes = group({A: set()})
    nodes.assign([(1, True)])
    nodes.start(A, 'job')
    assert nodes.drop(A) == 'job'
    nodes.assign([(1, True)])
    assert nodes.ready() == [] and nodes.rows() == {1}
    nodes.given_up.discard(A)
    assert nodes.ready() == [A]
