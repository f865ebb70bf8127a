"""Turns that waiting requests get in an order that is fair to the peers that send them.

A peer that has used few turns lately goes before those that use many, so the request of an honest
client waits for the end of one other, not for those of all clients that have come before.
"""

import contextlib
import heapq
import ipaddress
import itertools
import threading
from collections.abc import Callable, Iterator
from typing import Any

from oslo_config import cfg

from heat_lite.common import exception

Environ = dict[str, Any]
#: Key of the environ of WSGI. The value is a function of the server: it takes a function that ends
#: a wait, and returns a context in which the server may call that, since it closes the connection.
INTERRUPTIBLE = 'heat_lite.interruptible'
#: turns that a peer may use before others that have waited, after it has used none for a while
CREDIT = 8
#: peers whose last turns are known; those of the others count as long past
MAX_PEERS = 4096
#: bodies of unknown requesters that are read for each of their logins
BODIES_PER_LOGIN = 4

Interruptible = Callable[[Callable[[], None]], contextlib.AbstractContextManager[Any]]


class Wait:
    """The wait of one request for its turn."""

    def __init__(self) -> None:
        self.over = threading.Event()
        self.admitted = False
        self.abandoned = False


class FairTurns:
    """The turns of one kind: ``limit`` at a time; 0: no limit.

    Each request of a peer has a number, one more than that of the peer's last one, and at least
    CREDIT less than that of the request which began last. The lowest number begins first.
    """

    def __init__(self, limit: int, seconds: float, refusal: str) -> None:
        """``seconds``: the longest wait; ``refusal``: the reason of the error after it."""
        self._limit = limit
        self._free = limit
        self._seconds = seconds
        self._refusal = refusal
        self._lock = threading.Lock()
        self._waits: list[tuple[int, int, Wait]] = []
        self._arrivals = itertools.count()
        self._numbers: dict[str, int] = {}
        self._current = 0
        self.users = 0

    @contextlib.contextmanager
    def turn(self, peer: str, interruptible: Interruptible | None = None) -> Iterator[None]:
        """Run the block in a turn.

        Raises ServiceUnavailable after the wait, and RequestAbandoned if it was interrupted.
        """
        if not self._limit:
            yield
            return
        wait = self._enter(peer)
        try:
            self._finish(wait, interruptible or contextlib.nullcontext)
            yield
        finally:
            self._leave(wait)

    def _enter(self, peer: str) -> Wait:
        wait = Wait()
        with self._lock:
            number = 1 + max(self._numbers.get(peer, 0), self._current - CREDIT)
            self._numbers[peer] = number
            if len(self._numbers) > MAX_PEERS:
                self._forget()
            if self._free > 0:
                self._free -= 1
                self._begin(number, wait)
            else:
                heapq.heappush(self._waits, (number, next(self._arrivals), wait))
        return wait

    def _begin(self, number: int, wait: Wait) -> None:
        self._current = max(self._current, number)
        wait.admitted = True
        wait.over.set()

    def _forget(self) -> None:
        """Forget the peers whose numbers would not count, or else all."""
        least = self._current - CREDIT
        self._numbers = {peer: number for peer, number in self._numbers.items() if number > least}
        if len(self._numbers) > MAX_PEERS:
            self._numbers.clear()

    def _finish(self, wait: Wait, interruptible: Interruptible) -> None:
        if wait.admitted:
            return
        with interruptible(wait.over.set):
            in_time = wait.over.wait(self._seconds)
        if not wait.admitted:
            if in_time:
                raise exception.RequestAbandoned()
            raise exception.ServiceUnavailable(reason=self._refusal)

    def _leave(self, wait: Wait) -> None:
        with self._lock:
            if not wait.admitted:
                wait.abandoned = True
                return
            while self._waits:
                number, _, following = heapq.heappop(self._waits)
                if not following.abandoned:
                    self._begin(number, following)
                    return
            self._free += 1


def of_logins(conf: cfg.ConfigOpts) -> FairTurns:
    """Return the turns of requests whose credentials Keystone, or an engine, checks."""
    limit, seconds = conf.heat_lite.max_logins_in_progress, conf.heat_lite.request_queue_timeout
    refusal = (
        f'the service checks the credentials of {limit} requests, and the turn of this one did '
        f'not come for {seconds:g} seconds; repeat it later'
    )
    return FairTurns(limit, seconds, refusal)


def of_unknown_bodies(conf: cfg.ConfigOpts) -> FairTurns:
    """Return the turns of bodies that are read before the requester is known."""
    limit = conf.heat_lite.max_logins_in_progress * BODIES_PER_LOGIN
    seconds = conf.heat_lite.request_queue_timeout
    refusal = (
        f'the service reads the bodies of {limit} requests, and the turn of this one did not come '
        f'for {seconds:g} seconds; repeat it later'
    )
    return FairTurns(limit, seconds, refusal)


def peer_of(host: str) -> str:
    """Return the peer of an address: IPv6 gives a client a network of 64 bits."""
    try:
        address = ipaddress.ip_address(host.partition('%')[0])
    except ValueError:
        return host
    if address.version == 4:
        return host
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(ipaddress.IPv6Network((int(address), 64), strict=False))


def waiting(environ: Environ) -> tuple[str, Interruptible | None]:
    """Return the peer of a request, and how the server interrupts its wait.

    With ``enable_proxy_headers_parsing`` the peer is the client of the proxy.
    """
    return peer_of(environ.get('REMOTE_ADDR') or ''), environ.get(INTERRUPTIBLE)
