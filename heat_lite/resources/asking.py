"""Asking a service that may have too much to do, be busy, broken or away: how often, how long, and what the resource tells meanwhile."""

import random
import time

from heat_lite.clients import errors
from heat_lite.common import status

FIRST_PAUSE, LONGEST_PAUSE, GROWTH = 0.2, 10.0, 1.6
#: how long a service may keep on asking us to wait, in seconds, and how long it may be away
PATIENCE, AWAY_PATIENCE = 600, 120
#: the same where a delete goes by force
FORCED_PATIENCE = 5
AWAY = (502, 503, 504)


def pauses(longest=LONGEST_PAUSE):
    """Growing ones: what takes long is not asked for all the time. Somewhat by chance, so that those who met once do not meet again."""
    pause = FIRST_PAUSE
    while True:
        yield pause * random.uniform(0.8, 1)
        pause = min(pause * GROWTH, longest)


class Asking:
    """What one resource asks of its service until it is answered."""

    def __init__(self, resource, retry_conflict=False):
        self._resource = resource
        self._retry_conflict = retry_conflict
        self._begun = time.monotonic()
        self._patience = FORCED_PATIENCE if resource.stack.forcing else PATIENCE
        self._broken = 0

    def until_answered(self, call, *args, **options):
        """A generator: the answer of ``call``. What waiting does not help is raised, and so is what has not passed in time."""
        for pause in pauses():
            try:
                return call(*args, **options)
            except errors.ServiceError as error:
                wait = self._wait(error, pause)
                if wait is None or self._is_late(wait, error):
                    raise
                self.tell(error)
            yield wait

    def until_made(self, create, find, show):
        """A generator: the same for what must not be done twice. Where nobody knows whether ``create`` was heard, ``find()`` is asked for
        the id of what it has made, and ``show(id)`` for that."""
        for pause in pauses():
            try:
                return (yield from self.until_answered(create))
            except errors.ServiceError as error:
                if error.code not in AWAY or self._is_late(pause, error):
                    raise
                self.tell(error)
            yield pause
            made = yield from self.until_answered(find)
            if made is not None:
                return (yield from self.until_answered(show, made))

    def _is_late(self, wait, error):
        is_away = error.code in AWAY and error.retry_after is None
        return time.monotonic() + wait - self._begun > min(self._patience, AWAY_PATIENCE if is_away else PATIENCE)

    def _wait(self, error, pause):
        """Seconds after which it is worth another try; None where it is not."""
        waits = error.passing or isinstance(error, errors.TooManyRequests)
        if isinstance(error, errors.Conflict):
            waits = self._retry_conflict
        elif error.passing and error.code not in AWAY:
            self._broken += 1
            waits = self._broken <= self._resource.stack.limits.client_retry_limit
        if not waits:
            return None
        return pause if error.retry_after is None else error.retry_after

    def tell(self, error):
        """What it waits for, where somebody who looks at the resource sees it."""
        record = self._resource.record
        if record.status == status.IN_PROGRESS:
            service = self._resource.default_client_name
            record.set(status_reason=f'waiting for {service} since {time.monotonic() - self._begun:.0f} s: {error}')
