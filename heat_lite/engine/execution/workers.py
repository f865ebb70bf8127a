"""The worker tasks of this engine, and the messages to those of other engines (convergence).

A message only says where to look; what to do is in the database.

Tests: tests/chaos/test_convergence.py.
"""

import contextlib
import logging
import threading
import time
from collections.abc import Iterator

from heat_lite.common import exception
from heat_lite.common.context import RequestContext
from heat_lite.db.sync_points import Key
from heat_lite.engine import scheduler
from heat_lite.engine.execution.mailbox import LOOK
from heat_lite.engine.execution.worker_task import WorkerTask
from heat_lite.engine.runtime import Runtime
from heat_lite.engine.stack.stack import Stack
from heat_lite.rpc import worker as rpc_worker

LOG = logging.getLogger(__name__)


class Workers:
    """The worker tasks of this engine by stack, and the messages to those of other engines."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._guard = threading.Lock()
        self._tasks: dict[str, WorkerTask] = {}
        runtime.task_manager.use(self)

    def look(self, stack: Stack, engine_id: str, traversal_id: str | None, keys: list[Key]) -> None:
        """Have another engine look at a stack; ``keys`` are the nodes that it was given last.

        The message may be lost: the engine that holds the stack lock repeats it.
        """
        with _logged(stack, engine_id):
            rpc_worker.check_resources(stack.context, engine_id, stack.id, traversal_id, keys)

    def start(self, context: RequestContext, stack_id: str) -> None:
        """Look at a stack: in its task where one runs here, else in a new one."""
        while not self._runtime.task_manager.send(stack_id, LOOK):
            with self._guard:
                present = self._tasks.get(stack_id)
                if present is None:
                    task = WorkerTask(self._runtime, context, stack_id)
                    self._tasks[stack_id] = task
                    break
            if present.mailbox.send(LOOK):
                return
            time.sleep(0.001)  # the task has just ended
        else:
            return
        if self._runtime.task_manager.has(stack_id):
            task.mailbox.send_away()  # the task of the stack has begun meanwhile
        job = self._runtime.pool.spawn(
            scheduler.TaskRunner(task.run, name=f'work on stack {stack_id}'),
            on_end=lambda _result, error: self._finish(stack_id, error),
        )
        task.mailbox.attach(job)

    def has(self, stack_id: str) -> bool:
        """Return whether this engine works on resources of a stack that another one has locked."""
        with self._guard:
            return stack_id in self._tasks

    def leave(self, stack_id: str) -> bool:
        """Have the worker of a stack end at once; False where none is at work here."""
        with self._guard:
            task = self._tasks.get(stack_id)
        if task is not None and not task.mailbox.must_leave:
            task.mailbox.send_away()
        return task is not None

    def stacks(self) -> list[Stack]:
        """Return the stacks at work."""
        with self._guard:
            found = [task.stack for task in self._tasks.values()]
        return [stack for stack in found if stack is not None]

    def _finish(self, stack_id: str, error: BaseException | None) -> None:
        if error is not None:
            LOG.error('The work on stack %s ended by an error', stack_id, exc_info=error)
        with self._guard:
            task = self._tasks.pop(stack_id)
        task.mailbox.shut()


@contextlib.contextmanager
def _logged(stack: Stack, engine_id: str) -> Iterator[None]:
    try:
        yield
    except exception.HeatException as error:
        LOG.warning(
            'Engine %s did not get the message about its resources of %s; it is repeated: %s',
            engine_id,
            stack,
            error,
        )
