"""The access keys of a service without Keystone: those of its user, and those of stack users."""

from collections.abc import Callable, Mapping

from heat_lite.api.middleware import cloud_requests, noauth
from heat_lite.common.local_stack_domain import LocalStackDomain


class LocalKeys:
    """Access keys; ``find(access)`` returns secret and project of a key of the user, or None.

    ``users``: the id and the name of the user in each cloud, None without clouds. ``domain``: the
    stack users, or None.
    """

    def __init__(
        self,
        find: Callable[[str], tuple[str, str] | None],
        users: Mapping[str, tuple[str, str]] | None = None,
        domain: LocalStackDomain | None = None,
    ) -> None:
        self._find = find
        self._users = users
        self._domain = domain

    def identity_of_access(self, access: str) -> dict[str, str | None] | None:
        """Return the identity of the owner of a key; None for an unknown key or project."""
        found = self._find(access)
        if found is not None:
            return self._identity(found[1])
        user = self._domain and self._domain.identity_of_access(access)
        return cloud_requests.identity_of(user) if user else None

    def _identity(self, project: str) -> dict[str, str | None] | None:
        identity = noauth.identity_of(project)
        if self._users is None:
            return identity
        if project not in self._users:
            return None
        user_id, user_name = self._users[project]
        return {**identity, 'user_id': user_id, 'user_name': user_name}

    def secrets_of(self, access: str) -> list[str]:
        """Return the possible secrets of a key."""
        found = self._find(access)
        if found is not None:
            return [found[0]]
        return [] if self._domain is None else self._domain.secrets_of(access)
