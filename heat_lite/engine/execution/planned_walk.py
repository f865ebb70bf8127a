"""The plan of a walk with a row for each node, and the wait for the other engines (convergence).

Tests: tests/functional/test_convergence.py, tests/functional/test_engine.py.
"""

import logging
from collections.abc import Callable, Generator
from typing import Any

from heat_lite.common import cooperation
from heat_lite.db import traversals as db_traversals
from heat_lite.engine import scheduler
from heat_lite.engine.execution import nodes, plan, recovery
from heat_lite.engine.execution.mailbox import Mailbox, Preempted
from heat_lite.engine.execution.plan import Node
from heat_lite.engine.resource.record import Record
from heat_lite.engine.stack.stack import Stack

LOG = logging.getLogger(__name__)


def add_rows(stack: Stack) -> list[Record]:
    """Make a row for each resource without one; return the new ones."""
    names = cooperation.each(stack.definitions)
    missing = [name for name in names if stack.best_record(name) is None]
    return [stack.new_record(name) for name in missing]


def walk(task: Any, wanted: dict) -> Generator[Any, None, tuple[list[Record], Any]]:
    """A generator: walk the plan to ``wanted``. Returns the rows before, and the Outcome.

    Raises Preempted and LockLost.
    """
    stack, pauses = task.stack, scheduler.pauses()
    while True:
        added: set[Record] = set()
        for draining in stack.run.draining:
            draining.collect()  # what has ended keeps no row as it is
        if stack.convergence:
            yield from _read_rows(stack)
            # each node needs a row that one engine can hold
            added.update(add_rows(stack) if wanted else ())
            yield from stack.journal.write()
        rows = [row for row in stack.stored_rows() if row not in added]
        graph = plan.build(rows, wanted)
        if not graph:
            # the engine that died may have left a traversal whose last node had ended
            end_traversal(stack)
        try:
            return rows, (yield from task.walk(graph))
        except db_traversals.PlanOutdated:
            LOG.info('%s: its rows have changed meanwhile; they are read again', stack)
            yield next(pauses)


def walk_kept(
    task: Any, plan_of: Callable[[Stack], dict[Node, set[Node]]]
) -> Generator[Any, None, Any]:
    """A generator: walk the plan of an action that keeps all rows. Returns the Outcome.

    What was lost with a dead engine is walked by this engine alone, after the others have ended.
    Raises Preempted and LockLost.
    """
    stack = task.stack
    if stack.convergence:
        try:
            yield from _read_rows(stack)
            return (yield from task.walk(nodes.with_rows(stack, plan_of(stack))))
        except db_traversals.PlanOutdated:
            LOG.info('%s: other engines have left resources of it; they go on here', stack)
        end_traversal(stack)
        yield from await_workers(stack, task.mailbox)
        yield from _read_rows(stack)
        stack.run.resumed_from = recovery.progress_of(stack)
    return (yield from task.walk(plan_of(stack), alone=True))


def _read_rows(stack: Stack) -> Generator[Any, None, None]:
    """Read the rows again. They must have what has ended just now, so that is stored first."""
    yield from stack.journal.write()
    stack.refresh_rows(keep=nodes.records_at_work(stack, stack.run.draining))
    stack.stored_rows()


def end_traversal(stack: Stack) -> None:
    """Let no engine begin anything more on the stack."""
    if stack.convergence:
        db_traversals.end(stack.context, stack.id)


def end_own_worker(stack: Stack) -> Generator[Any, None, None]:
    """End the work of this engine on a stack whose lock it has got meanwhile; wait for its end."""
    pauses = scheduler.pauses()
    while stack.convergence and stack.runtime.workers.leave(stack.id):
        yield next(pauses)


def await_workers(stack: Stack, mailbox: Mailbox) -> Generator[Any, None, None]:
    """Wait until no other engine works on the stack; rows of dead engines are let go.

    Raises Preempted.
    """
    runtime, pauses = stack.runtime, scheduler.pauses()
    while others := set(db_traversals.engines_of(stack.context, stack.id)):
        gone = {runtime.engine_id, *runtime.placement.gone_engines(others)} & others
        for engine_id in gone:
            db_traversals.release(stack.context, stack.id, engine_id)
        if gone == others:
            break
        if mailbox.should_preempt(stack):
            raise Preempted
        for engine_id in others - gone:
            runtime.workers.look(stack, engine_id, stack.current_traversal or '', [])
        yield next(pauses)
