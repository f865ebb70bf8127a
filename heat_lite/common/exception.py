"""The exceptions of the domain, with their HTTP status and their message.

The class name is ``error.type`` in a response, so names and codes are those of Heat's API. RPC
carries an exception of the engine by class name and arguments; the API process raises it again.
"""

import re
import typing
from collections.abc import Iterable

from heat_lite.common.value_types import Value


class HeatException(Exception):
    """Base class of all errors that a user can see.

    ``code`` is the HTTP status. ``msg_fmt`` is the format of the text; the keyword arguments are
    its values. ``place`` is the path of the error in the template, keys from its root; empty for
    an error that is about no part of it. The text does not contain it.
    """

    code = 500
    msg_fmt = 'An unknown exception occurred.'
    #: the sentence that ``with_hint`` has appended, with a space before it
    hint = ''
    place: tuple[str | int | None, ...] = ()
    #: the argument that names the ``subject``
    subject_argument = 'subject'

    def __init__(self, message: str | None = None, **kwargs: typing.Any) -> None:
        self.kwargs = kwargs
        self.message = message if message is not None else self.msg_fmt % kwargs
        super().__init__(self.message)

    def __str__(self) -> str:
        return self.message

    @property
    def subject(self) -> typing.Any:
        """The key or the text, at or below the place, that the error is about; None without one."""
        return self.kwargs.get(self.subject_argument)

    def at(self, *place: str | int | None) -> typing.Self:
        """Set the place and return self."""
        self.place = place
        return self

    def with_hint(self, hint: str) -> typing.Self:
        """Append a sentence such as `` Did you mean "x"?`` to the text, if any, and return self."""
        if hint:
            self.hint = hint
            self._set_text(append_hint(self.message, hint))
        return self

    def _set_text(self, text: str) -> None:
        self.message = text
        self.args = (text,)

    @property
    def msg(self) -> str:
        """The text, by the name that oslo.messaging and plug-ins use."""
        return self.message


class RequestError(HeatException):
    """Base class of the errors of what a request contains."""

    code = 400


class PlainError(HeatException):
    """Base class of the errors whose text is all that they have."""

    msg_fmt = '%(message)s'

    def __init__(self, message: object = None, **kwargs: typing.Any) -> None:
        super().__init__(str(message), **kwargs)


class LimitError(RequestError):
    """Base class of the errors whose format has a value that is called "message", as in Heat."""

    def __init__(self, message: object = None, **kwargs: typing.Any) -> None:
        super().__init__(self.msg_fmt % {'message': message}, **kwargs)


class PropertiesError(RequestError):
    """Base class of the errors about some properties, or parameters, by their names."""

    #: the argument with the names, in the format
    names_argument = 'props'

    def __init__(self, *names: str, **kwargs: typing.Any) -> None:
        if names:
            kwargs[self.names_argument] = ', '.join(names)
        super().__init__(**kwargs)


# --------------------------------------------------------------- requests


class Invalid(RequestError):
    msg_fmt = 'Data supplied was not valid: %(reason)s'


class NotSupported(RequestError):
    msg_fmt = '%(feature)s is not supported.'


class NoCloud(RequestError):
    """The service does not exist in the cloud of the requester."""

    msg_fmt = '%(reason)s'


class MissingCredentialError(RequestError):
    msg_fmt = 'Missing required credential: %(required)s'


class RequestLimitExceeded(LimitError):
    msg_fmt = 'Request limit exceeded: %(message)s'


class Forbidden(HeatException):
    code = 403
    msg_fmt = 'You are not authorized to use %(action)s.'

    def __init__(self, action: str = 'this action', **kwargs: typing.Any) -> None:
        super().__init__(action=action, **kwargs)


class InvalidTenant(HeatException):
    code = 403
    msg_fmt = 'Searching Tenant %(target)s from Tenant %(actual)s forbidden.'


class EngineTimeout(HeatException):
    """No engine responded to an RPC in time. The status is 504, never 500."""

    code = 504
    msg_fmt = (
        'No answer to %(method)s from %(engine)s within %(seconds)s seconds. '
        'The request may still be executed: check the stack before a retry.'
    )


class EngineTooOld(HeatException):
    """The engine is of an older release than the caller and does not know the RPC method."""

    code = 501
    msg_fmt = (
        'The engine does not know %(method)s (%(reason)s). Upgrade all engines before the APIs.'
    )


class ServiceUnavailable(HeatException):
    code = 503
    msg_fmt = 'The service cannot take the request now: %(reason)s'


class RequestGivenBack(HeatException):
    """The engine has done nothing: the client sends the request again. No user gets this."""

    code = 503
    msg_fmt = 'The engine cannot reach its database: another engine takes the request.'


class RequestAbandoned(HeatException):
    """The connection of a request that waited was closed. No client gets this."""

    code = 429
    msg_fmt = 'The client closed the connection, or the server did so in favour of another one.'


class DownloadLimitExceeded(LimitError):
    msg_fmt = 'Permissible download limit exceeded: %(message)s'


class NestedTooDeeply(RequestLimitExceeded):
    """OS::Heat::Stack resources contain each other too deeply, or there are too many of them."""


class EngineBusy(HeatException):
    """The engine processes max_stacks_at_work stacks. The condition is temporary."""

    code = 503
    msg_fmt = (
        'The engine already processes %(count)s stacks, which is its limit. '
        'Retry the request later.'
    )


class TooManyStacksAtWork(HeatException):
    """The engine processes max_stacks_at_work_per_tenant stacks of the project."""

    code = 429
    msg_fmt = (
        'The engine already processes %(count)s stacks of this project, which is its limit. '
        'Retry the request later.'
    )


# --------------------------------------------------------------- entities not found


class NotFound(HeatException):
    code = 404
    msg_fmt = '%(what)s not found.'


class EntityNotFound(HeatException):
    code = 404
    msg_fmt = 'The %(entity)s (%(name)s) could not be found.'
    subject_argument = 'name'


def no_stack(name: str | None) -> EntityNotFound:
    return EntityNotFound(entity='Stack', name=name)


def no_resource(name: str) -> EntityNotFound:
    return EntityNotFound(entity='Resource', name=name)


def no_resource_type(name: str) -> EntityNotFound:
    return EntityNotFound(entity='Resource Type', name=name)


class ResourceNotFound(EntityNotFound):
    msg_fmt = 'The Resource (%(resource_name)s) could not be found in Stack %(stack_name)s.'


class SnapshotNotFound(EntityNotFound):
    msg_fmt = 'The Snapshot (%(snapshot)s) for Stack (%(stack)s) could not be found.'


# --------------------------------------------------------------- stacks


class StackExists(HeatException):
    code = 409
    msg_fmt = 'The Stack (%(stack_name)s) already exists.'


class ActionInProgress(HeatException):
    code = 409
    msg_fmt = 'Stack %(stack_name)s already has an action (%(action)s) in progress.'


def action_in_progress(stack: typing.Any) -> ActionInProgress:
    """Return the error of a request that an action on the stack excludes."""
    return ActionInProgress(stack_name=stack.name, action=stack.action)


class DefinitionChanged(HeatException):
    code = 412
    msg_fmt = (
        'The definition of stack %(stack_name)s is not that of If-Match: it was changed meanwhile. '
        'Read it again.'
    )


class StackProtected(HeatException):
    code = 409
    msg_fmt = (
        'The Stack (%(stack_name)s) is protected from being deleted. Clear its protection first.'
    )


class NothingToRetry(HeatException):
    code = 409
    msg_fmt = (
        'There is nothing to retry in Stack %(stack_name)s: it is %(state)s. '
        'What can be continued is a failed %(actions)s.'
    )


class ReplacementRefused(HeatException):
    code = 409
    msg_fmt = (
        'Stack %(stack_name)s must not lose resources by this update (on_replace: fail), '
        'but it would replace: %(resources)s. An update without on_replace: fail replaces them.'
    )


class DestroyPrevented(HeatException):
    code = 409
    msg_fmt = (
        'Nothing may delete or replace %(resources)s of stack %(stack_name)s: the lifecycle has '
        'prevent_destroy. An update can take that away first.'
    )


class PlanOutdated(HeatException):
    code = 409
    msg_fmt = (
        'The plan for stack %(stack_name)s is outdated: since it was made, these have changed: '
        '%(changed)s. Preview it again.'
    )


class ApprovalRequired(HeatException):
    code = 403
    msg_fmt = (
        'Stack %(stack_name)s has the tag %(tags)s: only a plan that another user has approved may '
        'create or update it. Store one with a preview, have it approved, and apply it.'
    )


class RefactoringRefused(HeatException):
    code = 409
    msg_fmt = (
        'Nothing is moved, because objects would change or references would break: %(problems)s'
    )


class StopActionFailed(HeatException):
    msg_fmt = 'Failed to stop stack (%(stack_name)s) on other engine (%(engine_id)s)'


class ImmutableParameterModified(PropertiesError):
    names_argument = 'keys'
    msg_fmt = 'The following parameters are immutable and may not be updated: %(keys)s'


# --------------------------------------------------------------- templates


class InvalidTemplateVersion(RequestError):
    place = ('heat_template_version',)
    msg_fmt = 'The template version is invalid: %(explanation)s'


class InvalidTemplateSection(RequestError):
    msg_fmt = 'The template section is invalid: %(section)s'


class TemplateOutputError(RequestError):
    msg_fmt = 'Error in %(resource)s output %(attribute)s: %(reason)s'


class AttributeNotKnown(HeatException):
    """The service of a resource answers too slowly for the request. The condition is temporary."""

    code = 504
    msg_fmt = (
        '"%(key)s" is not known yet: its service has not answered within %(seconds)g seconds. '
        'Repeat the request later.'
    )


class TooManyAttributeReads(HeatException):
    """MAX_THREADS reads wait for services. The condition is temporary."""

    code = 503
    msg_fmt = (
        'The engine already waits for %(count)s answers of services, which is its limit. '
        'Repeat the request later.'
    )


class InvalidTemplateAttribute(RequestError):
    subject_argument = 'key'
    msg_fmt = 'The Referenced Attribute (%(resource)s %(key)s) is incorrect.'


class InvalidTemplateReference(RequestError):
    place = ('resources',)
    subject_argument = 'resource'
    msg_fmt = 'The specified reference "%(resource)s" (in %(key)s) is incorrect.'


class InvalidSchemaError(PlainError):
    code = 400


class GroupMemberNotFound(HeatException):
    code = 404
    msg_fmt = "Member '%(member)s' not found in group resource '%(group)s'."


class CircularDependencyException(RequestError):
    place = ('resources',)
    msg_fmt = 'Circular Dependency Found: %(cycle)s'


class UserParameterMissing(RequestError):
    place = ('parameters',)
    subject_argument = 'key'
    msg_fmt = 'The Parameter (%(key)s) was not provided.'


class UnknownUserParameter(RequestError):
    subject_argument = 'key'
    msg_fmt = 'The Parameter (%(key)s) was not defined in template.'


class ConflictingMergeStrategyForParam(RequestError):
    msg_fmt = (
        "Conflicting merge strategy '%(strategy)s' for parameter '%(param)s' "
        "in file '%(env_file)s'."
    )


class InvalidBreakPointHook(PlainError):
    code = 400


class InvalidRestrictedAction(PlainError):
    code = 400


class StackValidationFailed(RequestError):
    """An invalid template, parameter or property.

    ``path`` is the part of the place that the text shows: the text is ``error: path: message``; an
    empty error or path is omitted.
    """

    msg_fmt = '%(message)s'

    def __init__(
        self,
        message: Value = None,
        error: str = '',
        path: Iterable[str | int | None] = (),
        **kwargs: typing.Any,
    ) -> None:
        self.error = error
        self.path = self.place = tuple(path)
        self.error_message = '' if message is None else str(message)
        super().__init__(self._text(), **kwargs)

    @classmethod
    def from_error(
        cls, cause: Exception, path: Iterable[str | int | None] = (), error: str = ''
    ) -> 'StackValidationFailed':
        """Return the error of a template that another error has caused, with its text."""
        return cls(str(cause), error, path, subject=getattr(cause, 'subject', None))

    def with_hint(self, hint: str) -> typing.Self:
        if hint:
            self.hint = hint
            self.error_message = append_hint(self.error_message, hint)
            self._set_text(self._text())
        return self

    def _text(self) -> str:
        return ': '.join(self._parts())

    def api_message(self) -> str:
        """Return the text of the API's response, with a second colon between the parts.

        Heat's API has always sent it in this form, and clients parse it.
        """
        return ': : '.join(self._parts())

    def _parts(self) -> list[str]:
        return [part for part in (self.error, render_path(self.path), self.error_message) if part]

    def prefixed(
        self, *path: str | int | None, error: str | None = None
    ) -> 'StackValidationFailed':
        """Return the same error with ``path`` before its own path."""
        return type(self)(
            self.error_message,
            error=self.error if error is None else error,
            path=(*path, *self.path),
            subject=self.subject,
        ).at(*path, *self.place)


class PropertyUnspecifiedError(PropertiesError):
    msg_fmt = 'At least one of the following properties must be specified: %(props)s.'


class ResourcePropertyDependency(RequestError):
    msg_fmt = '%(prop1)s cannot be specified without %(prop2)s.'


class ResourcePropertyValueDependency(RequestError):
    msg_fmt = '%(prop1)s property should only be specified for %(prop2)s with value %(value)s.'


class ResourcePropertyConflict(PropertiesError):
    msg_fmt = 'Cannot define the following properties at the same time: %(props)s.'


class ResourceTypeUnavailable(RequestError):
    #: the number by which a validation can be told to ignore the error
    error_code = '99001'
    subject_argument = 'resource_type'
    msg_fmt = (
        'HEAT-E99001 Service %(service_name)s is not available for resource type '
        '%(resource_type)s, reason: %(reason)s'
    )


# --------------------------------------------------------------- actions of resources


class ResourceActionNotSupported(RequestError):
    msg_fmt = '%(action)s is not supported for resource.'


class ResourceActionRestricted(RequestError):
    msg_fmt = '%(action)s is restricted for resource.'


class ResourceFailure(HeatException):
    """The failure of an action of a resource.

    The text is ``Type: path: message``, as Heat shows it in ``resource_status_reason``. The path
    includes that of a failure in a nested stack.
    """

    def __init__(
        self,
        error: Exception,
        path: Iterable[str | int | None] = (),
        action: str | None = None,
        kind: str | None = None,
    ) -> None:
        self.error = error
        self.action = action
        self.path = tuple(path)
        self.kind = _kind(error) if kind is None else kind
        if isinstance(error, ResourceFailure):
            self.error, self.kind, self.path = error.error, error.kind, (*self.path, *error.path)
        super().__init__(
            ': '.join(part for part in (self.kind, render_path(self.path), str(self.error)) if part)
        )

    @classmethod
    def from_status_reason(cls, reason: str) -> 'ResourceFailure':
        """Return the failure that a nested stack's ``status_reason`` describes.

        The reason is ``Resource CREATE failed: Type: path: message`` or any other text.
        """
        match = _REASON.fullmatch(reason)
        if match is None:
            return cls(Error(reason), kind='')
        return cls(
            Error(match['message']), (match['path'],), match['action'], kind=match['kind'] or ''
        )


def _kind(error: Exception) -> str:
    """Return the class name of an error as a status reason shows it.

    It is empty for an invalid template, but not for an invalid value of a property, which is
    detected during the action.
    """
    if isinstance(error, StackValidationFailed) and error.path[1:2] != ('Properties',):
        return ''
    return type(error).__name__.removesuffix('_Remote')


class Interrupted(PlainError):
    """The engine died during an operation, and its outcome cannot be determined."""


class EnginesDied(HeatException):
    """The same call on a resource has ended several engines."""

    msg_fmt = (
        '%(count)s engines in a row died in the first call of the %(action)s of this resource '
        'after they had taken the stack over, so it is not called again. Look for the reason in '
        'the standard error and the log of the engines, remove it, then retry or update the stack.'
    )


_REASON = re.compile(
    r'Resource (?P<action>\w+) failed: (?:(?P<kind>\w+): )?'
    r'(?P<path>resources[.\[]\S+): (?P<message>.*)',
    re.DOTALL,
)


class Error(PlainError):
    """A failure of a resource without a more specific class."""


class StatusError(HeatException):
    """Base class of the errors that a status of a service tells."""

    def __init__(
        self, message: str | None = None, status_reason: str = 'Unknown', **kwargs: typing.Any
    ) -> None:
        super().__init__(message, status_reason=status_reason, **kwargs)


class ResourceInError(StatusError):
    msg_fmt = 'Went to status %(resource_status)s due to "%(status_reason)s"'


class ResourceUnknownStatus(StatusError):
    msg_fmt = '%(result)s - Unknown status %(resource_status)s due to "%(status_reason)s"'


class NoActionRequired(Exception):
    """Raised by a resource type that ignores a signal."""


class SignalPostponed(Exception):
    """Raised by a resource type that is busy, to get the signal again later."""


class UpdateReplace(Exception):
    """Raised by an update that requires a replacement of the resource."""


class PollDelay(Exception):
    """Raised by ``check_X_complete``: poll again after ``period`` seconds."""

    def __init__(self, period: float) -> None:
        super().__init__(f'poll again in {period} s')
        self.period = period


class UpdateInProgress(Exception):
    """Another engine processes the resource."""

    def __init__(self, resource_name: str = 'Unknown') -> None:
        super().__init__(f'The resource {resource_name} is already being updated.')


class InvalidEncryptionKey(HeatException):
    msg_fmt = 'Can not decrypt data with the auth_encryption_key in heat config.'

    def __init__(self, subject: str = '') -> None:
        super().__init__(f'{self.msg_fmt[:-1]}: {subject}.' if subject else None, subject=subject)


class ConfigurationError(Exception):
    """A program cannot start with its configuration. The text states what to change."""


def append_hint(text: str, hint: str) -> str:
    """Append a sentence, which begins with a space, to a text. An empty hint changes nothing."""
    if not hint or text.endswith(('!', '?')):
        return text + hint
    return f'{text.removesuffix(".")}.{hint}'


def render_path(path: Iterable[str | int | None]) -> str:
    """Return ``resources.web.resources[3]`` for ``('resources', 'web', 'resources', 3)``.

    A name that is a number is rendered as an index.
    """
    text = ''
    for part in path:
        if isinstance(part, int) or (isinstance(part, str) and part.isdecimal()):
            text += f'[{part}]'
        elif part:
            text += f'.{part}' if text else str(part)
    return text
