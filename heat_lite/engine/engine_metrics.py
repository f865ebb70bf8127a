"""Metrics of an engine that are looked up at intervals.

Tests: tests/functional/test_metrics.py.
"""

import time

from heat_lite.common import metrics, status
from heat_lite.db import stacks as db_stacks
from heat_lite.db.column_types import utcnow
from heat_lite.engine.runtime import Runtime

#: seconds between two counts of the stacks in the database
COUNT_SECONDS = 30.0


class EngineSampler:
    """Sets the gauges of an engine; one of a program counts the stacks of all engines."""

    def __init__(self, runtime: Runtime) -> None:
        self._pool = runtime.pool
        self._counted_at = float('-inf')

    def __call__(self) -> None:
        for state, count in self._pool.counts().items():
            metrics.TASKS.set(count, state)
        now = time.monotonic()
        if metrics.is_first_worker() and now - self._counted_at > COUNT_SECONDS:
            self._counted_at = now
            self._count_stacks()

    def _count_stacks(self) -> None:
        rows = db_stacks.count_by_state()
        metrics.STACKS.set_all(
            {(action or '', state or ''): count for action, state, count, _ in rows}
        )
        running = [since for _, state, _, since in rows if state == status.IN_PROGRESS and since]
        age = (utcnow() - min(running)).total_seconds() if running else 0
        metrics.OLDEST.set(max(age, 0))
