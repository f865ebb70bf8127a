"""Clients as plug-ins written for Heat get them: the context of a request, its client plug-ins, and
a base for client plug-ins of third parties.
"""

import functools
import weakref
from types import ModuleType
from typing import Any

from keystoneauth1 import exceptions

from heat_lite.clients import client_plugin, errors, rest
from heat_lite.clients.clients import Clients
from heat_lite.clients.finders import FINDERS
from heat_lite.common.context import RequestContext
from heat_lite.common.exception import EntityNotFound
from heat_lite.common.value_types import Value
from heat_lite.plugin.heat import heat_exceptions
from heat_lite.plugin.heat.client_libraries import LIBRARIES, Client, Library
from heat_lite.template.function import Function

#: attributes of the exceptions of client libraries that hold the HTTP status
STATUS_NAMES = ('http_status', 'status_code', 'code', 'http_code', 'status')
#: the status of an exception without one, by a part of the name of its class
STATUS_OF_NAMES = {'NotFound': 404, 'Conflict': 409, 'OverLimit': 413, 'TooLarge': 413}
OVER_LIMIT = (413, 429)


def http_status(ex: BaseException) -> int | None:
    """Return the HTTP status that an exception of any client library stands for."""
    for name in STATUS_NAMES:
        value = getattr(ex, name, None)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    found = (status for part, status in STATUS_OF_NAMES.items() if part in type(ex).__name__)
    return next(found, None)


#: the client plug-ins of a ``Clients``, by their names
_PLUGINS: weakref.WeakKeyDictionary[Clients, dict[str, client_plugin.ClientPlugin]]
_PLUGINS = weakref.WeakKeyDictionary()


class HeatClients:
    """The clients of a context: libraries of the services, and client plug-ins of third parties."""

    def __init__(self, context: RequestContext, clients: Clients) -> None:
        self._context, self._clients = context, clients

    def client(self, name: str, version: str | None = None) -> Client:
        """Return the client of a service. Raises NoCloud if its library is not installed."""
        return self.client_plugin(name).client(version=version)

    def client_plugin(self, name: str) -> client_plugin.ClientPlugin:
        if self._clients.third_party_plugin(name):
            return self._clients.client_plugin(name)
        plugins = _PLUGINS.setdefault(self._clients, {})
        if name not in plugins:
            plugins[name] = plugin_class(name)(HeatContext(self._context, self._clients))
        return plugins[name]

    def rest(self, name: str) -> rest.Api:
        """Return the HTTP client of a built-in service (see ``clients/rest.py``)."""
        return self._clients.client(name)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._clients, name)


class HeatContext(client_plugin.RequestingContext):
    """A request context whose ``clients`` are those of Heat."""

    @classmethod
    def of(cls, requesting: client_plugin.RequestingContext) -> client_plugin.RequestingContext:
        """Return the HeatContext of a RequestingContext; anything else as it is."""
        if isinstance(requesting, cls) or not hasattr(requesting, 'with_clients'):
            return requesting
        return requesting.with_clients(cls)

    @property
    def clients(self) -> HeatClients:
        return self.with_clients(HeatClients)

    @property
    def auth_url(self) -> str | None:
        return super().clients.auth_url()

    @property
    def tenant(self) -> str | None:
        """The name of the project."""
        return self.project_name


class ClientPlugin(client_plugin.ClientPlugin):
    """Base of client plug-ins of third parties: they override ``_create``."""

    supported_versions: list[str] = []
    default_version: str | None = None

    def __init__(self, context: client_plugin.RequestingContext) -> None:
        super().__init__(HeatContext.of(context))

    def client(self, version: str | None = None) -> Client:
        """Return the client; it is created once for each context and version."""
        wanted = version or self.default_version
        if wanted is not None and self.supported_versions:
            self._require_version(wanted)
        if wanted not in self._cache:
            has_version = version is not None or self.supported_versions
            self._cache[wanted] = self._create(version=wanted) if has_version else self._create()
        return self._cache[wanted]

    def _require_version(self, version: str) -> None:
        if version not in self.supported_versions:
            raise heat_exceptions.InvalidServiceVersion(
                version=version, service=type(self).__name__.removesuffix('ClientPlugin')
            )

    @property
    def auth_token(self) -> str | None:
        """The token of the requester."""
        return self.context.keystone_session.get_token()

    def url_for(self, service_type: str | None = None, **options: Value) -> str | None:
        """Return the endpoint of a service. Raises EndpointNotFound if the catalog has none."""
        interface = options.pop('endpoint_type', None) or options.pop('interface', None)
        options.setdefault('region_name', self._get_region_name())
        found = self.context.keystone_session.get_endpoint(
            service_type=service_type, interface=interface, **options
        )
        if found is None:
            raise exceptions.EndpointNotFound(f'{service_type} endpoint is not in service catalog')
        return found

    def does_endpoint_exist(self, service_type: str, service_name: str | None = None) -> bool:
        try:
            self.url_for(service_type, service_name=service_name)
        except exceptions.EndpointNotFound:
            return False
        return True

    def _get_client_option(self, client: str, option: str) -> Value:
        return self.clients.option(client, option)

    def _get_region_name(self) -> str | None:
        return self.context.region_name or self.clients.option('heat', 'region_name')

    def is_client_exception(self, ex: BaseException) -> bool:
        modules = self.exceptions_module
        known = modules if isinstance(modules, list | tuple) else [modules]
        return super().is_client_exception(ex) or any(
            getattr(module, type(ex).__name__, None) is type(ex) for module in known if module
        )

    def is_not_found(self, ex: BaseException) -> bool:
        missing = (errors.NoSuchObject, heat_exceptions.EntityMatchNotFound)
        return super().is_not_found(ex) or isinstance(ex, missing) or http_status(ex) == 404

    def is_conflict(self, ex: BaseException) -> bool:
        return super().is_conflict(ex) or http_status(ex) == 409

    def is_over_limit(self, ex: BaseException) -> bool:
        return super().is_over_limit(ex) or http_status(ex) in OVER_LIMIT

    def is_unprocessable_entity(self, ex: BaseException) -> bool:
        return http_status(ex) == 422

    def is_bad_request(self, ex: BaseException) -> bool:
        return http_status(ex) == 400 and not self.is_not_found(ex)


class ServicePlugin(ClientPlugin):
    """The plug-in of a service of OpenStack: its client is the library of the service."""

    name = ''
    library: Library | None = None
    #: the methods that return the id of an object: ``{method: kind of object}``
    finders: dict[str, str] = {}

    def _create(self, version: str | None = None) -> Client:
        if self.library is None:
            raise errors.NoCloud(
                reason=f"there is no client('{self.name}'): a package with an entry point of the "
                f'group heat.clients and this name brings it'
            )
        module = self.library.load(self.name)
        options = self.clients.library_options(self.name, self.library.service_type)
        return self.library.make(module, options)

    @functools.cached_property
    def exceptions_module(self) -> ModuleType | None:
        return None if self.library is None else self.library.errors_module()

    def find(self, kind: str, value: Value) -> Value:
        """Return the id of an object by its name or id. Raises EntityNotFound."""
        if value is None or isinstance(value, Function):
            return value
        return self.clients.find(kind, value)

    def __getattr__(self, method: str) -> Any:
        if method in GETTERS:
            return getattr(self.client(), GETTERS[method]).get
        kind = type(self).finders.get(method)
        if kind is None:
            raise AttributeError(
                f"the client plug-in '{self.name}' of heat_lite has no {method}; docs/plugins.md "
                'lists what it has'
            )
        return functools.partial(self.find, kind)


class NeutronClientPlugin(ServicePlugin):
    """The plug-in of Neutron, with the searches that resource types use."""

    def find_resourceid_by_name_or_id(
        self, resource: str, name_or_id: Value, cmd_resource: str | None = None
    ) -> Value:
        """Return the id of an object; ``resource`` is its kind: network, port, subnet, ...

        Objects of further extensions are found by neutronclient. Raises EntityNotFound.
        """
        kind = f'neutron.{_NEUTRON_KINDS.get(resource, resource)}'
        if kind in FINDERS or name_or_id is None or isinstance(name_or_id, Function):
            return self.find(kind, name_or_id)
        try:
            found = self.client().find_resource(resource, name_or_id, cmd_resource=cmd_resource)
        except Exception as error:
            self.ignore_not_found(error)
            raise EntityNotFound(entity=resource, name=name_or_id) from error
        return found['id']

    def network_id_from_subnet_id(self, subnet_id: str) -> str:
        shown = self.clients.rest('neutron').show(f'/subnets/{subnet_id}', 'subnet')
        return shown['network_id']

    def get_secgroup_uuids(self, security_groups: list[str]) -> list[str]:
        """Return the ids of security groups by their names or ids."""
        return [self.find('neutron.security_group', each) for each in security_groups]

    def has_extension(self, alias: str) -> bool:
        try:
            self.clients.require(self.name, alias)
        except errors.NoCloud:
            return False
        return True


class NovaClientPlugin(ServicePlugin):
    """The plug-in of Nova, with the helpers that resource types use."""

    deferred_server_statuses = ('BUILD', 'HARD_REBOOT', 'PASSWORD', 'REBOOT', 'RESCUE', 'RESIZE')

    def get_server(self, server: str) -> Client:
        """Return novaclient's server. Raises EntityNotFound."""
        try:
            return self.client().servers.get(server)
        except Exception as error:
            self.ignore_not_found(error)
            raise EntityNotFound(entity='Server', name=server) from error

    def fetch_server(self, server_id: str) -> Client | None:
        """Return novaclient's server; None while Nova cannot show it."""
        try:
            return self.client().servers.get(server_id)
        except Exception as error:
            if self.is_over_limit(error) or (http_status(error) or 0) >= 500:
                return None
            raise

    @staticmethod
    def get_status(server: Client) -> str:
        """Return the status without the text in parentheses that some clouds append."""
        return server.status.split('(')[0]

    def check_delete_server_complete(self, server_id: str | None) -> bool:
        """Return whether a server is gone. Raises ResourceInError for one in ERROR."""
        if not server_id:
            return True
        try:
            server = self.fetch_server(server_id)
        except Exception as error:
            self.ignore_not_found(error)
            return True
        if server is not None and self.get_status(server) == 'ERROR':
            raise heat_exceptions.exception.ResourceInError(resource_status='ERROR')
        return server is not None and self.get_status(server) in ('DELETED', 'SOFT_DELETED')


#: methods that return an object of a client library: ``{method: manager of the client}``
GETTERS = {
    'get_flavor': 'flavors',
    'get_keypair': 'keypairs',
    'get_volume': 'volumes',
    'get_volume_snapshot': 'volume_snapshots',
    'get_volume_backup': 'backups',
    'get_image': 'images',
}
_NEUTRON_KINDS = {'policy': 'qos_policy', 'loadbalancer': 'lbaas.loadbalancer'}
#: ``{client: {method: kind of object}}``
_FINDERS = {
    'barbican': {
        'get_secret_by_ref': 'barbican.secret',
        'get_container_by_ref': 'barbican.container',
    },
    'cinder': {'get_volume_type': 'cinder.vtype', 'get_qos_specs': 'cinder.qos_specs'},
    'designate': {'get_zone_id': 'designate.zone'},
    'glance': {'find_image_by_name_or_id': 'glance.image'},
    'ironic': {'get_node': 'ironic.node', 'get_portgroup': 'ironic.portgroup'},
    'keystone': {
        f'get_{each}_id': f'keystone.{each}'
        for each in ('role', 'project', 'domain', 'group', 'service', 'user', 'region')
    },
    'magnum': {'get_cluster_template': 'magnum.cluster_template'},
    'mistral': {'get_workflow_by_identifier': 'mistral.workflow'},
    'neutron': {'get_qos_policy_id': 'neutron.qos_policy'},
    'nova': {'find_flavor_by_name_or_id': 'nova.flavor', 'get_host': 'nova.host'},
    'octavia': {
        f'get_{each}': f'octavia.{each}'
        for each in ('pool', 'loadbalancer', 'listener', 'l7policy', 'flavorprofile')
    },
    'trove': {'find_flavor_by_name_or_id': 'trove.flavor'},
    'zaqar': {'get_queue': 'zaqar.queue'},
}
_BASES: dict[str, type[ServicePlugin]] = {'neutron': NeutronClientPlugin, 'nova': NovaClientPlugin}


@functools.cache
def plugin_class(name: str) -> type[ServicePlugin]:
    """Return the class of the plug-in of a client, e.g. NovaClientPlugin for 'nova'."""
    library = LIBRARIES.get(name)
    members = {
        'name': name,
        'library': library,
        'finders': _FINDERS.get(name, {}),
        'service_types': () if library is None else (library.service_type,),
        '__doc__': f'The plug-in of the client {name}.',
    }
    return type(class_name(name), (_BASES.get(name, ServicePlugin),), members)


def class_name(name: str) -> str:
    """Return the name of the class of a plug-in in Heat."""
    return {'openstack': 'OpenStackSDKPlugin'}.get(name, f'{name.title()}ClientPlugin')
