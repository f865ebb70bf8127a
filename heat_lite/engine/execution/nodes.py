"""The records and the results of the nodes of a traversal, as several engines tell each other.

Tests: tests/functional/test_convergence.py.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from heat_lite.common import cooperation, exception
from heat_lite.db.sync_points import KEPT_LOCAL_NODES, KEPT_NODES, LOCAL_LEAD, Key
from heat_lite.engine.execution.plan import Node
from heat_lite.engine.resource import resource
from heat_lite.engine.resource.record import Record
from heat_lite.engine.stack.stack import Stack


def share_above(stack: Stack) -> int:
    """Return the number of ready nodes above which an engine shares them with the others."""
    types = {each.resource_type: each for each in cooperation.each(stack.definitions.values())}
    classes = [resource.class_or_unknown(stack.class_of, each) for each in types.values()]
    is_local = bool(classes) and all(each.local for each in classes)
    return KEPT_LOCAL_NODES if is_local else KEPT_NODES


def lead(above: int) -> float:
    """Return the lead of the engine that shares nodes, by the number that ``share_above`` gives."""
    return LOCAL_LEAD if above == KEPT_LOCAL_NODES else 0.0


def records_of(stack: Stack, node: Node) -> list[Record]:
    """Return the records that the work on a node may change; none where they are deleted."""
    if node.forward:
        return list(stack.resource_records.of_name(node.key))
    record = stack.records.get(node.key)
    return [record] if stack.resource_records.has(record) else []


def with_rows(stack: Stack, graph: Mapping[Node, set[Node]]) -> dict[Node, set[Node]]:
    """Return a graph without the resources that have no row: no engine can hold them."""
    names = cooperation.each(stack.definitions)
    missing = {Node(name, True) for name in names if stack.best_record(name) is None}
    return {node: first - missing for node, first in graph.items() if node not in missing}


def records_at_work(stack: Stack, walks: Iterable[Any]) -> set[Record]:
    """Return the records on which handlers of ``walks`` are at work."""
    return {
        record
        for walk in walks
        for node in walk.nodes_at_work()
        for record in records_of(stack, node)
    }


def describe(stack: Stack, engine_id: str, node: Node) -> dict[str, Any]:
    """Return the data of an ended node for those after it."""
    data: dict[str, Any] = {'engine_id': engine_id}
    record = stack.best_record(node.key) if node.forward else None
    if record is not None:
        names = ('id', 'name', 'uuid', 'action', 'status')
        data.update((name, getattr(record, name)) for name in names)
    return data


def describe_error(stack: Stack, engine_id: str, key: Key, error: BaseException) -> dict[str, Any]:
    """Return what other engines have to know of a failed node.

    ``notes`` are the failures of the stack, from an engine that does not write the stack.
    """
    if isinstance(error, exception.ResourceFailure):
        failure = error
    else:
        failure = exception.ResourceFailure(exception.Error(str(error)), kind='')
    return {
        'key': list(key),
        'engine_id': engine_id,
        'kind': failure.kind,
        'path': list(failure.path),
        'action': failure.action,
        'message': str(failure.error),
        'notes': [] if stack.journal.writes_stack else list(stack.failures or ()),
    }


def error_of(entry: Mapping[str, Any]) -> exception.ResourceFailure:
    """Return the failure that ``describe_error`` describes."""
    return exception.ResourceFailure(
        exception.Error(entry['message']), entry['path'], entry['action'], kind=entry['kind']
    )
