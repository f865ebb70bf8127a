"""What an engine does now, for operators: its tasks, and the stacks it works on.

Tests: tests/functional/test_engine_work.py.
"""

import os
import time

from heat_lite.common import memory
from heat_lite.common.value_types import Values
from heat_lite.engine.runtime import Runtime
from heat_lite.engine.stack.stack import Stack

#: stacks and resources of a stack that a report names; it counts all of them
MAX_STACKS = 200
MAX_RESOURCES = 20


def describe(runtime: Runtime) -> Values:
    """Return the work of the engine as plain data, the longest first."""
    now = time.monotonic()
    entries = sorted(runtime.task_manager.entries(), key=lambda entry: entry.began)
    return {
        'engine_id': runtime.engine_id,
        'pid': os.getpid(),
        'memory': memory.resident(),
        'tasks': runtime.pool.counts(),
        'stacks': len(entries),
        'work': [_stack(entry.stack, now - entry.began) for entry in entries[:MAX_STACKS]],
    }


def _stack(stack: Stack, seconds: float) -> Values:
    names = sorted(filter(None, stack.run.walk.names_at_work())) if stack.run.walk else []
    return {
        'stack': stack.name,
        'id': stack.id,
        'project': stack.tenant,
        'action': stack.action,
        'status': stack.status,
        'seconds': round(seconds, 1),
        'resources': len(names),
        'at_work': names[:MAX_RESOURCES],
    }
