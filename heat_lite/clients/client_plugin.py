"""Client plug-ins: clients of third parties, and the classification of the errors of any client."""

import weakref
from typing import Any

from keystoneauth1 import session
from oslo_utils import excutils

from heat_lite.clients import errors
from heat_lite.common.context import RequestContext


class RequestingContext:
    """A request context with ``clients`` and a keystoneauth session, as in Heat."""

    def __init__(self, context: RequestContext, clients: Any) -> None:
        # Weak references, because a client is cached with its context and must not keep it alive.
        self._context = weakref.ref(context)
        self._clients = weakref.ref(clients)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context(), name)

    def with_clients(self, cls: Any) -> Any:
        """Return the same context as another class with the arguments of this one."""
        return cls(self._context(), self._clients())

    @property
    def clients(self) -> Any:
        return self._clients()

    @property
    def keystone_session(self) -> session.Session:
        """A keystoneauth session of the requester. Raises NoCloud if there is no Keystone."""
        return self.clients.session()


class ErrorClassifier:
    """Classification of the errors of a service; a plug-in overrides it for its own classes."""

    def is_client_exception(self, ex: BaseException) -> bool:
        return isinstance(ex, errors.ServiceError)

    def is_not_found(self, ex: BaseException) -> bool:
        return isinstance(ex, errors.NotFound)

    def is_conflict(self, ex: BaseException) -> bool:
        return isinstance(ex, errors.Conflict)

    def is_over_limit(self, ex: BaseException) -> bool:
        return isinstance(ex, errors.OverLimit)

    def is_unprocessable_entity(self, ex: BaseException) -> bool:
        return getattr(ex, 'code', None) == 422

    # Called with an error, these raise it unless it is ignored. They are context managers as well.
    # The types of the library are those of a function, not of a method.
    @excutils.exception_filter  # type: ignore[arg-type]
    def ignore_not_found(self, ex: BaseException) -> bool:
        """Ignore that the object does not exist."""
        return self.is_not_found(ex)

    @excutils.exception_filter  # type: ignore[arg-type]
    def ignore_conflict_and_not_found(self, ex: BaseException) -> bool:
        """Ignore that the object does not exist or is in use."""
        return self.is_conflict(ex) or self.is_not_found(ex)


class BuiltInClientPlugin(ErrorClassifier):
    """Plug-in of a service whose client is part of heat_lite."""

    def __init__(self, clients: Any, name: str) -> None:
        self._clients, self._name = weakref.ref(clients), name

    def client(self, version: str | None = None) -> Any:
        return self._get_clients().client(self._name)

    def has_extension(self, alias: str) -> bool:
        try:
            self._get_clients().require(self._name, alias)
        except errors.NoCloud:
            return False
        return True

    def _get_clients(self) -> Any:
        return self._clients()


class ClientPlugin(ErrorClassifier):
    """Base of client plug-ins of third parties, which override ``_create`` and the classification.

    ``service_types``: types of the service in the catalog. Resource types that need the client are
    unavailable if the catalog has none of them. ``exceptions_module``: the module, or a list of
    modules, whose exceptions are those of the client.
    """

    exceptions_module: Any = None
    service_types: tuple | list = ()

    def __init__(self, context: RequestingContext) -> None:
        self.context = context
        self._cache: dict[str | None, Any] = {}

    @property
    def clients(self) -> Any:
        return self.context.clients

    def client(self, version: str | None = None) -> Any:
        """Return the client; it is created once for each context."""
        if version not in self._cache:
            self._cache[version] = (
                self._create() if version is None else self._create(version=version)
            )
        return self._cache[version]

    def _create(self, version: str | None = None) -> Any:
        raise NotImplementedError(f'{type(self).__name__} does not implement _create()')

    def invalidate(self) -> None:
        """Discard the client; the next call of ``client`` creates a new one."""
        self._cache.clear()

    def url_for(self, service_type: str, **options: Any) -> str | None:
        """Return the endpoint of a service in the catalog, as keystoneauth finds it."""
        return self.context.keystone_session.get_endpoint(service_type=service_type, **options)

    def does_endpoint_exist(self, service_type: str, service_name: str | None = None) -> bool:
        return self.url_for(service_type, service_name=service_name) is not None

    def has_extension(self, alias: str) -> bool:
        """Return whether the service has an extension; overridden for services that have any."""
        return False

    def require(self, extension: str | None = None) -> None:
        """Raise NoCloud if the service, or the given extension of it, does not exist."""
        if self.service_types and not any(
            self.does_endpoint_exist(each) for each in self.service_types
        ):
            raise errors.NoCloud(
                reason=f'{" or ".join(self.service_types)} endpoint is not in service catalog'
            )
        if extension is not None and not self.has_extension(extension):
            raise errors.NoCloud(reason=f'it has no extension "{extension}"')

    def is_client_exception(self, ex: BaseException) -> bool:
        modules = self.exceptions_module
        names = {
            each.__name__
            for each in (modules if isinstance(modules, list | tuple) else [modules])
            if each is not None
        }
        return type(ex).__module__ in names or super().is_client_exception(ex)
