"""Engines that are killed: each lives in a process of its own, forked from this one, and dies where it is told to."""

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

# loads all types, drivers and entry points before any process parts from this one
resources.build_registry()
engines.warm_up()
SETTINGS = {'heartbeat_interval': 1, 'take_over_interval': 0.1}
ADOPTION = {'enable_stack_adopt': True, 'enable_stack_abandon': True}


@dataclasses.dataclass(frozen=True)
class Death:
    """``moment``: one of the cloud's, 'commit', 'committed' or 'seconds'; ``count``: the how manieth of these, or how many seconds."""

    moment: str
    count: float

    @classmethod
    def by_chance(cls, chance, *calls):
        """At a moment of the database, or in one of these calls of the cloud."""
        words = [f'{when} {call}' for call in calls for when in (('before',) if call in ('show', 'find') else ('before', 'after'))]
        moment = chance.choice([*words, 'commit', 'committed', 'seconds'])
        return cls(moment, chance.uniform(0, 0.2) if moment == 'seconds' else chance.choice((1, 1, 2, 3, 5, 8)))

    def arm(self, engine):
        """From now on this process dies of it. ``engine`` is that of the database's writer."""
        if self.moment == 'seconds':
            timer = threading.Timer(self.count, die)
            timer.daemon = True
            timer.start()
        elif self.moment.startswith('commit'):
            self._listen(engine)
        else:
            chaos_cloud.cloud.moment = self._counted(self.moment)

    def _listen(self, engine):
        count = self._counted('commit')
        if self.moment == 'commit':
            sqlalchemy.event.listen(engine, 'commit', lambda connection: count('commit'))
        else:
            sqlalchemy.event.listen(engine, 'checkin', lambda *_: count('commit'))

    def _counted(self, moment):
        guard, left = threading.Lock(), [self.count]

        def count(name):
            if name == moment:
                with guard:
                    left[0] -= 1
                    if left[0] <= 0:
                        die()

        return count


def die():
    os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(60)


def live(url, work, death=None, transport='local://', **settings):
    """Fork a process with an engine, in which ``work(driver)`` is done; the signal by which it ended, 0 for none."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            with open(os.devnull) as nothing:
                os.dup2(nothing.fileno(), 0)
            with engines.running(url, chaos_cloud.TYPES, transport, ours={**SETTINGS, **settings}, **ADOPTION) as driver:
                driver.context.project_id = 'p'
                if death is not None:
                    death.arm(engines.session.engine())
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


# --------------------------------------------------------------- what must hold


@contextlib.contextmanager
def reading(url):
    engine = sqlalchemy.create_engine(engines.session.engines.full_url(url), isolation_level='AUTOCOMMIT')
    try:
        with engine.connect() as connection:
            yield connection
    finally:
        engine.dispose()


BUSY = """
    SELECT (SELECT count(*) FROM stack WHERE status = 'IN_PROGRESS') + (SELECT count(*) FROM snapshot WHERE status = 'IN_PROGRESS')
        + (SELECT count(*) FROM resource WHERE status = 'IN_PROGRESS') + (SELECT count(*) FROM stack_lock)
"""


def is_at_rest(connection):
    """Whether nothing is in progress or locked: asked often, so it costs little."""
    return not connection.exec_driver_sql(BUSY).scalar()


def violations(url, names):
    """What does not hold, as texts: all stacks final, no lock, and each object once. ``names(connection)``: what there must be."""
    found = []
    with reading(url) as connection:
        stacks = connection.execute(sqlalchemy.select(models.stack)).all()
        rows = connection.execute(sqlalchemy.select(models.resource)).all()
        locked = connection.execute(sqlalchemy.select(models.stack_lock)).all()
        snapshots = connection.execute(sqlalchemy.select(models.snapshot)).all()
    found += [f'stack {row.name} is {row.action}_{row.status}: {row.status_reason}' for row in stacks if row.status == 'IN_PROGRESS']
    found += [f'stack {row.stack_id} is locked by {row.engine_id}' for row in locked]
    found += [f'a snapshot is {row.action}_{row.status}' for row in snapshots if row.status == 'IN_PROGRESS']
    living = {row.id for row in stacks if row.deleted_at is None}
    known = sorted(row.nova_instance.partition(chaos_cloud.SEPARATOR)[0] for row in rows if row.nova_instance and row.stack_id in living
                   and chaos_cloud.SEPARATOR in row.nova_instance)  # fmt: skip
    there = chaos_cloud.cloud.names()
    if known != there:
        orphans = sorted(set(there) - set(known))
        found.append(
            f'rows know {len(known)} objects, the cloud has {len(there)}; orphans {orphans}, lost {sorted(set(known) - set(there))}'
        )
    found += [f'{row.name} is {row.action}_{row.status}' for row in rows if row.status == 'IN_PROGRESS']
    return found + list(names(stacks, rows))
