"""Health of a process: which of its checks fail, since when and why.

A probe is a function that returns, or raises the reason of a failure. It may hang, e.g. at a
database that does not answer: its check then fails until it returns.
"""

import datetime
import logging
import threading
import time
from collections.abc import Callable, Mapping

from heat_lite.common.value_types import Values

LOG = logging.getLogger(__name__)

#: seconds that a probe may take
PROBE_SECONDS = 2.0
#: seconds between two looks of ``Health.watch``
WATCH_SECONDS = 2.0
#: seconds in which a process that ends closes its connections
CLOSE_SECONDS = 2.0

Probe = Callable[[], object]


class Check:
    """One probe and what was found: ``reason`` of the present failure, None if there is none."""

    def __init__(self, name: str, probe: Probe) -> None:
        self.name = name
        self.reason: str | None = None
        #: monotonic time of the beginning of the present failure
        self.failing_since = 0.0
        self._probe = probe
        self._began = 0.0
        self._thread: threading.Thread | None = None

    def begin(self) -> None:
        """Run the probe in a thread, unless it still runs."""
        if self._thread is not None and self._thread.is_alive():
            return
        self._began = time.monotonic()
        self._thread = threading.Thread(
            target=self._run, args=(self._began,), name=f'check-{self.name}', daemon=True
        )
        self._thread.start()

    def end(self, deadline: float) -> None:
        """Wait for the probe until ``deadline``; without its end the check fails."""
        assert self._thread is not None
        self._thread.join(max(deadline - time.monotonic(), 0))
        if self._thread.is_alive():
            seconds = time.monotonic() - self._began
            self._store(self._began, f'no answer for {seconds:.0f} s')

    def seconds(self) -> float:
        """Return how long the check has failed."""
        return 0.0 if self.reason is None else time.monotonic() - self.failing_since

    def _run(self, began: float) -> None:
        try:
            self._probe()
        except Exception as error:
            self._store(began, f'{type(error).__name__}: {first_line(error)}')
        else:
            self._store(began, None)

    def _store(self, began: float, reason: str | None) -> None:
        if reason is not None and self.reason is None:
            self.failing_since = began
            LOG.warning('The check of %s fails: %s', self.name, reason)
        elif reason is None and self.reason is not None:
            LOG.info('The check of %s succeeds after %.0f s', self.name, self.seconds())
        self.reason = reason

    def report(self) -> Values:
        """Return the finding as data of JSON."""
        if self.reason is None:
            return {'name': self.name, 'status': 'ok'}
        seconds = self.seconds()
        since = datetime.datetime.now(datetime.UTC) - datetime.timedelta(seconds=seconds)
        return {
            'name': self.name,
            'status': 'failing',
            'reason': self.reason,
            'since': since.isoformat(timespec='seconds'),
            'seconds': round(seconds, 1),
        }


class Health:
    """The checks of a process, by their names."""

    def __init__(self, probes: Mapping[str, Probe]) -> None:
        self.checks = [Check(name, probe) for name, probe in probes.items()]
        self._lock = threading.Lock()
        self._looked_at = 0.0
        self._stopping = threading.Event()

    def look(self, seconds: float = PROBE_SECONDS) -> list[Check]:
        """Run all probes at once, for at most ``seconds``. Return the checks that fail."""
        with self._lock:
            deadline = time.monotonic() + seconds
            for check in self.checks:
                check.begin()
            for check in self.checks:
                check.end(deadline)
            self._looked_at = time.monotonic()
        return self.failing()

    def look_again(self, fresh: float) -> list[Check]:
        """Look, unless the last look is younger than ``fresh`` seconds.

        Checks without a login must not cost more than that.
        """
        with self._lock:
            if time.monotonic() - self._looked_at < fresh:
                return self.failing()
        return self.look()

    def failing(self) -> list[Check]:
        """Return the checks that failed at the last look."""
        return [check for check in self.checks if check.reason is not None]

    def report(self) -> Values:
        """Return the findings of the last look as data of JSON."""
        return report_of([check.report() for check in self.checks])

    def watch(self, tell: Callable[[Values], object]) -> None:
        """Look every WATCH_SECONDS, in a thread, and tell the report, until ``stop``."""

        def run() -> None:
            while not self._stopping.is_set():
                self.look()
                tell(self.report())
                self._stopping.wait(WATCH_SECONDS)

        threading.Thread(target=run, name='health', daemon=True).start()

    def stop(self) -> None:
        self._stopping.set()


def report_of(checks: list[Values]) -> Values:
    """Return the JSON body of a health check."""
    failing = any(each['status'] != 'ok' for each in checks)
    return {'status': 'failing' if failing else 'ok', 'checks': checks}


def first_line(error: BaseException) -> str:
    """Return the beginning of the text of an error, which names no statement or data."""
    return str(error).strip().partition('\n')[0][:200]


def finish(
    work: Callable[[], object], close: Callable[[], object], health: Health, patience: float
) -> bool:
    """Run ``work``, the orderly end of a process, then ``close``. Return whether both have ended.

    ``work`` is left behind when a check has failed for ``patience`` seconds since the call.
    ``close()`` closes connections, which no check can use meanwhile: it has CLOSE_SECONDS.
    """
    if not _end_with(work, health, patience):
        return False
    thread = threading.Thread(target=close, name='close', daemon=True)
    thread.start()
    thread.join(CLOSE_SECONDS)
    return not thread.is_alive()


def _end_with(work: Callable[[], object], health: Health, patience: float) -> bool:
    thread = threading.Thread(target=work, name='stop', daemon=True)
    began = time.monotonic()
    thread.start()
    while thread.is_alive():
        thread.join(0.1)
        if not thread.is_alive():
            return True
        for check in health.look(min(PROBE_SECONDS, patience)):
            if time.monotonic() - max(began, check.failing_since) > patience:
                LOG.warning(
                    'The process ends without %s (%s): what is unfinished is taken over',
                    check.name,
                    check.reason,
                )
                return False
        thread.join(0.5)
    return True
