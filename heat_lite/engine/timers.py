"""What an engine does now and then, each in a thread of its own."""

import logging
import random
import threading

LOG = logging.getLogger(__name__)


class Timer:
    """Calls ``work`` when it starts, or ``delay`` seconds later, and then every ``interval`` seconds, more or less: engines that
    were started together shall not all do it together."""

    def __init__(self, name, interval, work, delay=0):
        self._name = name
        self._interval = interval
        self._work = work
        self._delay = delay
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self):
        self._thread.start()

    def stop(self):
        """No more of it; waits for the end of what is under way."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self):
        self._stopping.wait(self._delay)
        while not self._stopping.is_set():
            try:
                self._work()
            except Exception:  # the database may be away for a while; the next time comes
                LOG.exception('The %s has failed this time', self._name)
            self._stopping.wait(self._interval * random.uniform(0.8, 1.2))
