"""Requests to the task of a stack: messages, callbacks, and actions that preempt the running one.

Only the task of a stack touches the objects of a stack at work. Other threads put a request into
the mailbox of the task and wait until the task has served it.
"""

import collections
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from heat_lite.common import exception, long_work, tracing
from heat_lite.common.value_types import Value
from heat_lite.engine.stack import legacy_stacks, stack_storage
from heat_lite.engine.stack.action_run import ActionRun
from heat_lite.engine.stack.stack import Stack
from heat_lite.engine.task_pool import Job
from heat_lite.rpc import api

if TYPE_CHECKING:
    from heat_lite.engine.execution.actions import Action

#: how long a requester waits for the task, in seconds
SECONDS = 30
#: the message of another engine: look at the rows of the stack (see ``shared_runner``)
LOOK = 'look'


def unavailable(stack: Stack) -> exception.ServiceUnavailable:
    """Return the error of a request that nothing forbids and that has waited for SECONDS."""
    return exception.ServiceUnavailable(
        reason=f'the work on stack {stack.name} has not taken it for {SECONDS} seconds, as when '
        'the database does not answer. Repeat it later.'
    )


def cancel_message(stack: Stack) -> str:
    """Return the message that cancels the present action of a stack.

    It names the action: a broker, or an engine that was silent, may deliver it to a later one.
    """
    return f'{api.CANCEL} {stack.action} {stack.updated_at}'


class Preempted(BaseException):
    """Another action goes on with the stack, so the walk ends; its handlers at work go on.

    Not a failure, therefore not an Exception.
    """


class Request:
    """Something for the task of a stack to do; ``wait`` returns in the thread of the requester."""

    def __init__(self) -> None:
        self._done = threading.Event()
        self._given_back = False
        self.result: Value = None
        self._error: BaseException | None = None

    def end(self, result: Value = None, error: BaseException | None = None) -> None:
        """Release the requester, with a result or with an error to raise."""
        self.result, self._error = result, error
        self._done.set()

    def give_back(self) -> None:
        """Release the requester without an outcome: the task has ended before."""
        self._given_back = True
        self._done.set()

    def take_back(self) -> bool:
        """Return whether the task has given the request back; it can be sent again then."""
        given_back, self._given_back = self._given_back, False
        if given_back:
            self._done.clear()
        return given_back

    def wait(self, seconds: float = SECONDS) -> bool:
        """Return whether the request was served in time. Raises the error it was served with."""
        with long_work.waiting():
            is_served = self._done.wait(seconds)
        if not is_served:
            return False
        if self._error is not None:
            raise self._error
        return True


class Callback(Request):
    """A call of ``function(stack)`` between two turns of the walker.

    Its changes are stored before the requester is released.
    """

    def __init__(self, function: Callable[[Stack], Value]) -> None:
        super().__init__()
        self._function = function

    def call(self, stack: Stack) -> None:
        """Call the function; its error belongs to the requester."""
        self._error = None
        try:
            self.result = self._function(stack)
        except Exception as error:
            self._error = error

    def deliver(self) -> None:
        """Release the requester with the outcome of the call."""
        self._done.set()


class ActionRequest(Request):
    """An action to execute on a stack.

    ``stack`` is the requester's copy, ``run`` the ActionRun, ``action`` the row of
    ``actions.ACTIONS``.
    """

    def __init__(self, stack: Stack, run: ActionRun, action: 'Action') -> None:
        super().__init__()
        self.stack = stack
        self.run = run
        self.action = action
        self.trace = tracing.base()

    def check(self, live: Stack) -> None:
        """Raise what forbids the action on ``live``, the stack as its task knows it."""
        if live is self.stack:
            stack_storage.refresh(live)
        else:
            live.require_existing()
        self.action.check(live, self.run)

    def begin(self, live: Stack) -> None:
        """Store the beginning of the action on ``live``; the requester's copy gets its state."""
        if self.action.preempts:
            self.check(live)
            live.context = self.stack.context
        legacy_stacks.bring_over(live)
        self.run.draining = live.run.draining
        live.run = self.run
        self.action.begin(live)
        self.stack.copy_state(live)


class Mailbox:
    """The mailbox of one stack task; each message wakes the task. A closed mailbox refuses."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._messages: collections.deque[str] = collections.deque()
        self._actions: collections.deque[ActionRequest] = collections.deque()
        self._callbacks: collections.deque[Callback] = collections.deque()
        self._closed = False
        #: whether the worker has to end: this engine has got the lock of its stack
        self.must_leave = False
        self._job: Job | None = None

    def attach(self, job: Job) -> None:
        """Wake ``job`` for each message from now on, and once for those already here."""
        self._job = job
        job.wake()

    def wake(self) -> None:
        if self._job is not None:
            self._job.wake()

    # ------------------------------------------------------------ for requesters

    def send(self, message: str) -> bool:
        """Leave a message such as ``task_manager.CANCEL``; False when the task has ended."""
        return self._put(self._messages, message)

    def send_away(self) -> None:
        """Have the worker end at once (see ``worker_task``)."""
        self.must_leave = True
        self.wake()

    def put_action(self, request: Request) -> bool:
        """Queue an action; False when the task has ended."""
        return self._put(self._actions, request)

    def put_callback(self, callback: Request) -> bool:
        """Queue a callback; False when the task has ended."""
        return self._put(self._callbacks, callback)

    def await_served(self, stack: Stack, request: Request, has_ended: Callable[[], bool]) -> bool:
        """Return whether the task has served a queued request; False when it ended before.

        Raises ServiceUnavailable if the task has not taken the request after SECONDS, and the error
        of the request.
        """
        while not request.wait(SECONDS):
            if self.withdraw(request):
                raise unavailable(stack)
            if has_ended():
                return request.wait(0)
        return not request.take_back()

    def withdraw(self, request: Request) -> bool:
        """Remove a request; False when the task has taken it already."""
        with self._guard:
            queues: tuple[collections.deque, ...] = self._actions, self._callbacks
            for queue in queues:
                if request in queue:
                    queue.remove(request)
                    return True
        return False

    def _put(self, queue: collections.deque, item: Request | str) -> bool:
        with self._guard:
            if self._closed:
                return False
            queue.append(item)
        self.wake()
        return True

    # ------------------------------------------------------------ for the task

    def receive(self, stack: Stack) -> str | None:
        """Return the oldest message that is not LOOK, None when there is none.

        Those that cancel a former action of the stack are dropped.
        """
        for message in list(self._messages):
            if message != LOOK:
                self._messages.remove(message)
                if not message.startswith(f'{api.CANCEL} ') or message == cancel_message(stack):
                    return message
        return None

    def has(self, message: str) -> bool:
        return message in self._messages

    def has_callbacks(self) -> bool:
        return bool(self._callbacks)

    def receive_all(self, message: str) -> bool:
        """Remove all messages equal to ``message``; return whether there was one."""
        found = False
        while message in self._messages:
            self._messages.remove(message)
            found = True
        return found

    def should_preempt(self, stack: Stack) -> bool:
        """Whether an action waits that may preempt; those that may not are refused on the way."""
        while self._actions:
            request = self._actions[0]
            try:
                request.check(stack)
                return True
            except Exception as error:
                if self.withdraw(request):
                    request.end(error=error)
        return False

    def next_action(self) -> ActionRequest | None:
        """Return the oldest action, None when there is none."""
        with self._guard:
            return self._actions.popleft() if self._actions else None

    def callbacks(self) -> list[Callback]:
        """Return the waiting callbacks and forget them."""
        with self._guard:
            callbacks = list(self._callbacks)
            self._callbacks.clear()
        return callbacks

    def shut(self) -> None:
        """Refuse further requests, and give back those that wait: the task has ended."""
        with self._guard:
            self._closed = True
            waiting: list[Request] = [*self._actions, *self._callbacks]
            self._actions.clear()
            self._callbacks.clear()
        for request in waiting:
            request.give_back()

    def close(self, with_messages: bool = False) -> bool:
        """Refuse further requests; False when one still waits, or a message ``with_messages``."""
        with self._guard:
            if self._actions or self._callbacks or with_messages and self._messages:
                return False
            self._closed = True
            return True
