"""Schemas of attributes, in the words of Heat's plug-ins."""

from heat_lite.template import constraints as rules
from heat_lite.template import schema as ours


class Schema(ours.AttributeSchema):
    """What an attribute is: ``Schema('Its address.', type=Schema.STRING)``."""

    STRING, INTEGER, NUMBER, BOOLEAN, MAP, LIST = (
        rules.STRING,
        rules.INTEGER,
        rules.NUMBER,
        rules.BOOLEAN,
        rules.MAP,
        rules.LIST,
    )
    CACHE_LOCAL, CACHE_NONE = ours.CACHE_LOCAL, ours.CACHE_NONE

    def __init__(self, description=None, support_status=None, cache_mode=CACHE_LOCAL, type=None):
        super().__init__(description, type, support=support_status, cache_mode=cache_mode)
