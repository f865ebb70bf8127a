"""The facade to the cloud that resources see: the services, as whoever asks may use them, and the ids of what names stand for."""

import collections
import threading
import time
import weakref

import requests
from keystoneauth1 import adapter, exceptions

from heat_lite.clients import errors, rest, session
from heat_lite.clients.kinds import KINDS
from heat_lite.clients.services import SERVICES
from heat_lite.common import exception

NO_KEYSTONE = 'there is no Keystone, and so no cloud: set auth_uri in [clients_keystone], or www_authenticate_uri in [keystone_authtoken]'
REMEMBERED_TOKENS = 256
NOBODY = 'nobody is known as whom the cloud could be asked: the request came without a token'


class Cloud:
    """What all requests of one engine share. Called with a context, it gives the Clients of whoever asks."""

    def __init__(self, conf):
        self.conf = conf
        self.connections = requests.Session()
        self.extensions = Remembered(conf.service_extension_cache)
        self._clients = weakref.WeakKeyDictionary()
        self._logins = collections.OrderedDict()
        self._guard = threading.Lock()

    def __call__(self, context):
        with self._guard:
            if context not in self._clients:
                self._clients[context] = Clients(self, context)
            return self._clients[context]

    def login(self, context):
        """How to act as whoever asks. Requests with the same token share what is known of it: its catalog is asked for once."""
        if not context.auth_token or context.trust_id:
            return session.login(self.conf, context, self.connections)
        if context.auth_token not in self._logins:
            self._logins[context.auth_token] = session.login(self.conf, context, self.connections)
            while len(self._logins) > REMEMBERED_TOKENS:
                self._logins.popitem(last=False)
        return self._logins[context.auth_token]


class Clients:
    """The cloud for one context."""

    def __init__(self, cloud, context):
        self._cloud = cloud
        # not the context itself: whoever is remembered by it must not keep it alive
        self._region = context.region_name or cloud.conf.region_name_for_services
        self._login = cloud.login(context) if session.auth_url(cloud.conf) else None
        self._named = bool(session.auth_url(cloud.conf))
        self._apis = {}
        self._found = Remembered(cloud.conf.resource_finder_cache)

    def client(self, name):
        """The API of a service. Raises NoCloud where there is none."""
        api = self._apis.get(name)
        if api is None:
            api = self._apis[name] = rest.Api(name, self._adapter(name))
        return api

    def require(self, name, extension=None):
        """Raise NoCloud unless the service is there, with the extension where one is named."""
        api = self.client(name)
        if extension is not None and SERVICES[name].lists_extensions and extension not in self._extensions(name, api):
            raise errors.NoCloud(reason=f'{name} has no extension "{extension}"')

    def find(self, kind, value):
        """The id of the object of that kind that ``value`` names, by id or by name. Raises NoSuchObject."""
        where = KINDS[kind]
        return self._found.get((kind, value), lambda: where.find(self.client(where.service), str(value)))

    def refusal(self, kind, value):
        """None where ``value`` names an object of that kind, else the reason why it does not."""
        try:
            self.find(kind, value)
        except errors.Unavailable as error:
            raise exception.ServiceUnavailable(reason=str(error)) from error
        except (errors.NoSuchObject, errors.NoCloud, errors.ServiceError) as error:
            return str(error)
        return None

    # ------------------------------------------------------------ how

    def _extensions(self, name, api):
        known = self._cloud.extensions
        return known.get((name, self._region), lambda: {each['alias'] for each in api.list('/extensions', 'extensions')})

    def _adapter(self, name):
        if self._login is None:
            raise errors.NoCloud(reason=NOBODY if self._named else NO_KEYSTONE)
        service, option = SERVICES[name], session.options(self._cloud.conf, name)
        made = adapter.Adapter(
            session.plain(self._cloud.conf, self._login, name, self._cloud.connections),
            service_type=service.type,
            interface=option('endpoint_type'),
            region_name=self._region,
            default_microversion=service.microversion,
        )
        made.endpoint_override = service.base(self._endpoint(name, made))
        return _Quiet(made, option('http_log_debug', False))

    @staticmethod
    def _endpoint(name, found):
        missing = None
        try:
            endpoint = found.get_endpoint()
        except exceptions.ConnectionError as error:
            raise errors.unavailable('keystone', 'GET', '/auth/tokens', error) from error
        except (exceptions.CatalogException, exceptions.EndpointNotFound) as error:
            endpoint, missing = None, error
        except exceptions.ClientException as error:
            raise errors.Unauthorized(f'Keystone refused who asks: {error}') from error
        if endpoint is None:
            raise errors.NoCloud(reason=f'{name} {found.service_type} endpoint is not in service catalog') from missing
        return endpoint


class _Quiet:
    """An adapter whose requests, with all the secrets in them, are logged only where the operator asks for that."""

    def __init__(self, inner, log):
        self._inner = inner
        self._log = log

    @property
    def url(self):
        return self._inner.endpoint_override

    def request(self, path, method, **options):
        return self._inner.request(path, method, log=self._log, **options)


class Remembered:
    """Answers that stay true for a while. ``options`` is a group with ``caching`` and ``expiration_time``."""

    def __init__(self, options):
        self._seconds = options.expiration_time if options.caching else 0
        self._answers = {}

    def get(self, key, ask):
        until, answer = self._answers.get(key, (0, None))
        if time.monotonic() >= until:
            answer = ask()
            self._answers[key] = (time.monotonic() + self._seconds, answer)
        return answer
