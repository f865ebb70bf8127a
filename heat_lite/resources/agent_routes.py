"""The ways to the agent of a server that lead through another service of the cloud: there it finds what it is to do."""

import json
import uuid

from heat_lite.resources import signal_routes

CONTAINER, NAME, URL, QUEUE = 'metadata_container_name', 'metadata_object_name', 'metadata_url', 'metadata_queue_id'
#: how many seconds a message is kept that no agent has taken
KEPT = 3600


class Route:
    """One way to an agent, for one resource (an ``Agent``): ``open`` it, ``put`` something there, ``close`` it."""

    #: the service that it leads through, how people call it, and what the agent calls the way
    service = label = collector = ''
    #: whether the agent logs in
    needs_user = True
    #: what is kept of a way that is open
    keys: tuple[str, ...] = ()

    def __init__(self, resource):
        self._resource = resource

    def is_open(self):
        return self.keys[0] in self._resource.data()

    def open(self):
        raise NotImplementedError(f'{type(self).__name__} leads nowhere')

    def told(self):
        """What the agent has to know to find it."""
        raise NotImplementedError(f'{type(self).__name__} cannot be found')

    def put(self, metadata):
        raise NotImplementedError(f'{type(self).__name__} takes nothing')

    def close(self):
        """Takes away what the other service keeps, and forgets it."""
        self._take_away()
        for key in self.keys:
            self._resource.data_delete(key)

    def _take_away(self):
        raise NotImplementedError(f'{type(self).__name__} cannot be closed')


class TempUrl(Route):
    """An object in a container. Whoever knows its URL can read it."""

    service, label, collector = 'swift', 'object storage', 'request'
    needs_user = False
    keys = (NAME, CONTAINER, URL)

    def _wished(self):
        return self._resource.properties['deployment_swift_data'] or {}

    def _place(self):
        data = self._resource.data()
        return data[CONTAINER], data[NAME]

    def open(self):
        resource, wished = self._resource, self._wished()
        container = wished.get('container') or resource.physical_resource_name()
        name = wished.get('object') or str(uuid.uuid4())
        swift = resource.client(self.service)
        swift.make_container(container)
        resource.data_set(CONTAINER, container)
        resource.data_set(NAME, name)
        resource.data_set(URL, swift.temp_url(container, name, 'GET'), redact=True)

    def told(self):
        return {'metadata_url': self._resource.data()[URL]}

    def put(self, metadata):
        self._resource.client(self.service).put(*self._place(), json.dumps(metadata))

    def _take_away(self):
        container, name = self._place()
        swift = self._resource.client(self.service)
        swift.remove(container, name)
        if container == self._resource.physical_resource_name():
            swift.remove_container(container)


class Queue(Route):
    """A queue in the project of the stack's users. The agent takes the messages out of it."""

    service, label, collector = 'zaqar', 'messaging', 'zaqar'
    keys = (QUEUE,)

    def _zaqar(self):
        return signal_routes.as_its_user(self._resource).client(self.service)

    def open(self):
        name = self._resource.physical_resource_name()
        self._zaqar().make_queue(name)
        self._resource.data_set(QUEUE, name)

    def told(self):
        return {'queue_id': self._resource.data()[QUEUE]}

    def put(self, metadata):
        self._zaqar().post(self._resource.data()[QUEUE], metadata, KEPT)

    def _take_away(self):
        self._zaqar().remove_queue(self._resource.data()[QUEUE])
