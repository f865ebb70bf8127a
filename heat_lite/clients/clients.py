"""The facade to the cloud that resources see: the services, as whoever asks may use them, and the ids of what names stand for."""

import collections
import threading
import time
import weakref

import requests
from keystoneauth1 import adapter, exceptions

from heat_lite.clients import errors, joined, microversions, plugged, rest, session, swift, zaqar
from heat_lite.clients.kinds import KINDS
from heat_lite.clients.services import SERVICES
from heat_lite.common import exception

NO_KEYSTONE = 'there is no Keystone, and so no cloud: set auth_uri in [clients_keystone], or www_authenticate_uri in [keystone_authtoken]'
REMEMBERED_TOKENS = 256
#: services whose API can do more than requests
APIS = {'swift': swift.Swift, 'zaqar': zaqar.Zaqar}
NOBODY = 'nobody is known as whom the cloud could be asked: the request came without a token'


class Cloud:
    """What all requests of one engine share. Called with a context, it gives the Clients of whoever asks.

    ``later`` is what to act by when the login of the context ends, or where it has none (see ``session.Relay``); then whoever asks for
    Clients keeps them.
    """

    def __init__(self, conf, plugins=None):
        self.conf = conf
        #: clients that third parties have added: ``{name: ClientPlugin}``
        self.plugins = plugins or {}
        self.connections = requests.Session()
        self.extensions = Remembered(conf.service_extension_cache)
        self.microversions = Remembered(conf.service_extension_cache)
        self._clients = weakref.WeakKeyDictionary()
        self._logins = collections.OrderedDict()
        self._watches = weakref.WeakValueDictionary()
        self._guard = threading.Lock()

    def __call__(self, context, later=None):
        if later is not None:
            return Clients(self, context, later)
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

    def watch(self, who, name, path):
        """What is known of the objects of a collection by those who wait for them (see ``joined``). Whoever waits keeps it."""
        with self._guard:
            found = self._watches.get((who, name, path))
            if found is None:
                found = self._watches[who, name, path] = joined.Joined()
            return found


class Clients:
    """The cloud for one context."""

    def __init__(self, cloud, context, later=None):
        self._cloud = cloud
        # not the context itself: whoever is remembered by it must not keep it alive
        self._region = context.region_name or cloud.conf.region_name_for_services
        self._named = bool(session.auth_url(cloud.conf))
        self._login = cloud.login(context) if self._named else None
        if self._named and later is not None:
            self._login = session.Relay(cloud.conf, self._login, later, cloud.connections)
        self._apis, self._watches = {}, {}
        # several contexts of one token see the same
        self._who = (context.auth_token or context.trust_id or id(self), context.project_id, self._region)
        self._found = Remembered(cloud.conf.resource_finder_cache)
        self._asking, self._plugins = plugged.Asking(context, self), {}

    def client_plugin(self, name):
        """What makes the client of a service, and knows its errors."""
        if name not in self._plugins:
            added = self._cloud.plugins.get(name)
            self._plugins[name] = plugged.BuiltIn(self, name) if added is None else added(self._asking)
        return self._plugins[name]

    def session(self, name='keystone'):
        """A session of keystoneauth, as whoever asks. Raises NoCloud where there is no Keystone."""
        if self._login is None:
            raise errors.NoCloud(reason=NOBODY if self._named else NO_KEYSTONE)
        return session.plain(self._cloud.conf, self._login, name, self._cloud.connections)

    def client(self, name):
        """The API of a service. Raises NoCloud where there is none."""
        if name in self._cloud.plugins:
            return self.client_plugin(name).client()
        api = self._apis.get(name)
        if api is None:
            api = self._apis[name] = APIS.get(name, rest.Api)(name, self._adapter(name))
        return api

    def require(self, name, extension=None):
        """Raise NoCloud unless the service is there, with the extension where one is named."""
        if name in self._cloud.plugins:
            self.client_plugin(name).require(extension)
            return
        api = self.client(name)
        if extension is not None and SERVICES[name].lists_extensions and extension not in self._extensions(name, api):
            raise errors.NoCloud(reason=f'Required extension {extension} in {name} service is not available')

    def find(self, kind, value):
        """The id of the object of that kind that ``value`` names, by id or by name. Raises NoSuchObject."""
        where = KINDS[kind]
        if where.extension and where.extension not in self._extensions(where.service, self.client(where.service)):
            raise errors.NoSuchObject(reason=f'The {where.service} extension ({where.extension}) could not be found.')
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

    def joined(self, name, path):
        """Where to look at objects of a list of a service, together with all others who wait for some of them."""
        if (name, path) not in self._watches:
            self._watches[name, path] = self._cloud.watch(self._who, name, path)
        return self._watches[name, path]

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
            additional_headers=dict(service.headers),
        )
        made.endpoint_override = service.base(self._endpoint(name, made))
        if service.microversion:
            made.default_microversion = self._microversion(name, service.microversion, made)
        return _Quiet(made, option('http_log_debug', False))

    def _microversion(self, name, ours, made):
        cloud, told = self._cloud, lambda: microversions.newest(made)
        return microversions.spoken(cloud.conf, name, ours, lambda: cloud.microversions.get((name, made.endpoint_override), told))

    @staticmethod
    def _endpoint(name, found):
        missing = None
        try:
            endpoint = found.get_endpoint()
        except exceptions.ConnectionError as error:
            raise errors.unavailable('keystone', 'GET', '/auth/tokens', error) from error
        except (exceptions.CatalogException, exceptions.EndpointNotFound) as error:
            endpoint, missing = None, error
        except ValueError:  # a service of two names that has no endpoint in this region: keystoneauth takes that for a mistake of its own
            endpoint = None
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
