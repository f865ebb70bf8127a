"""Signal transports through other OpenStack services, which store signals until they are polled."""

import json
import logging

from heat_lite.common import context as request_context
from heat_lite.resources.base.stack_user import PASSWORD

LOG = logging.getLogger(__name__)
#: the keys of the resource's data: the URL and the name of an object, the number of signals read
#: from it, the name of a queue
URL, NAME, RECEIVED, QUEUE = (
    'swift_signal_url',
    'swift_signal_object_name',
    'swift_signals_heard',
    'zaqar_signal_queue_id',
)


class SignalTransport:
    """The signal transport of one resource (a ``SignalResponder``)."""

    #: the name of the client, and the name of the service in errors
    service = label = ''

    def __init__(self, resource):
        self._resource = resource

    def create(self):
        raise NotImplementedError(f'{type(self).__name__} must override create')

    def poll_signals(self):
        """Return the details of each signal since the last call."""
        raise NotImplementedError(f'{type(self).__name__} must override poll_signals')

    def delete(self):
        raise NotImplementedError(f'{type(self).__name__} must override delete')


class TempUrl(SignalTransport):
    """An object in a Swift container of the stack, written by its temporary URL."""

    service, label = 'swift', 'object storage'

    def _object_location(self):
        return self._resource.stack.id, self._resource.data().get(NAME)

    def create(self):
        resource = self._resource
        name = resource.physical_resource_name()
        url = resource.client(self.service).signal_url(resource.stack.id, name)
        resource.data_set(NAME, name)
        resource.data_set(URL, url, redact=True)

    def poll_signals(self):
        resource, location = self._resource, self._object_location()
        if location[1] is None:
            return []
        texts = resource.client(self.service).read_signals(*location)
        received = int(resource.data().get(RECEIVED, 0))
        if len(texts) > received:
            resource.data_set(RECEIVED, str(len(texts)))
        return [_parse_signal(resource, text) for text in texts[received:]]

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


def _parse_signal(resource, text):
    """Return the details of a signal; None if it is empty or no JSON."""
    try:
        return json.loads(text) if text else None
    except ValueError:
        LOG.warning('Ignoring the details of a signal to %s: they are not JSON', resource)
        return None
