"""What other threads ask of the work on a stack: messages, visits, and verbs that take it over.

The work on a stack is one job, which alone touches the stack's objects. Whoever wants something of a stack at work puts it into the
inbox and waits until the job has seen to it.
"""

import collections
import threading

#: how long to wait for the work to take in what it is asked, in seconds
SECONDS = 30


class TakenOver(BaseException):
    """Another verb goes on with the stack: the walk ends here, what it has begun ends by itself. No failure, so no Exception."""


class Request:
    """Something to be done by the job of a stack; ``wait`` gives its result, or raises its error, in the thread that asks."""

    def __init__(self):
        self._done = threading.Event()
        self._result = self._error = None

    def end(self, result=None, error=None):
        self._result, self._error = result, error
        self._done.set()

    def wait(self, seconds=SECONDS):
        """False when it has not been seen to in time."""
        if not self._done.wait(seconds):
            return False
        if self._error is not None:
            raise self._error
        return True

    @property
    def result(self):
        return self._result


class Visit(Request):
    """``errand(stack)`` is called between two turns; what it changes is stored before the visitor hears of it."""

    def __init__(self, errand):
        super().__init__()
        self._errand = errand
        self._outcome = {}

    def make(self, stack):
        try:
            self._outcome = {'result': self._errand(stack)}
        except Exception as error:  # it is the visitor's, who gets it
            self._outcome = {'error': error}

    def leave(self):
        self.end(**self._outcome)


class Verb(Request):
    """An action on a stack: ``check(stack)`` raises what speaks against it, ``begin(stack)`` says that it has begun,
    ``work(stack, action, inbox)`` is a generator."""

    def __init__(self, action, work, begin, check=None):
        super().__init__()
        self.action = action
        self.work = work
        self.begin = begin
        self.check = check


class Inbox:
    """The way to the work on one stack; whatever comes wakes its job. Once closed it takes nothing more."""

    def __init__(self):
        self._guard = threading.Lock()
        self._messages = collections.deque()
        self._verbs = collections.deque()
        self._visits = collections.deque()
        self._closed = False
        self._job = None

    def attach(self, job):
        self._job = job
        job.wake()

    def wake(self):
        if self._job is not None:
            self._job.wake()

    # ------------------------------------------------------------ for others

    def send(self, message):
        self._messages.append(message)
        self.wake()

    def take_over(self, verb):
        """False when the work is over."""
        return self._put(self._verbs, verb)

    def visit(self, visit):
        """False when the work is over."""
        return self._put(self._visits, visit)

    def withdraw(self, request):
        """Take back what has not been looked at yet; False when it has."""
        with self._guard:
            for asked in (self._verbs, self._visits):
                if request in asked:
                    asked.remove(request)
                    return True
        return False

    def _put(self, queue, item):
        with self._guard:
            if self._closed:
                return False
            queue.append(item)
        self.wake()
        return True

    # ------------------------------------------------------------ for the work

    def receive(self):
        """The oldest message, None when there is none."""
        return self._messages.popleft() if self._messages else None

    def wants_over(self, stack):
        """Whether a verb is to go on with the stack; those that must not are told so, and the work is not disturbed."""
        while self._verbs:
            verb = self._verbs[0]
            try:
                verb.check(stack)
                return True
            except Exception as error:
                if self.withdraw(verb):
                    verb.end(error=error)
        return False

    def next_verb(self):
        with self._guard:
            return self._verbs.popleft() if self._verbs else None

    def visits(self):
        with self._guard:
            visits = list(self._visits)
            self._visits.clear()
        return visits

    def close(self):
        """Take nothing more; False when there is something to be done yet."""
        with self._guard:
            if self._verbs or self._visits:
                return False
            self._closed = True
            return True
