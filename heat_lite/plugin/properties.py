"""Property schemas for plug-ins."""

from collections.abc import Iterable, Mapping

from heat_lite.common.value_types import Value
from heat_lite.template import (
    constraints as template_constraints,
    schema as template_schema,
    support,
)


class Schema(template_schema.PropertySchema):
    """Schema of a property.

    ``Schema(Schema.LIST, 'The members of the group.', schema=Schema(Schema.STRING))``
    """

    STRING, INTEGER, NUMBER, BOOLEAN, MAP, LIST, ANY = TYPES = template_constraints.TYPES

    def __init__(
        self,
        data_type: str,
        description: str | None = None,
        default: Value = None,
        schema: Mapping[str, template_schema.PropertySchema]
        | template_schema.PropertySchema
        | None = None,
        required: bool = False,
        constraints: Iterable[template_constraints.Constraint] | None = None,
        implemented: bool = True,
        update_allowed: bool = False,
        immutable: bool = False,
        support_status: support.SupportStatus | None = None,
        allow_conversion: bool = False,
    ) -> None:
        super().__init__(
            data_type,
            description,
            default=default,
            schema=schema,
            required=required,
            constraints=constraints or (),
            implemented=implemented,
            update_allowed=update_allowed,
            immutable=immutable,
            support=support_status or support.DEFAULT,
            allow_conversion=allow_conversion,
        )
