"""The logins of clouds that the embedded service acts with (``heat-lite up --cloud``).

The name of a cloud is the project in the URL of a request, and that of the stacks.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any

from keystoneauth1 import adapter, exceptions, session as ks_session

from heat_lite.clients.service_catalog import SERVICES
from heat_lite.common.local_stack_domain import LocalStackDomain
from heat_lite.common.value_types import Values

DEFAULT_INTERFACE = 'public'


@dataclasses.dataclass(frozen=True)
class CloudLogin:
    """A login that has succeeded.

    ``config`` is openstacksdk's ``CloudRegion``, ``services`` the names of the services in the
    catalog (keys of ``SERVICES``), ``region`` that of clouds.yaml or None.
    """

    name: str
    session: ks_session.Session
    config: Any
    user_id: str
    user_name: str
    project_id: str
    services: frozenset[str] = frozenset()

    @property
    def region(self) -> str | None:
        return self.config.get_region_name()

    def adapter_options(self, service_type: str) -> Values:
        """Return interface, region and endpoint of a service as clouds.yaml sets them."""
        return {
            'interface': self.config.get_interface(service_type) or DEFAULT_INTERFACE,
            'region_name': self.config.get_region_name(service_type),
            'endpoint_override': self.config.get_endpoint(service_type),
        }

    def find_services(self) -> frozenset[str]:
        """Return the names of the services that the catalog has. No request but the login."""
        return frozenset(name for name in SERVICES if self._has(SERVICES[name].type))

    def _has(self, service_type: str) -> bool:
        options = self.adapter_options(service_type)
        try:
            found = adapter.Adapter(self.session, service_type=service_type, **options)
            return found.get_endpoint() is not None
        except (exceptions.CatalogException, exceptions.EndpointNotFound, ValueError):
            return False


@dataclasses.dataclass(frozen=True)
class Clouds:
    """The clouds of a service, and how servers in them reach it.

    ``url``: the URL by which stack users reach the service, without a path of an API.
    ``reachable``: whether servers of the clouds reach that URL.
    """

    logins: Mapping[str, CloudLogin]
    domain: LocalStackDomain
    url: str
    reachable: bool

    @property
    def identity_url(self) -> str:
        return f'{self.url}/identity/v3'

    def region(self, name: str) -> str | None:
        """Return the region of a cloud; None if it has none, or is unknown."""
        return self.logins[name].region if name in self.logins else None

    def has_service(self, name: str, service: str) -> bool:
        """Return whether the catalog of a cloud has a service. No request."""
        return name in self.logins and service in self.logins[name].services

    def project_id(self, name: str) -> str:
        """Return the id of the project of a cloud; ``name`` itself for an unknown cloud."""
        return self.logins[name].project_id if name in self.logins else name
