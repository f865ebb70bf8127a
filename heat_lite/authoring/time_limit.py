"""A time limit for work on templates, which may be a stranger's."""

import gc
import os
import signal
import sys
import traceback
from collections.abc import Callable
from types import FrameType

#: default of --timeout, in seconds
TIMEOUT = 60.0
FAILED = 2
#: new objects after which their garbage is collected
OBJECTS_PER_COLLECTION = 100_000


def exit_status(program: str, seconds: float, work: Callable[[], int]) -> int:
    """Return the exit status of ``work()``, or 2 after ``seconds``.

    The work is done in a child process: a regular expression of a template may hold the
    interpreter, so that no signal handler of the same process would run.
    """
    child = os.fork()
    if child == 0:
        status = FAILED
        _collect_seldom()
        try:
            status = work()
        except KeyboardInterrupt:
            pass
        except OSError as error:
            print(f'{program}: {error}', file=sys.stderr)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    previous = signal.signal(signal.SIGALRM, _raise_timeout)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001))
    try:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    except BaseException as error:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        if not isinstance(error, TimeoutError):
            raise
        print(f'{program}: not finished after {seconds:g} seconds', file=sys.stderr)
        return FAILED
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def _collect_seldom() -> None:
    """Collect garbage seldom: a large template is many objects that stay until the end.

    With the usual thresholds, a lint of 9,000 references takes twice as long.
    """
    gc.freeze()
    gc.set_threshold(OBJECTS_PER_COLLECTION, 50, 50)


def _raise_timeout(signum: int, frame: FrameType | None) -> None:
    raise TimeoutError
