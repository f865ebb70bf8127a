"""The report of a take-over: each stack of a database is read, parsed and planned.

It changes nothing. It reads a database of Heat before db_sync has added a column. Several processes
read the stacks, each a batch at a time.
"""

import concurrent.futures
import dataclasses
import multiprocessing
import os
import typing
from collections.abc import Collection, Iterator

from oslo_config.cfg import ConfigOpts

from heat_lite.db import session
from heat_lite.db.heat_database import heat_rows
from heat_lite.engine import service as engine_service
from heat_lite.operate.heat_database.reader import Reader, StackReport
from heat_lite.rpc import messaging
from heat_lite.startup import global_environment

#: stacks that one query reads
BATCH = 500


@dataclasses.dataclass
class Totals:
    """The numbers of what has been read; ``failed`` counts stacks with a reason."""

    stacks: int = 0
    resources: int = 0
    in_progress: int = 0
    failed: int = 0

    def add(self, finding: StackReport) -> None:
        """Count a stack."""
        self.stacks += 1
        self.resources += finding.resources
        self.in_progress += finding.in_progress
        self.failed += bool(finding.reasons)


def read_stacks(conf: ConfigOpts) -> Iterator[StackReport]:
    """Yield the findings of all living stacks in the order of their ids.

    Raises BrokenProcessPool if a process that reads them is killed.
    """
    fork = multiprocessing.get_context('fork')
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count(), fork, _start, (conf,)) as pool:
        for findings in pool.map(_read_batch, heat_rows.living_ids(BATCH)):
            yield from findings


class _Process:
    """The reader of a process."""

    reader: typing.Any = None


def _start(conf: ConfigOpts) -> None:
    session.leave_to_parent()
    messaging.setup(conf)
    registry = global_environment.build_registry(conf)
    _Process.reader = Reader(engine_service.EngineService(conf, registry).runtime)


def _read_batch(ids: Collection[str]) -> typing.Any:
    return _Process.reader.read(ids)
