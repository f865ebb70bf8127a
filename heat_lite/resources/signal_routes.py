"""The ways for signals that lead through another service of the cloud: there they are kept until somebody looks."""

import json
import logging

from heat_lite.common import context as request_context
from heat_lite.resources.stack_user import PASSWORD

LOG = logging.getLogger(__name__)
#: what is kept of a way: where it leads, and how much of what has come by it was heard
URL, NAME, HEARD, QUEUE = 'swift_signal_url', 'swift_signal_object_name', 'swift_signals_heard', 'zaqar_signal_queue_id'


class Route:
    """One way, for one resource (a ``SignalResponder``): ``open`` it, ``hear`` what has come, ``close`` it."""

    #: the service that it leads through, and how people call it
    service = label = ''

    def __init__(self, resource):
        self._resource = resource

    def open(self):
        raise NotImplementedError(f'{type(self).__name__} leads nowhere')

    def hear(self):
        """What has come since the last time: the details of each signal."""
        raise NotImplementedError(f'{type(self).__name__} brings nothing')

    def close(self):
        raise NotImplementedError(f'{type(self).__name__} cannot be closed')


class TempUrl(Route):
    """An object in a container of the stack. Whoever knows its URL can put something into it."""

    service, label = 'swift', 'object storage'

    def _place(self):
        return self._resource.stack.id, self._resource.data().get(NAME)

    def open(self):
        resource = self._resource
        name = resource.physical_resource_name()
        url = resource.client(self.service).signal_url(resource.stack.id, name)
        resource.data_set(NAME, name)
        resource.data_set(URL, url, redact=True)

    def hear(self):
        resource, place = self._resource, self._place()
        if place[1] is None:
            return []
        texts = resource.client(self.service).signals(*place)
        heard = int(resource.data().get(HEARD, 0))
        if len(texts) > heard:
            resource.data_set(HEARD, str(len(texts)))
        return [_details(resource, text) for text in texts[heard:]]

    def close(self):
        container, name = self._place()
        if name is None:
            return
        swift = self._resource.client(self.service)
        swift.remove(container, name)
        swift.remove_container(container)


class Queue(Route):
    """A queue in the project of the stack's users, who put messages into it."""

    service, label = 'zaqar', 'messaging'

    def _zaqar(self):
        return as_its_user(self._resource).client(self.service)

    def open(self):
        name = self._resource.physical_resource_name()
        self._zaqar().make_queue(name)
        self._resource.data_set(QUEUE, name)

    def hear(self):
        name = self._resource.data().get(QUEUE)
        return [] if name is None else self._zaqar().take(name)

    def close(self):
        name = self._resource.data().get(QUEUE)
        if name is not None:
            self._zaqar().remove_queue(name)


def as_its_user(resource):
    """The cloud as the user of a resource (a ``StackUser``) sees it, who must be awake for that."""
    resource.users.enable(resource.user_id, True)
    token, _, _ = resource.users.log_in(resource.user_id, resource.data()[PASSWORD])
    user = request_context.RequestContext(auth_token=token, project_id=resource.users.project_id(), overwrite=False)
    return resource.stack.runtime.clients(user)


def _details(resource, text):
    """What a signal says; what is no JSON says nothing."""
    try:
        return json.loads(text) if text else None
    except ValueError:
        LOG.warning('A signal to %s is no JSON', resource)
        return None
