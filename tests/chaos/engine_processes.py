"""Engines in forked processes that kill themselves at a given point."""

import contextlib
import dataclasses
import os
import signal
import threading
import time
import traceback

import sqlalchemy

from heat_lite import resources
from heat_lite.db import models
from tests import engines
from tests.chaos import cloud as chaos_cloud

# load all types, drivers and entry points before the first fork
resources.build_registry()
engines.warm_up()
SETTINGS = {'heartbeat_interval': 1, 'take_over_interval': 0.1}
ADOPTION = {'enable_stack_adopt': True, 'enable_stack_abandon': True}


@dataclasses.dataclass(frozen=True)
class KillPoint:
    """The point at which a process kills itself with SIGKILL.

    ``checkpoint`` is one of the cloud's, 'commit', 'committed' or 'seconds'. ``count`` is the
    number of times that it is reached, or the number of seconds.
    """

    checkpoint: str
    count: float

    @classmethod
    def choose(cls, rng, *calls):
        """Choose a point at random: in the database, in one of these calls, or by time."""
        checkpoints = [
            f'{when} {call}'
            for call in calls
            for when in (('before',) if call in ('show', 'find') else ('before', 'after'))
        ]
        checkpoint = rng.choice([*checkpoints, 'commit', 'committed', 'seconds'])
        return cls(
            checkpoint,
            rng.uniform(0, 0.2) if checkpoint == 'seconds' else rng.choice((1, 1, 2, 3, 5, 8)),
        )

    def arm(self, engine):
        """Kill this process at the point; ``engine`` is that of the database's writer."""
        if self.checkpoint == 'seconds':
            timer = threading.Timer(self.count, kill_self)
            timer.daemon = True
            timer.start()
        elif self.checkpoint.startswith('commit'):
            self._listen_to_commits(engine)
        else:
            chaos_cloud.cloud.checkpoint = self._counter(self.checkpoint)

    def _listen_to_commits(self, engine):
        count = self._counter('commit')
        if self.checkpoint == 'commit':
            sqlalchemy.event.listen(engine, 'commit', lambda connection: count('commit'))
        else:
            sqlalchemy.event.listen(engine, 'checkin', lambda *_: count('commit'))

    def _counter(self, checkpoint):
        lock, remaining = threading.Lock(), [self.count]

        def count(name):
            if name == checkpoint:
                with lock:
                    remaining[0] -= 1
                    if remaining[0] <= 0:
                        kill_self()

        return count


def kill_self():
    os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(60)


def run_engine(url, work, kill_point=None, transport='local://', files=(), **settings):
    """Run ``work(driver)`` in a forked process with an engine and configuration files.

    Return the signal that ended the process, or 0.

    Raises AssertionError when the process fails.
    """
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            with open(os.devnull) as null:
                os.dup2(null.fileno(), 0)
            ours = {**SETTINGS, **settings}
            with engines.running(
                url, chaos_cloud.TYPES, transport, files, ours=ours, **ADOPTION
            ) as driver:
                driver.context.project_id = 'p'
                if kill_point is not None:
                    kill_point.arm(engines.session.engine())
                work(driver)
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    _, status = os.waitpid(pid, 0)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status):
        raise AssertionError(f'a process failed with status {os.WEXITSTATUS(status)}')
    return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0


# --------------------------------------------------------------- invariants


@contextlib.contextmanager
def connect(url):
    engine = sqlalchemy.create_engine(
        engines.session.connections.full_url(url), isolation_level='AUTOCOMMIT'
    )
    try:
        with engine.connect() as connection:
            yield connection
    finally:
        engine.dispose()


COUNT_IN_PROGRESS = """
    SELECT (SELECT count(*) FROM stack WHERE status = 'IN_PROGRESS')
    + (SELECT count(*) FROM snapshot WHERE status = 'IN_PROGRESS')
        + (SELECT count(*) FROM resource WHERE status = 'IN_PROGRESS')
    + (SELECT count(*) FROM stack_lock)
"""


def is_idle(connection):
    """Return whether nothing is in progress or locked, in one cheap query."""
    return not connection.exec_driver_sql(COUNT_IN_PROGRESS).scalar()


def find_violations(url, check):
    """Return broken invariants as texts: all stacks final, no lock, each object exists once.

    ``check(stacks, rows)`` yields further ones.
    """
    found = []
    with connect(url) as connection:
        stacks = connection.execute(sqlalchemy.select(models.stack)).all()
        rows = connection.execute(sqlalchemy.select(models.resource)).all()
        locked = connection.execute(sqlalchemy.select(models.stack_lock)).all()
        snapshots = connection.execute(sqlalchemy.select(models.snapshot)).all()
    found += [
        f'stack {row.name} is {row.action}_{row.status}: {row.status_reason}'
        for row in stacks
        if row.status == 'IN_PROGRESS'
    ]
    found += [f'stack {row.stack_id} is locked by {row.engine_id}' for row in locked]
    found += [
        f'a snapshot is {row.action}_{row.status}'
        for row in snapshots
        if row.status == 'IN_PROGRESS'
    ]
    living = {row.id for row in stacks if row.deleted_at is None}
    known = sorted(
        row.nova_instance.partition(chaos_cloud.SEPARATOR)[0]
        for row in rows
        if row.nova_instance
        and row.stack_id in living
        and chaos_cloud.SEPARATOR in row.nova_instance
    )
    existing = chaos_cloud.cloud.names()
    if known != existing:
        orphans = sorted(set(existing) - set(known))
        found.append(
            f'rows know {len(known)} objects, the cloud has {len(existing)}; '
            f'orphans {orphans}, lost {sorted(set(known) - set(existing))}'
        )
    found += [
        f'{row.name} is {row.action}_{row.status}' for row in rows if row.status == 'IN_PROGRESS'
    ]
    return found + list(check(stacks, rows))
