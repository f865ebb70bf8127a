"""Support status of types, properties and attributes."""

import dataclasses

from heat_lite.common.value_types import Value

STATUSES = (UNKNOWN, SUPPORTED, DEPRECATED, UNSUPPORTED, HIDDEN) = (
    'UNKNOWN',
    'SUPPORTED',
    'DEPRECATED',
    'UNSUPPORTED',
    'HIDDEN',
)
#: the version since which types, properties and attributes exist that Heat does not have
OURS = 'heat_lite'


@dataclasses.dataclass(frozen=True, slots=True)
class SupportStatus:
    """A status since a version.

    ``previous`` is the status before it. ``substitute`` is the class that replaces a hidden type.
    """

    status: str = SUPPORTED
    version: str | None = None
    message: str | None = None
    previous: 'SupportStatus | None' = None
    substitute: type | None = None

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise ValueError(f'Invalid support status and should be one of {STATUSES}')

    def to_wire(self) -> Value:
        """Return the status as the API shows it."""
        return {
            'status': self.status,
            'message': self.message,
            'version': self.version,
            'previous_status': self.previous.to_wire() if self.previous else None,
        }

    @property
    def is_ours(self) -> bool:
        """Whether this is the status of an addition of heat_lite, which Heat does not have."""
        return self.version == OURS

    @property
    def note(self) -> str:
        """What readers of a schema have to know; '' for plain support."""
        if self.is_ours:
            return 'An addition of heat_lite: Heat does not have it.'
        if self.status == SUPPORTED:
            return ''
        return f'{self.status}: {self.message}' if self.message else self.status

    def is_substituted(self, other: type) -> bool:
        """Return whether ``other`` is the substitute of this type.

        A change to the substitute updates a resource in place.
        """
        return self.substitute is not None and self.substitute is other


DEFAULT = SupportStatus()


def since(version: str) -> SupportStatus:
    """Return the status SUPPORTED since a version."""
    return SupportStatus(SUPPORTED, version)


def history(text: str) -> SupportStatus:
    """Return the first status of a text such as ``hidden 6.0.0, deprecated 2015.1``, with those
    before it. Each has the version since which it was the status.
    """
    first, _, earlier = text.partition(', ')
    status, _, version = first.partition(' ')
    previous = history(earlier) if earlier else None
    return SupportStatus(status.upper(), version or None, previous=previous)
