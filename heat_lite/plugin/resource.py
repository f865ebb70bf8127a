"""The base of resource types, in the words of Heat's plug-ins."""

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.common.exception import ResourceFailure, UpdateReplace
from heat_lite.engine import resource

__all__ = ['Resource', 'ResourceFailure', 'UpdateReplace']


class Resource(resource.Resource):
    """A type says what it takes and offers by its schemas, and does its work in ``handle_X`` and ``check_X_complete``.

    A handler may block for as long as a request takes; for what takes longer it returns a token, and ``check_X_complete(token)`` is asked
    until it says True.
    """

    #: the extension of the client's service without which the type is of no use
    required_service_extension: str | None = None

    @property
    def t(self):
        """Its definition in the template."""
        return self.definition

    @classmethod
    def require_service(cls, clients, type_name):
        if cls.default_client_name is None:
            return
        try:
            clients.require(cls.default_client_name, cls.required_service_extension)
        except errors.NoCloud as error:
            name = cls.default_client_name
            raise exception.ResourceTypeUnavailable(service_name=name, resource_type=type_name, reason=f'{error}.') from error

    def validate_names(self):
        self.require_service(self.stack.clients(), self.type())
        super().validate_names()

    def validate(self):
        self.require_service(self.stack.clients(), self.type())
        return super().validate()

    # ------------------------------------------------------------ properties

    def translation_rules(self, properties):
        """Rules that bring older ways of writing properties into the present one (see ``translation``)."""
        return ()

    def properties_of(self, definition):
        found = super().properties_of(definition)
        return found.with_rules(rule.as_ours() for rule in self.translation_rules(found) or ())

    # ------------------------------------------------------------ life

    def handle_delete(self):
        """The object of ``entity`` goes, by the client's own way of deleting."""
        if self.entity and self.resource_id is not None:
            try:
                getattr(self.client(), self.entity).delete(self.resource_id)
            except Exception as error:
                self.client_plugin().ignore_not_found(error)
        return self.resource_id

    def _verify_check_conditions(self, checks):
        """Raise what is not as it should be: each check has an ``attribute``, ``expected`` and ``current``."""
        wrong = [f"'{each['attribute']}': expected '{each['expected']}', got '{each['current']}'" for each in checks if not _holds(each)]
        if wrong:
            raise exception.Error('; '.join(wrong))

    # ------------------------------------------------------------ what others read

    def resolve_attribute(self, name):
        return self._resolve_attribute(name)

    def _resolve_attribute(self, name):
        """The value of an attribute; overridden by types."""
        return None

    def show(self):
        return None if self.resource_id is None else self._show_resource()

    def _show_resource(self):
        """All that the client tells about the object of ``entity``, as a map."""
        if not self.entity:
            return None
        try:
            found = getattr(self.client(), self.entity).get(self.resource_id)
        except Exception as error:
            self.client_plugin().ignore_not_found(error)
            return None
        return found.to_dict() if hasattr(found, 'to_dict') else found

    def FnGetRefId(self):  # noqa: N802 - its name there
        return self.reference_id()

    def FnGetAtt(self, key, *path):  # noqa: N802 - its name there
        return self.attribute(key, *path)


def _holds(check):
    expected, current = check['expected'], check['current']
    return current in expected if isinstance(expected, list | tuple) else current == expected
