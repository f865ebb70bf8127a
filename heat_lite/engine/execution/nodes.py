"""The records of the nodes of a walk.

Tests: tests/functional/test_convergence.py.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from heat_lite.engine.execution.plan import Node
from heat_lite.engine.resource.record import Record
from heat_lite.engine.stack.stack import Stack

if TYPE_CHECKING:
    from heat_lite.engine.execution.local_runner import Walk


def record_of(stack: Stack, node: Node) -> Record | None:
    """Return the record that a node is about: the one that stays of a name, or the deleted one."""
    if node.forward:
        return stack.records.best(node.key)
    record = stack.records.by_id.get(node.key)
    return record if stack.records.has(record) else None


def records_of(stack: Stack, node: Node) -> list[Record]:
    """Return the records that the work on a node may change; none where they are deleted."""
    if node.forward:
        return list(stack.records.find_by_name(node.key))
    record = record_of(stack, node)
    return [] if record is None else [record]


def records_at_work(stack: Stack, walks: Iterable['Walk']) -> set[Record]:
    """Return the records on which handlers of ``walks`` are at work in this engine."""
    return {
        record
        for walk in walks
        for node in walk.nodes_at_work()
        for record in records_of(stack, node)
    }


def refresh(stack: Stack, names: Iterable[str], walks: Iterable['Walk']) -> None:
    """Read the rows of names again that other engines have changed, but not those at work here."""
    names = set(names)
    if names:
        stack.refresh_rows(names, records_at_work(stack, walks))
        found = (record for name in names for record in stack.records.find_by_name(name))
        stack.records.by_id.update((record.id, record) for record in found)
