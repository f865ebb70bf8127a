"""Take-over: an engine takes the locks of engines that are gone and resumes the actions under way.

Each engine checks all locks when it starts and then at intervals. An engine is gone when it has
deregistered, or neither reports nor answers. Whether its process is really dead does not matter:
without the lock it cannot write (fencing, see ``db.journal``).

Tests: tests/chaos/test_takeover.py.
"""

import logging
import random
import time
from collections.abc import Collection, Mapping

from heat_lite.common import context as request_context, exception, log_context, metrics, status
from heat_lite.common.context import RequestContext
from heat_lite.common.value_types import Row, Value
from heat_lite.db import (
    credentials,
    journal,
    locks,
    services,
    session,
    signals as db_signals,
    snapshots as db_snapshots,
    stacks as db_stacks,
    traversals,
)
from heat_lite.engine.cluster.membership import EngineMembership
from heat_lite.engine.execution import actions
from heat_lite.engine.runtime import Runtime
from heat_lite.engine.signals import signal_tasks
from heat_lite.engine.stack import action_run, snapshots
from heat_lite.engine.stack.stack import Stack

LOG = logging.getLogger(__name__)
#: seconds for which a lock of this engine may be without work before it is checked
IDLE_LOCK_SECONDS = 30
#: seconds between two searches for stacks in progress without a lock
SEARCH_SECONDS = 60


class _Unchanged:
    """How long each of some things has had the same value, by the checks so far."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[Value, float]] = {}

    def longer_than(self, seconds: float, values: Mapping[str, Value]) -> list[str]:
        """Return the keys whose value has not changed for ``seconds``; forget other keys."""
        now, seen = time.monotonic(), self._seen
        self._seen = {
            key: seen[key] if key in seen and seen[key][0] == value else (value, now)
            for key, value in values.items()
        }
        return [key for key, (_, since) in self._seen.items() if now - since > seconds]


class TakeoverTask:
    """Resumes the actions of engines that ``membership`` reports as gone."""

    def __init__(self, runtime: Runtime, membership: EngineMembership) -> None:
        self._runtime = runtime
        self._membership = membership
        self._context = request_context.admin_context()
        self._idle_locks = _Unchanged()
        self._searched = time.monotonic()
        self._unlocked: set[str] = set()
        self._snapshot_deletes = _Unchanged()

    def run_once(self) -> int:
        """Check all locks once. Return the number of stacks taken over."""
        held = locks.stack_ids_by_engine()
        count = self._check_own_locks(held.pop(self._runtime.engine_id, ()))
        if held:
            self._check_given_rows(held)
            heartbeats = services.last_heartbeats()
            for engine_id, stack_ids in held.items():
                if self._membership.is_gone(engine_id, heartbeats):
                    LOG.warning(
                        'Engine %s is gone: its %d stacks are taken over',
                        engine_id,
                        len(stack_ids),
                    )
                    count += self._take_over(engine_id, stack_ids)
        self._check_signals()
        self._check_snapshots()
        if time.monotonic() - self._searched > SEARCH_SECONDS:
            self._searched = time.monotonic()
            count += self._check_unlocked()
        return count

    def _take_over(self, engine_id: str, stack_ids: list[str]) -> int:
        # a random order shares the work among engines that do this at the same time
        random.shuffle(stack_ids)
        count = 0
        # work of this engine on such a stack has lost its lock and ends soon: a new lock would let
        # it write again
        working = self._runtime.task_manager.stack_ids()
        for stack_id in stack_ids:
            if stack_id in working or not self._has_login(stack_id):
                continue
            if locks.steal(stack_id, engine_id, self._runtime.engine_id) is None:
                self._resume(stack_id)
                count += 1
        return count

    def _check_own_locks(self, stack_ids: Collection[str]) -> int:
        """Resume stacks that this engine has locked but does not work on.

        Such a lock is left behind by a failure, for example of the database.
        """
        working = self._runtime.task_manager.stack_ids()
        without_work = dict.fromkeys(each for each in stack_ids if each not in working)
        idle = self._idle_locks.longer_than(IDLE_LOCK_SECONDS, without_work)
        for stack_id in idle:
            LOG.warning(
                'Stack %s is locked by this engine without a task: its action is resumed', stack_id
            )
            self._resume(stack_id)
        return len(idle)

    def _check_given_rows(self, held: Mapping[str, Collection[str]]) -> None:
        """Work on rows that other engines have given to this one without its knowledge.

        They repeat the message, but a broker that has lost a binding drops it each time.
        """
        workers = self._runtime.workers
        stack_ids = [each for ids in held.values() for each in ids if not workers.has(each)]
        for stack_id in traversals.stacks_held(self._runtime.engine_id, stack_ids):
            row = db_stacks.get(self._context, stack_id)
            if row is not None and self._has_login(stack_id):
                workers.start(self._requester(row), stack_id)

    def _check_signals(self) -> None:
        """Handle the signals of engines that are gone, and those that no task here handles."""
        own = self._runtime.engine_id
        for engine_id, resources in db_signals.by_engine().items():
            if engine_id != own and not self._membership.is_gone(engine_id):
                continue
            for resource_id, stack_id in resources.items():
                if not self._has_login(stack_id):
                    continue
                if engine_id != own:
                    LOG.warning(
                        'Engine %s is gone: its signals to resource %d of stack %s are handled '
                        'here',
                        engine_id,
                        resource_id,
                        stack_id,
                    )
                    db_signals.claim(resource_id, engine_id, own)
                self._resume_signals(stack_id, resource_id)

    def _resume_signals(self, stack_id: str, resource_id: int) -> None:
        try:
            stack = self._stack(stack_id)
            if stack is not None:
                for row in stack.records.all():
                    if row.id == resource_id:
                        signal_tasks.resume(stack.resource_of(row))
        except Exception:
            LOG.exception(
                'Signals to resource %d of stack %s wait: they are tried again at the next check',
                resource_id,
                stack_id,
            )

    def _check_snapshots(self) -> None:
        """Resume snapshot deletes that have gone silent.

        They hold no lock; their engine touches the row at intervals.
        """
        rows = {row.id: row for row in db_snapshots.list_deleting()}
        touched = {row_id: row.updated_at for row_id, row in rows.items()}
        for row_id in self._snapshot_deletes.longer_than(snapshots.SILENCE_SECONDS, touched):
            row = rows[row_id]
            stack = self._stack(row.stack_id)
            if stack and db_snapshots.touch(row.id, row.updated_at):
                LOG.warning('The delete of snapshot %s has stopped: it is resumed', row.id)
                snapshots.resume_delete(stack, row.id)

    def _check_unlocked(self) -> int:
        """Resume stacks that were in progress without a lock at two checks in a row."""
        unlocked = set(locks.unlocked_in_progress())
        idle = unlocked & self._unlocked
        self._unlocked = unlocked - idle
        count = 0
        for stack_id in filter(self._has_login, idle):
            if locks.acquire(stack_id, self._runtime.engine_id) is None:
                LOG.warning(
                    'Stack %s is in progress without a lock: its action is resumed', stack_id
                )
                self._resume(stack_id)
                count += 1
        return count

    def _has_login(self, stack_id: str) -> bool:
        """Return False if the stack is one of a cloud that this service has no login of.

        Such a stack waits until the service is started with its cloud.
        """
        clouds, absent = self._runtime.clouds, self._runtime.absent_clouds
        if clouds is None and not absent:
            return True
        row = db_stacks.get_row(stack_id)
        if row is None:
            return True
        return row.tenant not in absent if clouds is None else row.tenant in clouds.logins

    def _resume(self, stack_id: str) -> None:
        """Resume the action of a stack. If that is impossible, the stack fails with the reason."""
        try:
            stack = self._stack(stack_id)
            if stack is None or stack.status != status.IN_PROGRESS or stack.deleted_at is not None:
                self._release(stack_id, stack)
            else:
                log_context.set_subject(stack.log_subject)
                LOG.info('Resuming the %s of %s', stack.action, stack)
                metrics.TAKE_OVERS.add()
                stack.stored_locked = True
                actions.continue_after_takeover(stack)
        except exception.ActionInProgress:
            LOG.info('Stack %s has a task in this engine already', stack_id)
        except session.LOST as error:
            # the lock stays without a task, so that this is tried again
            LOG.warning('Stack %s is not resumed yet: the database failed: %s', stack_id, error)
        except Exception as error:
            LOG.exception('The action of stack %s could not be resumed: the stack fails', stack_id)
            self._fail(stack_id, error)
        finally:
            log_context.forget_request()  # oslo.context keeps the first one of a thread

    def _stack(self, stack_id: str) -> Stack | None:
        row = db_stacks.get(self._context, stack_id, show_deleted=True)
        return row and Stack.from_row(self._runtime, self._requester(row), row)

    def _requester(self, row: Row) -> RequestContext:
        """Return the context of the action's requester, stored at the top of the tree, or else
        that of the owner.
        """
        top = row
        if row.owner_id is not None:
            top_id = db_stacks.root_id(row.id) or row.id
            top = db_stacks.get_row(top_id) or row
        context = credentials.decrypt_requester(top.asker) or context_of_owner(row)
        context.stack_depth = (top.plan or {}).get(action_run.STACK_DEPTH)
        return context

    def _release(self, stack_id: str, stack: Stack | None) -> None:
        """Release a lock that was left behind after the last state had been written."""
        if stack is not None:
            snapshots.fail_unfinished(stack)
        locks.release(stack_id, self._runtime.engine_id)

    def _fail(self, stack_id: str, error: Exception) -> None:
        """Store FAILED and release the lock.

        If that fails the lock stays, and a later check retries.
        """
        reason = (
            'The engine that worked on it is gone, and the action cannot be resumed: '
            f'{type(error).__name__}: {error}'
        )
        engine_id = self._runtime.engine_id
        values = {'status': status.FAILED, 'status_reason': reason}
        journal.save(
            journal.ChangeSet(stack_id, stack=values, holder=engine_id, release=engine_id),
        )


def context_of_owner(row: Row) -> RequestContext:
    """Return a context of the owner of a stack, without a token."""
    return request_context.RequestContext(
        username=row.username, user_name=row.username, project_id=row.tenant, overwrite=False
    )
