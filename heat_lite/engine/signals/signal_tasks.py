"""The handling of signals: from the rows that requests have stored to their effect.

One task handles the signals of a resource one after another, or many at once if the type merges
them into its metadata; types that allow it have a task for each signal. The row of a signal is
deleted in the transaction that stores its effect, so after the end of an engine another one handles
what is left (``cluster.takeover``).

Tests: tests/functional/test_signals.py, tests/chaos/test_signals.py.
"""

import contextlib
import dataclasses
import logging
import threading
import types
import uuid
from collections.abc import Sequence

from oslo_db import exception as db_exception

from heat_lite.common import exception, identifier, lru_cache, status
from heat_lite.common.context import RequestContext
from heat_lite.common.value_types import Value
from heat_lite.db import (
    journal,
    locks,
    resources as db_resources,
    signals as db_signals,
    stacks as db_stacks,
)
from heat_lite.engine import event, scheduler
from heat_lite.engine.resource.resource import Resource
from heat_lite.engine.runtime import Runtime
from heat_lite.engine.scheduler import Work
from heat_lite.engine.stack import quarantine, stack_lock
from heat_lite.engine.stack.stack import Stack
from heat_lite.engine.task_pool import PoolClosed
from heat_lite.template import function
from heat_lite.template.definition import ResourceDefinition

LOG = logging.getLogger(__name__)
#: signals that are handled in one turn
BATCH = 256
#: pause of a task for which further signals have arrived meanwhile: it handles more of them at once
BURST_SECONDS = 0.1
#: seconds between two checks of a caller that waits whether this engine still handles its signal
CHECK_SECONDS = 15.0
TAKEN = 'Signals to %s were deleted, or taken over by another engine: their effect is not stored'
#: prefix of a message to another engine: the id of the signalled row follows
SIGNAL_PREFIX = 'signal:'
#: the gates that an engine keeps, and their weight in total
GATES, WEIGHT = 64, 64 * 1024
#: what a task handles: the signals of a row, or one of them
Key = int | tuple[int, int]


class SignalOutcome:
    """The end of a signal, for a caller that waits for it by its token."""

    def __init__(self) -> None:
        self.token = str(uuid.uuid4())
        self.ended = threading.Event()
        self.error: BaseException | None = None

    def wait(self, item: Resource, signal_id: int) -> None:
        """Wait for the end. Raises the error of the type.

        Raises Error if another engine has taken the signal over: what came of it is not known here.
        """
        stack, was_gone = item.stack, False
        while not self.ended.wait(CHECK_SECONDS):
            owner = stack.runtime.engine_id
            is_gone = not db_signals.is_waiting(signal_id, owner)
            if is_gone and was_gone:
                raise exception.Error(
                    f'The signal to {item.name} is stored, but another engine handles it: see the '
                    'events of the stack'
                )
            was_gone = is_gone
        if self.error is not None:
            raise self.error


@dataclasses.dataclass
class _Gate:
    """What a resource accepts signals by, and the version of the row that it was made of."""

    version: tuple
    gate: Value


class SignalTasks:
    """The tasks of an engine that handle signals, the callers that wait for them, and the gates.

    A gate counts the signals that a resource stores and those that wait in this engine, so a
    request reads neither.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        #: whether there may be further signals, by what a task handles: a row, or one signal
        self._news: dict[Key, bool] = {}
        self._outcomes: dict[str, SignalOutcome] = {}
        self._gates = lru_cache.LruCache(GATES, WEIGHT, lambda entry: entry.gate.weight)

    def begin(self, key: Key) -> bool:
        """Note further signals. Return whether no task handles them: the caller starts one."""
        with self._lock:
            is_new = key not in self._news
            self._news[key] = True
            return is_new

    def has_news(self, key: Key) -> bool:
        return self._news[key]

    def continues(self, key: Key) -> bool:
        """Return whether there may be further signals since the last call; else the task ends."""
        with self._lock:
            if self._news[key]:
                self._news[key] = False
                return True
            del self._news[key]
            return False

    def end(self, key: Key) -> None:
        """End a task after an error."""
        with self._lock:
            self._news.pop(key, None)

    @staticmethod
    def is_waiting(signal_id: int | None) -> bool:
        """Return whether some engine has to handle a signal; no engine has to handle None."""
        return signal_id is not None and db_signals.is_waiting(signal_id)

    def new_outcome(self) -> SignalOutcome:
        outcome = SignalOutcome()
        self._outcomes[outcome.token] = outcome
        return outcome

    def end_outcomes(self, error: BaseException) -> None:
        for token in list(self._outcomes):
            self.end_outcome(token, error)

    def end_outcome(self, token: str | None, error: BaseException | None = None) -> None:
        outcome = self._outcomes.pop(token, None) if token else None
        if outcome is not None:
            outcome.error = error
            outcome.ended.set()

    # ------------------------------------------------------------ what a resource accepts

    def count(self, item: Resource, version: tuple, details: Value) -> None:
        """Count a signal to a resource. Raises RequestLimitExceeded if it has no place for it."""
        row_id = item.record.id
        entry = self._gates.get(row_id)
        if entry is None or entry.version != version:
            gate = item.signal_gate(lambda: _waiting_details(item))
            if gate is None:
                return
            entry = _Gate(version, gate)
        with self._lock:
            present = self._gates.get(row_id)
            if present is not None and present.version == version:
                entry = present  # it counts signals of other threads, too
            entry.gate.check(details, item.stack.limits)()
            self._gates.put(row_id, entry)

    def follow(self, row_id: int, key: int | None) -> None:
        """Keep the gate of a resource that has stored signals, which the gate counts already.

        ``key``: the atomic key that its metadata had before.
        """
        with self._lock:
            entry = self._gates.get(row_id)
            if entry is not None and entry.version[0] == (key or 0):
                entry.version = ((key or 0) + 1, *entry.version[1:])

    def forget(self, row_id: int) -> None:
        """Drop the gate of a resource, as it counts signals that are not stored."""
        self._gates.pop(row_id)


def _waiting_details(item: Resource) -> list[Value]:
    found = db_signals.waiting(item.record.id, item.stack.runtime.engine_id)
    return [signal.details for signal in found]


# ------------------------------------------------------------ the tasks


def start(item: Resource, signals: Sequence[int] = ()) -> None:
    """Handle the signals to a resource; ``signals`` are the new ones."""
    row_id = item.record.id
    if item.signals_in_parallel:
        for signal_id in signals:
            _spawn(item, (row_id, signal_id), _handle_alone(item, signal_id))
    else:
        handle = _handle_batches if item.batches_signals else _handle_singles
        _spawn(item, row_id, handle(item.stack, item))


def resume(item: Resource) -> None:
    """Handle the signals to a resource that no task of this engine handles."""
    ids = db_signals.waiting(item.record.id, item.stack.runtime.engine_id)
    start(item, [signal.id for signal in ids])


def _spawn(item: Resource, key: Key, work: Work) -> None:
    runtime = item.stack.runtime
    if not runtime.signal_tasks.begin(key):
        work.close()
        return

    def on_end(result: object, error: BaseException | None) -> None:
        if error is not None:
            runtime.signal_tasks.end(key)
            if isinstance(error, PoolClosed):  # the next engine handles the signals
                runtime.signal_tasks.end_outcomes(error)
            else:
                LOG.error(
                    'Signals to %s wait: the next check of this engine resumes them',
                    item,
                    exc_info=error,
                )

    task = scheduler.TaskRunner(lambda: work, name=f'signals to {item}')
    try:
        runtime.pool.spawn(task, on_end=on_end, subject=item.stack.log_subject)
    except PoolClosed as error:
        on_end(None, error)


def _handle_alone(item: Resource, signal_id: int) -> Work:
    stack, row_id = item.stack, item.record.id
    tasks, key = stack.runtime.signal_tasks, (row_id, signal_id)
    while tasks.continues(key):
        engine_id = stack.runtime.engine_id
        for signal in db_signals.waiting(row_id, engine_id, signal_id=signal_id):
            yield from _handle_single(stack, item, signal)


def _handle_singles(stack: Stack, item: Resource) -> Work:
    """Handle signals one after another, while no other engine handles one to the resource."""
    runtime, row_id = stack.runtime, item.record.id
    postponed = scheduler.pauses()
    while runtime.signal_tasks.continues(row_id):
        pauses, gone, pause = scheduler.pauses(), None, None
        while holder := locks.acquire_signals(row_id, runtime.engine_id, gone):
            yield next(pauses)
            gone = holder if runtime.placement.gone_engines({holder}) else None
        try:
            oldest = db_signals.waiting(row_id, runtime.engine_id, limit=2)
            if len(oldest) > 1:
                runtime.signal_tasks.begin(row_id)
            for signal in oldest[:1]:
                yield from _handle_single(stack, item, signal)
                postponed = scheduler.pauses()
        except exception.SignalPostponed:
            # without the lock, because an older signal in another engine may have to go on first
            runtime.signal_tasks.begin(row_id)
            pause = next(postponed)
        finally:
            locks.release_signals(row_id, runtime.engine_id)
        if pause is not None:
            yield pause


def _handle_single(stack: Stack, item: Resource, signal: db_signals.WaitingSignal) -> Work:
    """Handle a signal by the handler of the type."""
    unused = {signal.id: stack.runtime.engine_id}
    error: BaseException | None = None
    try:
        stack, item = _reload(stack, item)
        item.handled_signal = unused
        yield from _call_handler(stack, item, signal, unused)
    except exception.SignalPostponed:
        raise
    except exception.NoActionRequired as reason:
        LOG.info('%s: the signal requires no action: %s', item, reason)
    except db_signals.SignalsTaken:
        LOG.warning(TAKEN, item)
        return
    except db_exception.DBConnectionError:
        raise  # the signal waits for the next check
    except Exception as failure:
        error = failure
    if unused:
        with contextlib.suppress(db_signals.SignalsTaken):  # it was deleted with its stack
            db_signals.use(unused)
    stack.runtime.signal_tasks.forget(item.record.id)
    _end(item, signal, error)


def _call_handler(
    stack: Stack, item: Resource, signal: db_signals.WaitingSignal, unused: dict[int, str]
) -> Work:
    guard = None
    if signal.quarantine is not None:
        guard = quarantine.for_signal(stack, item.name, signal.id)
    try:
        work = _call(item, signal.details)
        result = yield from (work if guard is None else guard.guard(item, work))
        item.clear_stored_attributes()
    except Exception:  # not at the stop of the engine, after which the signal waits
        yield from _refresh_outputs(stack)
        raise
    yield from _refresh_outputs(stack)
    event.record_signal(item, signal.details, result)
    stack.journal.use_signals(unused, stack.runtime.engine_id)
    yield from stack.journal.write()
    unused.clear()
    _tell(stack, item)


def _call(item: Resource, details: Value) -> Work:
    result = item.handle_signal(details)
    if isinstance(result, types.GeneratorType):
        result = yield from scheduler.flatten(result)
    return result


def _handle_batches(stack: Stack, item: Resource) -> Work:
    runtime, row_id = stack.runtime, item.record.id
    while runtime.signal_tasks.continues(row_id):
        batch = db_signals.waiting(row_id, runtime.engine_id, BATCH)
        if not batch:
            continue
        if len(batch) == BATCH:
            runtime.signal_tasks.begin(row_id)
        try:
            try:
                stack, item = _reload(stack, item)
                results = yield from _handle_batch(stack, item, batch)
            except exception.HeatException as error:
                results = [error] * len(batch)
                db_signals.use({each.id: runtime.engine_id for each in batch})
        except db_signals.SignalsTaken:
            LOG.warning(TAKEN, item)
            continue
        for signal, result in zip(batch, results, strict=True):
            _end(item, signal, result if isinstance(result, BaseException) else None)
        if runtime.signal_tasks.has_news(row_id):
            yield BURST_SECONDS


def _handle_batch(
    stack: Stack, item: Resource, batch: Sequence[db_signals.WaitingSignal]
) -> Work[list]:
    """Merge signals into the metadata, in one transaction with their events."""
    several, row_id = [signal.details for signal in batch], item.record.id
    while True:
        stored = db_resources.metadata(row_id)
        if stored is None:
            raise exception.no_resource(item.name)
        known, key = stored[0] or {}, stored[1]
        results, merged = item.merge_signals(known, several)
        for details, result in zip(several, results, strict=True):
            if not isinstance(result, Exception):
                event.record_signal(item, details, result)
        if merged != known:
            stack.journal.replace_metadata(item.record, merged, key)
        stack.journal.use_signals([signal.id for signal in batch], stack.runtime.engine_id)
        try:
            yield from stack.journal.write()
            break
        except journal.MetadataChanged:
            stack.journal.give_up()
    item.record.rsrc_metadata = merged
    if any(isinstance(result, Exception) for result in results):
        stack.runtime.signal_tasks.forget(row_id)
    elif merged != known:
        stack.runtime.signal_tasks.follow(row_id, key)
    yield from _refresh_outputs(stack)
    _tell(stack, item)
    return results


def _reload(stack: Stack, item: Resource) -> tuple[Stack, Resource]:
    """Return the stack and the resource as they are stored now.

    Raises EntityNotFound and ResourceNotFound.
    """
    row = db_stacks.get(stack.context, stack.id)
    if row is None:
        raise exception.no_stack(stack.name)
    stack = Stack.from_row(stack.runtime, stack.context, row)
    stack.records.expects_few_reads = True
    for record in stack.records.find_by_name(item.name):
        if record.id == item.record.id:
            return stack, stack.resource_of(record)
    raise exception.ResourceNotFound(resource_name=item.name, stack_name=stack.name)


def _end(item: Resource, signal: db_signals.WaitingSignal, error: BaseException | None) -> None:
    if error is not None:
        known = isinstance(error, exception.HeatException)
        LOG.warning('Signal to %s failed: %s', item, error, exc_info=None if known else error)
    item.stack.runtime.signal_tasks.end_outcome(signal.token, error)


# ------------------------------------------------------------ what follows


def _tell(stack: Stack, item: Resource) -> None:
    """Wake what waits for the signals of a resource, and refresh what reads it."""
    notify_waiters(
        stack.runtime, stack.context, stack.identifier(), item.record.id, stack.convergence
    )
    _refresh_metadata(stack, item)


def notify_waiters(
    services: Runtime,
    context: RequestContext,
    identity: identifier.HeatIdentifier,
    row_id: int,
    several: bool | None = False,
) -> None:
    """Wake the tasks that wait for a change of the row.

    They run in the engines that work on the stack, maybe others. ``several``: tasks of more than
    one engine may wait for the row, as all engines walk the stack.
    """
    if services.waits.notify(row_id) and not several:
        return
    for engine in stack_lock.engines_elsewhere(services, identity.stack_id):
        try:
            # without a reply: an engine that hangs must not delay the others
            services.listener.cast_message(
                context, engine, identity.as_dict(), f'{SIGNAL_PREFIX}{row_id}'
            )
        except exception.HeatException as error:
            LOG.warning(
                'Engine %s could not be notified of the signal to row %s, it polls: %s',
                engine,
                row_id,
                error,
            )


def _refresh_outputs(stack: Stack) -> Work:
    """Recompute the stored outputs of a stack and its ancestors, where no action runs."""
    for each in stack.tree.lineage():
        if each.status != status.IN_PROGRESS and each.outputs.stored is not None:
            each.outputs.store()
            yield from each.journal.write()


def _refresh_metadata(stack: Stack, signalled: Resource) -> None:
    """Refresh the metadata of servers, which may read attributes that the signal has changed."""
    for name, definition in stack.definitions.items():
        if name == signalled.name or not function.dependencies(definition.metadata):
            continue
        item = stack.resource_for(name)
        if item.refreshes_metadata and item.action != status.INIT:
            _resolve_metadata(item, stack, definition)


def _resolve_metadata(item: Resource, stack: Stack, definition: ResourceDefinition) -> None:
    try:
        resolved = stack.resolve(definition.metadata)
    except (exception.HeatException, *function.ARGUMENT_ERRORS) as error:
        LOG.warning(
            'The metadata of %s could not be refreshed after a signal to another resource: %s',
            item,
            error,
        )
        return
    if any(item.metadata_get().get(key) != value for key, value in resolved.items()):
        item.metadata_updated(item.metadata_change(lambda known: {**known, **resolved}))
