"""What is told to others than the database, in order and by a thread of its own: who listens slowly, or is away, holds up no stack."""

import logging
import queue
import threading

LOG = logging.getLogger(__name__)


class Outbox:
    """``deliver(item)`` is called with one after the other; it sees to its errors itself. At most ``most`` wait: what comes after them is
    lost. ``what`` they are and ``whom`` they wait for is said in the log then."""

    def __init__(self, deliver, what, whom, most):
        self._deliver = deliver
        self._what, self._whom, self._most = what, whom, most
        self._waiting = queue.Queue(most)
        self._guard = threading.Lock()
        self._thread = None

    def put(self, item, name):
        """Tell it soon. ``name`` is how the log calls it."""
        with self._guard:
            if self._thread is None:
                self._thread = threading.Thread(target=self._deliver_all, name=self._what, daemon=True)
                self._thread.start()
        try:
            self._waiting.put_nowait(item)
        except queue.Full:
            LOG.warning('%s is not told: %d %s wait for %s', name, self._most, self._what, self._whom)

    def stop(self, seconds):
        """Give what waits so long to be told."""
        if self._thread is None:
            return
        try:
            self._waiting.put(None, timeout=seconds)
            self._thread.join(seconds)
        except queue.Full:
            LOG.warning('%d %s still wait for %s: they are not told', self._most, self._what, self._whom)

    def _deliver_all(self):
        while (item := self._waiting.get()) is not None:
            self._deliver(item)
