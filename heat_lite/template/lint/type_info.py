"""What the linter knows about a resource type, be it a class of the service or a template.

Also the definition of a resource, which names a type.
"""

import dataclasses
from collections.abc import Mapping
from typing import NamedTuple

from heat_lite.template.schema import CACHE_NONE, AttributeSchema, PropertySchema
from heat_lite.template.support import DEFAULT, SupportStatus


@dataclasses.dataclass(frozen=True)
class TypeInfo:
    """The schemas of a resource type.

    ``properties`` is None where the type takes any property, ``attributes`` where only a stack
    knows them. ``update_policy`` holds the schemas of that section.
    """

    name: str
    properties: Mapping[str, PropertySchema] | None
    attributes: Mapping[str, AttributeSchema] | None = None
    update_policy: Mapping[str, PropertySchema] = dataclasses.field(default_factory=dict)
    support: SupportStatus = DEFAULT
    description: str = ''

    def updates_in_place(self) -> bool:
        """Whether an update can change a resource of this type without replacing it."""
        return any(schema.update_allowed for schema in (self.properties or {}).values())

    def is_volatile(self, attribute: str) -> bool:
        """Whether the value of an attribute may differ from one read to the next."""
        schema = (self.attributes or {}).get(attribute)
        return schema is not None and schema.cache_mode == CACHE_NONE and self.updates_in_place()


class Definition(NamedTuple):
    """The definition of a resource, or of a member in the properties of a group (``is_member``).

    ``placeholder``: what the index of the member replaces in the strings of its properties. None
    where nothing is replaced, '' where the text does not show it.
    """

    name: str
    path: tuple
    type_name: str
    snippet: dict
    is_member: bool = False
    placeholder: str | None = None
