"""What an action had done when its engine died: read from the rows and the events, so that another engine goes on and does not begin again.

Intent is written before anything is called (see ``traversal``), so a row in INIT tells that nothing has been called for it, and one that is
IN_PROGRESS while nobody works on it that something may have been.
"""

import dataclasses

from heat_lite.common import status
from heat_lite.db import events as db_events


@dataclasses.dataclass(frozen=True)
class Progress:
    """``done``: names of the resources that the action is through with; ``failed``: name -> reason of those that have failed in it."""

    action: str
    done: frozenset = frozenset()
    failed: dict = dataclasses.field(default_factory=dict)


def of(stack):
    """The Progress of the action that the stack is at, by the events since its beginning."""
    done, failed = set(), {}
    for event in _since_the_beginning(stack):
        name = event.resource_name
        done.discard(name)
        failed.pop(name, None)
        if event.resource_status == status.FAILED:
            failed[name] = event.resource_status_reason
        elif (event.resource_action, event.resource_status) == (stack.action, status.COMPLETE):
            done.add(name)
    return Progress(stack.action, frozenset(done), failed)


def age(stack):
    """How many seconds of the present action had gone when this engine went on with it: the stack was last updated, or made, at its
    beginning."""
    if not _counts(stack):
        return 0
    return max(0, (stack.utcnow() - (stack.updated_at or stack.created_at)).total_seconds())


def is_done(stack, name):
    """Whether the present action of the stack was through with a resource before this engine went on with it."""
    return _counts(stack) and name in stack.progress.done


def failure_of(stack, name):
    """Why a resource had failed in the present action before this engine went on with it; None where it had not."""
    return stack.progress.failed.get(name) if _counts(stack) else None


def arranged(stack, graph):
    """The graph of an action that is gone on with: what had been begun is seen through, then what had failed tells so, then comes the rest.

    ``graph`` is ``{node: nodes that come first}``, see ``plan``.
    """
    failed = {node for node in graph if node.forward and failure_of(stack, node.key) is not None}
    if not failed:
        return graph
    begun = {node for node in graph if node.forward and _is_begun(stack, node.key)} - failed
    before = _ancestors(graph, failed | begun)
    rest = set(graph) - failed - begun - before
    return {node: first | (begun if node in failed else failed if node in rest else set()) for node, first in graph.items()}


def _counts(stack):
    return stack.progress is not None and stack.progress.action == stack.action


def _is_begun(stack, name):
    record = stack.best_record(name)
    return record is not None and record.status == status.IN_PROGRESS


def _ancestors(graph, nodes):
    found, waiting = set(), list(nodes)
    while waiting:
        for node in graph.get(waiting.pop(), ()):
            if node not in found:
                found.add(node)
                waiting.append(node)
    return found


def _since_the_beginning(stack):
    """The events of resources after that of the stack itself by which the action began; all of them where that was never written."""
    found = []
    for event in db_events.list(stack.context, stack.id):
        if event.physical_resource_id != stack.id or event.resource_name != stack.name:
            found.append(event)
        elif event.resource_status == status.IN_PROGRESS:
            found.clear()
    return found
