"""The access keys of a service without Keystone: those of its user, and those of stack users."""

import dataclasses
from collections.abc import Callable, Mapping

from heat_lite.api.middleware import cloud_requests, noauth
from heat_lite.common.local_stack_domain import LocalStackDomain


@dataclasses.dataclass
class LocalKeys:
    """Access keys; ``find(access)`` returns secret and project of a key of the user, or None.

    ``users``: the id and the name of the user in each cloud, None without clouds. ``domain``: the
    stack users, or None.
    """

    find: Callable[[str], tuple[str, str] | None]
    users: Mapping[str, tuple[str, str]] | None = None
    domain: LocalStackDomain | None = None

    def identity_of_access(self, access: str) -> dict[str, str | None] | None:
        """Return the identity of the owner of a key; None for an unknown key or project."""
        found = self.find(access)
        if found is not None:
            return self._identity(found[1])
        user = self.domain and self.domain.identity_of_access(access)
        return cloud_requests.identity_of(user) if user else None

    def _identity(self, project: str) -> dict[str, str | None] | None:
        identity = noauth.identity_of(project)
        if self.users is None:
            return identity
        if project not in self.users:
            return None
        user_id, user_name = self.users[project]
        return {**identity, 'user_id': user_id, 'user_name': user_name}

    def secrets_of(self, access: str) -> list[str]:
        """Return the possible secrets of a key."""
        found = self.find(access)
        if found is not None:
            return [found[0]]
        return [] if self.domain is None else self.domain.secrets_of(access)
