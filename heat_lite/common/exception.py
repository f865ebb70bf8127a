"""The exceptions of the domain: each says its HTTP status and its message.

The class name travels to the client as ``error.type``, so names and codes are those of Heat's API. An engine's exception crosses RPC by
class name and arguments and is raised again in the API process.
"""

import re


class HeatException(Exception):
    """Base of all errors that a user may see.

    ``code`` is the HTTP status, ``msg_fmt`` the text with named gaps that the keyword arguments fill.
    """

    code = 500
    msg_fmt = 'An unknown exception occurred.'

    def __init__(self, message=None, **kwargs):
        self.kwargs = kwargs
        self.message = message if message is not None else self.msg_fmt % kwargs
        super().__init__(self.message)

    def __str__(self):
        return self.message

    def with_hint(self, hint):
        """Itself, with a sentence such as `` Did you mean "x"?`` at the end of its text, if there is one."""
        if hint:
            self._say(hinted(self.message, hint))
        return self

    def _say(self, text):
        self.message = text
        self.args = (text,)

    @property
    def msg(self):
        """The text, under the name that oslo.messaging and plug-ins expect."""
        return self.message


# --------------------------------------------------------------- requests


class Invalid(HeatException):
    code = 400
    msg_fmt = 'Data supplied was not valid: %(reason)s'


class NotSupported(HeatException):
    code = 400
    msg_fmt = '%(feature)s is not supported.'


class MissingCredentialError(HeatException):
    code = 400
    msg_fmt = 'Missing required credential: %(required)s'


class RequestLimitExceeded(HeatException):
    code = 400
    msg_fmt = 'Request limit exceeded: %(message)s'

    def __init__(self, message=None, **kwargs):
        # the gap in the text is itself called "message", as in Heat
        super().__init__(self.msg_fmt % {'message': message}, **kwargs)


class DownloadLimitExceeded(HeatException):
    code = 400
    msg_fmt = 'Permissible download limit exceeded: %(message)s'


class Forbidden(HeatException):
    code = 403
    msg_fmt = 'You are not authorized to use %(action)s.'

    def __init__(self, action='this action', **kwargs):
        super().__init__(action=action, **kwargs)


class InvalidTenant(HeatException):
    code = 403
    msg_fmt = 'Searching Tenant %(target)s from Tenant %(actual)s forbidden.'


class AuthorizationFailure(HeatException):
    code = 403
    msg_fmt = 'Authorization failed.'


class EngineTimeout(HeatException):
    """No engine answered an RPC in time: the API says 504, never 500."""

    code = 504
    msg_fmt = (
        'The engine %(engine)s did not answer %(method)s within %(seconds)s seconds. The request may still be carried out: look again.'
    )


class EngineTooOld(HeatException):
    """The engine that was asked knows less than the one who asks: they are of different releases."""

    code = 501
    msg_fmt = 'The engine does not know %(method)s (%(reason)s). Upgrade all engines before the APIs.'


class ServiceUnavailable(HeatException):
    code = 503
    msg_fmt = 'The service cannot take the request now: %(reason)s'


class EngineBusy(HeatException):
    """The engine has as much to do as it may take at a time: it gets better by itself."""

    code = 503
    msg_fmt = 'The engine works on %(count)s stacks, and takes no more now. Try again in a while.'


class TooManyStacksAtWork(HeatException):
    code = 429
    msg_fmt = 'The engine works on %(count)s stacks of your project, and takes no more now. Try again in a while.'


# --------------------------------------------------------------- things that are not there


class NotFound(HeatException):
    code = 404
    msg_fmt = '%(what)s not found.'


class EntityNotFound(HeatException):
    code = 404
    msg_fmt = 'The %(entity)s (%(name)s) could not be found.'


class ResourceNotFound(EntityNotFound):
    msg_fmt = 'The Resource (%(resource_name)s) could not be found in Stack %(stack_name)s.'


class ResourceTypeNotFound(EntityNotFound):
    msg_fmt = 'The Resource Type (%(type_name)s) could not be found.'


class SnapshotNotFound(EntityNotFound):
    msg_fmt = 'The Snapshot (%(snapshot)s) for Stack (%(stack)s) could not be found.'


class ResourceNotAvailable(HeatException):
    code = 404
    msg_fmt = 'The Resource (%(resource_name)s) is not available.'


# --------------------------------------------------------------- stacks


class StackExists(HeatException):
    code = 409
    msg_fmt = 'The Stack (%(stack_name)s) already exists.'


class ActionInProgress(HeatException):
    code = 409
    msg_fmt = 'Stack %(stack_name)s already has an action (%(action)s) in progress.'


class StackProtected(HeatException):
    code = 409
    msg_fmt = 'The Stack (%(stack_name)s) is protected from being deleted. Clear its protection first.'


class NothingToRetry(HeatException):
    code = 409
    msg_fmt = 'There is nothing to retry in Stack %(stack_name)s: it is %(state)s. What can be continued is a failed %(actions)s.'


class ReplacementRefused(HeatException):
    code = 409
    msg_fmt = 'Stack %(stack_name)s must not lose resources by this update (on_replace: fail), but it would replace: %(resources)s.'


class ActionNotComplete(HeatException):
    code = 409
    msg_fmt = 'Stack %(stack_name)s has an action (%(action)s) in progress or failed state.'


class EventSendFailed(HeatException):
    code = 500
    msg_fmt = 'Failed to send message to stack (%(stack_name)s) on other engine (%(engine_id)s)'


class StopActionFailed(HeatException):
    code = 500
    msg_fmt = 'Failed to stop stack (%(stack_name)s) on other engine (%(engine_id)s)'


class ImmutableParameterModified(HeatException):
    code = 400
    msg_fmt = 'The following parameters are immutable and may not be updated: %(keys)s'

    def __init__(self, *names, **kwargs):
        super().__init__(keys=', '.join(sorted(names)), **kwargs) if names else super().__init__(**kwargs)


# --------------------------------------------------------------- templates


class InvalidTemplateVersion(HeatException):
    code = 400
    msg_fmt = 'The template version is invalid: %(explanation)s'


class InvalidTemplateSection(HeatException):
    code = 400
    msg_fmt = 'The template section is invalid: %(section)s'


class InvalidTemplateParameter(HeatException):
    code = 400
    msg_fmt = 'The Parameter (%(key)s) has no attributes.'


class TemplateOutputError(HeatException):
    code = 400
    msg_fmt = 'Error in %(resource)s output %(attribute)s: %(reason)s'


class InvalidTemplateAttribute(HeatException):
    code = 400
    msg_fmt = 'The Referenced Attribute (%(resource)s %(key)s) is incorrect.'


class InvalidTemplateReference(HeatException):
    code = 400
    msg_fmt = 'The specified reference "%(resource)s" (in %(key)s) is incorrect.'


class InvalidSchemaError(HeatException):
    code = 400
    msg_fmt = '%(message)s'

    def __init__(self, message=None, **kwargs):
        super().__init__(str(message), **kwargs)


class GroupMemberNotFound(HeatException):
    code = 404
    msg_fmt = "Member '%(member)s' not found in group resource '%(group)s'."


class CircularDependencyException(HeatException):
    code = 400
    msg_fmt = 'Circular Dependency Found: %(cycle)s'


class UserParameterMissing(HeatException):
    code = 400
    msg_fmt = 'The Parameter (%(key)s) was not provided.'


class UnknownUserParameter(HeatException):
    code = 400
    msg_fmt = 'The Parameter (%(key)s) was not defined in template.'


class InvalidMergeStrategyForParam(HeatException):
    code = 400
    msg_fmt = "Invalid merge strategy '%(strategy)s' for parameter '%(param)s'."


class ConflictingMergeStrategyForParam(HeatException):
    code = 400
    msg_fmt = "Conflicting merge strategy '%(strategy)s' for parameter '%(param)s' in file '%(env_file)s'."


class InvalidBreakPointHook(HeatException):
    code = 400
    msg_fmt = '%(message)s'

    def __init__(self, message=None, **kwargs):
        super().__init__(str(message), **kwargs)


class InvalidRestrictedAction(HeatException):
    code = 400
    msg_fmt = '%(message)s'

    def __init__(self, message=None, **kwargs):
        super().__init__(str(message), **kwargs)


class InvalidGlobalResource(HeatException):
    code = 500
    msg_fmt = 'There was an error loading the definition of the global resource type %(type_name)s.'


class StackValidationFailed(HeatException):
    """A template, its parameters or a property is wrong.

    ``path`` says where, outermost first; ``prefixed`` gives the same error seen from further outside. Text: ``error: path: message``, the
    first two left out where they are empty.
    """

    code = 400
    msg_fmt = '%(message)s'

    def __init__(self, message=None, error='', path=(), **kwargs):
        self.error = error
        self.path = tuple(path)
        self.error_message = '' if message is None else str(message)
        super().__init__(self._text(), **kwargs)

    def with_hint(self, hint):
        if hint:
            self.error_message = hinted(self.error_message, hint)
            self._say(self._text())
        return self

    def _text(self):
        return ': '.join(self._parts())

    def answer(self):
        """The text as the API has always told it, with a colon more between the parts; programs have come to look for it."""
        return ': : '.join(self._parts())

    def _parts(self):
        return [part for part in (self.error, render_path(self.path), self.error_message) if part]

    def prefixed(self, *path, error=None):
        """The same failure with ``path`` in front of its own."""
        return type(self)(self.error_message, error=self.error if error is None else error, path=(*path, *self.path))


class PropertyUnspecifiedError(HeatException):
    code = 400
    msg_fmt = 'At least one of the following properties must be specified: %(props)s.'

    def __init__(self, *names, **kwargs):
        super().__init__(props=', '.join(names), **kwargs) if names else super().__init__(**kwargs)


class ResourcePropertyDependency(HeatException):
    code = 400
    msg_fmt = '%(prop1)s cannot be specified without %(prop2)s.'


class ResourcePropertyConflict(HeatException):
    code = 400
    msg_fmt = 'Cannot define the following properties at the same time: %(props)s.'

    def __init__(self, *names, **kwargs):
        super().__init__(props=', '.join(names), **kwargs) if names else super().__init__(**kwargs)


class ResourceTypeUnavailable(HeatException):
    code = 400
    msg_fmt = 'HEAT-E99001 Service %(service_name)s is not available for resource type %(resource_type)s, reason: %(reason)s'


# --------------------------------------------------------------- resources at work


class ResourceActionNotSupported(HeatException):
    code = 400
    msg_fmt = '%(action)s is not supported for resource.'


class ResourceActionRestricted(HeatException):
    code = 400
    msg_fmt = '%(action)s is restricted for resource.'


class ObjectActionError(HeatException):
    code = 400
    msg_fmt = 'Object action %(action)s failed because: %(reason)s'


class PhysicalResourceNameAmbiguity(HeatException):
    code = 400
    msg_fmt = 'Multiple physical resources were found with name (%(name)s).'


class PhysicalResourceIDAmbiguity(HeatException):
    code = 400
    msg_fmt = 'Multiple resources were found with the physical ID (%(phys_id)s).'


class ResourceFailure(HeatException):
    """An action of a resource ended badly.

    Text as Heat shows it in ``resource_status_reason``: ``Type: path: message``. Failures of nested stacks give their path through.
    """

    def __init__(self, error, path=(), action=None, kind=None):
        self.error = error
        self.action = action
        self.path = tuple(path)
        self.kind = _kind(error) if kind is None else kind
        if isinstance(error, ResourceFailure):
            self.error, self.kind, self.path = error.error, error.kind, (*self.path, *error.path)
        super().__init__(': '.join(part for part in (self.kind, render_path(self.path), str(self.error)) if part))

    @classmethod
    def of_stack(cls, reason):
        """The failure that the reason of a nested stack's state tells: ``Resource CREATE failed: Type: path: message``, or any text."""
        match = _REASON.fullmatch(reason)
        if match is None:
            return cls(Error(reason), kind='')
        return cls(Error(match['message']), (match['path'],), match['action'], kind=match['kind'] or '')


def _kind(error):
    """The class of an error as reasons show it; what is wrong with a template says so itself, but for values that show when it is built."""
    if isinstance(error, StackValidationFailed) and error.path[1:2] != ('Properties',):
        return ''
    return type(error).__name__.removesuffix('_Remote')


class Interrupted(HeatException):
    """An engine died in the midst of something, and nobody can tell what came of it."""

    msg_fmt = '%(message)s'

    def __init__(self, message=None, **kwargs):
        super().__init__(str(message), **kwargs)


_REASON = re.compile(r'Resource (?P<action>\w+) failed: (?:(?P<kind>\w+): )?(?P<path>resources[.\[]\S+): (?P<message>.*)', re.DOTALL)


class Error(HeatException):
    """A failure of a resource that has no class of its own."""

    msg_fmt = '%(message)s'

    def __init__(self, message=None, **kwargs):
        super().__init__(str(message), **kwargs)


class ResourceInError(HeatException):
    msg_fmt = 'Went to status %(resource_status)s due to "%(status_reason)s"'


class ResourceUnknownStatus(HeatException):
    msg_fmt = '%(result)s - Unknown status %(resource_status)s due to "%(status_reason)s"'


class NoActionRequired(Exception):
    """Raised by a type that was told something that is nothing to do for it now."""


class UpdateReplace(Exception):
    """Raised inside an update to say that only a replacement can do it."""


class UpdateInProgress(Exception):
    """Another engine works on the resource."""

    def __init__(self, resource_name='Unknown'):
        super().__init__(f'The resource {resource_name} is already being updated.')


class InvalidEncryptionKey(HeatException):
    code = 500
    msg_fmt = 'Can not decrypt data with the auth_encryption_key in heat config.'


def hinted(text, hint):
    """A text and the sentence after it, which begins with its space."""
    return f'{text.removesuffix(".")}.{hint}' if hint else text


def render_path(path):
    """``('resources', 'web', 'resources', 3)`` as ``resources.web.resources[3]``; names that are numbers look like indexes, too."""
    text = ''
    for part in path:
        if isinstance(part, int) or (isinstance(part, str) and part.isdecimal()):
            text += f'[{part}]'
        elif part:
            text += f'.{part}' if text else str(part)
    return text
