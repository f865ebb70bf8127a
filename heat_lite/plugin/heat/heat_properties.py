"""Properties with the members that plug-ins written for Heat read."""

from collections.abc import Callable, Mapping

from heat_lite.common.value_types import Value
from heat_lite.template import properties
from heat_lite.template.schema import PropertySchema
from heat_lite.template.support import SupportStatus


def _as_is(snippet: Value, nullable: bool = False) -> Value:
    return snippet


class Property:
    """One property: the answers of its schema."""

    def __init__(self, schema: PropertySchema, name: str | None = None) -> None:
        self.schema, self.name = schema, name

    def type(self) -> str:
        return self.schema.type

    def required(self) -> bool:
        return self.schema.required

    def implemented(self) -> bool:
        return self.schema.implemented

    def update_allowed(self) -> bool:
        return self.schema.update_allowed

    def immutable(self) -> bool:
        return self.schema.immutable

    def has_default(self) -> bool:
        return bool(self.schema.has_default)

    def default(self) -> Value:
        return self.schema.default

    def support_status(self) -> SupportStatus:
        return self.schema.support


class Properties(properties.Properties):
    """The properties of a resource, or of any map of values with a schema."""

    def __init__(
        self,
        schema: Mapping[str, PropertySchema],
        data: Mapping[str, Value] | None = None,
        resolver: Callable[..., Value] = _as_is,
        parent_name: str | None = None,
        section: str | None = None,
        lookup: Callable[..., Value] | None = None,
        **options: Value,
    ) -> None:
        values = (schema, data, resolver, parent_name or '', section or 'properties', lookup)
        super().__init__(*values, **options)

    @property
    def props(self) -> dict[str, Property]:
        return {name: Property(schema, name) for name, schema in self.schemata.items()}

    def get_user_value(self, key: str) -> Value:
        """Return the value in the definition, without conversion and default."""
        return self.user_value(key)


def schemata(schema: Mapping[str, PropertySchema]) -> dict[str, PropertySchema]:
    """Return a map of schemas as it is: those of plug-ins are objects already."""
    return dict(schema)
