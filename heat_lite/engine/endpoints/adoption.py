"""The RPC endpoint for documents of stacks, which an adoption reads: export and abandon.

Tests: tests/functional/test_adoption.py.
"""

from heat_lite.common import exception
from heat_lite.common.context import RequestContext
from heat_lite.engine.endpoints.base import Endpoint, Wire
from heat_lite.engine.execution import actions
from heat_lite.engine.stack import adoption
from heat_lite.engine.validation import validation


class Adoption(Endpoint):
    """Export and abandon stacks. Adoption itself is ``create_stack`` with such a document."""

    def export_stack(self, context: RequestContext, stack_identity: Wire) -> Wire:
        """Return the document of a stack. The stack does not change."""
        return self.abandon_stack(context, stack_identity, abandon=False)

    def abandon_stack(
        self, context: RequestContext, stack_identity: Wire, abandon: bool = True
    ) -> Wire:
        """Return the document of a stack and delete the stack, without its objects.

        Raises NotSupported if disabled, and ActionInProgress for a stack at work, whose document
        would lack the objects that are being created.
        """
        if not self._runtime.limits.enable_stack_abandon:
            raise exception.NotSupported(feature='Stack Abandon')
        stack = self._stack(context, stack_identity)
        if abandon:
            validation.at_rest(stack)
        document = adoption.export_stack(stack)
        if abandon:
            actions.delete(self._stack(context, stack_identity), abandoning=True)
        return document
