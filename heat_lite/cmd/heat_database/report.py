"""The report of a take-over: each stack of a database is read, parsed and planned.

It changes nothing. It reads a database of Heat before db_sync has added a column.
"""

import dataclasses
import logging
from collections.abc import Iterator

from heat_lite.common import context as request_context
from heat_lite.common import exception, lru_cache, status
from heat_lite.db import credentials, heat_rows
from heat_lite.engine import resource
from heat_lite.engine import stack as engine_stack
from heat_lite.engine.cluster import takeover
from heat_lite.engine.execution import plan

LOG = logging.getLogger(__name__)
#: stacks that one query reads
BATCH = 500
#: parents of nested stacks that are kept in memory
PARENTS = 200
KEY = 'a secret cannot be decrypted: add its key to [heat_lite] former_encryption_keys'


@dataclasses.dataclass
class Totals:
    """The numbers of what has been read; ``failed`` counts stacks with a reason."""

    stacks: int = 0
    resources: int = 0
    in_progress: int = 0
    failed: int = 0


def read_stacks(runtime, totals: Totals) -> Iterator[tuple]:
    """Yield (row, reasons) of each living stack: why something of it cannot be carried over."""
    reader = _Reader(runtime)
    for row in heat_rows.living_stacks(request_context.admin_context(), BATCH):
        reasons, count = reader.read(row)
        totals.stacks += 1
        totals.resources += count
        totals.in_progress += row.status == status.IN_PROGRESS and not row.backup
        totals.failed += bool(reasons)
        yield row, reasons


class _Reader:
    def __init__(self, runtime):
        self._runtime = runtime
        self._context = request_context.admin_context()
        self._parents = lru_cache.LruCache(PARENTS, PARENTS, lambda stack: 1)

    def read(self, row):
        """Return (reasons, number of resources) of a stack."""
        reasons, count = [], 0
        try:
            stack = self._stack(row)
            rows = stack.rows()
            count = len(rows)
            reasons += self._resource_reasons(stack, rows)
            plan.build(rows, {} if row.backup else stack.requirements)
            if row.user_creds_id is not None:
                credentials.get(self._context, row.user_creds_id)
        except exception.InvalidEncryptionKey:
            reasons.append(KEY)
        except Exception as error:  # a stack that this service cannot read may fail anywhere
            LOG.debug('Stack %s cannot be read', row.id, exc_info=True)
            reasons.append(f'{type(error).__name__}: {error}')
        return list(dict.fromkeys(reasons)), count

    def _stack(self, row):
        stack = engine_stack.Stack.from_row(self._runtime, takeover.context_of_owner(row), row)
        if row.owner_id is not None:
            stack.tree.parent = self._parent(row.owner_id)
        return stack

    def _parent(self, stack_id):
        found = self._parents.get(stack_id)
        if found is None:
            row = heat_rows.stack(self._context, stack_id)
            if row is None:
                raise exception.EntityNotFound(entity='The parent', name=stack_id)
            found = self._parents.put(stack_id, self._stack(row))
        return found

    def _resource_reasons(self, stack, rows):
        for row in rows:
            try:
                item = stack.resource_of(row)
            except exception.ResourceNotFound:
                yield f'resource {row.name} is in none of its templates: it will be left behind'
                continue
            if isinstance(item, resource.UnknownResource):
                yield f'resource {row.name} has the unknown type {item.definition.resource_type}'
