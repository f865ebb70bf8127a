"""The exceptions of the service, and further ones that only plug-ins raise or catch.

Names and arguments are those of Heat's module ``heat.common.exception``.
"""

from collections.abc import Iterable

from heat_lite.common import exception
from heat_lite.common.exception import HeatException
from heat_lite.engine.resource.resource import Resource


class ResourceFailure(exception.ResourceFailure):
    """The failure of an action, with Heat's arguments: the error, the resource, the action."""

    def __init__(
        self,
        exception_or_error: Exception | str,
        resource: Resource | None,
        action: str | None = None,
    ) -> None:
        error = exception_or_error
        path = () if resource is None else ('resources', resource.name)
        super().__init__(
            error if isinstance(error, Exception) else exception.Error(error), path, action
        )


class HeatExceptionWithPath(HeatException):
    """An error at a place of a template: ``error: path: message``."""

    msg_fmt = '%(error)s%(path)s%(message)s'

    def __init__(
        self, error: str | None = None, path: Iterable[str | int] = (), message: str | None = None
    ) -> None:
        self.error, self.path, self.error_message = error or '', list(path), message or ''
        place = '.'.join(str(each) for each in self.path)
        super().__init__(
            ': '.join(each for each in (self.error, place, self.error_message) if each)
        )


class AuthorizationFailure(HeatException):
    msg_fmt = 'Authorization failed.%(failure_reason)s'

    def __init__(self, failure_reason: str = '') -> None:
        super().__init__(failure_reason=failure_reason)


class NotAuthenticated(HeatException):
    code = 401
    msg_fmt = 'You are not authenticated.'


class ClientNotAvailable(HeatException):
    msg_fmt = 'The client (%(client_name)s) is not available.'


class ResourceNotAvailable(HeatException):
    code = 404
    msg_fmt = 'The Resource (%(resource_name)s) is not available.'


class PhysicalResourceExists(HeatException):
    code = 409
    msg_fmt = 'The physical resource for (%(name)s) exists.'


class PhysicalResourceNameAmbiguity(HeatException):
    code = 400
    msg_fmt = 'Multiple physical resources were found with name (%(name)s).'


class PhysicalResourceIDAmbiguity(HeatException):
    code = 400
    msg_fmt = 'Multiple resources were found with the physical ID (%(phys_id)s).'


class InvalidContentType(HeatException):
    code = 400
    msg_fmt = 'Invalid content type %(content_type)s'


class InvalidServiceVersion(HeatException):
    code = 400
    msg_fmt = 'Invalid service %(service)s version %(version)s'


class StackResourceLimitExceeded(HeatException):
    code = 403
    msg_fmt = 'Maximum resources per stack exceeded.'


class EgressRuleNotAllowed(HeatException):
    code = 400
    msg_fmt = 'Egress rules are only allowed when Neutron is used and the "VpcId" property is set.'


class InterfaceAttachFailed(HeatException):
    msg_fmt = 'Failed to attach interface (%(port)s) to server (%(server)s)'


class InterfaceDetachFailed(HeatException):
    msg_fmt = 'Failed to detach interface (%(port)s) from server (%(server)s)'


class UnableToAutoAllocateNetwork(HeatException):
    code = 400
    msg_fmt = 'Unable to automatically allocate a network: %(message)s'

    def __init__(self, message: str = '') -> None:
        super().__init__(self.msg_fmt % {'message': message})


class EntityMatchNotFound(HeatException):
    """No object of a service has the wanted name or id."""

    code = 404
    msg_fmt = 'No %(entity)s matching %(args)s.'


class EntityUniqueMatchNotFound(EntityMatchNotFound):
    """Several objects of a service have the wanted name."""

    msg_fmt = 'No %(entity)s unique match found for %(args)s.'


class InterfaceNotFound(HeatException):
    """A server has no such network interface."""

    code = 404
    msg_fmt = 'No network interface found for server %(id)s.'
