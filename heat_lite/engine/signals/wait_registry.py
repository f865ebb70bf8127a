"""The registry of waiting tasks, which notifications wake up."""

import threading
from collections.abc import Hashable

from heat_lite.engine.scheduler import LONGEST_PAUSE, Wakeup


class WaitRegistry:
    """The wake-ups of waiting tasks, by the key of the event that they wait for.

    Register before reading the row, then yield. This order prevents a lost wake-up.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[Hashable, list[Wakeup]] = {}

    def register(self, key: Hashable, timeout: float = LONGEST_PAUSE) -> Wakeup:
        """Return a new Wakeup for ``key``.

        Its wait ends after ``timeout`` seconds at the latest.
        """
        wakeup = Wakeup(timeout)
        self.alias(key, wakeup)
        return wakeup

    def alias(self, key: Hashable, wakeup: Wakeup) -> None:
        """Let notifications of another key trigger the same wake-up."""
        with self._lock:
            self._waiting.setdefault(key, []).append(wakeup)

    def unregister(self, key: Hashable, wakeup: Wakeup) -> None:
        with self._lock:
            wakeups = self._waiting.get(key, [])
            if wakeup in wakeups:
                wakeups.remove(wakeup)
            if not wakeups:
                self._waiting.pop(key, None)

    def notify(self, key: Hashable) -> bool:
        """Wake all tasks that wait for ``key``. Return False if there are none."""
        with self._lock:
            wakeups = self._waiting.pop(key, [])
        for wakeup in wakeups:
            wakeup.notify()
        return bool(wakeups)

    def notify_all(self) -> None:
        """Wake all waiting tasks, since a notification may have been lost: each reads its row
        again.
        """
        with self._lock:
            waiting, self._waiting = self._waiting, {}
        for wakeups in waiting.values():
            for wakeup in wakeups:
                wakeup.notify()

    def __bool__(self) -> bool:
        """Return whether any task waits."""
        return bool(self._waiting)
