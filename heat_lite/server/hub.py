"""One native thread with the event loop of all green threads of this process.

Green threads do what waits for clients: accepts, reads, writes, streams of events. Nothing is
monkey patched: they use sockets of eventlet, and native threads do all other work.
"""

import collections
import concurrent.futures
import functools
import socket
import threading
from collections.abc import Callable
from typing import Any

import eventlet
import eventlet.event
import eventlet.hubs


class Hub:
    """The thread. ``call``, ``run`` and ``Event.set`` are for native threads."""

    def __init__(self) -> None:
        self._calls: collections.deque[tuple[Callable[..., Any], tuple[Any, ...]]] = (
            collections.deque()
        )
        self._reader, self._writer = socket.socketpair()
        self._writer.setblocking(False)
        self._is_awake = False
        threading.Thread(target=self._run, name='hub', daemon=True).start()

    def _run(self) -> None:
        while True:
            eventlet.hubs.trampoline(self._reader, read=True)
            self._reader.recv(4096)
            self._is_awake = False  # before the look at the calls, or one would be missed
            while self._calls:
                call, arguments = self._calls.popleft()
                call(*arguments)

    def call(self, call: Callable[..., Any], *arguments: Any) -> None:
        """Have the hub call a function soon. The function must not wait."""
        self._calls.append((call, arguments))
        if not self._is_awake:
            self._is_awake = True
            self._writer.send(b'.')

    def run(self, call: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function in a new green thread, and return its result."""
        future: concurrent.futures.Future[Any] = concurrent.futures.Future()
        self.call(eventlet.spawn_n, _complete, future, call, arguments)
        return future.result()

    def run_in(
        self, pool: concurrent.futures.Executor, call: Callable[..., Any], *arguments: Any
    ) -> Any:
        """Call a function in a native thread of a pool, for a green thread that waits for it."""
        ended = Event(self)
        future = pool.submit(call, *arguments)
        future.add_done_callback(lambda _: ended.set())
        ended.wait()
        return future.result()


@functools.cache
def of_process() -> Hub:
    """Return the hub of this process. Must be called after any fork."""
    return Hub()


def _complete(
    future: 'concurrent.futures.Future[Any]', call: Callable[..., Any], arguments: tuple[Any, ...]
) -> None:
    try:
        future.set_result(call(*arguments))
    except BaseException as error:
        future.set_exception(error)


class Event:
    """An event that any thread sets, and for which one green thread waits."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._is_set = False
        self._waiter: eventlet.event.Event | None = None

    def set(self) -> None:
        self._is_set = True
        if self._waiter is not None:
            self._hub.call(self._wake)

    def clear(self) -> None:
        self._is_set = False

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the event is set, at most ``seconds``. Return whether it is."""
        waiter = self._waiter = eventlet.event.Event()
        try:
            if not self._is_set:  # after the waiter is known, or a wake-up would be lost
                waiter.wait(seconds)
        finally:
            self._waiter = None
        return self._is_set

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.ready():
            self._waiter.send(None)
