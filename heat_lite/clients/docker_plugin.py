"""The client plug-in of container engines: Docker, or Podman's service with Docker's API."""

import importlib
import threading
from typing import Any

from heat_lite.clients import client_plugin, container_endpoints, errors
from heat_lite.common import lru_cache
from heat_lite.common.value_types import Value

NAME = 'docker'
NO_ENGINE = (
    'there is no container engine: set [clients_docker] url, or start "heat-lite up" where '
    'DOCKER_HOST or a socket of Docker or Podman leads to one'
)
#: options that allow containers what may harm their host
RIGHTS = {'host_paths': 'allow_host_paths', 'privileged': 'allow_privileged'}
#: options that a connection depends on
CONNECTION = ('ca_file', 'cert_file', 'key_file', 'insecure', 'timeout')

#: Clients of engines; a pattern of the operator may allow users ever more endpoints.
_ENGINES = lru_cache.LruCache(64, 64, lambda engine: 1)
_LOCK = threading.Lock()


class DockerPlugin(client_plugin.ClientPlugin):
    """Creates clients of container engines, which all requests of this process share."""

    def _create(self, version: str | None = None) -> Any:
        url = self._option('url')
        if not url:
            raise errors.NoCloud(reason=NO_ENGINE)
        return self._engine(url)

    def at(self, endpoint: str | None) -> Any:
        """Return the client of an endpoint, None for the default one.

        Raises Forbidden if the operator does not allow the endpoint.
        """
        if not endpoint:
            return self.client()
        url = self._option('url')
        allowed = container_endpoints.require_allowed(endpoint, url, self._option('endpoints'))
        return self._engine(allowed)

    def require(self, extension: str | None = None) -> None:
        """Raise NoCloud if there is no container engine."""
        if not self._option('url') and not self._option('endpoints'):
            raise errors.NoCloud(reason=NO_ENGINE)

    def allows(self, what: str) -> bool:
        """Return whether the operator allows host_paths or privileged."""
        return bool(self._option(RIGHTS[what]))

    def _option(self, name: str) -> Value:
        return self.clients.option(NAME, name)

    def _engine(self, url: str) -> Any:
        options = {name: self._option(name) for name in CONNECTION}
        key = (url, *options.values())
        with _LOCK:
            engine = _ENGINES.get(key)
            if engine is None:
                # The library loads slowly: only stacks with containers need it.
                module = importlib.import_module('heat_lite.clients.container_engine')
                engine = _ENGINES.put(key, module.ContainerEngine(url, options))
            return engine


#: this plug-in as third-party ones are given: {name: class}
BUILT_IN: dict[str, type[client_plugin.ClientPlugin]] = {NAME: DockerPlugin}
