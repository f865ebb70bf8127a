"""The turns of the connections of a WSGI server.

Green threads whose bytes are ready run one after another, so each step of a request would wait for
a slice of every connection whose client sends all the time; one client can have hundreds of them.
"""

import collections
import time
from typing import Any

import eventlet.hubs
import greenlet

#: Seconds of turns, after which all other green threads run. A turn itself has no limit: it lasts
#: until the connection waits for something, e.g. for its next turn.
TURNS_SECONDS = 0.002


#: a peer, and whether its connections have sent much ahead: such connections have a queue apart
Key = tuple[str, bool]


class PeerTurns:
    """The green threads that wait for a turn: the keys in a circle, those of one in a queue."""

    def __init__(self) -> None:
        self._queues: dict[Key, collections.deque[Turn]] = {}
        self._cancelled: list[Turn] = []
        self._scheduled = False
        self._end = 0.0

    def is_free(self) -> bool:
        """Return whether a connection may go on at once, and count its work as a turn.

        It may if no other waits, and the turns since all green threads could run were short.
        """
        if self._scheduled:
            return not self._queues and time.monotonic() < self._end
        self._schedule()
        self._end = time.monotonic() + TURNS_SECONDS
        return True

    def request(self, key: Key) -> 'Turn':
        """Return a turn for this green thread, which has to wait for it at once."""
        if not self._scheduled:
            self._schedule()
        turn = Turn(self, key)
        self._queues.setdefault(key, collections.deque()).append(turn)
        return turn

    def cancel(self, turn: 'Turn') -> None:
        """End the wait for a turn before it comes. A turn that has begun is ignored."""
        if self.remove(turn):
            self._cancelled.append(turn)

    def remove(self, turn: 'Turn') -> bool:
        """Remove a turn that has not begun; return whether it was there."""
        queue = self._queues.get(turn.key)
        if not queue or turn not in queue:
            return False
        queue.remove(turn)
        if not queue:
            del self._queues[turn.key]
        return True

    def _next(self):
        key, queue = next(iter(self._queues.items()))
        turn = queue.popleft()
        del self._queues[key]
        if queue:  # behind the others
            self._queues[key] = queue
        return turn

    def _schedule(self):
        self._scheduled = True
        eventlet.hubs.get_hub().schedule_call_global(0, self._run)

    def _run(self):
        """Let green threads go on until TURNS_SECONDS are over; the hub calls this."""
        self._end = time.monotonic() + TURNS_SECONDS
        self._scheduled = bool(self._queues or self._cancelled)
        if self._scheduled:
            self._schedule()  # before any error of a thread
        cancelled, self._cancelled = self._cancelled, []
        for turn in cancelled:
            turn.begin()
        while self._queues:
            self._next().begin()
            if time.monotonic() >= self._end:
                return


class Turn:
    """A turn of a green thread."""

    def __init__(self, turns: PeerTurns, key: Key) -> None:
        self.key = key
        self._turns = turns
        self._thread: Any = greenlet.getcurrent()

    def wait(self) -> None:
        """Wait until the turn begins or is cancelled."""
        try:
            eventlet.hubs.get_hub().switch()
        except BaseException:  # e.g. the time limit of a caller
            self._turns.remove(self)
            raise

    def begin(self) -> None:
        """Let the green thread go on until it waits again. Only the hub may call this."""
        self._thread.switch()

    def cancel(self) -> None:
        self._turns.cancel(self)
