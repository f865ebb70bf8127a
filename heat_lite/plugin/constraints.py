"""Constraints of properties, and the base of custom constraints."""

from typing import Any

from heat_lite.clients import errors
from heat_lite.clients.client_plugin import RequestingContext
from heat_lite.common import exception
from heat_lite.common.value_types import Value
from heat_lite.template.constraints import (
    AllowedPattern,
    AllowedValues,
    CustomConstraint,
    Length,
    Modulo,
    Range,
)

__all__ = [
    'AllowedPattern',
    'AllowedValues',
    'BaseCustomConstraint',
    'CustomConstraint',
    'Length',
    'Modulo',
    'Range',
]


class BaseCustomConstraint:
    """Base of custom constraints.

    A plug-in registers a constraint by ``constraint_mapping()`` or an entry point of the group
    ``heat.constraints``. A subclass overrides ``validate_with_client(clients, value)``, which
    raises one of ``expected_exceptions`` for an invalid value; or sets ``resource_client_name`` and
    ``resource_getter_name``, a method of the client plug-in that does so; or overrides
    ``validate(value, context)``.
    """

    expected_exceptions: tuple = (exception.EntityNotFound, exception.NotFound, errors.NoSuchObject)
    resource_client_name: str | None = None
    resource_getter_name: str | None = None
    _error_message: str | None = None

    def validate(self, value: Value, context: RequestingContext, template: object = None) -> bool:
        """Return whether the value is valid."""
        try:
            self.validate_with_client(context.clients, value)
        except self.expected_exceptions as error:
            self._error_message = str(error)
            return False
        return True

    def validate_with_client(self, clients: Any, value: Value) -> None:
        plugin = clients.client_plugin(self.resource_client_name)
        getattr(plugin, str(self.resource_getter_name))(value)

    def error(self, value: Value) -> str:
        """Return why the last value is invalid."""
        return self._error_message or f'it is no {type(self).__name__}'
