"""Long computations of requests: a process makes few of them at a time.

Each thread that computes delays all others by the switch interval of the interpreter, whenever one
of them has waited for something.
"""

import contextlib
import threading
from collections.abc import Iterator

from heat_lite.common.admission import Admission, Permit

#: long computations at a time, for two processors
PERMITS = 2

_permits = Admission(PERMITS)
_current = threading.local()


@contextlib.contextmanager
def permit(party: str) -> Iterator[None]:
    """Run the block with one of the permits for long computations."""
    _current.permit = _permits.take(Permit(party, threading.Event()))
    try:
        yield
    finally:
        held, _current.permit = _current.permit, None
        _permits.leave(held)


@contextlib.contextmanager
def waiting() -> Iterator[None]:
    """Run a block that waits for a service or another engine without the permit of this thread.

    What the thread waits for may need a permit itself.
    """
    held = getattr(_current, 'permit', None)
    if held is None:
        yield
        return
    _current.permit = None
    _permits.leave(held)
    try:
        yield
    finally:
        _current.permit = _permits.take(Permit(held.party, threading.Event()))
