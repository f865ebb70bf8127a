"""The door of this very engine: whether it lives, and messages to what it works on."""

from heat_lite.common import exception, identifier
from heat_lite.engine import actions, signals
from heat_lite.engine.endpoints.base import Endpoint
from heat_lite.rpc import api


class Listener(Endpoint):
    """Reached by the engine's own id; answers for no other engine."""

    def listening(self, context):
        return True

    def send(self, context, stack_identity, message):
        """Give a message to the walker of a stack that this engine works on, or news of a signal, or of the end of a stack inside
        another, to those who wait for it."""
        if message.startswith(signals.NEWS):
            return self._runtime.bells.ring(int(message.removeprefix(signals.NEWS)))
        stack = identifier.HeatIdentifier.from_dict(stack_identity)
        if message == api.THREAD_ENDED:
            return self._runtime.bells.ring(stack.stack_name)
        return self._runtime.running.send(stack.stack_id, message)

    def stop_stack(self, context, stack_identity):
        """Stop the work on a stack and wait for its end."""
        stack = identifier.HeatIdentifier.from_dict(stack_identity)
        if not self._runtime.running.stop(stack.stack_id, actions.STOP_SECONDS):
            raise exception.StopActionFailed(stack_name=stack.stack_name, engine_id=self._runtime.engine_id)
