"""The reports of the workers of a program, one file for each in a folder of its own.

Any worker answers for all of them: each writes its own report, and reads those of the others.
"""

import contextlib
import json
import logging
import os
import shutil
import tempfile
import time
from pathlib import Path

from heat_lite.common.value_types import Values

LOG = logging.getLogger(__name__)

#: environment variable that names the folder to the workers that replace others
VARIABLE = 'HEAT_LITE_MONITORING'
PREFIX = 'heat-lite-monitoring-'
#: seconds after which a worker without a report counts as hanging
SILENT_SECONDS = 15.0
#: seconds that a worker has for its first report
START_SECONDS = 60.0


def open_folder() -> Path:
    """Return the folder of this program. The first process creates it.

    Folders of programs that were killed are removed.
    """
    given = os.environ.get(VARIABLE)
    if given is not None and Path(given).is_dir():
        return Path(given)
    _remove_abandoned()
    folder = tempfile.mkdtemp(prefix=f'{PREFIX}{os.getpid()}-')
    os.environ[VARIABLE] = folder
    return Path(folder)


def close_folder(folder: Path) -> None:
    """Remove the folder at the end of a program that has no watchdog."""
    os.environ.pop(VARIABLE, None)
    shutil.rmtree(folder, ignore_errors=True)


def _remove_abandoned() -> None:
    for folder in Path(tempfile.gettempdir()).glob(f'{PREFIX}*-*'):
        pid = folder.name.removeprefix(PREFIX).partition('-')[0]
        with contextlib.suppress(OSError, ValueError):
            if folder.stat().st_uid == os.getuid() and not Path(f'/proc/{int(pid)}').exists():
                shutil.rmtree(folder, ignore_errors=True)


class Reports:
    """The reports in a folder. ``count``: the number of workers of the program."""

    def __init__(self, folder: Path, count: int) -> None:
        self._folder = folder
        self._count = count
        self._began = time.monotonic()

    def write(self, number: int, report: Values) -> None:
        """Replace the report of a worker, that of ``health_checks.Health``.

        A report that cannot be written, e.g. to a full disk, is logged and left out.
        """
        data = {'pid': os.getpid(), 'time': time.monotonic(), **report}
        temporary = self._folder / f'worker-{number}.new'
        try:
            temporary.write_text(json.dumps(data))
            temporary.replace(self._folder / f'worker-{number}.json')
        except FileNotFoundError:
            LOG.debug('The folder %s of reports is gone: the program has ended', self._folder)
        except OSError as error:
            LOG.warning('The health of worker %d is not reported, the next is: %s', number, error)

    def read(self) -> list[Values]:
        """Return the reports of all workers, with the seconds since each was written."""
        return [self._read(number) for number in range(self._count)]

    def _read(self, number: int) -> Values:
        try:
            report = json.loads((self._folder / f'worker-{number}.json').read_text())
        except FileNotFoundError:
            waiting = time.monotonic() - self._began
            return {'worker': number, 'status': 'starting', 'age': round(waiting, 1)}
        age = time.monotonic() - report.pop('time')
        result = {'worker': number, **report, 'age': round(age, 1)}
        if age > SILENT_SECONDS:
            result['status'] = 'silent'
        return result


def liveness(reports: list[Values]) -> tuple[bool, Values]:
    """Return whether a restart would not help, and the JSON body that tells why."""
    living = [each for each in reports if _lives(each)]
    workers = [
        {name: each[name] for name in ('worker', 'pid', 'age') if name in each}
        | {'status': 'ok' if _lives(each) else 'silent'}
        for each in reports
    ]
    return bool(living), {'status': _status(living, reports), 'workers': workers}


def readiness(reports: list[Values]) -> tuple[bool, Values]:
    """Return whether a worker can do its work, and the JSON body that names what fails."""
    ready = [each for each in reports if each['status'] == 'ok']
    return bool(ready), {'status': _status(ready, reports), 'workers': reports}


def _lives(report: Values) -> bool:
    if report['status'] == 'starting':
        return report['age'] < START_SECONDS
    return report['status'] != 'silent'


def _status(good: list[Values], reports: list[Values]) -> str:
    if len(good) == len(reports):
        return 'ok'
    return 'degraded' if good else 'failing'
