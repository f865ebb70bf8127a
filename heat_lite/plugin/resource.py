"""Base of resource types of plug-ins, with the names of Heat's base class."""

from collections.abc import Iterable

from heat_lite.clients import errors
from heat_lite.clients.clients import Clients
from heat_lite.common import exception
from heat_lite.common.exception import ResourceFailure, UpdateReplace
from heat_lite.common.value_types import Value, Values
from heat_lite.engine.resource import resource
from heat_lite.plugin.translation import TranslationRule
from heat_lite.template.definition import ResourceDefinition
from heat_lite.template.properties import Properties

__all__ = ['Resource', 'ResourceFailure', 'UpdateReplace']


class Resource(resource.Resource):
    """Base of resource types: schemas, and the handlers ``handle_X`` and ``check_X_complete``.

    A handler may block for one request to a service. For longer operations it returns a token, and
    ``check_X_complete(token)`` is called until it returns True.
    """

    #: the extension of the service that the type requires
    required_service_extension: str | None = None

    @property
    def t(self) -> Value:
        """The definition of the resource in the template."""
        return self.definition

    @classmethod
    def require_service(cls, clients: Clients, type_name: str) -> None:
        if cls.default_client_name is None:
            return
        try:
            clients.require(cls.default_client_name, cls.required_service_extension)
        except errors.NoCloud as error:
            name = cls.default_client_name
            raise exception.ResourceTypeUnavailable(
                service_name=name, resource_type=type_name, reason=f'{error}.'
            ) from error

    def translation_rules(self, properties: Properties) -> Iterable[TranslationRule]:
        """Return the rules that translate deprecated properties (see ``translation``)."""
        return ()

    def properties_of(self, definition: ResourceDefinition) -> Properties:
        found = super().properties_of(definition)
        return found.with_rules(
            rule.template_rule() for rule in self.translation_rules(found) or ()
        )

    def handle_delete(self) -> Value:
        """Delete the object by the manager ``entity`` of the client."""
        if self.entity and self.resource_id is not None:
            try:
                getattr(self.client(), self.entity).delete(self.resource_id)
            except Exception as error:
                self.client_plugin().ignore_not_found(error)
        return self.resource_id

    def _verify_check_conditions(self, checks: Iterable[Values]) -> None:
        """Raise Error for failed checks: dicts of ``attribute``, ``expected``, ``current``."""
        wrong = [
            f"'{each['attribute']}': expected '{each['expected']}', got '{each['current']}'"
            for each in checks
            if not _is_expected(each)
        ]
        if wrong:
            raise exception.Error('; '.join(wrong))

    def resolve_attribute(self, name: str) -> Value:
        return self._resolve_attribute(name)

    def _resolve_attribute(self, name: str) -> Value:
        """Return the value of an attribute; overridden by types."""
        return None

    def show(self) -> Value:
        return None if self.resource_id is None else self._show_resource()

    def _show_resource(self) -> Value:
        """Return the object as a map, by the manager ``entity`` of the client."""
        if not self.entity:
            return None
        try:
            found = getattr(self.client(), self.entity).get(self.resource_id)
        except Exception as error:
            self.client_plugin().ignore_not_found(error)
            return None
        return found.to_dict() if hasattr(found, 'to_dict') else found

    def FnGetRefId(self) -> Value:  # noqa: N802 - the name in Heat
        return self.reference_id()

    def FnGetAtt(self, key: str | int, *path: str | int) -> Value:  # noqa: N802 - the name in Heat
        return self.attribute(key, *path)


def _is_expected(check: Values) -> bool:
    expected, current = check['expected'], check['current']
    return current in expected if isinstance(expected, list | tuple) else current == expected
