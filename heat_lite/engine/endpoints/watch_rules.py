"""The RPC endpoint for watch rules: alarms and their measurements.

Tests: tests/functional/test_watch_rules.py.
"""

from heat_lite.common import exception
from heat_lite.common.context import RequestContext
from heat_lite.common.value_types import Value
from heat_lite.engine.endpoints.base import Endpoint, Wire
from heat_lite.engine.watch import watch_rules


class WatchRules(Endpoint):
    def create_watch_data(
        self, context: RequestContext, watch_name: str | None, stats_data: Value
    ) -> Value:
        """Store measurements, one or a list, and return them.

        Without a name, for each rule that has the metric and the dimensions.
        """
        return self._runtime.watch_rules.add_data(context, watch_name, stats_data)

    def show_watch(
        self,
        context: RequestContext,
        watch_name: str | None = None,
        filters: Wire | None = None,
        limit: int | None = None,
        after: int = 0,
    ) -> list[Wire]:
        """Return the rule with a name, or a page of the rules that ``filters`` match.

        ``after``: the ``watch_id`` before the first one. Raises EntityNotFound.
        """
        wanted = {**(filters or {}), **({'names': [watch_name]} if watch_name else {})}
        found = watch_rules.find(context, wanted, limit, after)
        if watch_name and not found:
            raise exception.EntityNotFound(entity='Watch Rule', name=watch_name)
        return found

    def show_watch_metric(
        self,
        context: RequestContext,
        metric_namespace: str | None = None,
        metric_name: str | None = None,
        limit: int | None = None,
        after: int = 0,
    ) -> list[Wire]:
        """Return a page of the measurements; ``after``: the ``watch_data_id`` before the first."""
        return watch_rules.find_data(context, metric_namespace, metric_name, limit, after)

    def set_watch_state(
        self, context: RequestContext, watch_name: str, state: str, reason: str | None = None
    ) -> Wire:
        """Set the state of a rule until its next evaluation, and perform its actions."""
        return self._runtime.watch_rules.override(context, watch_name, state, reason)
