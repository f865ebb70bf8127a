"""Support status: since when a type, a property or an attribute is there, and whether it still should be used."""

import dataclasses

STATUSES = (UNKNOWN, SUPPORTED, DEPRECATED, UNSUPPORTED, HIDDEN) = ('UNKNOWN', 'SUPPORTED', 'DEPRECATED', 'UNSUPPORTED', 'HIDDEN')


@dataclasses.dataclass(frozen=True, slots=True)
class SupportStatus:
    """A status since a version; ``previous`` is what it was before, ``substitute`` the class that takes over from a hidden type."""

    status: str = SUPPORTED
    version: str | None = None
    message: str | None = None
    previous: 'SupportStatus | None' = None
    substitute: type | None = None

    def __post_init__(self):
        if self.status not in STATUSES:
            raise ValueError(f'Invalid support status and should be one of {STATUSES}')

    def to_wire(self):
        """As the API shows it."""
        return {
            'status': self.status,
            'message': self.message,
            'version': self.version,
            'previous_status': self.previous.to_wire() if self.previous else None,
        }

    def is_substituted(self, other):
        """Whether ``other`` is the class that replaces this one, so that a change of type between them is no replacement."""
        return self.substitute is not None and self.substitute is other


PLAIN = SupportStatus()


def since(version, message=None):
    """Supported since a version."""
    return SupportStatus(SUPPORTED, version, message)


def deprecated(version, message=None, previous=None):
    """Deprecated since a version; ``previous`` is a SupportStatus, or the version that brought the thing."""
    return SupportStatus(DEPRECATED, version, message, _earlier(previous))


def unsupported(version=None, message=None, previous=None):
    return SupportStatus(UNSUPPORTED, version, message, _earlier(previous))


def hidden(version=None, message=None, previous=None, substitute=None):
    """Works for old templates, but is no longer shown."""
    return SupportStatus(HIDDEN, version, message, _earlier(previous), substitute)


def _earlier(previous):
    return SupportStatus(SUPPORTED, previous) if isinstance(previous, str) else previous
