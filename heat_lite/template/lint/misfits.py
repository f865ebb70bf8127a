"""The types of values that calls of functions give, as far as the text of a template shows them."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from heat_lite.common.value_types import Value
from heat_lite.template.function import Function
from heat_lite.template.functions import refs
from heat_lite.template.lint.type_info import TypeInfo
from heat_lite.template.parameters import parameter_types
from heat_lite.template.schema import PropertySchema
from heat_lite.template.unknown import ANY, INTEGER, LIST, MAP, NUMBER, STRING

#: the types whose attributes were compared with what the services return
_CHECKED = ('OS::Cinder::', 'OS::Heat::', 'OS::Neutron::', 'OS::Nova::')
#: attributes that return something else than their schema says, as in Heat
_WRONG = {
    ('OS::Heat::SoftwareComponent', 'config'),
    ('OS::Neutron::FirewallRule', 'position'),
    ('OS::Neutron::Port', 'dns_assignment'),
}
_NESTED = (LIST, MAP)


class Use(NamedTuple):
    """A call that gives the value of a property, at a path from the top of its template.

    ``given`` is the type of its value, ANY where it is unknown.
    """

    path: tuple
    node: Function
    schema: PropertySchema
    given: str

    def describe(self) -> str:
        """Return the beginning of a finding about the types."""
        return f'The property is of the type {self.schema.type}; "{self.node.name}" gives a'

    def never_fits(self) -> bool:
        """Whether the value never converts to the type of the property."""
        given, wanted = self.given, self.schema.type
        if ANY in (given, wanted) or given == wanted:
            return False
        if given == MAP and isinstance(self.node, refs.GetParam | refs.ParamRef):
            return wanted not in _NESTED  # a parameter of type json may be a list
        if wanted not in _NESTED:
            return given in _NESTED
        converted = (STRING, LIST) if wanted == MAP else (STRING,)
        return not (self.schema.allow_conversion and given in converted)

    def fits_digits_only(self) -> bool:
        """Whether a property takes the text of a resource only if it is that of a number."""
        is_text = self.given == STRING and isinstance(self.node, refs.GetResource | refs.GetAttr)
        return is_text and self.schema.type in (INTEGER, NUMBER)


def uses(document: Any) -> Iterator[Use]:
    """Yield the uses of calls in the properties of a TemplateDocument."""
    calls: dict[tuple, list] = {}
    for call in document.calls.calls:
        calls.setdefault(call.path[:2], []).append(call)
    for definition in document.definitions():
        info = document.type_of(definition.type_name, definition.name)
        if info is None or not info.properties or document.is_external(definition):
            continue
        prefix = (*definition.path, document.properties_of(definition)[0])
        for path, node, _ in calls.get(definition.path[:2], ()):
            if path[: len(prefix)] == prefix:
                schema = _schema_at(info.properties, path[len(prefix) : -1])
                if schema is not None:
                    yield Use(path[:-1], node, schema, type_of(document, node))


def _schema_at(schemata: Value, path: Iterable[Value]) -> PropertySchema | None:
    """Return the schema of a property or of a part of it, None where there is none."""
    schema = None
    for key in path:
        if isinstance(schemata, PropertySchema):  # that of the items of a list
            schema = schemata if isinstance(key, int) else None
        else:
            schema = schemata.get(key) if schemata else None
        schemata = schema and schema.schema
    return schema


def type_of(document: Any, node: Function) -> str:
    """Return the type of the value of a call in a TemplateDocument; ANY where it is unknown."""
    if isinstance(node, refs.GetParam | refs.ParamRef):
        schema = document.parameters.get(_only(node.args))
        return ANY if schema is None else parameter_types.PROPERTY_TYPES[schema.type]
    if isinstance(node, refs.GetResource):
        return STRING if _is_checked(_class_of(document, node.resource_name())) else ANY
    if isinstance(node, refs.GetAttr):
        path = node.attribute_path()
        info = _class_of(document, node.resource_name())
        is_whole = path is not None and len(path) == 1 == len(node.args) - 1
        return _attribute_type(info, path[0]) if path and is_whole else ANY
    return node.gives


def _only(args: Value) -> str | None:
    """Return the name of a parameter that is read without a path."""
    name = args[0] if isinstance(args, list) and len(args) == 1 else args
    return name if isinstance(name, str) else None


def _class_of(document: Any, name: str | None) -> TypeInfo | None:
    """Return the type of a resource of the service; None for one that a template stands for."""
    if name is None or document.nested_of(name) is not None:
        return None
    return document.resource_type(name)


def _is_checked(info: TypeInfo | None) -> bool:
    return info is not None and info.name.startswith(_CHECKED)


def _attribute_type(info: TypeInfo | None, name: Value) -> str:
    if info is None or not _is_checked(info) or (info.name, name) in _WRONG:
        return ANY
    schema = (info.attributes or {}).get(name)
    kind = (schema and schema.type) or ANY
    # an attribute that repeats a property has the type of the property
    repeated = (info.properties or {}).get(name)
    return ANY if repeated is not None and repeated.type != kind else kind
