"""The pauses between two looks at new events: short after a rest, longer while events keep coming.

So the first event of an action is seen at once, and a service at work spends little on the rest.
"""

import time
from collections.abc import Callable

#: seconds of the first pause, and of the longest
SHORTEST, LONGEST = 0.05, 0.15
#: seconds without a look after which the pauses are short again
REST = 1.0


class EventPace:
    """The pauses of one thread; ``clock`` returns seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._pause = SHORTEST
        self._last = 0.0

    def next_pause(self) -> float:
        """Return the seconds to wait after a look that has just ended."""
        now = self._clock()
        is_rested = now - self._last > self._pause + REST
        self._pause = SHORTEST if is_rested else min(2 * self._pause, LONGEST)
        self._last = now
        return self._pause
