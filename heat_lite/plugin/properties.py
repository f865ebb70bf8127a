"""Schemas of properties, in the words of Heat's plug-ins."""

from heat_lite.template import constraints as rules
from heat_lite.template import schema as ours


class Schema(ours.PropertySchema):
    """What a property takes: ``Schema(Schema.LIST, 'Its members.', schema=Schema(Schema.STRING))``."""

    STRING, INTEGER, NUMBER, BOOLEAN = rules.STRING, rules.INTEGER, rules.NUMBER, rules.BOOLEAN
    MAP, LIST, ANY = rules.MAP, rules.LIST, rules.ANY
    TYPES = rules.TYPES

    def __init__(
        self,
        data_type,
        description=None,
        default=None,
        schema=None,
        required=False,
        constraints=None,
        implemented=True,
        update_allowed=False,
        immutable=False,
        support_status=None,
        allow_conversion=False,
    ):
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
            support=support_status,
            allow_conversion=allow_conversion,
        )
