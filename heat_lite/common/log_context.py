"""The subject of the log lines of a thread: the request context and the stack that it works on.

oslo.context keeps the last context that was created in a thread. A thread of the task pool steps
the tasks of many stacks, so each step sets the subject of its own task. ``cmd.log_format`` writes
it into each line, and removes the values of hidden parameters that the work has read.
"""

import contextlib
import dataclasses
import threading
import typing
from collections.abc import Iterable, Iterator

from oslo_context import context as oslo_context

from heat_lite.common import redaction
from heat_lite.common.context import RequestContext


@dataclasses.dataclass(frozen=True)
class Subject:
    """``context`` is None where the context of oslo.context applies; ``stack`` is NAME/ID, or None
    for a request that names no stack. ``redactor`` knows the hidden values.
    """

    context: RequestContext | None
    stack: str | None
    redactor: redaction.Redactor = dataclasses.field(default_factory=redaction.Redactor)
    #: the name of the resource, None for work on the whole stack
    resource: str | None = None

    def of_resource(self, name: str | None) -> 'Subject':
        """Return the subject of work on a resource of the stack."""
        return dataclasses.replace(self, resource=name)


_current = threading.local()


def set_subject(subject: Subject | None) -> None:
    """Set the subject of this thread; None removes it."""
    _current.subject = subject


def forget_request() -> None:
    """Forget the request that this thread worked on, before it receives another one.

    Until the next one has a RequestContext, log lines of the thread name no request.
    """
    set_subject(None)
    # the library has no function for it
    with contextlib.suppress(AttributeError):
        del oslo_context._request_store.context


def get_subject() -> Subject | None:
    """Return the subject of this thread."""
    return getattr(_current, 'subject', None)


@contextlib.contextmanager
def naming_resource(name: str) -> Iterator[None]:
    """Name the resource in the log lines of the block."""
    subject = get_subject()
    set_subject(subject and subject.of_resource(name))
    try:
        yield
    finally:
        set_subject(subject)


def request_id() -> str | None:
    """Return the id of the request that this thread works for: the client's, else ours."""
    subject = get_subject()
    own = subject.context if subject is not None else None
    context = own or oslo_context.get_current()
    return id_of(context) if context is not None else None


def id_of(context: oslo_context.RequestContext) -> str | None:
    """Return the id by which a request is found in the logs: the client's, else ours."""
    return context.global_request_id or context.request_id


def add_secrets(texts: Iterable[str]) -> None:
    """Let the log lines and the errors of this thread's work hide these texts."""
    subject = get_subject()
    if subject is not None and texts:
        subject.redactor.add(texts)


def redact(text: str) -> str:
    """Return a text without the secrets that this thread's work has read."""
    subject = get_subject()
    return text if subject is None else subject.redactor.redact(text)


def subject_of_arguments(arguments: typing.Any) -> Subject:
    """Return the subject of an RPC call, with the stack that its arguments name."""
    if not isinstance(arguments, dict):
        return Subject(None, None)
    identity = arguments.get('stack_identity')
    if isinstance(identity, dict):
        return Subject(None, f'{identity.get("stack_name")}/{identity.get("stack_id")}')
    name = arguments.get('stack_name')
    return Subject(None, str(name) if name else None)
