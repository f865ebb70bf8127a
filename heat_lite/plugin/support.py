"""Support status, in the words of Heat's plug-ins."""

from heat_lite.template import support
from heat_lite.template.support import DEPRECATED, HIDDEN, SUPPORTED, UNKNOWN, UNSUPPORTED

SUPPORT_STATUSES = support.STATUSES
__all__ = ['DEPRECATED', 'HIDDEN', 'SUPPORTED', 'SUPPORT_STATUSES', 'UNKNOWN', 'UNSUPPORTED', 'SupportStatus']


def SupportStatus(status=SUPPORTED, message=None, version=None, previous_status=None, substitute_class=None):  # noqa: N802 - its name there
    """Since when something is there, and whether it still should be used."""
    return support.SupportStatus(status, version, message, previous_status, substitute_class)
