"""The attempt of a server at a request, which it may give back as long as nothing was done.

A request reads from the database before it does anything, so what waits for the end of its first
transaction can be made by another server instead.
"""

import threading

from heat_lite.common import exception

_current = threading.local()


class Attempt:
    """An attempt at one request: it goes on to its end here, or it is given back and does nothing.

    The end of its first transaction, or ``give_back`` before, decides.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._begun = False
        self.given_back = False

    def begin(self) -> None:
        """Note that the request goes on. Raises RequestGivenBack if it must not."""
        with self._lock:
            if self.given_back:
                raise exception.RequestGivenBack
            self._begun = True

    def give_back(self) -> bool:
        """Keep the request from going on; return False if it has done so, or is given back."""
        with self._lock:
            refused = self._begun or self.given_back
            self.given_back = self.given_back or not self._begun
            return not refused


def set_current(attempt: Attempt | None) -> None:
    """Set the attempt of this thread; None at its end."""
    _current.attempt = attempt


def begin() -> None:
    """Note that the request of this thread, if it has one, goes on."""
    attempt = getattr(_current, 'attempt', None)
    if attempt is not None:
        attempt.begin()
