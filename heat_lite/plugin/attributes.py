"""Attribute schemas for plug-ins."""

from heat_lite.template import constraints, schema, support


class Schema(schema.AttributeSchema):
    """Schema of an attribute: ``Schema('The IP address.', type=Schema.STRING)``."""

    STRING, INTEGER, NUMBER, BOOLEAN, MAP, LIST = constraints.TYPES[:6]
    CACHE_LOCAL, CACHE_NONE = schema.CACHE_LOCAL, schema.CACHE_NONE

    def __init__(
        self,
        description: str | None = None,
        support_status: support.SupportStatus | None = None,
        cache_mode: str = CACHE_LOCAL,
        type: str | None = None,
    ) -> None:
        super().__init__(
            description, type, support=support_status or support.DEFAULT, cache_mode=cache_mode
        )
