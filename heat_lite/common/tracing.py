"""Traces: spans of requests, messages, turns, handlers, transactions and calls to the cloud.

Nothing is recorded before ``enable``, and OpenTelemetry is not loaded. A request is traced or not
as a whole: what works for one that is not traced has no span, and ``span`` does nothing then. The
W3C header ``traceparent`` carries a trace into messages and to the cloud; osprofiler's headers,
signed with a key of the operator, are read and sent as well.

A thread has a base, the span that outlives its turn (a request, an action, a handler), and a leaf,
the span of the block that it is in. New spans are children of the leaf, else of the base.
"""

import collections
import contextlib
import dataclasses
import functools
import importlib
import os
import random
import threading
import time
from collections.abc import Callable, Generator, Mapping
from types import TracebackType
from typing import Any, Self

from heat_lite.common import trace_headers
from heat_lite.common.value_types import Value, without_none

#: kinds of spans by OpenTelemetry's names
INTERNAL, SERVER, CLIENT = 'INTERNAL', 'SERVER', 'CLIENT'
#: key of a context of RPC, and name of the header to services
TRACEPARENT = 'traceparent'
#: seconds from which a turn is a span even if nothing was called in it
LONG_TURN_SECONDS = 0.005
#: seconds for the last spans at the end of a process
FLUSH_SECONDS = 2.0


@dataclasses.dataclass(frozen=True)
class Settings:
    """``export()`` returns the exporter of a process, ``resource`` describes the process.

    ``ratio``: the part of the requests without a traced caller that are traced. ``keys``: those of
    osprofiler's signatures; the first one signs.
    """

    export: Callable[[], Any]
    resource: Mapping[str, str]
    ratio: float = 1.0
    keys: tuple[str, ...] = ()


class _State:
    settings: Settings | None = None
    provider: Any = None
    tracer: Any = None
    pid: int | None = None


_thread = threading.local()


def enable(settings: Settings) -> None:
    """Record from now on. The exporter is made at the first span of each process."""
    disable()
    _State.settings = settings


def disable() -> None:
    """Record no more, and send what is recorded, for at most FLUSH_SECONDS."""
    provider = _State.provider if _State.pid == os.getpid() else None
    _State.settings = _State.provider = _State.tracer = _State.pid = None
    if provider is not None:
        ending = threading.Thread(target=provider.shutdown, daemon=True)
        ending.start()
        ending.join(FLUSH_SECONDS)


def enabled() -> bool:
    return _State.settings is not None


class Span:
    """A span that is being recorded."""

    def __init__(self, real: Any) -> None:
        self.real = real
        self.children = 0
        self.statements: collections.Counter[str] = collections.Counter()
        #: whether it is the turn of a task in whose work a handler has had its own turn
        self.holds_turn = False

    @property
    def traceparent(self) -> str:
        context = self.real.get_span_context()
        return trace_headers.format_traceparent(context.trace_id, context.span_id)

    def set(self, name: str, value: Value) -> None:
        """Set an attribute."""
        self.real.set_attribute(name, value)

    def rename(self, name: str) -> None:
        self.real.update_name(name)

    def fail(self, reason: str) -> None:
        """Mark the span as failed. ``reason`` has no text of users, which may be secret."""
        api = importlib.import_module('opentelemetry.trace')
        self.real.set_status(api.Status(api.StatusCode.ERROR, reason))

    def end(self) -> None:
        if self.statements:
            text = ', '.join(f'{count} {verb}' for verb, count in self.statements.items())
            self.set('db.statements', text)
        self.real.end()


#: the block of a request that is not traced
NOTHING = contextlib.nullcontext()


@dataclasses.dataclass
class _Block:
    """A block with a span as the leaf of its thread, or as the base if it ``outlives`` turns."""

    span: Span
    outlives: bool = False

    def __enter__(self) -> Span:
        self._former = base(), getattr(_thread, 'leaf', None)
        if self.outlives:
            _thread.base, _thread.leaf = self.span, None
        else:
            _thread.leaf = self.span
        return self.span

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        _thread.base, _thread.leaf = self._former
        if kind is not None:
            self.span.fail(kind.__name__)
        self.span.end()


def base() -> Span | None:
    """Return the span that what this thread starts belongs to."""
    return getattr(_thread, 'base', None)


def current() -> Span | None:
    """Return the parent of the next span of this thread."""
    if _State.settings is None:
        return None
    return getattr(_thread, 'leaf', None) or base()


def set_base(span_: Span | None) -> None:
    """Let what this thread does from now on belong to a span; None: to none."""
    _thread.base, _thread.leaf = span_, None


def span(
    name: str, kind: str = INTERNAL, attributes: Mapping[str, Any] | None = None
) -> '_Block | contextlib.nullcontext[None]':
    """Return a block whose time is a span, if the thread works for a traced request."""
    parent = current()
    return NOTHING if parent is None else _Block(start(name, parent, kind, attributes))


def count_statement(verb: str) -> None:
    """Count an SQL statement in the span of its transaction."""
    parent = current()
    if parent is not None:
        parent.statements[verb] += 1


def begin_action(
    parent: Span | None, name: str, attributes: Mapping[str, Any] | None = None
) -> Span | None:
    """Begin a span that is the base of this thread over many turns; ``end_action`` ends it."""
    made = None
    if parent is not None and _State.settings is not None:
        made = start(name, parent, INTERNAL, attributes)
    set_base(made)
    return made


def end_action(made: Span | None, outcome: str) -> None:
    if made is not None:
        made.set('heat.outcome', outcome)
        if outcome == 'failed':
            made.fail(outcome)
        made.end()


def start(
    name: str, parent: Span, kind: str = INTERNAL, attributes: Mapping[str, Any] | None = None
) -> Span:
    """Return a new span, which the caller ends."""
    parent.children += 1
    return _start(name, parent.real, kind, attributes)


def _start(name: str, parent: Any, kind: str, attributes: Mapping[str, Any] | None) -> Span:
    api = importlib.import_module('opentelemetry.trace')
    given = without_none(attributes or {})
    context = importlib.import_module('opentelemetry.context').Context()
    if parent is not None:
        context = api.set_span_in_context(parent, context)
    return Span(_tracer().start_span(name, context, getattr(api.SpanKind, kind), attributes=given))


def _tracer() -> Any:
    """Return the tracer of this process."""
    settings, pid = _State.settings, os.getpid()
    if _State.tracer is not None and _State.pid == pid:
        return _State.tracer
    if settings is None:  # disabled meanwhile
        return importlib.import_module('opentelemetry.trace').NoOpTracer()
    sdk = importlib.import_module('opentelemetry.sdk.trace')
    export = importlib.import_module('opentelemetry.sdk.trace.export')
    resource = importlib.import_module('opentelemetry.sdk.resources').Resource(
        {**settings.resource, 'process.pid': pid}
    )
    provider = sdk.TracerProvider(resource=resource, id_generator=_ids(), shutdown_on_exit=False)
    provider.add_span_processor(export.BatchSpanProcessor(settings.export()))
    _State.provider, _State.pid = provider, pid
    _State.tracer = provider.get_tracer('heat_lite')
    return _State.tracer


def _ids() -> Any:
    """Return the generator of ids: osprofiler's client chooses the id of a trace itself."""
    module: Any = importlib.import_module('opentelemetry.sdk.trace.id_generator')

    class Ids(module.RandomIdGenerator):  # type: ignore[name-defined]
        def generate_trace_id(self) -> int:
            return getattr(_thread, 'trace_id', None) or super().generate_trace_id()

    return Ids()


# --------------------------------------------------------------- where work begins


def request(environ: Mapping[str, Any], name: str) -> '_Block | contextlib.nullcontext[None]':
    """Return the block of a request over HTTP, traced if its caller is, else by chance."""
    settings = _State.settings
    if settings is None:
        return NOTHING
    set_base(None)
    found = trace_headers.read(environ, settings.keys)
    if found is None and random.random() >= settings.ratio:
        return NOTHING
    if found is not None and not found.sampled:
        return NOTHING
    return _Block(_continue(found, name), outlives=True)


def message(context: Mapping[str, Any], name: str) -> '_Block | contextlib.nullcontext[None]':
    """Return the block of a message, traced if its sender is."""
    if _State.settings is None:
        return NOTHING
    set_base(None)
    found = trace_headers.parse_traceparent(context.get(TRACEPARENT))
    if found is None or not found.sampled:
        return NOTHING
    return _Block(_continue(found, name), outlives=True)


def _continue(found: trace_headers.Caller | None, name: str) -> Span:
    """Return the first span of this process in a trace."""
    if found is None:
        return _start(name, None, SERVER, None)
    if found.span_id is None:  # the client names a trace, and has no span of its own
        _thread.trace_id = found.trace_id
        try:
            return _start(name, None, SERVER, None)
        finally:
            _thread.trace_id = None
    api = importlib.import_module('opentelemetry.trace')
    flags = api.TraceFlags(api.TraceFlags.SAMPLED)
    context = api.SpanContext(found.trace_id, found.span_id, True, flags)
    return _start(name, api.NonRecordingSpan(context), SERVER, None)


def headers() -> dict[str, str]:
    """Return the headers that continue the trace in a service."""
    parent = current()
    if parent is None or _State.settings is None:
        return {}
    context = parent.real.get_span_context()
    found = {TRACEPARENT: parent.traceparent}
    if _State.settings.keys:
        key = _State.settings.keys[0]
        found.update(trace_headers.sign(context.trace_id, context.span_id, key))
    return found


# --------------------------------------------------------------- turns


class _Turn:
    """A turn of a task: a span if something is called in it, or if it takes long."""

    def __init__(self, owner: Span) -> None:
        self._owner = owner

    def __enter__(self) -> Self:
        self._began = time.monotonic()
        outer: Span | None = getattr(_thread, 'leaf', None)
        if outer is not None:
            outer.holds_turn = True
        self._former = base(), outer
        self._span = _start('turn', self._owner.real, INTERNAL, None)
        _thread.base, _thread.leaf = self._owner, self._span
        return self

    def __exit__(self, *error: object) -> None:
        _thread.base, _thread.leaf = self._former
        seconds = time.monotonic() - self._began
        is_long = seconds > LONG_TURN_SECONDS and not self._span.holds_turn
        if self._span.children or is_long:
            self._owner.children += 1
            self._span.end()


def turn(owner: Span | None) -> '_Turn | contextlib.nullcontext[None]':
    """Return the block of a turn of a task that belongs to ``owner``."""
    if _State.settings is None:
        return NOTHING
    if owner is None:
        set_base(None)
        return NOTHING
    return _Turn(owner)


def handler(
    work: Generator[Any, Any, Any] | None, name: str, attributes: Mapping[str, Any]
) -> Generator[Any, Any, Any] | None:
    """Return a generator that does the work in a span, if the thread is traced."""
    owner = current() and base()
    if work is None or owner is None:
        return work
    return _handler(work, functools.partial(start, name, owner, attributes=attributes))


def _handler(work: Generator[Any, Any, Any], begin: Callable[[], Span]) -> Any:
    own = begin()
    step: Callable[[], Any] = functools.partial(next, work)
    try:
        while True:
            with turn(own):
                wanted = step()
            try:
                step = functools.partial(work.send, (yield wanted))
            except GeneratorExit:
                work.close()
                raise
            except BaseException as error:  # the work may handle it
                step = functools.partial(work.throw, error)
    except StopIteration as end:
        return end.value
    except BaseException as error:
        own.fail(type(error).__name__)
        raise
    finally:
        own.end()
