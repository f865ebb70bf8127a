"""Clients of services that third parties add, and what resources ask the client of any service about its errors."""

import weakref

from heat_lite.clients import errors


class Asking:
    """The context of whoever asks, with his cloud at hand: ``clients`` and a session of keystoneauth."""

    def __init__(self, context, clients):
        # a client is kept with its context: it must not keep that alive
        self._context = weakref.ref(context)
        self._clients = weakref.ref(clients)

    def __getattr__(self, name):
        return getattr(self._context(), name)

    @property
    def clients(self):
        return self._clients()

    @property
    def keystone_session(self):
        """A session of keystoneauth, as whoever asks. Raises NoCloud where there is no Keystone."""
        return self.clients.session()


class Judging:
    """What an error of a service means. Overridden where a client raises errors of its own."""

    def is_client_exception(self, ex):
        return isinstance(ex, errors.ServiceError)

    def is_not_found(self, ex):
        return isinstance(ex, errors.NotFound)

    def is_conflict(self, ex):
        return isinstance(ex, errors.Conflict)

    def is_over_limit(self, ex):
        return isinstance(ex, errors.OverLimit)

    def is_unprocessable_entity(self, ex):
        return getattr(ex, 'code', None) == 422

    def ignore_not_found(self, ex):
        """Raises the error unless it says that the object is gone."""
        if not self.is_not_found(ex):
            raise ex

    def ignore_conflict_and_not_found(self, ex):
        """Raises the error unless it says that the object is gone, or busy."""
        if not self.is_conflict(ex) and not self.is_not_found(ex):
            raise ex


class BuiltIn(Judging):
    """A service that has a client here."""

    def __init__(self, clients, name):
        self._clients, self._name = weakref.ref(clients), name

    def client(self, version=None):
        return self._clients().client(self._name)

    def has_extension(self, alias):
        try:
            self._clients().require(self._name, alias)
        except errors.NoCloud:
            return False
        return True


class ClientPlugin(Judging):
    """What a third party overrides: ``_create``, which makes the client, and what its errors mean.

    ``service_types`` are the types of the service in the catalog: without one of them, resource types that need the client are refused.
    ``exceptions_module`` is the module, or a list of those, whose exceptions are those of the client.
    """

    exceptions_module = None
    service_types: tuple | list = ()

    def __init__(self, context):
        self.context = context
        self._made = {}

    @property
    def clients(self):
        return self.context.clients

    def client(self, version=None):
        """The client; made once for whoever asks."""
        if version not in self._made:
            self._made[version] = self._create() if version is None else self._create(version=version)
        return self._made[version]

    def _create(self, version=None):
        raise NotImplementedError(f'{type(self).__name__} does not make a client')

    def invalidate(self):
        """The next one who asks gets a new client."""
        self._made.clear()

    def url_for(self, service_type, **options):
        """The address of a service in the catalog, as keystoneauth finds it."""
        return self.context.keystone_session.get_endpoint(service_type=service_type, **options)

    def does_endpoint_exist(self, service_type, service_name=None):
        return self.url_for(service_type, service_name=service_name) is not None

    def has_extension(self, alias):
        """Overridden by clients of services that have extensions."""
        return False

    def require(self, extension=None):
        """Raise NoCloud unless the service is there, with the extension where one is named."""
        if self.service_types and not any(self.does_endpoint_exist(each) for each in self.service_types):
            raise errors.NoCloud(reason=f'{" or ".join(self.service_types)} endpoint is not in service catalog')
        if extension is not None and not self.has_extension(extension):
            raise errors.NoCloud(reason=f'it has no extension "{extension}"')

    # ------------------------------------------------------------ what its errors mean

    def is_client_exception(self, ex):
        modules = self.exceptions_module
        names = {each.__name__ for each in (modules if isinstance(modules, list | tuple) else [modules]) if each is not None}
        return type(ex).__module__ in names or super().is_client_exception(ex)
