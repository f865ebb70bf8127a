"""Deleting what is still in use: a conflict (409) often passes by itself, when whoever uses the object lets it go."""

import time

from heat_lite.common import status
from heat_lite.engine import event

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 30.0
#: with force nobody wants to wait long, in seconds
FORCED_WAIT = 5.0
CONFLICT = 409
# where the libraries of the services put the HTTP status of a refusal
_CODES = ('code', 'http_status', 'status_code')


def is_conflict(error):
    return any(getattr(error, name, None) == CONFLICT for name in _CODES)


def deleting(resource, attempt):
    """Run ``attempt()``, a generator, until it ends without a conflict or time is up; pauses grow. The resource says what it waits for."""
    limits = resource.stack.limits
    wait = min(limits.delete_conflict_wait, FORCED_WAIT) if resource.stack.forcing else limits.delete_conflict_wait
    until = time.monotonic() + wait
    pause, tries = FIRST_PAUSE, 0
    while True:
        try:
            return (yield from attempt())
        except Exception as error:
            left = until - time.monotonic()
            if not is_conflict(error) or left <= 0:
                raise
            tries += 1
            _tell(resource, error, tries)
        yield min(pause, left)
        pause = min(pause * 2, LONGEST_PAUSE)


def _tell(resource, error, tries):
    """In the row each time; as an event only once, for there may be many tries."""
    resource.record.set(status=status.IN_PROGRESS, status_reason=f'in use, tried {tries} time{"s"[: tries > 1]}: {error}')
    if tries == 1:
        event.of_resource(resource)
