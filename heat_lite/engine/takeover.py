"""Stacks whose engine is gone: another one, or the same one started again, takes their locks over and goes on with what was going on.

Each engine looks at all locks when it starts, and then now and then. An engine is gone when it has signed off, or when it has neither
reported for some time nor answers; whether it is really dead does not matter, for without the lock it cannot write (see ``db.journal``).
"""

import logging
import random
import time

from heat_lite.common import context as request_context
from heat_lite.common import exception, status
from heat_lite.db import credentials, journal, locks, services
from heat_lite.db import snapshots as db_snapshots
from heat_lite.db import stacks as db_stacks
from heat_lite.engine import actions, snapshots
from heat_lite.engine import stack as engine_stack

LOG = logging.getLogger(__name__)
#: how long a lock of this engine may be without work before it is looked into, in seconds
FORGOTTEN_SECONDS = 30
#: how often it is looked for stacks in progress that nobody has locked, in seconds
SEARCH_SECONDS = 60


class Rounds:
    """Looks after the stacks of engines that are gone (``neighbours`` knows)."""

    def __init__(self, runtime, neighbours):
        self._runtime = runtime
        self._neighbours = neighbours
        self._context = request_context.admin_context()
        self._idle_since = {}
        self._searched = time.monotonic()
        self._unlocked = set()
        self._deletes = {}

    def look(self):
        """One round. Gives how many stacks were taken over."""
        held = locks.by_engine(self._context)
        taken = self._look_after_own(held.pop(self._runtime.engine_id, ()))
        if held:
            signs = services.signs_of_life(self._context)
            for engine_id, stack_ids in held.items():
                if self._neighbours.is_gone(engine_id, signs):
                    LOG.warning('Engine %s is gone: its work on %d stacks is taken over', engine_id, len(stack_ids))
                    taken += self._take_over(engine_id, stack_ids)
        self._look_after_snapshots()
        if time.monotonic() - self._searched > SEARCH_SECONDS:
            self._searched = time.monotonic()
            taken += self._look_for_unlocked()
        return taken

    def _take_over(self, engine_id, stack_ids):
        # by chance, so that several engines that do this at the same time share the work
        random.shuffle(stack_ids)
        taken = 0
        # work of our own on it has lost its lock, and will find that out: it must not seem to have it again
        working = set(self._runtime.running.stack_ids())
        for stack_id in stack_ids:
            if stack_id in working:
                continue
            if locks.steal(self._context, stack_id, engine_id, self._runtime.engine_id) is None:
                self._go_on(stack_id)
                taken += 1
        return taken

    def _look_after_own(self, stack_ids):
        """A lock of our own that nobody works under was left behind by some failure, such as a database that was away."""
        working = set(self._runtime.running.stack_ids())
        now = time.monotonic()
        self._idle_since = {stack_id: self._idle_since.get(stack_id, now) for stack_id in stack_ids if stack_id not in working}
        forgotten = [stack_id for stack_id, since in self._idle_since.items() if now - since > FORGOTTEN_SECONDS]
        for stack_id in forgotten:
            LOG.warning('Nobody works on stack %s, although this engine has its lock', stack_id)
            self._go_on(stack_id)
        return len(forgotten)

    def _look_after_snapshots(self):
        """They are deleted without a lock; who is at it says so now and then."""
        now = time.monotonic()
        rows = db_snapshots.being_deleted(self._context)
        known, self._deletes = self._deletes, {}
        for row in rows:
            seen, since = known.get(row.id, (None, now))
            since = since if seen == row.updated_at else now
            self._deletes[row.id] = row.updated_at, since
            if now - since > snapshots.SILENCE_SECONDS and db_snapshots.touch(self._context, row.id, row.updated_at):
                LOG.warning('Nobody goes on deleting the snapshot %s', row.id)
                snapshots.go_on_deleting(self._stack(row.stack_id), row.id)

    def _look_for_unlocked(self):
        """In progress, and nobody has locked it, at two looks: whatever went wrong there, somebody has to go on with it."""
        found = set(locks.missing(self._context))
        forgotten = found & self._unlocked
        self._unlocked = found - forgotten
        taken = 0
        for stack_id in forgotten:
            if locks.acquire(self._context, stack_id, self._runtime.engine_id) is None:
                LOG.warning('Stack %s is in progress, although no engine has its lock', stack_id)
                self._go_on(stack_id)
                taken += 1
        return taken

    def _go_on(self, stack_id):
        """What cannot be gone on with fails, and says why."""
        try:
            stack = self._stack(stack_id)
            if stack is None or stack.status != status.IN_PROGRESS or stack.deleted_at is not None:
                self._tidy(stack_id, stack)
            else:
                LOG.info('Going on with the %s of %s', stack.action, stack)
                stack.stored_locked = True
                actions.go_on(stack)
        except exception.ActionInProgress:
            LOG.info('Stack %s is at work here already', stack_id)
        except Exception as error:
            LOG.exception('Stack %s could not be gone on with', stack_id)
            self._give_up(stack_id, error)

    def _stack(self, stack_id):
        row = db_stacks.get(self._context, stack_id, show_deleted=True)
        return row and engine_stack.Stack.from_row(self._runtime, self._asking(row), row)

    def _asking(self, row):
        """Whoever has asked, as long as that is kept at the top of the tree."""
        top = row
        if row.owner_id is not None:
            top = db_stacks.whole(self._context, db_stacks.root_id(self._context, row.id)) or row
        return credentials.asker(top.asker) or acting_for(row)

    def _tidy(self, stack_id, stack):
        """Its last state had been written, only the lock was left."""
        if stack is not None:
            snapshots.fail_unfinished(stack)
        locks.release(self._context, stack_id, self._runtime.engine_id)

    def _give_up(self, stack_id, error):
        """Leave it as FAILED; where not even that can be stored, the lock stays, and a later round tries again."""
        reason = f'The engine that worked on it is gone, and it cannot be gone on with: {type(error).__name__}: {error}'
        engine_id = self._runtime.engine_id
        values = {'status': status.FAILED, 'status_reason': reason}
        journal.save(self._context, journal.Turn(stack_id, stack=values, holder=engine_id, release=engine_id))


def acting_for(row):
    """The context in which an action goes on without whoever has asked for it."""
    return request_context.RequestContext(username=row.username, user_name=row.username, project_id=row.tenant, overwrite=False)
