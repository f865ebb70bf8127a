"""The base class of endpoints: it finds the stack of an identity.

Tests: tests/functional/test_placement_rpc.py.
"""

import contextlib
import functools
import json
import random
import threading
import time
import weakref
from collections.abc import Callable, Collection, Iterator, Mapping, MutableMapping, Sequence

from oslo_serialization import jsonutils

from heat_lite.common import exception, identifier, long_work, status
from heat_lite.common.context import RequestContext
from heat_lite.common.identifier import HeatIdentifier
from heat_lite.common.value_types import Row, Value, Values
from heat_lite.db import locks, resources as db_resources, stacks as db_stacks
from heat_lite.engine.execution import task_manager
from heat_lite.engine.runtime import Runtime
from heat_lite.engine.stack import (
    format,
    former_places,
    legacy_stacks,
    stack_lock,
    template_files,
)
from heat_lite.engine.stack.stack import Stack, StackChanged
from heat_lite.engine.validation import masking
from heat_lite.rpc import client as rpc_client
from heat_lite.template import merge
from heat_lite.template.editing import moving
from heat_lite.template.environment import Environment
from heat_lite.template.template import Template

#: how often a request is made again from a stack that others change meanwhile
MOST_ATTEMPTS = 100
#: by the id of a stack: who has it makes a request again, so that each is made few times
_again: MutableMapping[str, threading.Lock] = weakref.WeakValueDictionary()
#: a map as it travels by RPC
Wire = Values


def on_working_engine(method: Callable) -> Callable:
    """Decorate a method to run in the engine that works on the stack: only that one has its
    present state.

    It runs again where the stack, or the holder of its lock, has changed since it was read, one
    request at a time.
    """

    @functools.wraps(method)
    def call(self: Value, context: RequestContext, stack_identity: Wire, **args: Wire) -> Value:
        stack_id: Value = _identity(stack_identity).stack_id
        holder = stack_lock.live_holder_elsewhere(self._runtime, context, stack_id)
        attempt = 0
        with contextlib.ExitStack() as turn:
            while holder is None:
                try:
                    return method(self, context, stack_identity, **args)
                except (exception.ActionInProgress, StackChanged) as error:
                    # another engine may have begun an action meanwhile: it decides
                    holder = stack_lock.live_holder_elsewhere(self._runtime, context, stack_id)
                    if holder is None and type(error) is exception.ActionInProgress:
                        raise
                    attempt += 1
                    if attempt == MOST_ATTEMPTS:
                        raise _busy(stack_identity) from None
                    if holder is None and attempt == 1:
                        lock = _again.setdefault(stack_id, threading.Lock())
                        turn.enter_context(long_work.locked(lock))
        remote = getattr(rpc_client.PeerClient(holder), method.__name__)
        return remote(context, stack_identity=stack_identity, **args)

    return call


def following_moves(method: Callable) -> Callable:
    """Decorate a method about a resource to run again at the place to which it has moved."""

    @functools.wraps(method)
    def call(
        self: Value,
        context: RequestContext,
        stack_identity: Wire,
        resource_name: str,
        **args: Value,
    ) -> Value:
        try:
            return method(
                self, context, stack_identity=stack_identity, resource_name=resource_name, **args
            )
        except exception.EntityNotFound:
            moved = self._new_place(context, stack_identity, resource_name)
            if moved is None:
                raise
            return call(self, context, *moved, **args)

    return call


def _busy(stack_identity: Wire) -> exception.ActionInProgress:
    name = stack_identity['stack_name']
    return exception.ActionInProgress(stack_name=name, action=status.UPDATE)


class Endpoint:
    """An object whose public methods are callable by RPC."""

    def __init__(self, runtime: Runtime):
        self._runtime = runtime

    def _row(
        self, context: RequestContext, stack_identity: Wire, show_deleted: bool = False
    ) -> db_stacks.StackRow:
        """Return the row of a stack.

        Raises EntityNotFound unless name and id match, and InvalidTenant for a stack of the
        requester by the name of another project. Users of a stack are of another one.
        """
        identity = _identity(stack_identity)
        row = db_stacks.get(context, identity.stack_id, show_deleted=show_deleted)
        if row is None:
            raise exception.no_stack(identity.stack_name)
        projects = (identity.tenant, row.stack_user_project_id)
        if context.tenant_id not in projects and not context.is_admin:
            raise exception.InvalidTenant(target=identity.tenant, actual=context.tenant_id)
        if identity.path or not former_places.is_name(row, identity.stack_name):
            raise exception.no_stack(identity.stack_name)
        return row

    def _new_place(
        self, context: RequestContext, stack_identity: Wire, resource_name: str
    ) -> tuple[Wire, str] | None:
        """Return where a resource has gone; None if the stack has it, or has never had it."""
        row = self._row(context, stack_identity, show_deleted=True)
        found = former_places.find(row, resource_name)
        if found is None or db_resources.list_by_name(row.id, resource_name):
            return None
        stack_id, name = found
        target = db_stacks.get_row(stack_id)
        return target and (format.identity_of(target), name)

    def _stack(
        self, context: RequestContext, stack_identity: Wire, show_deleted: bool = False
    ) -> Stack:
        return self._load(context, self._row(context, stack_identity, show_deleted))

    def _reread(self, stack: Stack) -> Stack:
        """Return the stack as it is stored now."""
        return self._stack(stack.context, stack.identifier().as_dict())

    def _template(
        self,
        context: RequestContext,
        template: Mapping[str, Value],
        params: Wire | None,
        files: Mapping[str, str] | None,
        environment_files: list[str] | None,
        files_container: str | None,
        present: Template | None = None,
        clear: Collection[str] = (),
    ) -> Template:
        """Parse a template with its environment, its parts merged into those of ``present``.

        ``clear``: parameters of the present environment to drop.
        """
        files = template_files.with_container(self._runtime, context, files, files_container)
        if present is not None:
            files = {**present.files, **files}
        wanted = Template(template, files)
        known = wanted.parameter_schemata
        environment = merge.merge_environments(params or {}, files, environment_files, known)
        if present is not None:
            former = moving.rename_entries(present.environment.data, wanted.moves)
            environment = merge.patch(former, environment, clear, known)
        files = masking.masked_files(files, environment_files or (), wanted)
        return Template(template, files, Environment(environment))

    def _load(self, context: RequestContext, row: Row) -> Stack:
        return Stack.from_row(self._runtime, context, row)

    @contextlib.contextmanager
    def _locked(self, context: RequestContext, stack_id: str) -> Iterator[Stack]:
        """Hold the lock of a stack that no action works on, and has its rows in our own form.

        An action whose end is stored has yet to release its lock: that is awaited.
        """
        engine_id = self._runtime.engine_id
        until = time.monotonic() + task_manager.ENDING_SECONDS
        while locks.acquire(stack_id, engine_id) is not None:
            row = db_stacks.get_row(stack_id)
            if row is None or row.status == status.IN_PROGRESS or time.monotonic() > until:
                raise _at_work(stack_id, row)
            long_work.sleep(random.uniform(0.005, 0.05))
        try:
            row = db_stacks.get(context, stack_id, tenant_safe=False)
            if row is None or row.status == status.IN_PROGRESS:
                raise _at_work(stack_id, row)
            stack = self._load(context, row)
            legacy_stacks.bring_over(stack)
            stack.journal.flush()
            yield stack
        finally:
            locks.release(stack_id, engine_id)

    def _levels(self, context: RequestContext, top: Stack, depth: int) -> Iterator[list[Stack]]:
        """Yield the stack, then those of each level of nested stacks, ``depth`` levels down."""
        yield [top]
        for rows in nested_rows(top.id, depth):
            yield [self._load(context, row) for row in rows]


def _at_work(stack_id: str, row: Row | None) -> exception.ActionInProgress:
    name, action = (stack_id, '') if row is None else (row.name, row.action)
    return exception.ActionInProgress(stack_name=name, action=action)


def nested_rows(stack_id: str, depth: int) -> Iterator[Sequence[db_stacks.ListedStack]]:
    """Yield the rows of each level of nested stacks, ``depth`` levels down."""
    ids = [stack_id]
    for _ in range(depth):
        rows = db_stacks.children(ids)
        if not rows:
            return
        yield rows
        ids = [row.id for row in rows]


class LocalCalls:
    """The RPC methods of this engine as calls in the thread of the caller.

    ``OS::Heat::Stack`` uses them. A call over RPC would wait for another RPC thread, so stacks that
    contain each other could occupy all of them.
    """

    def __init__(self, endpoints: list[Endpoint]) -> None:
        self._endpoints = endpoints

    def call(self, context: RequestContext, method: str, /, **arguments: Value) -> Value:
        """Call a method with copies of the arguments; return a copy of its result.

        Raises StopIteration for an unknown method.
        """
        endpoint = next(each for each in self._endpoints if hasattr(each, method))
        return _copy(getattr(endpoint, method)(context, **_copy(arguments)))


def _copy(value: Value) -> Value:
    return json.loads(jsonutils.dumps(value))


def _identity(values: Value) -> HeatIdentifier:
    try:
        return identifier.HeatIdentifier.from_dict(values)
    except (KeyError, TypeError):
        raise exception.Invalid(reason=f'{values!r} does not identify a stack') from None
