"""The progress that an action had made before a take-over, read from rows and events.

The intent is stored before a call is made (see ``traversal``). So nothing was called for a row in
INIT, and something may have been called for a row that is IN_PROGRESS without a task.
"""

import dataclasses

from heat_lite.common import status
from heat_lite.common.value_types import Row, Value
from heat_lite.db import events as db_events
from heat_lite.engine.execution.plan import Graph
from heat_lite.engine.resource.record import Record
from heat_lite.engine.stack import quarantine
from heat_lite.engine.stack.stack import Stack
from heat_lite.template import dependencies

#: why a handler ends that another action has interrupted: no failure of that one
INTERRUPTED = 'another action takes over'


@dataclasses.dataclass(frozen=True)
class Progress:
    """``done``: names of the finished resources; ``failed``: ``{name: reason}`` of the failed;
    ``begun``: ``{name: id of the event}`` of those in progress.
    """

    action: str
    done: frozenset[str] = frozenset()
    failed: dict[str, str] = dataclasses.field(default_factory=dict)
    begun: dict[str, int] = dataclasses.field(default_factory=dict)


def begin(stack: Stack) -> None:
    """Begin the run that continues the action of a dead engine."""
    stack.run.resumed_from = progress_of(stack)
    stack.run.quarantine = quarantine.after_takeover(stack)


def renew(stack: Stack) -> None:
    """Learn what other engines have done of a resumed action since it was taken over."""
    if _was_resumed(stack):
        stack.run.resumed_from = progress_of(stack)


def progress_of(stack: Stack) -> Progress:
    """Return the Progress of the stack's action, by the events since its beginning."""
    done: set[str] = set()
    failed: dict[str, str] = {}
    begun: dict[str, int] = {}
    for event in _events_of_action(stack):
        name = event.resource_name
        done.discard(name)
        failed.pop(name, None)
        begun.pop(name, None)
        if event.resource_status == status.IN_PROGRESS:
            begun[name] = event.id
        elif event.resource_status == status.FAILED:
            if not event.resource_status_reason.endswith(f'({INTERRUPTED})'):
                failed[name] = event.resource_status_reason
        elif (event.resource_action, event.resource_status) == (stack.action, status.COMPLETE):
            done.add(name)
    return Progress(stack.action, frozenset(done), failed, begun)


def age(stack: Stack) -> float:
    """Return the seconds that the action had run before the take-over; 0 without one.

    The beginning of an action is when the stack was last updated, else when it was created.
    """
    began = stack.updated_at or stack.created_at
    if began is None or not _was_resumed(stack):
        return 0
    return max(0, (stack.utcnow() - began).total_seconds())


def is_done(stack: Stack, name: str) -> bool:
    """Whether the action had finished the resource before the take-over."""
    return _was_resumed(stack) and name in stack.run.resumed_from.done


def failure_of(stack: Stack, name: str) -> str | None:
    """Return why the resource failed before the take-over, None where it did not."""
    return stack.run.resumed_from.failed.get(name) if _was_resumed(stack) else None


def nested_failure(resource: Value) -> str | None:
    """Return why the interrupted action of the resource has failed in its nested stack, at rest.

    None where it has not. A failure of a nested action that began before the resource's is older.
    """
    stack = resource.stack
    began = stack.run.resumed_from.begun.get(resource.name) if _was_resumed(stack) else None
    if began is None or not resource.has_nested_stack:
        return None
    nested = resource.nested()
    if nested is None or nested.state != (resource.action, status.FAILED):
        return None
    own = {'physical_resource_id': nested.id, 'resource_status': status.IN_PROGRESS}
    begins = [event.id for event in db_events.list_rows(nested.id, filters=own)]
    return nested.status_reason if max(begins, default=0) > began else None


def is_interrupted(stack: Stack, row: Record) -> bool:
    """Whether a dead engine may have left the row so: only the engine with the lock goes on.

    It alone knows also what was done before an action that keeps all rows was interrupted.
    """
    is_done_before = stack.action in status.KEEPING and is_done(stack, row.name)
    is_begun = row.status == status.IN_PROGRESS
    return is_begun or is_done_before or failure_of(stack, row.name) is not None


def reorder(stack: Stack, graph: Graph) -> Graph:
    """Return the graph of a resumed action: begun resources first, then the failed, then the rest.

    ``graph`` is ``{node: nodes that come first}``, see ``plan``.
    """
    failed = {node for node in graph if node.forward and failure_of(stack, node.key) is not None}
    if not failed:
        return graph
    begun = {node for node in graph if node.forward and _is_begun(stack, node.key)} - failed
    before = dependencies.reached(graph, failed | begun)
    rest = set(graph) - failed - begun - before
    return {
        node: first | (begun if node in failed else failed if node in rest else set())
        for node, first in graph.items()
    }


def _was_resumed(stack: Stack) -> bool:
    """Whether the stack's present action (not a rollback after it) was resumed."""
    progress = stack.run.resumed_from
    return progress is not None and progress.action == stack.action


def _is_begun(stack: Stack, name: str) -> bool:
    record = stack.records.best(name)
    return record is not None and record.status == status.IN_PROGRESS


def _events_of_action(stack: Stack) -> list[Row]:
    """The events of resources after the stack's own event that began the action.

    All events where that one was never stored.
    """
    found = []
    for event in db_events.list_rows(stack.id):
        if event.physical_resource_id != stack.id or event.resource_name != stack.name:
            found.append(event)
        elif event.resource_status == status.IN_PROGRESS:
            found.clear()
    return found
