"""Access of resources to the cloud: clients of the services, and ids of objects by name."""

import collections
import threading
import time
import weakref
from collections.abc import Callable, Hashable, Mapping
from typing import Any

import requests
from keystoneauth1 import adapter, exceptions, session as ks_session
from keystoneauth1.identity import base as identity_base
from oslo_config import cfg

from heat_lite.clients import (
    client_plugin as client_plugins,
    errors,
    keystone_session,
    microversions,
    other_cloud,
    rest,
    shared_poller,
    swift,
    zaqar,
)
from heat_lite.clients.cloud_login import CloudLogin
from heat_lite.clients.finders import FINDERS, Finder
from heat_lite.clients.service_catalog import SERVICES, SharedServices
from heat_lite.common import exception
from heat_lite.common.context import RequestContext
from heat_lite.common.value_types import Value, Values
from heat_lite.conf import identity

NO_KEYSTONE = (
    'there is no Keystone, and so no cloud: set auth_uri in [clients_keystone], or '
    'www_authenticate_uri in [keystone_authtoken], or start "heat-lite up" with --cloud NAME'
)
NO_LOGIN = 'there is no login for the cloud "{name}": start "heat-lite up" with --cloud {name}'
NO_CREDENTIALS = 'there are no credentials for the cloud: the request came without a token'
MAX_CACHED_TOKENS = 256
MAX_CACHED_VALUES = 20000
#: objects of one kind that are offered as choices
MAX_CHOICES = 1000
#: services with a client of their own
API_CLASSES: dict[str, type[rest.Api]] = {'swift': swift.Swift, 'zaqar': zaqar.Zaqar}


class ClientFactory:
    """Factory of ``Clients``, with what all requests of one engine share.

    Call it with a request context; the Clients are cached as long as the context lives. With a
    ``fallback``, which replaces credentials that expire (see ``keystone_session.FallbackAuth``),
    the caller keeps the Clients itself.
    With ``logins``, the logins of clouds by their names, the project of a context names its cloud.
    """

    def __init__(
        self,
        conf: cfg.ConfigOpts,
        plugins: Values | None = None,
        logins: Mapping[str, CloudLogin] | None = None,
    ) -> None:
        self.conf = conf
        self.logins = logins or {}
        #: client plug-ins of third parties: ``{name: ClientPlugin}``
        self.plugins = plugins or {}
        self.connections = requests.Session()
        self.extensions = TtlCache(conf.service_extension_cache)
        self.microversions = TtlCache(conf.service_extension_cache)
        #: objects whose existence a validation has found, by project, kind and name or id
        self.valid = TtlCache(conf.constraint_validation_cache)
        self.regions = SharedServices.from_conf(conf)
        self._clients: weakref.WeakKeyDictionary[RequestContext, Clients] = (
            weakref.WeakKeyDictionary()
        )
        self._auth_plugins: collections.OrderedDict[str, Any] = collections.OrderedDict()
        self._pollers: weakref.WeakValueDictionary[tuple, shared_poller.SharedPoller] = (
            weakref.WeakValueDictionary()
        )
        self._lock = threading.Lock()

    def __call__(
        self, context: RequestContext, fallback: keystone_session.Fallback | None = None
    ) -> 'Clients':
        if fallback is not None:
            return Clients(self, context, fallback)
        with self._lock:
            if context not in self._clients:
                self._clients[context] = Clients(self, context)
            return self._clients[context]

    def auth_plugin(self, context: RequestContext) -> identity_base.BaseIdentityPlugin | None:
        """Return the auth plug-in of a context; None without credentials.

        Requests with the same token share a plug-in, so the catalog is fetched once for a token.
        """
        if not context.auth_token or context.trust_id:
            return keystone_session.context_auth(self.conf, context, self.connections)
        if context.auth_token not in self._auth_plugins:
            self._auth_plugins[context.auth_token] = keystone_session.context_auth(
                self.conf, context, self.connections
            )
            while len(self._auth_plugins) > MAX_CACHED_TOKENS:
                self._auth_plugins.popitem(last=False)
        return self._auth_plugins[context.auth_token]

    def shared_poller(self, identity: Hashable, name: str, path: str) -> shared_poller.SharedPoller:
        """Return the poller of a collection as one identity sees it; callers keep it alive."""
        with self._lock:
            found = self._pollers.get((identity, name, path))
            if found is None:
                found = self._pollers[identity, name, path] = shared_poller.SharedPoller()
            return found


class Clients:
    """The clients of the services for one request context."""

    def __init__(
        self,
        factory: ClientFactory,
        context: RequestContext,
        fallback: keystone_session.Fallback | None = None,
    ) -> None:
        self._factory = factory
        # The context is not stored: the factory caches these Clients by it, weakly.
        self._login = factory.logins.get(context.project_id or '')
        self._region = context.region_name or factory.conf.region_name_for_services
        self._has_keystone = not factory.logins and bool(keystone_session.auth_url(factory.conf))
        self._no_cloud = _why_no_cloud(factory, context)
        self._auth = factory.auth_plugin(context) if self._has_keystone else None
        if self._has_keystone and fallback is not None:
            self._auth = keystone_session.FallbackAuth(
                factory.conf, self._auth, fallback, factory.connections
            )
        self._project = context.project_id
        self._apis: dict[tuple[str, str | None], rest.Api] = {}
        self._pollers: dict[tuple[str, str], shared_poller.SharedPoller] = {}
        # contexts with the same token share pollers
        self._identity = (
            context.auth_token or context.trust_id or id(self),
            context.project_id,
            self._region,
        )
        self._ids = TtlCache(factory.conf.resource_finder_cache)
        self._requesting_context = client_plugins.RequestingContext(context, self)
        self._plugins: Values = {}

    def client_plugin(self, name: str) -> Any:
        """Return the plug-in of a service: it creates the client and classifies its errors."""
        if name not in self._plugins:
            added = self._factory.plugins.get(name)
            self._plugins[name] = (
                client_plugins.BuiltInClientPlugin(self, name)
                if added is None
                else added(self._requesting_context)
            )
        return self._plugins[name]

    def session(self, name: str = 'keystone') -> ks_session.Session:
        """Return a keystoneauth session of the requester.

        Raises NoCloud if there is no Keystone, or no credentials.
        """
        if self._login is not None:
            return self._login.session
        if self._auth is None:
            raise errors.NoCloud(reason=self._no_cloud)
        return keystone_session.create_session(
            self._factory.conf, self._auth, name, self._factory.connections
        )

    def requesting(self, cls: Any) -> Any:
        """Return the context of these clients as a RequestingContext of the class ``cls``."""
        return self._requesting_context.with_clients(cls)

    def option(self, name: str, option: str) -> Value:
        """Return an option of the group of a service, else that of [clients]."""
        return keystone_session.options(self._factory.conf, name)(option)

    def library_options(self, name: str, service_type: str) -> Values:
        """Return what the client library of a service needs, by the names of keystoneauth:
        ``session``, ``service_type``, ``interface``, ``region_name``, ``endpoint_override``.

        Raises NoCloud if there is no Keystone, or no credentials.
        """
        return {
            'session': self.session(name),
            'service_type': service_type,
            'endpoint_override': None,
            **self._location(name, self.option(name, 'endpoint_type')),
        }

    def auth_url(self) -> str | None:
        """Return the URL of Keystone; None if there is none."""
        return keystone_session.auth_url(self._factory.conf) or None

    def third_party_plugin(self, name: str) -> bool:
        """Return whether a plug-in brings the client of this name."""
        return name in self._factory.plugins

    def client(self, name: str, microversion: str | None = None) -> Any:
        """Return the client of a service. Raises NoCloud if the service does not exist.

        ``microversion``: the newest of its requests, in the place of that of the service.
        """
        if name in self._factory.plugins:
            return self.client_plugin(name).client()
        key = (name, microversion)
        api = self._apis.get(key)
        if api is None:
            api = self._apis[key] = self.client_by(name, self.session(name), microversion)
        return api

    def client_by(
        self, name: str, connection: ks_session.Session, microversion: str | None = None
    ) -> Any:
        """Return a new client of a service that uses a session."""
        made = self._adapter(name, connection, microversion)
        return API_CLASSES.get(name, rest.Api)(name, made)

    def orchestration(self, location: Values) -> Value:
        """Return the client at the ``context`` of an OS::Heat::Stack (see ``other_cloud``)."""
        return other_cloud.client(self, location)

    def require(self, name: str, extension: str | None = None) -> None:
        """Raise NoCloud if the service, or the given extension of it, does not exist."""
        if name in self._factory.plugins:
            self.client_plugin(name).require(extension)
            return
        api = self.client(name)
        if (
            extension is not None
            and SERVICES[name].lists_extensions
            and extension not in self._extensions(name, api)
        ):
            raise errors.NoCloud(
                reason=f'Required extension {extension} in {name} service is not available'
            )

    def find(self, kind: str, value: Value) -> Any:
        """Return the id of the object of a kind by its id or name. Raises NoSuchObject."""
        finder = _finder_of(self, kind)
        return self._ids.get(
            (kind, value), lambda: finder.find(self.client(finder.service), str(value))
        )

    def shown(self, kind: str, value: Value) -> Any:
        """Return the object of a kind as its service shows it. Raises NoSuchObject, NotFound.

        Like ids, it is cached for a short time: many resources ask for the same.
        """
        finder = _finder_of(self, kind)
        path = f'{finder.path}/{self.find(kind, value)}'
        return self._ids.get(
            (kind, path), lambda: self.client(finder.service).show(path, finder.key)
        )

    def compute_limits(self) -> Any:
        """Return the limits of the project in Nova, cached like ids."""
        return self._ids.get(
            ('nova.limits', ''), lambda: self.client('nova').show('/limits', 'limits')['absolute']
        )

    def choices(self, kind: str) -> list[dict[str, str | None]]:
        """Return ids and names of the first MAX_CHOICES objects of a kind."""
        finder = _finder_of(self, kind)
        return finder.choices(self.client(finder.service), MAX_CHOICES)

    def lookup_error(self, kind: str, value: Value) -> str | None:
        """Return why ``value`` is no id or name of an object of a kind; None if it is one.

        That it is one is cached for all requests of the project.
        """
        key = (self._project, self._region, kind, str(value))
        try:
            self._factory.valid.get(key, lambda: self.find(kind, value))
        except errors.Unavailable as error:
            raise exception.ServiceUnavailable(reason=str(error)) from error
        except (errors.NoSuchObject, errors.NoCloud, errors.ServiceError) as error:
            return str(error)
        return None

    def shared_poller(self, name: str, path: str) -> shared_poller.SharedPoller:
        """Return the poller of a collection of a service, shared by all waits for its objects."""
        if (name, path) not in self._pollers:
            self._pollers[name, path] = self._factory.shared_poller(self._identity, name, path)
        return self._pollers[name, path]

    def _extensions(self, name: str, api: rest.Api) -> set[str]:
        return self._factory.extensions.get(
            (name, self._region_of(name), self._login and self._login.name),
            lambda: {each['alias'] for each in api.list('/extensions', 'extensions')},
        )

    def _adapter(
        self, name: str, connection: ks_session.Session, microversion: str | None = None
    ) -> rest.UnloggedAdapter:
        service, option = SERVICES[name], keystone_session.options(self._factory.conf, name)
        newest = microversion or service.microversion
        result = adapter.Adapter(
            connection,
            service_type=service.type,
            default_microversion=newest,
            additional_headers=dict(service.headers),
            **self._location(name, option('endpoint_type')),
        )
        if (configured := self._configured_endpoint(option('url'))) is not None:
            result.endpoint_override = configured
            return rest.UnloggedAdapter(result, option('http_log_debug', False))
        result.endpoint_override = service.url(self._endpoint(name, result, service.heat_type))
        if newest:
            result.default_microversion = self._microversion(name, newest, result)
        return rest.UnloggedAdapter(result, option('http_log_debug', False))

    def _configured_endpoint(self, url: str | None) -> str | None:
        """Return the endpoint of [clients_heat] url; None if the catalog tells it."""
        own_region = self._factory.conf.region_name_for_services
        if not url or self._login is not None or self._region not in (None, own_region):
            return None
        return url.replace('%(tenant_id)s', self._project or '').rstrip('/')

    def _location(self, name: str, interface: str | None) -> Values:
        """Return interface, region and endpoint of a service, as arguments of an adapter."""
        region = self._region_of(name)
        if self._login is None:
            return {'interface': interface, 'region_name': region}
        found = self._login.adapter_options(SERVICES[name].type)
        return {**found, 'region_name': region or found['region_name']}

    def _region_of(self, name: str) -> str | None:
        return self._factory.regions.region_of(SERVICES[name].type) or self._region

    def keystone_url(self, interface: str) -> str | None:
        """Return the URL of Keystone with an interface of the catalog; None if it has none."""
        found = self._catalog_url('identity', interface)
        return identity.versioned(found) if found else None

    def catalog_url(self, name: str, service_type: str) -> str | None:
        """Return the URL of a service type in the catalog; None if it has none.

        ``name``: the service whose options name the interface. Raises NoCloud without Keystone.
        """
        return self._catalog_url(service_type, self.option(name, 'endpoint_type'))

    def _catalog_url(self, service_type: str, interface: str | None) -> str | None:
        if self._auth is None:
            raise errors.NoCloud(reason=self._no_cloud)
        access = self._auth.get_access(self.session())
        found = access.service_catalog.get_urls(
            service_type=service_type, interface=interface, region_name=self._region
        )
        return found[0] if found else None

    def _microversion(self, name: str, supported: str, service_adapter: adapter.Adapter) -> str:
        def service_maximum() -> str | None:
            return self._factory.microversions.get(
                (name, service_adapter.endpoint_override),
                lambda: microversions.discover_maximum(service_adapter),
            )

        return microversions.negotiate(self._factory.conf, name, supported, service_maximum)

    @staticmethod
    def _endpoint(name: str, service_adapter: adapter.Adapter, heat_type: str = '') -> str:
        cause: Exception | None = None
        endpoint: str | None
        try:
            endpoint = service_adapter.get_endpoint()
        except exceptions.ConnectionError as error:
            raise errors.unavailable('keystone', 'GET', '/auth/tokens', error) from error
        except (exceptions.CatalogException, exceptions.EndpointNotFound) as error:
            endpoint, cause = None, error
        except ValueError:
            # keystoneauth raises it for a service with two types and no endpoint in the region
            endpoint = None
        except exceptions.ClientException as error:
            raise errors.Unauthorized(
                f'Keystone rejected the credentials of the request: {error}'
            ) from error
        if endpoint is None:
            raise errors.NoCloud(
                reason=f'{name} {heat_type or service_adapter.service_type} endpoint is not in '
                'service catalog'
            ) from cause
        return endpoint


def _why_no_cloud(factory: ClientFactory, context: RequestContext) -> str:
    """Return why a context may have no session."""
    if factory.logins:
        return NO_LOGIN.format(name=context.project_id)
    return NO_CREDENTIALS if keystone_session.auth_url(factory.conf) else NO_KEYSTONE


class TtlCache:
    """Cache of values for a limited time.

    ``options`` is a configuration group with ``caching`` and ``expiration_time`` (seconds).
    """

    def __init__(self, options: Any) -> None:
        self._seconds = options.expiration_time if options.caching else 0
        self._entries: dict[Hashable, tuple[float, Any]] = {}

    def get(self, key: Hashable, fetch: Callable[[], Any]) -> Any:
        """Return the cached value, or that of ``fetch()``."""
        expires, value = self._entries.get(key, (0, None))
        if time.monotonic() >= expires:
            value = fetch()
            if len(self._entries) >= MAX_CACHED_VALUES:
                self._entries = {}
            self._entries[key] = (time.monotonic() + self._seconds, value)
        return value


def _finder_of(clients: Clients, kind: str) -> Finder:
    """Return the finder of a kind. Raises NoSuchObject where its extension is missing."""
    finder = FINDERS[kind]
    if finder.extension and finder.extension not in clients._extensions(
        finder.service, clients.client(finder.service)
    ):
        raise errors.NoSuchObject(
            reason=f'The {finder.service} extension ({finder.extension}) could not be found.'
        )
    return finder
