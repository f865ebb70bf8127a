"""Transports that publish the configuration of an agent through another OpenStack service."""

import json
import urllib.parse
import uuid

from heat_lite.resources.base import signal_transports

#: keys in the data of the resource; Heat stores PUT_URL and NAME, and uses the URL for its writes
CONTAINER, NAME, URL, PUT_URL, QUEUE = (
    'metadata_container_name',
    'metadata_object_name',
    'metadata_url',
    'metadata_put_url',
    'metadata_queue_id',
)
#: seconds for which an unread message is kept
MESSAGE_TTL = 3600


class ConfigTransport:
    """The transport to the agent of one resource (a ``ConfigAgent``)."""

    #: the name of the client, the name of the service in errors, and the name of the collector
    service = label = collector = ''
    #: whether the agent has to authenticate
    needs_user = True
    #: the keys of the resource's data that describe an existing transport
    keys: tuple[str, ...] = ()

    def __init__(self, resource):
        self._resource = resource

    def exists(self):
        return self.keys[0] in self._resource.data()

    def create(self):
        raise NotImplementedError

    def collector_config(self):
        """Return the settings of the agent's collector."""
        raise NotImplementedError

    def publish(self, metadata):
        raise NotImplementedError

    def delete(self):
        """Delete what the other service stores, then the resource's data about it."""
        self.delete_remote()
        for key in self.keys:
            self._resource.data_delete(key)

    def delete_remote(self):
        raise NotImplementedError


class TempUrl(ConfigTransport):
    """An object in Swift that can be read by its temporary URL."""

    service, label, collector = 'swift', 'object storage', 'request'
    needs_user = False
    keys = (NAME, CONTAINER, URL, PUT_URL)

    def _requested_object(self):
        return self._resource.properties['deployment_swift_data'] or {}

    def _object_location(self):
        data = self._resource.data()
        return data.get(CONTAINER) or _container(data[PUT_URL]), data[NAME]

    def create(self):
        resource, requested = self._resource, self._requested_object()
        container = requested.get('container') or resource.physical_resource_name()
        name = requested.get('object') or str(uuid.uuid4())
        swift = resource.client(self.service)
        swift.create_container(container)
        resource.data_set(CONTAINER, container)
        resource.data_set(NAME, name)
        resource.data_set(URL, swift.temp_url(container, name, 'GET'), redact=True)
        resource.data_set(PUT_URL, swift.temp_url(container, name), redact=True)

    def collector_config(self):
        url = self._resource.data().get(URL)
        if url is None:
            swift = self._resource.client(self.service)
            url = swift.temp_url(*self._object_location(), 'GET')
        return {'metadata_url': url}

    def publish(self, metadata):
        self._resource.client(self.service).put_object(
            *self._object_location(),
            json.dumps(metadata),
            timeout=self._resource.stack.limits.metadata_put_timeout,
        )

    def delete_remote(self):
        container, name = self._object_location()
        swift = self._resource.client(self.service)
        swift.delete_object(container, name)
        if container == self._resource.physical_resource_name():
            swift.delete_container(container)


def _container(url):
    """Return the container of a temporary URL, whose path is /v1/ACCOUNT/CONTAINER/OBJECT."""
    return urllib.parse.unquote(urllib.parse.urlsplit(url).path.split('/')[-2])


class Queue(ConfigTransport):
    """A Zaqar queue in the stack user project. The agent consumes its messages."""

    service, label, collector = 'zaqar', 'messaging', 'zaqar'
    keys = (QUEUE,)

    def _zaqar(self):
        return signal_transports.stack_user_clients(self._resource).client(self.service)

    def create(self):
        name = self._resource.physical_resource_name()
        self._zaqar().create_queue(name)
        self._resource.data_set(QUEUE, name)

    def collector_config(self):
        return {'queue_id': self._resource.data()[QUEUE]}

    def publish(self, metadata):
        self._zaqar().post_message(self._resource.data()[QUEUE], metadata, MESSAGE_TTL)

    def delete_remote(self):
        self._zaqar().delete_queue(self._resource.data()[QUEUE])
