"""Signal transports through other OpenStack services, which store signals until they are polled."""

import json
import shlex
import uuid

from heat_lite.clients import errors
from heat_lite.common import context as request_context, exception
from heat_lite.common.value_texts import read_json
from heat_lite.resources.base.stack_user import PASSWORD

#: the keys of the resource's data: the URL and the name of an object, the time of the last signal
#: read from it, or their number in rows of earlier versions, the name of a queue, the request that
#: posts to it
URL, NAME, RECEIVED, COUNTED, QUEUE, REQUEST = (
    'swift_signal_url',
    'swift_signal_object_name',
    'swift_signals_until',
    'swift_signals_heard',
    'zaqar_signal_queue_id',
    'zaqar_signal_request',
)
#: when the signature of such a request expires: it is needed as long as its handle exists
SIGNED_UNTIL = '2099-01-01T00:00:00'


class SignalTransport:
    """The signal transport of one resource (a ``SignalResponder``)."""

    #: the name of the client, and the name of the service in errors
    service = label = ''

    def __init__(self, resource):
        self._resource = resource

    def create(self):
        raise NotImplementedError

    def poll_signals(self):
        """Return the details of each signal since the last call."""
        raise NotImplementedError

    def delete(self):
        raise NotImplementedError


class TempUrl(SignalTransport):
    """An object in a Swift container of the stack, written by its temporary URL."""

    service, label = 'swift', 'object storage'

    def _object_location(self):
        return self._resource.stack.id, self._resource.data().get(NAME)

    def create(self):
        resource = self._resource
        name = resource.physical_resource_name()
        swift = resource.client(self.service)
        url = swift.signal_url(resource.stack.id, name, resource.unsignalled)
        resource.data_set(NAME, name)
        resource.data_set(RECEIVED, '0')
        resource.data_set(URL, url, redact=True)

    def poll_signals(self):
        resource, location = self._resource, self._object_location()
        if location[1] is None:
            return []
        data = resource.data()
        counted = 0 if RECEIVED in data else int(data.get(COUNTED, 0))
        after = data.get(RECEIVED) or ('' if counted else resource.signals_since())
        found = resource.client(self.service).read_signals(*location, after)
        signals = list(found.items())[counted:]
        if signals:
            resource.data_set(RECEIVED, signals[-1][0])
        return [_parse_signal(text) for _, text in signals]

    def delete(self):
        container, name = self._object_location()
        if name is None:
            return
        swift = self._resource.client(self.service)
        swift.delete_object(container, name)
        swift.delete_container(container)


class Queue(SignalTransport):
    """A Zaqar queue in the stack user project."""

    service, label = 'zaqar', 'messaging'

    def _zaqar(self):
        return stack_user_clients(self._resource).client(self.service)

    def create(self):
        name = self._resource.physical_resource_name()
        self._zaqar().create_queue(name)
        self._resource.data_set(QUEUE, name)

    def poll_signals(self):
        name = self._resource.data().get(QUEUE)
        return [] if name is None else self._zaqar().pop_messages(name)

    def delete(self):
        name = self._resource.data().get(QUEUE)
        if name is not None:
            self._zaqar().delete_queue(name)


class SignedQueue(Queue):
    """A Zaqar queue in the project of the stack, for a service without stack users in Keystone.

    A request that Zaqar has signed posts to it, and needs no login.
    """

    def _zaqar(self):
        return self._resource.client(self.service)

    def create(self):
        super().create()
        zaqar, name = self._zaqar(), self._resource.data()[QUEUE]
        try:
            request = zaqar.sign_post(name, SIGNED_UNTIL)
        except errors.BadRequest as error:
            zaqar.delete_queue(name)
            raise exception.Error(
                'ZAQAR_SIGNAL needs requests that Zaqar signs, which this cloud refuses '
                f'([signed_url] secret_key of Zaqar): {error}. Use TEMP_URL_SIGNAL, or start '
                'the service with --public-url URL'
            ) from error
        request['headers']['Client-ID'] = str(uuid.uuid4())
        self._resource.data_set(REQUEST, json.dumps(request), redact=True)

    def request(self):
        """Return URL and headers of a signal; an empty map before the queue exists."""
        return json.loads(self._resource.data().get(REQUEST) or '{}')

    def curl_command(self):
        """Return the start of a command, to which ``--data-binary`` is appended; or None."""
        request = self.request()
        if not request:
            return None
        headers = ' '.join(f"-H '{name}: {value}'" for name, value in request['headers'].items())
        return f'curl -i -X POST {headers} {shlex.quote(request["url"])}'


def stack_user_clients(resource):
    """Return the clients of the stack user of a resource (a ``StackUser``), which is enabled for
    that.
    """
    resource.users.enable(resource.user_id, True)
    token, _, _ = resource.users.log_in(resource.user_id, resource.data()[PASSWORD])
    user = request_context.RequestContext(
        auth_token=token, project_id=resource.users.project_id(), overwrite=False
    )
    return resource.stack.runtime.clients(user)


def temp_url_attribute(name, url):
    """Return an attribute of a handle with a temporary URL, which needs no token."""
    if name == 'token':
        return ''
    return url if name == 'endpoint' or url is None else f"curl -i -X PUT '{url}'"


def _parse_signal(text):
    """Return the details of a signal: None if it is empty, its text if it is no JSON."""
    try:
        return read_json(text)
    except (ValueError, RecursionError):
        return text
