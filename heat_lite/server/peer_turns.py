"""The turns of the connections of a WSGI server.

Green threads whose bytes are ready run one after another, so each step of a request would wait for
a slice of every connection whose client sends all the time; one client can have hundreds of them.
"""

import collections
import contextlib
import time
from typing import Any

import eventlet.hubs
import greenlet

#: Seconds of turns, after which all other green threads run. A turn itself has no limit: it lasts
#: until the connection waits for something, e.g. for its next turn.
TURNS_SECONDS = 0.002
#: turns that the connections of a peer wait for, above which they are a crowd; that of an honest
#: client, which waits for answers, is rarely one
MAX_WAITS = 2
#: Crowds, and connections that have sent much ahead, get one turn in so many while others wait:
#: clients of many addresses would otherwise make each step of another client wait for all of them.
PERIOD = 8


#: a peer, and whether its connections have sent much ahead: such connections have a queue apart
Key = tuple[str, bool]
#: the queues of the keys, in the order of their turns
Circle = dict[Key, 'collections.deque[Turn]']


class PeerTurns:
    """The green threads that wait for a turn: the keys in two circles, those of one in a queue."""

    def __init__(self) -> None:
        self._calm: Circle = {}
        self._crowds: Circle = {}
        #: how many turns each peer waits for
        self._waits: collections.Counter[str] = collections.Counter()
        #: turns of the calm since the last one of a crowd
        self._since_crowd = 0
        self._cancelled: collections.deque[Turn] = collections.deque()
        self._scheduled = False
        self._end = 0.0

    def is_free(self) -> bool:
        """Return whether a connection may go on at once, and count its work as a turn.

        It may if no other waits, and the turns since all green threads could run were short.
        """
        if self._scheduled:
            return not self._waits and time.monotonic() < self._end
        self._schedule()
        self._end = time.monotonic() + TURNS_SECONDS
        return True

    def request(self, key: Key) -> 'Turn':
        """Return a turn for this green thread, which has to wait for it at once."""
        if not self._scheduled:
            self._schedule()
        circle = self._crowds if key[1] or self._waits[key[0]] >= MAX_WAITS else self._calm
        turn = Turn(self, key, circle)
        circle.setdefault(key, collections.deque()).append(turn)
        self._waits[key[0]] += 1
        return turn

    def cancel(self, turn: 'Turn') -> None:
        """End the wait for a turn before it comes. A turn that has begun is ignored."""
        if self.remove(turn):
            self._cancelled.append(turn)

    def remove(self, turn: 'Turn') -> bool:
        """Remove a turn that has not begun; return whether it was there."""
        queue = turn.circle.get(turn.key)
        if not queue or turn not in queue:
            return False
        queue.remove(turn)
        if not queue:
            del turn.circle[turn.key]
        self._forget(turn)
        return True

    def withdraw(self, turn: 'Turn') -> None:
        """Forget a turn, cancelled or not, whose green thread does not wait for it any more."""
        if not self.remove(turn):
            with contextlib.suppress(ValueError):  # it has begun
                self._cancelled.remove(turn)

    def _next(self):
        circle = self._next_circle()
        key, queue = next(iter(circle.items()))
        turn = queue.popleft()
        del circle[key]
        if queue:  # behind the others
            circle[key] = queue
        self._forget(turn)
        return turn

    def _next_circle(self):
        if self._calm and (not self._crowds or self._since_crowd < PERIOD - 1):
            self._since_crowd += 1
            return self._calm
        self._since_crowd = 0
        return self._crowds

    def _forget(self, turn):
        peer = turn.key[0]
        self._waits[peer] -= 1
        if not self._waits[peer]:
            del self._waits[peer]

    def _schedule(self):
        self._scheduled = True
        eventlet.hubs.get_hub().schedule_call_global(0, self._run)

    def _run(self):
        """Let green threads go on until TURNS_SECONDS are over; the hub calls this."""
        self._end = time.monotonic() + TURNS_SECONDS
        self._scheduled = bool(self._waits or self._cancelled)
        if self._scheduled:
            self._schedule()  # an error of a thread ends this call; the next one serves the rest
        while self._cancelled:
            self._cancelled.popleft().begin()
        while self._waits:
            self._next().begin()
            if time.monotonic() >= self._end:
                return


class Turn:
    """A turn of a green thread."""

    def __init__(self, turns: PeerTurns, key: Key, circle: Circle) -> None:
        self.key = key
        self.circle = circle
        self._turns = turns
        self._thread: Any = greenlet.getcurrent()

    def wait(self) -> None:
        """Wait until the turn begins or is cancelled."""
        try:
            eventlet.hubs.get_hub().switch()
        except BaseException:  # e.g. the time limit of a caller
            self._turns.withdraw(self)
            raise

    def begin(self) -> None:
        """Let the green thread go on until it waits again. Only the hub may call this."""
        self._thread.switch()

    def cancel(self) -> None:
        self._turns.cancel(self)
