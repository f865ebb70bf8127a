"""The timeout of tests for a state to be reached."""

import time
from collections.abc import Callable
from typing import Any

#: in seconds; generous, because the machine may be loaded, and reached only when the test fails
WAIT_SECONDS = 180
#: longer than a test may take (``timeout`` in setup.cfg): for a wait that must not happen
NEVER_SECONDS = 3600
LOOKS_A_SECOND = 100


def wait_until(condition: Callable[[], Any]) -> None:
    """Wait for a condition. Raises AssertionError if it stays false."""
    for _ in range(WAIT_SECONDS * LOOKS_A_SECOND):
        if condition():
            return
        time.sleep(1 / LOOKS_A_SECOND)
    raise AssertionError('the condition stays false')
