"""The RPC endpoints of stacks that all engines work on together (convergence).

Tests: tests/functional/test_convergence.py.
"""

import contextlib
import logging
from collections.abc import Iterator
from typing import Any

from heat_lite.common import exception, status
from heat_lite.common.context import RequestContext
from heat_lite.db import locks
from heat_lite.db import resources as db_resources
from heat_lite.db import stacks as db_stacks
from heat_lite.engine import legacy_stacks
from heat_lite.engine import stack as engine_stack
from heat_lite.engine.endpoints.base import Endpoint
from heat_lite.engine.stack import Stack

LOG = logging.getLogger(__name__)


class Worker(Endpoint):
    """Messages that name a stack to look at; what to do is in the database."""

    def check_resource(
        self,
        context: RequestContext,
        resource_id: Any,
        current_traversal: str,
        data: Any,
        **details: Any,
    ) -> None:
        """Work on the resources of a stack that this engine holds.

        ``data`` has the id of the stack; without it ``resource_id`` is that of one resource. A
        message of a traversal that is over has no effect.
        """
        stack_id = data.get('stack_id') if isinstance(data, dict) else None
        if stack_id is None:
            row = db_resources.get(context, resource_id)
            stack_id = row and row.stack_id
        if stack_id is not None:
            LOG.debug('Looking at stack %s for traversal %s', stack_id, current_traversal)
            self._runtime.workers.start(context, stack_id)

    def cancel_check_resource(self, context: RequestContext, stack_id: str) -> None:
        """Stop the work on a stack, as the sync point of the stack says."""
        self._runtime.workers.start(context, stack_id)


class Migration(Endpoint):
    """Changes of the kind of stacks."""

    def migrate_convergence_1(self, context: RequestContext, stack_id: str) -> None:
        """Make a stack and those nested in it convergence stacks. None of them may be at work.

        Raises EntityNotFound, and ActionInProgress.
        """
        if db_stacks.get(context, stack_id) is None:
            raise exception.EntityNotFound(entity='Stack', name=stack_id)
        with contextlib.ExitStack() as held:
            stacks = [
                held.enter_context(self._locked(context, each))
                for each in db_stacks.tree_ids(context, stack_id)
            ]
            for stack in stacks:
                if legacy_stacks.is_legacy(stack):
                    legacy_stacks.bring_over(stack)
                    stack.journal.flush()
                db_stacks.update(context, stack.id, {'convergence': True})

    @contextlib.contextmanager
    def _locked(self, context: RequestContext, stack_id: str) -> Iterator[Stack]:
        """Hold the lock of a stack that no action works on."""
        engine_id = self._runtime.engine_id
        holder = locks.acquire(context, stack_id, engine_id)
        row = db_stacks.get(context, stack_id, tenant_safe=False)
        try:
            if holder is not None or row is None or row.status == status.IN_PROGRESS:
                name, action = (stack_id, '') if row is None else (row.name, row.action)
                raise exception.ActionInProgress(stack_name=name, action=action)
            yield engine_stack.Stack.from_row(self._runtime, context, row)
        finally:
            if holder is None:
                locks.release(context, stack_id, engine_id)
