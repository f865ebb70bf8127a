"""The door for stacks that leave the service and keep their objects."""

from heat_lite.common import exception
from heat_lite.engine import actions, export
from heat_lite.engine.endpoints.base import Endpoint


class Adoption(Endpoint):
    def export_stack(self, context, stack_identity):
        """The stack as a document that an adoption understands; the stack stays."""
        return self.abandon_stack(context, stack_identity, abandon=False)

    def abandon_stack(self, context, stack_identity, abandon=True):
        """The same, and the stack is forgotten: its objects stay."""
        if not self._runtime.limits.enable_stack_abandon:
            raise exception.NotSupported(feature='Stack Abandon')
        stack = self._stack(context, stack_identity)
        document = export.of_stack(stack)
        if abandon:
            actions.abandon(self._stack(context, stack_identity))
        return document
