"""Metrics and traces of the actions on resources, by their types.

Types that users name (those of environments and files) count as one, so that they are few.

Tests: tests/functional/test_metrics.py.
"""

import functools
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from heat_lite.common import exception, metrics, status
from heat_lite.common.value_types import Value
from heat_lite.engine import scheduler
from heat_lite.engine.scheduler import Work

if TYPE_CHECKING:
    from heat_lite.engine.resource.resource import Resource

#: the first words of the names of the types that are built in
BUILT_IN = ('OS::', 'AWS::')
OF_USERS = 'template'
#: errors that end an action -> its outcome
OUTCOMES: dict[type[BaseException], str] = {
    scheduler.Cancelled: 'cancelled',
    scheduler.Timeout: 'timeout',
    exception.UpdateReplace: 'replaced',
    exception.ResourceFailure: 'failed',
}


def type_of(resource: 'Resource') -> str:
    """Return the label of the type of a resource."""
    known = getattr(type(resource), 'resource_type', None)
    return known if known and known.startswith(BUILT_IN) else OF_USERS


def facts_of(resource: 'Resource') -> dict[str, str]:
    """Return the attributes of the span of an action on a resource."""
    return {'heat.resource.name': resource.name, 'heat.resource.type': resource.type()}


def counted(perform: Callable[..., Work]) -> Callable[..., Work]:
    """Decorate ``perform(resource, action, ...)``, a generator that runs an action."""

    @functools.wraps(perform)
    def measured(resource: 'Resource', action: str, *arguments: Value) -> Work:
        began, outcome = time.monotonic(), None
        try:
            yield from perform(resource, action, *arguments)
            outcome = 'complete'
        except tuple(OUTCOMES) as error:
            outcome = next(OUTCOMES[kind] for kind in type(error).__mro__ if kind in OUTCOMES)
            raise
        finally:
            if outcome is not None:
                _end(resource, action, outcome, time.monotonic() - began)

    return measured


def _end(resource: 'Resource', action: str, outcome: str, seconds: float) -> None:
    metrics.RESOURCE_ACTIONS.add(seconds, action, outcome)
    if outcome in ('failed', 'timeout'):
        metrics.RESOURCE_FAILURES.add(type_of(resource), action)
    elif (action, outcome) == (status.CREATE, 'complete'):
        metrics.RESOURCE_CREATES.add(seconds, type_of(resource))


def repeated(resource: 'Resource') -> None:
    """Count the repetition of a create."""
    metrics.RESOURCE_RETRIES.add(type_of(resource))
