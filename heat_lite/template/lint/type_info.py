"""What the linter knows of a resource type, whoever made it: a class of the service or a template."""

import dataclasses
from collections.abc import Mapping

from heat_lite.template.schema import CACHE_NONE, AttributeSchema, PropertySchema
from heat_lite.template.support import PLAIN, SupportStatus


@dataclasses.dataclass(frozen=True)
class Type:
    """``properties`` is None where any will do, ``attributes`` where they cannot be told without a stack.

    ``update_policy`` are the schemas of that section.
    """

    name: str
    properties: Mapping[str, PropertySchema] | None
    attributes: Mapping[str, AttributeSchema] | None = None
    update_policy: Mapping[str, PropertySchema] = dataclasses.field(default_factory=dict)
    support: SupportStatus = PLAIN

    def changes_in_place(self):
        """Whether an update can change such a resource without making a new one."""
        return any(schema.update_allowed for schema in (self.properties or {}).values())

    def is_live(self, attribute):
        """Whether an attribute may have another value each time it is asked for."""
        schema = (self.attributes or {}).get(attribute)
        return schema is not None and schema.cache_mode == CACHE_NONE and self.changes_in_place()
