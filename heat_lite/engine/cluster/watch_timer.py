"""The evaluation of watch rules: one timer an engine, whatever the number of rules.

The living engines share the rules by their ids. When one dies, the others find its rules among
theirs as soon as its heartbeat has expired. A rule that two engines take for theirs meanwhile is
evaluated once (see ``db.watch_rules.evaluate_due``).

Tests: tests/functional/test_watch_rules.py.
"""

import dataclasses
import datetime
import logging
import time
from collections.abc import Sequence

from heat_lite.common.value_types import Row
from heat_lite.db import watch_rules as db_watch_rules
from heat_lite.db.column_types import utcnow
from heat_lite.engine.cluster.heartbeat import Heartbeat
from heat_lite.engine.cluster.membership import EngineMembership
from heat_lite.engine.runtime import Runtime
from heat_lite.engine.watch import watch_evaluation

LOG = logging.getLogger(__name__)
#: rules that one transaction evaluates
BATCH = 250
#: seconds of one run; what is still due then is evaluated by the next one
RUN_SECONDS = 30
#: seconds until a rule that cannot be evaluated is tried again
RETRY_SECONDS = 600


@dataclasses.dataclass
class WatchTask:
    """Evaluates the rules of this engine's share.

    ``membership`` knows the living engines, ``heartbeat`` whether this one may still be one.
    """

    runtime: Runtime
    membership: EngineMembership
    heartbeat: Heartbeat

    def run_once(self) -> int:
        """Evaluate the rules that are due. Return their number."""
        share, end, count = self._share(), time.monotonic() + RUN_SECONDS, 0
        while self.heartbeat.is_fresh() and time.monotonic() < end:
            found = db_watch_rules.evaluate_due(utcnow(), share, BATCH, _judge)
            for each in found:
                self._act(each)
            count += len(found)
            if len(found) < BATCH:
                break
        return count

    def _share(self) -> tuple[int, int]:
        """Return (number of this engine, number of engines)."""
        if self.membership.alone:
            return 0, 1
        engines = sorted({*self.membership.alive_ids(), self.runtime.engine_id})
        return engines.index(self.runtime.engine_id), len(engines)

    def _act(self, evaluation: db_watch_rules.Evaluation) -> None:
        rule, verdict, tenant, acts = evaluation
        if verdict.state != rule.state:
            LOG.info('Watch rule %s is %s: %s', rule.name, verdict.state, verdict.reason)
        if rule.rule.get(watch_evaluation.ACTIONS.get(verdict.state)):
            if acts:
                self.runtime.watch_rules.act(rule, tenant, verdict.state, verdict.reason)
            else:
                LOG.info('Watch rule %s: no actions, its stack is being changed', rule.name)


def _judge(rule: Row, points: Sequence[Row], now: datetime.datetime) -> db_watch_rules.Verdict:
    """Return the verdict; for a rule that cannot be evaluated, that of a later try."""
    try:
        return watch_evaluation.judge(rule, points, now)
    except Exception as error:  # one rule must not stop the others
        LOG.warning(
            'Watch rule %s of stack %s cannot be evaluated, and keeps its state %s: %s: %s. Update '
            'its stack. The next try is in %d s',
            rule.name,
            rule.stack_id,
            rule.state,
            type(error).__name__,
            error,
            RETRY_SECONDS,
        )
        due_at = watch_evaluation.due(RETRY_SECONDS, now)
        return db_watch_rules.Verdict(rule.state, '', due_at, now)
