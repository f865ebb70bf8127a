"""The RPC endpoint of one certain engine: liveness, and messages to its tasks.

Tests: tests/unit/rpc/test_client.py, tests/functional/test_placement_rpc.py.
"""

from heat_lite.common import exception, identifier
from heat_lite.common.context import RequestContext
from heat_lite.engine.endpoints.base import Endpoint, Wire
from heat_lite.engine.execution import actions, work_report
from heat_lite.engine.signals import signal_tasks
from heat_lite.rpc import api


class Listener(Endpoint):
    """Calls reach it by the id of the engine."""

    def listening(self, context: RequestContext) -> bool:
        """Return whether this engine works: one that cannot reach the database does not."""
        return self._runtime.pool.may_step()

    def helps(self, context: RequestContext) -> bool:
        """Return that this engine runs steps for others (see ``worker_task``)."""
        return True

    def send(self, context: RequestContext, stack_identity: Wire, message: str) -> bool:
        """Pass a message to the task of a stack, or wake tasks that wait for a signal or for a
        nested stack.
        """
        if message.startswith(signal_tasks.SIGNAL_PREFIX):
            row_id = int(message.removeprefix(signal_tasks.SIGNAL_PREFIX))
            return self._runtime.waits.notify(row_id)
        stack = identifier.HeatIdentifier.from_dict(stack_identity)
        if message == api.THREAD_ENDED:
            return self._runtime.waits.notify(stack.stack_name)
        return self._runtime.task_manager.send(stack_identity['stack_id'], message)

    def announce_events(self, context: RequestContext, seconds: float) -> None:
        """Tell the APIs of new events for some seconds: one of them has listeners."""
        self._runtime.announcer.lease(seconds)

    def describe_work(self, context: RequestContext) -> Wire:
        """Return what the engine does now, for operators."""
        return work_report.describe(self._runtime)

    def stop_stack(self, context: RequestContext, stack_identity: Wire) -> None:
        """Stop the task of a stack and wait for its end.

        Raises StopActionFailed after a timeout.
        """
        stack = identifier.HeatIdentifier.from_dict(stack_identity)
        if not self._runtime.task_manager.stop(stack_identity['stack_id'], actions.STOP_SECONDS):
            raise exception.StopActionFailed(
                stack_name=stack.stack_name, engine_id=self._runtime.engine_id
            )
