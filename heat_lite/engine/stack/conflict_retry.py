"""Retries deletes that a service refuses with a conflict while the object is in use."""

import re
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from heat_lite.common import status
from heat_lite.common.value_types import Work
from heat_lite.engine import event

if TYPE_CHECKING:
    from heat_lite.engine.resource.resource import Resource


FIRST_CONFLICT_PAUSE, LONGEST_CONFLICT_PAUSE = 1.0, 30.0
#: time limit of retries with force, in seconds
FORCED_CONFLICT_WAIT = 5.0
CONFLICT, BAD_REQUEST = 409, 400
#: how Neutron, Octavia and Cinder refuse (400) the delete of an object that others use
IN_USE = re.compile('(is|still) in use|existing allocations|has children')
# attributes of errors that hold the HTTP status, by client library
_CODES = ('code', 'http_status', 'status_code')


def is_conflict(error: Exception) -> bool:
    codes = {getattr(error, name, None) for name in _CODES}
    return CONFLICT in codes or BAD_REQUEST in codes and IN_USE.search(str(error)) is not None


def retry_on_conflict(resource: 'Resource', attempt: Callable[[], Work]) -> Work:
    """Run ``attempt()``, a generator, until it ends without a conflict or time is up.

    Pauses grow. The status reason of the resource names the conflict.
    """
    limits = resource.stack.limits
    wait = (
        min(limits.delete_conflict_wait, FORCED_CONFLICT_WAIT)
        if resource.stack.run.force
        else limits.delete_conflict_wait
    )
    deadline = time.monotonic() + wait
    pause, attempts = FIRST_CONFLICT_PAUSE, 0
    while True:
        try:
            return (yield from attempt())
        except Exception as error:
            left = deadline - time.monotonic()
            if not is_conflict(error) or left <= 0:
                raise
            attempts += 1
            _report_conflict(resource, error, attempts)
        yield min(pause, left)
        pause = min(pause * 2, LONGEST_CONFLICT_PAUSE)


def _report_conflict(resource: 'Resource', error: Exception, attempts: int) -> None:
    """Store the conflict in the row each time, as an event only once: there may be many retries."""
    reason = f'in use, tried {attempts} time{"s"[: attempts > 1]}: {error}'
    resource.record.set(
        status=status.IN_PROGRESS,
        status_reason=resource.stack.redact(reason),
    )
    if attempts == 1:
        event.record_resource(resource)
