"""Retries of requests to a service that is overloaded, busy, failing or unavailable: the delays,
the limits, and the status reason that the resource has meanwhile.
"""

import contextlib
import random
import re
import time

from heat_lite.clients import errors
from heat_lite.common import metrics, status

FIRST_DELAY, MAX_DELAY, DELAY_GROWTH = 0.2, 10.0, 1.6
#: seconds for which requests are retried while the service asks to wait, and while it is
#: unavailable
RETRY_SECONDS, UNAVAILABLE_SECONDS = 600, 120
#: seconds for which requests are retried in a forced delete
FORCED_RETRY_SECONDS = 5
UNAVAILABLE_STATUSES = (502, 503, 504)
#: how Cinder refuses a request (400) while it works at the volume for another one
BUSY_VOLUME = re.compile(
    '(status is:?|currently) "?(backing-up|creating|downloading|extending|restoring-backup|'
    'retyping|uploading)'
)


def retry_delays(max_delay=MAX_DELAY):
    """Yield growing delays in seconds.

    Jitter keeps resources that started together from polling together.
    """
    delay = FIRST_DELAY
    while True:
        yield delay * random.uniform(0.8, 1)
        delay = min(delay * DELAY_GROWTH, max_delay)


def _is_busy(error):
    return isinstance(error, errors.BadRequest) and BUSY_VOLUME.search(error.service_message)


class ServiceRetry:
    """The retries of the requests of one resource."""

    def __init__(self, resource, retry_conflict=False, service=None):
        self._resource = resource
        self._service = service or resource.default_client_name
        self._retry_conflict = retry_conflict
        self._begun = time.monotonic()
        self._retry_seconds = FORCED_RETRY_SECONDS if resource.stack.run.force else RETRY_SECONDS
        self._server_errors = 0

    def until_answered(self, call, *args, **options):
        """Generator: return the response of ``call``. Raises an error that a retry does not help,
        or that lasts longer than the limit.
        """
        for delay in retry_delays():
            try:
                return call(*args, **options)
            except errors.ServiceError as error:
                wait = self._retry_delay(error, delay)
                if wait is None or self._is_late(wait, error):
                    raise
                self.report(error)
            yield wait

    def until_made(self, create, find=None, show=None):
        """Generator: return the object that ``create`` makes, without making it twice. After an
        error that leaves open whether the request was executed, ``find()`` returns the id of the
        object (None, or errors.NotFound, if there is none), and ``show(id)`` the object. Without
        them the error is raised.
        """
        is_open = False
        for delay in retry_delays():
            try:
                return (yield from self.until_answered(create))
            except errors.ServiceError as error:
                error.made_nothing = error.is_refusal and not is_open
                is_open, gives_up = True, find is None or error.code not in UNAVAILABLE_STATUSES
                if gives_up or self._is_late(delay, error):
                    raise
                self.report(error)
            yield delay
            found = None
            with contextlib.suppress(errors.NotFound):
                found = yield from self.until_answered(find)
            if found is not None:
                return (yield from self.until_answered(show, found))

    def _is_late(self, wait, error):
        is_unavailable = error.code in UNAVAILABLE_STATUSES and error.retry_after is None
        return time.monotonic() + wait - self._begun > min(
            self._retry_seconds, UNAVAILABLE_SECONDS if is_unavailable else RETRY_SECONDS
        )

    def _retry_delay(self, error, delay):
        """Return the seconds until the next attempt; None if the error is permanent."""
        retries = error.transient or isinstance(error, errors.TooManyRequests) or _is_busy(error)
        if isinstance(error, errors.Conflict):
            retries = self._retry_conflict
        elif error.transient and error.code not in UNAVAILABLE_STATUSES:
            self._server_errors += 1
            retries = self._server_errors <= self._resource.stack.limits.client_retry_limit
        if not retries:
            return None
        return delay if error.retry_after is None else error.retry_after

    def report(self, error):
        """Set the status reason of the resource to what it waits for."""
        metrics.CLOUD_WAITS.add(self._service)
        record = self._resource.record
        if record.status == status.IN_PROGRESS:
            record.set(
                status_reason=f'waiting for {self._service} since '
                f'{time.monotonic() - self._begun:.0f} s: {error}'
            )
