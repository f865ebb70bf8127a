"""The executor of an RPC server: its threads serve the projects in turn.

An engine gets the requests of all API processes. Their limits together may be more than an engine
has threads, so requests that last long would keep those of other projects waiting here.
"""

import concurrent.futures
import threading
import weakref
from collections.abc import Callable, Sequence

from oslo_messaging._drivers.base import RpcIncomingMessage

from heat_lite.common import attempt, log_context
from heat_lite.common.admission import Admission, Permit

#: what a server of oslo.messaging receives at a time
Incoming = Sequence[RpcIncomingMessage]

_executors: 'weakref.WeakSet[RequestExecutor]' = weakref.WeakSet()


def end_idle_threads() -> None:
    """End the threads of this process that wait for calls: a burst has started them."""
    for executor in list(_executors):
        executor.end_idle_threads()


class RequestExecutor:
    """Threads for calls with an incoming message, whose context names the project.

    ``max_workers`` calls run at a time, and some more of projects that have no other one.
    ``refuse`` is called with each message that still waits when the executor is shut down, and
    returns whether it was answered; the other ones are processed.
    """

    def __init__(self, max_workers: int, refuse: Callable[[Incoming], bool]) -> None:
        self._refuse = refuse
        self._admission = Admission(max_workers)
        self._threads = 2 * max_workers
        self._pool = concurrent.futures.ThreadPoolExecutor(self._threads)
        self._lock = threading.Lock()
        self._waiting: set[_Call] = set()
        self._running: set[_Call] = set()
        self._all_ended = threading.Condition(self._lock)
        self._closed = False
        _executors.add(self)

    def submit(self, function: Callable[[Incoming], object], incoming: Incoming) -> None:
        """Call the function with the message as soon as its project may have a further call."""
        call = _Call(self, function, incoming)
        with self._lock:
            self._waiting.add(call)
        self._admission.enter(call.permit)

    def end_idle_threads(self) -> None:
        """End the threads that wait for calls; the others end after their calls.

        Later calls start new threads.
        """
        with self._lock:
            if not self._closed:
                self._pool.shutdown(wait=False)
                self._pool = concurrent.futures.ThreadPoolExecutor(self._threads)

    def attempts(self) -> list[tuple[Incoming, attempt.Attempt]]:
        """Return the messages of the calls that wait or run, with the attempts at them."""
        with self._lock:
            return [(call.incoming, call.attempt) for call in (*self._waiting, *self._running)]

    def shutdown(self, wait: bool = True) -> None:
        """Refuse the calls that wait, or begin them; wait for the end of those that run."""
        with self._lock:
            self._closed = True
            waiting, self._waiting = self._waiting, set()
        for call in waiting:
            self._admission.leave(call.permit)
            self._pool.submit(self._end, call)
        self._pool.shutdown(wait)
        if wait:
            with self._lock:  # calls whose threads were no longer of the pool
                self._all_ended.wait_for(lambda: not self._running)

    def _end(self, call: '_Call') -> None:
        if not self._refuse(call.incoming):
            call.function(call.incoming)

    def begin(self, call: '_Call') -> None:
        """Run a call that has its permit, unless it has been refused."""
        with self._lock:
            if call not in self._waiting:
                return
            self._waiting.remove(call)
            self._pool.submit(self._run, call)  # raises RuntimeError after the shutdown
            self._running.add(call)

    def _run(self, call: '_Call') -> None:
        attempt.set_current(call.attempt)
        try:
            if not call.attempt.given_back:
                call.function(call.incoming)
        finally:
            attempt.set_current(None)
            log_context.forget_request()  # an idle thread would keep it
            self._admission.leave(call.permit)
            with self._lock:
                self._running.remove(call)
                self._all_ended.notify_all()


class _Call:
    """A call that waits for its permit; ``set`` is called when it gets it."""

    def __init__(
        self, executor: RequestExecutor, function: Callable[[Incoming], object], incoming: Incoming
    ) -> None:
        self._executor = executor
        self.function = function
        self.incoming = incoming
        self.attempt = attempt.Attempt()
        self.permit = Permit(project_of(incoming), self)

    def set(self) -> None:
        self._executor.begin(self)


def project_of(incoming: Incoming) -> str:
    """Return the id of the project of a list of messages; '' for those without one."""
    context = getattr(incoming[0], 'ctxt', None)
    project = context.get('project_id') if isinstance(context, dict) else None
    return project if isinstance(project, str) else ''
