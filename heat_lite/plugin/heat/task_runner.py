"""The task runner that plug-ins written for Heat construct: ``done()`` is a call."""

import time
from collections.abc import Callable, Iterator

from heat_lite.common.value_types import Value
from heat_lite.engine import scheduler


class TaskRunner:
    """Runs a task: a function that returns a generator, or does its work at once."""

    def __init__(self, task: Callable[..., Value], *args: Value, **kwargs: Value) -> None:
        self._task = task
        self._runner = scheduler.TaskRunner(task, *args, **kwargs)

    def __call__(
        self,
        wait_time: float = 1,
        timeout: float | None = None,
        progress_callback: Callable[[], object] | None = None,
    ) -> None:
        """Run the task to its end, with ``wait_time`` seconds between its steps."""
        for _ in self.as_task(timeout, progress_callback):
            time.sleep(wait_time)

    def start(self, timeout: float | None = None) -> None:
        self._runner.start(timeout)

    def step(self) -> bool:
        """Run the next step. Return whether the task is done."""
        return self._runner.step()

    def run_to_completion(
        self, wait_time: float = 1, progress_callback: Callable[[], object] | None = None
    ) -> None:
        self(wait_time, None, progress_callback)

    def as_task(
        self, timeout: float | None = None, progress_callback: Callable[[], object] | None = None
    ) -> Iterator[None]:
        """Return a generator that runs the task."""
        if not self.started():
            self.start(timeout)
        while not self.done():
            yield
            self.step()
            if progress_callback is not None:
                progress_callback()

    def cancel(self, grace_period: float | None = None) -> None:
        self._runner.cancel(grace_period)

    def started(self) -> bool:
        return self._runner.started

    def done(self) -> bool:
        return self._runner.done

    def __bool__(self) -> bool:
        """Return whether there is something left to do."""
        return not self.done()
