"""The plan of a walk with a row for each node, and the wait for the other engines (convergence).

Tests: tests/functional/test_convergence.py, tests/functional/test_engine.py.
"""

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING

from heat_lite.db import traversals
from heat_lite.engine import scheduler
from heat_lite.engine.execution import nodes, plan, recovery, shared_runner
from heat_lite.engine.execution.mailbox import Mailbox, Preempted
from heat_lite.engine.resource.record import Record
from heat_lite.engine.scheduler import Work
from heat_lite.engine.stack.stack import Stack

if TYPE_CHECKING:
    from heat_lite.engine.execution.stack_task import StackTask
    from heat_lite.engine.execution.traversal import Outcome


def add_rows(stack: Stack) -> list[Record]:
    """Make a row for each resource without one; return the new ones."""
    missing = [name for name in stack.definitions if stack.records.best(name) is None]
    return [stack.records.new(name) for name in missing]


def walk(
    task: 'StackTask', wanted: Mapping[str, Collection[str]]
) -> Work[tuple[list[Record], 'Outcome']]:
    """A generator: walk the plan to ``wanted``. Returns the rows before, and the Outcome.

    Raises Preempted and LockLost.
    """
    stack = task.stack
    held = yield from _read_rows(stack)
    added: set[Record] = set()
    if stack.convergence and wanted:
        # another engine can only be given what has a row
        added.update(add_rows(stack))
        yield from stack.journal.write()
    rows = [row for row in stack.records.stored() if row not in added]
    return rows, (yield from task.walk(plan.build(rows, wanted), held))


def walk_kept(task: 'StackTask', plan_of: Callable[[Stack], plan.Graph]) -> Work['Outcome']:
    """A generator: walk the plan of an action that keeps all rows. Returns the Outcome.

    Raises Preempted and LockLost.
    """
    held = yield from _read_rows(task.stack)
    return (yield from task.walk(plan_of(task.stack), held))


def _read_rows(stack: Stack) -> Work[dict[int, str]]:
    """Read the rows that other engines may have changed. Return those that they hold.

    The rows must have what has ended just now, so that is stored first. The holders are read
    before the rows: a row that is let go of meanwhile is read once more.
    """
    walks = stack.run.draining
    for draining in walks:
        draining.collect()  # what has ended keeps no row as it is
    if not stack.convergence:
        return {}
    yield from stack.journal.write()
    held, _ = shared_runner.hold_rows(stack)
    stack.refresh_rows(keep=nodes.records_at_work(stack, walks))
    recovery.renew(stack)
    return held


def end_traversal(stack: Stack) -> None:
    """Let no engine begin anything more on the stack, with the next turn of the journal."""
    if stack.convergence:
        stack.journal.clear_points()


def end_own_worker(stack: Stack) -> Work[None]:
    """End the work of this engine on a stack whose lock it has got meanwhile; wait for its end."""
    pauses, has_worked = scheduler.pauses(), False
    while stack.convergence and stack.runtime.workers.leave(stack.id):
        has_worked = True
        yield next(pauses)
    if has_worked:
        traversals.release(stack.id, stack.runtime.engine_id)


def await_workers(stack: Stack, mailbox: Mailbox) -> Work[None]:
    """Wait until no other living engine works on the stack. Raises Preempted."""
    pauses = scheduler.pauses()
    while stack.convergence:
        held, taken = shared_runner.hold_rows(stack)
        if taken:
            # no walk goes on with these
            traversals.release(stack.id, stack.runtime.engine_id)
        if not held:
            return
        if mailbox.should_preempt(stack):
            raise Preempted
        for engine_id in set(held.values()):
            stack.runtime.workers.look(stack, engine_id, stack.current_traversal or '', [])
        yield next(pauses)
