"""Constraints, in the words of Heat's plug-ins, and what custom ones are made of."""

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.template.constraints import AllowedPattern, AllowedValues, CustomConstraint, Length, Modulo, Range

__all__ = ['AllowedPattern', 'AllowedValues', 'BaseCustomConstraint', 'CustomConstraint', 'Length', 'Modulo', 'Range']


class BaseCustomConstraint:
    """A rule for values that a module names in ``constraint_mapping()``, or an entry point of the group ``heat.constraints``.

    Overridden: ``validate_with_client(clients, value)``, which raises one of ``expected_exceptions`` for a value that is none of its
    kind; or the names of a client and of the method of its plug-in that does; or ``validate(value, context)`` itself.
    """

    expected_exceptions: tuple = (exception.EntityNotFound, exception.NotFound, errors.NoSuchObject)
    resource_client_name: str | None = None
    resource_getter_name: str | None = None
    _error_message: str | None = None

    def validate(self, value, context, template=None):
        """Whether the value is one of its kind."""
        try:
            self.validate_with_client(context.clients, value)
        except self.expected_exceptions as error:
            self._error_message = str(error)
            return False
        return True

    def validate_with_client(self, clients, value):
        getattr(clients.client_plugin(self.resource_client_name), self.resource_getter_name)(value)

    def error(self, value):
        """Why the last value is none of its kind."""
        return self._error_message or f'it is no {type(self).__name__}'
