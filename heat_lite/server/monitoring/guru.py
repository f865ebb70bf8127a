"""The report of a process (oslo.reports): threads, options, and its work.

It is written at SIGUSR2 or, with [oslo_reports] file_event_handler, at each change of that file. It
goes to standard error, or to a file in [oslo_reports] log_dir. The values of secret options are
not in it. The library is loaded at the first report.
"""

import contextlib
import importlib
import json
import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

from oslo_reports import opts

from heat_lite.common import installation
from heat_lite.common.value_types import Values

GROUP = 'oslo_reports'


class Version:
    """The version of this program, as the library asks for it."""

    def vendor_string(self) -> str:
        return 'heat_lite'

    def product_string(self) -> str:
        return 'heat_lite'

    def version_string_with_package(self) -> str:
        return installation.revision()


def install(conf: Any, describe: Callable[[], Values]) -> None:
    """Report when asked. ``describe()`` returns what the process does, as data of JSON."""
    conf.register_opts([each for _, found in opts.list_opts() for each in found], group=GROUP)
    if conf[GROUP].file_event_handler:
        threading.Thread(
            target=_watch, args=(conf, describe, time.time()), name='reports', daemon=True
        ).start()
        return
    with contextlib.suppress(ValueError):  # only a main thread can receive signals
        signal.signal(signal.SIGUSR2, lambda signum, frame: report(conf, describe, frame))


def _watch(conf: Any, describe: Callable[[], Values], last: float) -> None:
    """Report at each change of a file later than ``last``. The file need not exist yet."""
    while True:
        time.sleep(conf[GROUP].file_event_handler_interval)
        with contextlib.suppress(OSError):
            changed = os.stat(conf[GROUP].file_event_handler).st_mtime
            if changed > last:
                last = changed
                report(conf, describe)


def report(conf: Any, describe: Callable[[], Values], frame: Any = None) -> None:
    """Write the report of this process."""
    library = importlib.import_module('oslo_reports.guru_meditation_report')
    guru = library.TextGuruMeditation
    if not getattr(guru, 'heat_lite_work', None):
        guru.register_section('Work', lambda: _WorkSection(guru.heat_lite_work))
    guru.heat_lite_work = staticmethod(describe)
    guru.handle_signal(Version(), conf.prog, conf[GROUP].log_dir, frame)


class _WorkSection:
    """The section with the work of the process."""

    def __init__(self, describe: Callable[[], Values]) -> None:
        self._describe = describe

    def set_current_view_type(self, view: str, visited: Any = None) -> None:
        """The library asks for a kind of view; this section has one."""

    def __str__(self) -> str:
        try:
            return json.dumps(self._describe(), indent=1, default=str)
        except Exception as error:
            return f'unknown: {type(error).__name__}: {error}'
