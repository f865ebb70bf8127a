"""The client libraries of the services: the objects that ``self.client('nova')`` gives in Heat.

A library is not a requirement of heat_lite: the plug-in that uses it requires it.
"""

import dataclasses
import importlib
from collections.abc import Callable
from types import ModuleType
from typing import Any, TypeAlias

from heat_lite.clients import errors
from heat_lite.common.value_types import Values

Options = Values
#: the client of a service: an object of its library
Client: TypeAlias = Any


@dataclasses.dataclass(frozen=True)
class Library:
    """The library of one service.

    ``package``: its name for pip. ``module``: the module with the client; ``make(module,
    options)`` constructs it, ``options`` are those of ``Clients.library_options``. ``errors``: the
    module with its exceptions. ``service_type``: the type of the service in the catalog.
    """

    package: str
    module: str
    make: Callable[[ModuleType, Options], Client]
    errors: str
    service_type: str

    def load(self, name: str) -> ModuleType:
        """Return the module with the client. Raises NoCloud if the library is not installed."""
        try:
            return importlib.import_module(self.module)
        except ImportError as error:
            raise errors.NoCloud(
                reason=f"client('{name}') needs the library {self.package}, which is not installed "
                f'beside heat_lite ({error}); install it: pip install {self.package}'
            ) from error

    def errors_module(self) -> ModuleType | None:
        """Return the module with the exceptions; None if the library is not installed."""
        try:
            return importlib.import_module(self.errors)
        except ImportError:
            return None


def _legacy(options: Options) -> Options:
    """Return the options by the names of novaclient, cinderclient and others."""
    return {
        'session': options['session'],
        'service_type': options['service_type'],
        'endpoint_type': options['interface'],
        'region_name': options['region_name'],
        'endpoint_override': options['endpoint_override'],
    }


def _versioned(version: str) -> Callable[[ModuleType, Options], Client]:
    return lambda module, options: module.Client(version, **_legacy(options))


def _adapter(*version: str) -> Callable[[ModuleType, Options], Client]:
    """Return the maker of a client that takes the options of a keystoneauth adapter."""
    return lambda module, options: module.Client(*version, **options)


def _neutron(module: ModuleType, options: Options) -> Client:
    legacy = _legacy(options)
    return module.Client(endpoint_url=legacy.pop('endpoint_override'), **legacy)


def _endpoint(options: Options) -> str | None:
    """Return the URL of the service, for libraries that do not look it up."""
    return options['endpoint_override'] or options['session'].get_endpoint(
        **{name: options[name] for name in ('service_type', 'interface', 'region_name')}
    )


def _keystone(module: ModuleType, options: Options) -> Client:
    return KeystoneWrapper(module, options)


class KeystoneWrapper:
    """The client of Keystone as Heat wraps it: ``client`` is keystoneclient's; also its names."""

    def __init__(self, module: ModuleType, options: Options) -> None:
        names = ('session', 'interface', 'region_name', 'endpoint_override')
        self.client = module.Client(**{name: options[name] for name in names})

    def __getattr__(self, name: str) -> Any:
        return getattr(self.client, name)


def _swift(module: ModuleType, options: Options) -> Client:
    session = options['session']
    storage = {
        'object_storage_url': _endpoint(options),
        'region_name': options['region_name'],
        'endpoint_type': options['interface'],
    }
    return module.Connection(session=session, os_options=storage)


def _octavia(module: ModuleType, options: Options) -> Client:
    return module.OctaviaAPI(
        session=options['session'], service_type='load-balancer', endpoint=_endpoint(options)
    )


def _mistral(module: ModuleType, options: Options) -> Client:
    return module.client(mistral_url=_endpoint(options), session=options['session'])


def _zaqar(module: ModuleType, options: Options) -> Client:
    session = options['session']
    values = {
        'os_auth_token': session.get_token(),
        'os_auth_url': '',
        'os_project_id': session.get_project_id(),
        'os_service_type': 'messaging',
    }
    auth = {'auth_opts': {'backend': 'keystone', 'options': values}}
    return module.Client(url=_endpoint(options), conf=auth, version=2)


def _blazar(module: ModuleType, options: Options) -> Client:
    return module.Client('1', **{**options, 'service_type': 'reservation'})


def _openstack(module: ModuleType, options: Options) -> Client:
    return module.Connection(
        session=options['session'],
        region_name=options['region_name'],
        interface=(options['interface'] or 'public').removesuffix('URL'),
    )


#: ``{name of the client: Library}``
LIBRARIES = {
    'aodh': Library(
        'aodhclient', 'aodhclient.v2.client', _adapter(), 'aodhclient.exceptions', 'alarming'
    ),
    'barbican': Library(
        'python-barbicanclient',
        'barbicanclient.client',
        _adapter('v1'),
        'barbicanclient.exceptions',
        'key-manager',
    ),
    'blazar': Library(
        'python-blazarclient',
        'blazarclient.client',
        _blazar,
        'blazarclient.exception',
        'reservation',
    ),
    'cinder': Library(
        'python-cinderclient',
        'cinderclient.client',
        _versioned('3'),
        'cinderclient.exceptions',
        'block-storage',
    ),
    'designate': Library(
        'python-designateclient',
        'designateclient.client',
        lambda module, options: module.Client(version='2', **_legacy(options)),
        'designateclient.exceptions',
        'dns',
    ),
    'glance': Library(
        'python-glanceclient', 'glanceclient', _adapter('2'), 'glanceclient.exc', 'image'
    ),
    'heat': Library(
        'python-heatclient',
        'heatclient.client',
        _adapter('1'),
        'heatclient.exc',
        'orchestration',
    ),
    'ironic': Library(
        'python-ironicclient',
        'ironicclient.v1.client',
        _adapter(),
        'ironicclient.exc',
        'baremetal',
    ),
    'keystone': Library(
        'python-keystoneclient',
        'keystoneclient.v3.client',
        _keystone,
        'keystoneauth1.exceptions',
        'identity',
    ),
    'magnum': Library(
        'python-magnumclient',
        'magnumclient.v1.client',
        lambda module, options: module.Client(
            session=options['session'], magnum_url=_endpoint(options)
        ),
        'magnumclient.common.apiclient.exceptions',
        'container-infra',
    ),
    'manila': Library(
        'python-manilaclient',
        'manilaclient.client',
        lambda module, options: module.Client(
            '2.13', session=options['session'], service_catalog_url=_endpoint(options)
        ),
        'manilaclient.exceptions',
        'shared-file-system',
    ),
    'mistral': Library(
        'python-mistralclient',
        'mistralclient.api.client',
        _mistral,
        'mistralclient.api.base',
        'workflow',
    ),
    'neutron': Library(
        'python-neutronclient',
        'neutronclient.v2_0.client',
        _neutron,
        'neutronclient.common.exceptions',
        'network',
    ),
    'nova': Library(
        'python-novaclient',
        'novaclient.client',
        _versioned('2.1'),
        'novaclient.exceptions',
        'compute',
    ),
    'octavia': Library(
        'python-octaviaclient',
        'octaviaclient.api.v2.octavia',
        _octavia,
        'octaviaclient.api.exceptions',
        'load-balancer',
    ),
    'openstack': Library(
        'openstacksdk', 'openstack.connection', _openstack, 'openstack.exceptions', 'network'
    ),
    'swift': Library(
        'python-swiftclient',
        'swiftclient.client',
        _swift,
        'swiftclient.exceptions',
        'object-store',
    ),
    'trove': Library(
        'python-troveclient',
        'troveclient.client',
        _versioned('1.0'),
        'troveclient.exceptions',
        'database',
    ),
    'zaqar': Library(
        'python-zaqarclient',
        'zaqarclient.queues.v2.client',
        _zaqar,
        'zaqarclient.transport.errors',
        'messaging',
    ),
    'zun': Library(
        'python-zunclient',
        'zunclient.client',
        lambda module, options: module.Client('1', **_legacy(options)),
        'zunclient.exceptions',
        'container',
    ),
}
