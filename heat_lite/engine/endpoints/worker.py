"""The RPC endpoints of stacks that all engines work on together (convergence).

Tests: tests/functional/test_convergence.py.
"""

import contextlib
import logging

from heat_lite.common import exception
from heat_lite.common.context import RequestContext
from heat_lite.db import resources as db_resources, stacks as db_stacks
from heat_lite.engine.endpoints.base import Endpoint

LOG = logging.getLogger(__name__)


class Worker(Endpoint):
    """Messages that name a stack to look at; what to do is in the database.

    The arguments are those of Heat. An engine that reads them would do what was right when they
    were sent, so it reads the database instead: a message may be lost, repeated, late or wrong.
    """

    def check_resource(
        self,
        context: RequestContext,
        resource_id: object,
        current_traversal: object,
        data: object,
        is_update: object,
        adopt_stack_data: object,
        converge: object = False,
        skip_propagate: object = False,
        accumulated_failures: object = None,
        node_type: object = 'resource',
        abandon: object = False,
    ) -> None:
        """Look at a stack, and work on the rows of its resources that name this engine.

        ``data`` has the id of the stack; without it ``resource_id`` is that of one resource. The
        other arguments are not read: row, graph, sync points and options of the action are stored.
        """
        stack_id = data.get('stack_id') if isinstance(data, dict) else None
        if stack_id is None and type(resource_id) is int:
            row = db_resources.get(resource_id)
            stack_id = row and row.stack_id
        LOG.debug('Looking at stack %s for traversal %s', stack_id, current_traversal)
        self._look(context, stack_id)

    def cancel_check_resource(self, context: RequestContext, stack_id: object) -> None:
        """Look at a stack: its sync point says whether the work on it is stopped."""
        self._look(context, stack_id)

    def _look(self, context: RequestContext, stack_id: object) -> None:
        if isinstance(stack_id, str):
            self._runtime.workers.start(context, stack_id)
        else:
            LOG.warning('A message about resources names no stack: it has no effect')


class Migration(Endpoint):
    """Changes of the kind of stacks."""

    def migrate_convergence_1(self, context: RequestContext, stack_id: str) -> None:
        """Make a stack and those nested in it convergence stacks. None of them may be at work.

        Raises EntityNotFound, and ActionInProgress.
        """
        if db_stacks.get(context, stack_id) is None:
            raise exception.no_stack(stack_id)
        with contextlib.ExitStack() as held:
            stacks = [
                held.enter_context(self._locked(context, each))
                for each in db_stacks.tree_ids(stack_id)
            ]
            for stack in stacks:
                db_stacks.update(stack.id, {'convergence': True})
