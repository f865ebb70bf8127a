"""Support status of types, properties and attributes."""

from heat_lite.template import support
from heat_lite.template.support import DEPRECATED, HIDDEN, SUPPORTED, UNKNOWN, UNSUPPORTED

SUPPORT_STATUSES = support.STATUSES
__all__ = [
    'DEPRECATED',
    'HIDDEN',
    'SUPPORTED',
    'SUPPORT_STATUSES',
    'UNKNOWN',
    'UNSUPPORTED',
    'SupportStatus',
]


def SupportStatus(  # noqa: N802 - the name in Heat
    status: str = SUPPORTED,
    message: str | None = None,
    version: str | None = None,
    previous_status: support.SupportStatus | None = None,
    substitute_class: type | None = None,
) -> support.SupportStatus:
    """Return a support status, with the parameters in the order of Heat."""
    return support.SupportStatus(status, version, message, previous_status, substitute_class)
