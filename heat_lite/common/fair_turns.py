"""Turns that waiting requests get in an order that is fair to the peers that send them.

A peer that has used few turns lately goes before those that use many, so the request of an honest
client waits for the end of one other, not for those of all clients that have come before. Turns
that last long give their places to projects whose turns are short.
"""

import bisect
import collections
import contextlib
import ipaddress
import itertools
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from oslo_config import cfg

from heat_lite.common import exception
from heat_lite.common.value_types import Values

Environ = Values
#: Key of the environ of WSGI. The value is a function of the server: it takes a function that ends
#: a wait, and returns a context in which the server may call that, since it closes the connection.
#: The value of the context is a function that returns whether the connection is closed.
INTERRUPTIBLE = 'heat_lite.interruptible'
#: turns that a peer may use before others that have waited, after it has used none for a while
CREDIT = 8
#: requests of a peer that wait, above which they are a crowd; those of an honest client rarely are
MAX_WAITS = 2
#: crowds get one turn in so many while others wait
CROWD_PERIOD = 8
#: peers whose last turns are known; those of the others count as long past
MAX_PEERS = 4096
#: bodies of unknown requesters that are read for each of their logins, at most 1 MiB each
BODIES_PER_LOGIN = 16
#: seconds after which a turn is a long one
LONG_SECONDS = 0.5
#: seconds between two looks whether a waiting request may begin beside long ones
CHECK_SECONDS = 0.1

Interruptible = Callable[
    [Callable[[], None]], contextlib.AbstractContextManager[Callable[[], bool]]
]


class Wait:
    """The wait of one request for its turn, and the turn; ``party``: the project or peer."""

    def __init__(self, party: str, over: Any = None) -> None:
        """``over``: an object whose ``set`` is called when the turn begins; default: an Event."""
        self.party = party
        self.over = over or threading.Event()
        self.admitted = False
        self.begun = 0.0
        #: the peer, and the place of the request in the order of all
        self.peer = ''
        self.place = (0, 0)


class FairTurns:
    """The turns of one kind: ``limit`` at a time; 0: no limit.

    Each request of a peer has a number, one more than that of the peer's last one, and at least
    CREDIT less than that of the request which began last. The lowest number begins first. But
    crowds get one turn in CROWD_PERIOD: a client that waits for each answer would otherwise soon
    have sent more than each of a hundred addresses, and wait for all that they have sent at once.

    With ``yields`` a long turn does not count for parties, e.g. projects, that have no other turn,
    and whose own turns were shorter lately: at most twice the limit are in progress then, half as
    many further ones by parties that are not known yet. So as many accomplices as there are turns
    delay others for a moment, not until the end of their requests. A party whose turn was long only
    because of theirs passes as soon as theirs are longer.
    """

    def __init__(self, limit: int, seconds: float, refusal: str, yields: bool = False) -> None:
        """``seconds``: the longest wait; ``refusal``: the reason of the error after it."""
        self._limit = limit
        self._yields = yields
        #: in the order in which they began
        self._active: dict[Wait, None] = {}
        #: {party: mean length of its turns in seconds}: the last one counts as much as all before
        self._lengths: dict[str, float] = {}
        self._seconds = seconds
        self._refusal = refusal
        self._lock = threading.Lock()
        #: the requests of each peer that wait, the oldest first
        self._waits: dict[str, collections.deque[Wait]] = {}
        #: turns of others since the last one of a crowd
        self._since_crowd = 0
        #: whether a thread looks for requests that may pass
        self._checks = False
        self._arrivals = itertools.count()
        self._numbers: dict[str, int] = {}
        self._current = 0
        self.users = 0

    @contextlib.contextmanager
    def turn(
        self, peer: str, interruptible: Interruptible | None = None, party: str | None = None
    ) -> Iterator[None]:
        """Run the block in a turn. ``party``: whose turn it is; default: the peer.

        Raises ServiceUnavailable after the wait, and RequestAbandoned if it was interrupted or the
        client has left.
        """
        if not self._limit:
            yield
            return
        wait = self.enter(peer, Wait(party or peer))
        try:
            self._finish(wait, interruptible or _uninterruptible)
            yield
        finally:
            self.leave(wait)

    def enter(self, peer: str, wait: Wait) -> Wait:
        """Begin a turn, or wait for it without a thread; ``leave`` must follow in any case."""
        with self._lock:
            number = 1 + max(self._numbers.get(peer, 0), self._current - CREDIT)
            self._numbers[peer] = number
            if len(self._numbers) > MAX_PEERS:
                self._forget()
            wait.peer, wait.place = peer, (number, next(self._arrivals))
            if len(self._active) < self._limit or self._passage()(wait):
                self._begin(wait)
            else:
                self._waits.setdefault(peer, collections.deque()).append(wait)
                self._begin_checks()
        return wait

    def _begin(self, wait: Wait) -> None:
        self._current = max(self._current, wait.place[0])
        self._active[wait] = None
        wait.begun = time.monotonic()
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
        with interruptible(wait.over.set) as is_closed:
            in_time = wait.over.wait(self._seconds)
            if is_closed() or in_time and not wait.admitted:
                raise exception.RequestAbandoned()
        if not wait.admitted:
            raise exception.ServiceUnavailable(reason=self._refusal)

    def leave(self, wait: Wait) -> None:
        """End a turn, or the wait for it."""
        with self._lock:
            if not wait.admitted:
                self._remove(wait)
                return
            self._active.pop(wait, None)
            self._note(wait)
            while self._waits and len(self._active) < self._limit:
                following = self._next()
                self._remove(following)
                self._begin(following)
            if self._waits and self._yields:
                self._let_pass()

    def _remove(self, wait: Wait) -> None:
        waits = self._waits.get(wait.peer)
        if waits and wait in waits:
            waits.remove(wait)
            if not waits:
                del self._waits[wait.peer]

    def _next(self) -> Wait:
        crowds_turn = self._since_crowd >= CROWD_PERIOD - 1
        firsts = (waits[0] for waits in self._waits.values())
        following = min(firsts, key=lambda each: (self._in_crowd(each) != crowds_turn, each.place))
        is_crowds = crowds_turn or self._in_crowd(following)
        self._since_crowd = 0 if is_crowds else self._since_crowd + 1
        return following

    def _in_crowd(self, wait: Wait) -> bool:
        return len(self._waits[wait.peer]) > MAX_WAITS

    # ------------------------------------------------------------ long turns

    def _passage(self) -> Callable[[Wait], bool]:
        """Return whether a request may begin now although there are as many as the limit."""
        begun = [each.begun for each in self._active]
        parties = {each.party for each in self._active}

        def may_pass(wait: Wait) -> bool:
            if not self._yields or wait.party in parties:
                return False  # one at a time: of several at once none is long yet
            length = self._lengths.get(wait.party)
            room = max(self._limit // 2, 1) if length is None else self._limit
            return len(begun) < self._limit + min(_count_longer(begun, length or 0), room)

        return may_pass

    def _begin_checks(self) -> None:
        """Look from now on whether requests may pass, until none waits.

        One thread looks for all: hundreds of waiting requests would be busy with it.
        """
        if self._yields and not self._checks:
            self._checks = True
            threading.Thread(target=self._check, name='fair-turns', daemon=True).start()

    def _check(self) -> None:
        while True:
            time.sleep(CHECK_SECONDS)
            with self._lock:
                before = -1
                while before != len(self._active):
                    before = len(self._active)
                    self._let_pass()
                if not self._waits:
                    self._checks = False
                    return

    def _let_pass(self) -> None:
        """Begin the first of the waiting requests that may pass, if there is one."""
        begun = [each.begun for each in self._active]
        if len(begun) >= self._limit + min(_count_longer(begun, 0), self._limit):
            return  # for each party: most calls end here
        may_pass = self._passage()
        waits = (each for waits in self._waits.values() for each in waits if may_pass(each))
        following = min(waits, key=lambda each: (self._in_crowd(each), each.place), default=None)
        if following is not None:
            self._remove(following)
            self._begin(following)

    def _note(self, wait: Wait) -> None:
        """Remember how long the turns of a party are."""
        if not self._yields:
            return
        lasted = time.monotonic() - wait.begun
        before = self._lengths.pop(wait.party, lasted)
        self._lengths[wait.party] = (before + lasted) / 2
        if len(self._lengths) > MAX_PEERS:
            del self._lengths[next(iter(self._lengths))]


def _count_longer(begun: list[float], seconds: float) -> int:
    """Return how many turns have lasted so long, at least LONG_SECONDS; ``begun`` is sorted."""
    return bisect.bisect_left(begun, time.monotonic() - max(seconds, LONG_SECONDS))


def _uninterruptible(_):
    return contextlib.nullcontext(lambda: False)


def of_logins(conf: cfg.ConfigOpts) -> FairTurns:
    """Return the turns of requests whose credentials Keystone, or an engine, checks."""
    limit, seconds = conf.heat_lite.max_logins_in_progress, conf.heat_lite.request_queue_timeout
    refusal = (
        f'the service checks the credentials of {limit} requests, and the turn of this one did '
        f'not come for {seconds:g} seconds; repeat it later'
    )
    return FairTurns(limit, seconds, refusal, yields=True)


class CappedTurns:
    """The turns of work that a peer can make slow, e.g. of bodies that it sends slowly.

    There are ``limit`` of them in all, and ``of_peer`` of one peer: others find a turn at once.
    """

    def __init__(self, limit: int, of_peer: int, seconds: float, refusal: str) -> None:
        """``seconds`` and ``refusal``: as of FairTurns. A limit of 0 means no limit."""
        self._total = FairTurns(limit, seconds, refusal)
        self._new = lambda: FairTurns(of_peer, seconds, refusal)
        self._peers: dict[str, FairTurns] = {}
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def turn(self, peer: str, interruptible: Interruptible | None = None) -> Iterator[None]:
        """Run the block in a turn of the peer, and in one of all; raise the errors of these."""
        with self._lock:
            own = self._peers.setdefault(peer, self._new())
            own.users += 1
        try:
            with own.turn(peer, interruptible), self._total.turn(peer, interruptible):
                yield
        finally:
            with self._lock:
                own.users -= 1
                if not own.users:
                    del self._peers[peer]


def of_unknown_bodies(conf: cfg.ConfigOpts) -> CappedTurns:
    """Return the turns of bodies that are read before the requester is known."""
    of_peer = conf.heat_lite.max_logins_in_progress
    limit = of_peer * BODIES_PER_LOGIN
    seconds = conf.heat_lite.request_queue_timeout
    refusal = (
        f'the service reads the bodies of {limit} requests, of a client {of_peer}, and the turn of '
        f'this one did not come for {seconds:g} seconds; repeat it later'
    )
    return CappedTurns(limit, of_peer, seconds, refusal)


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
