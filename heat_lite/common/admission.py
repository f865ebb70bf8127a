"""Admission: how many requests a process has in progress, in all and of one party, e.g. a project.

Further requests wait in one queue, so those of one party never delay all others. A request has a
permit of its peer until its project is known, and then one of its project. Where a request waits
for another one, both are of different levels, which have permits of their own.
"""

import collections
import contextlib
import ipaddress
import itertools
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from oslo_config import cfg

from heat_lite.common import exception
from heat_lite.common.context import RequestContext

Environ = dict[str, Any]
#: Key of the environ of WSGI. The value is a function of the server: it takes a function that ends
#: a wait, and returns a context in which the server may call that, since it closes the connection.
#: The value of the context is a function that returns whether the connection is closed.
INTERRUPTIBLE = 'heat_lite.interruptible'
#: Key of the environ. The value is a function of the server: it ends the permit of the peer.
END_PEER_PERMIT = 'heat_lite.end_peer_permit'
Interruptible = Callable[
    [Callable[[], None]], contextlib.AbstractContextManager[Callable[[], bool]]
]

#: permits that a party may use before others that have waited, after it has used none for a while
CREDIT = 8
#: seconds of a request that count as one further permit
COUNTED_SECONDS = 0.1
#: requests of a peer that wait, above which they are a crowd; those of an honest client rarely are
MAX_WAITS = 2
#: crowds get one permit in so many while others wait
CROWD_PERIOD = 8
#: the part of a limit that parties without a request have beyond it
RESERVED_PART = 4
#: parties whose last permits are known; those of the others count as long past
MAX_PARTIES = 4096
#: the part of the limits that requests of OS::Heat::Stack resources have at each further level
NESTED_PART = 4
#: levels with permits of their own: a client may send any level in its header
MAX_DEPTH = 5


class Permit:
    """The permit of one request, or the wait for it. ``granted.set`` is called when it begins.

    ``peer``: the client, if the party is not.
    """

    def __init__(self, party: str, granted: Any, peer: str | None = None) -> None:
        self.party = party
        self.peer = party if peer is None else peer
        self.granted = granted
        self.begun: float | None = None
        #: the place of the request in the order of all
        self.place = (0, 0)


class Admission:
    """At most ``total`` requests in progress, ``of_party`` of one party; 0: no limit.

    A party that has none in progress may begin one beyond ``total``, as long as there are no more
    than a part of it: so a few parties with long requests do not hold all permits.

    Each request of a party has a number, one more than that of its last one, more after a long one,
    and at least CREDIT less than that of the request which began last. The lowest number begins
    first. But crowds get one permit in CROWD_PERIOD: a client that waits for each answer would
    otherwise soon have sent more than each of a hundred others, and wait for all that they send.
    """

    def __init__(
        self,
        total: int,
        of_party: int = 0,
        seconds: float | None = None,
        refusals: Sequence[str] = (),
    ) -> None:
        """``seconds``: the longest wait; ``refusals``: the error after it, if the party had as many
        requests in progress as it may, and otherwise.
        """
        self._total = total or 2**30
        self._reserve = max(self._total // RESERVED_PART, 1)
        self._of_party = of_party or 2**30
        self._seconds = seconds
        self._refusals = refusals
        self._lock = threading.Lock()
        self._active: collections.Counter[str] = collections.Counter()
        self._waits: dict[str, collections.deque[Permit]] = {}
        #: how many requests of each peer wait
        self._waiting: collections.Counter[str] = collections.Counter()
        self._arrivals = itertools.count()
        self._numbers: dict[str, int] = {}
        self._current = 0
        #: permits of others since the last one of a crowd
        self._since_crowd = 0

    @contextlib.contextmanager
    def permit(
        self, party: str, interruptible: Interruptible | None = None, peer: str | None = None
    ) -> Iterator[None]:
        """Run the block with a permit. Raises as ``take``."""
        permit = self.take(Permit(party, threading.Event(), peer), interruptible)
        try:
            yield
        finally:
            self.leave(permit)

    def take(self, permit: Permit, interruptible: Interruptible | None = None) -> Permit:
        """Wait until a request may begin.

        Raises ServiceUnavailable after the wait, and RequestAbandoned if it was interrupted or the
        client has left.
        """
        self.enter(permit)
        try:
            self._wait(permit, interruptible or _uninterruptible)
        except BaseException:
            self.leave(permit)
            raise
        return permit

    def enter(self, permit: Permit) -> Permit:
        """Begin a request, or wait for it without a thread; ``leave`` must follow in any case."""
        with self._lock:
            permit.place = self._count(permit.party, 1), next(self._arrivals)
            if self._may_begin(permit.party):
                self._begin(permit)
            else:
                self._waits.setdefault(permit.party, collections.deque()).append(permit)
                self._waiting[permit.peer] += 1
        return permit

    def leave(self, permit: Permit) -> None:
        """End a request, or the wait for it."""
        with self._lock:
            if permit.begun is None:
                if permit in self._waits.get(permit.party, ()):
                    self._remove(permit)
                return
            self._count(permit.party, int((time.monotonic() - permit.begun) / COUNTED_SECONDS))
            self._active[permit.party] -= 1
            if not self._active[permit.party]:
                del self._active[permit.party]
            while (following := self._next()) is not None:
                self._remove(following)
                self._begin(following)

    def _may_begin(self, party: str) -> bool:
        mine = self._active.get(party, 0)
        total = self._active.total()
        return mine < self._of_party and total < self._total + (0 if mine else self._reserve)

    def _begin(self, permit: Permit) -> None:
        self._current = max(self._current, permit.place[0])
        self._active[permit.party] += 1
        permit.begun = time.monotonic()
        permit.granted.set()

    def _remove(self, permit: Permit) -> None:
        self._waiting[permit.peer] -= 1
        if not self._waiting[permit.peer]:
            del self._waiting[permit.peer]
        waits = self._waits[permit.party]
        waits.remove(permit)
        if not waits:
            del self._waits[permit.party]

    def _count(self, party: str, permits: int) -> int:
        """Count permits of a party; return the number of the last one."""
        number = max(self._numbers.pop(party, 0), self._current - CREDIT) + permits
        self._numbers[party] = number
        if len(self._numbers) > MAX_PARTIES:
            del self._numbers[next(iter(self._numbers))]
        return number

    def _next(self) -> Permit | None:
        """Return the waiting request that begins next, if one may."""
        firsts = [waits[0] for party, waits in self._waits.items() if self._may_begin(party)]
        if not firsts:
            return None
        crowds_turn = self._since_crowd >= CROWD_PERIOD - 1
        following = min(firsts, key=lambda each: (self._in_crowd(each) != crowds_turn, each.place))
        is_crowds = crowds_turn or self._in_crowd(following)
        self._since_crowd = 0 if is_crowds else self._since_crowd + 1
        return following

    def _in_crowd(self, permit: Permit) -> bool:
        return self._waiting[permit.peer] > MAX_WAITS

    def _wait(self, permit: Permit, interruptible: Interruptible) -> None:
        if permit.begun is not None:
            return
        with interruptible(permit.granted.set) as is_closed:
            in_time = permit.granted.wait(self._seconds)
            if is_closed() or in_time and permit.begun is None:
                raise exception.RequestAbandoned()
        if permit.begun is None:
            is_full = self._active[permit.party] >= self._of_party
            raise exception.ServiceUnavailable(reason=self._refusals[0 if is_full else -1])


@contextlib.contextmanager
def _uninterruptible(_: Callable[[], None]) -> Iterator[Callable[[], bool]]:
    yield lambda: False


class RequestAdmission:
    """The permits of requests by their projects, at each level of nested stacks."""

    def __init__(self, limit: int, seconds: float, total: int = 0) -> None:
        """``limit``: of a project, ``total``: of all, ``seconds``: the longest wait."""
        refusals = (
            f'the project has {limit} requests in progress, and none has ended for {seconds:g} '
            'seconds; repeat the request when they have ended',
            f'the service has {total} requests in progress, and the turn of this one did not come '
            f'for {seconds:g} seconds; repeat it later',
        )
        total_nested, nested = (each and max(each // NESTED_PART, 1) for each in (total, limit))
        self._levels = [Admission(total, limit, seconds, refusals)]
        self._levels += [
            Admission(total_nested, nested, seconds, refusals) for _ in range(MAX_DEPTH)
        ]

    @classmethod
    def of_options(cls, conf: cfg.ConfigOpts) -> 'RequestAdmission':
        """Return the permits that the options set."""
        options = conf.heat_lite
        return cls(
            options.max_requests_per_tenant,
            options.request_queue_timeout,
            options.max_requests_in_progress,
        )

    def permit(
        self, context: RequestContext, environ: Environ
    ) -> contextlib.AbstractContextManager[None]:
        """Return a block with a permit of the project. Raises as ``Admission.permit``."""
        level = self._levels[min(context.stack_depth or 0, MAX_DEPTH)]
        _end_peer_permit(environ)
        return level.permit(context.project_id or '', environ.get(INTERRUPTIBLE), _peer_of(environ))


class LoginAdmission:
    """The permits of requests whose credentials Keystone, or an engine, checks, by their peers."""

    def __init__(self, conf: cfg.ConfigOpts) -> None:
        limit, seconds = conf.heat_lite.max_logins_in_progress, conf.heat_lite.request_queue_timeout
        refusal = (
            f'the service checks the credentials of {limit} requests, and the turn of this one did '
            f'not come for {seconds:g} seconds; repeat it later'
        )
        self._admission = Admission(limit, 0, seconds, [refusal])

    def permit(self, environ: Environ) -> contextlib.AbstractContextManager[None]:
        """Return a block with a permit of the client, or of the client of a proxy that is trusted
        by ``enable_proxy_headers_parsing``.
        """
        _end_peer_permit(environ)
        return self._admission.permit(_peer_of(environ), environ.get(INTERRUPTIBLE))


def _peer_of(environ: Environ) -> str:
    return peer_of(environ.get('REMOTE_ADDR') or '')


def _end_peer_permit(environ: Environ) -> None:
    if END_PEER_PERMIT in environ:
        environ[END_PEER_PERMIT]()


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
