"""OS::Zaqar::SignedQueueURL."""

import datetime
import json
import urllib.parse

from heat_lite.resources.base.cloud import ServiceResource
from heat_lite.template.schema import any_attribute, integer, list_, string

#: the parts of a signature in the data of the resource, and those that are lists
SIGNED = ('expires', 'methods', 'paths', 'project', 'signature')
LISTS = ('methods', 'paths')
FORMAT = '%Y-%m-%dT%H:%M:%S'


class SignedQueueURL(ServiceResource):
    """A signed URL: access to a queue without a token, until it expires.

    Zaqar cannot revoke a signature.
    """

    resource_type = 'OS::Zaqar::SignedQueueURL'
    heat_class = 'ZaqarSignedQueueURL'
    since = '8.0.0'
    default_client_name = 'zaqar'
    # a repeated create leaves an unused signature behind, which does no harm
    repeatable = True

    properties_schema = {
        'methods': list_(
            'HTTP methods that the signed URL allows.',
            string(None, allowed=['GET', 'DELETE', 'PATCH', 'POST', 'PUT']),
        ),
        'paths': list_(
            'Paths of the queue that the signed URL allows: messages, subscriptions or claims.'
        ),
        'queue': string('Name of the queue.', required=True),
        'ttl': integer('Lifetime of the signed URL in seconds.'),
    }
    attributes_schema = {
        'expires': any_attribute('Time at which the signed URL expires.'),
        'methods': any_attribute('HTTP methods in the signature.'),
        'paths': any_attribute('Paths in the signature.'),
        'project': any_attribute('Id of the project of the queue.'),
        'query_str': any_attribute('Signature and its parameters as the query string of a URL.'),
        'signature': any_attribute('Signature of the URL.'),
    }

    def handle_create(self):
        values = {
            name: self.properties[name]
            for name in ('methods', 'paths')
            if self.properties[name] is not None
        }
        if self.properties['ttl'] is not None:
            ends = datetime.datetime.now(datetime.UTC) + datetime.timedelta(
                seconds=self.properties['ttl']
            )
            values['expires'] = ends.strftime(FORMAT)
        path = f'/queues/{urllib.parse.quote(self.properties["queue"])}/share'
        signed = yield from self.send('POST', path, values)
        for name in SIGNED:
            value = json.dumps(signed[name]) if name in LISTS else signed[name]
            self.data_set(name, value, redact=name == 'signature')
        self.resource_id_set(self.physical_resource_name())

    def handle_delete(self):
        """Do nothing: Zaqar cannot revoke a signature."""

    def resolve_attribute(self, name):
        if name == 'query_str':
            return self._query()
        return self._signed(name)

    def _query(self):
        signed = {name: self._signed(name) for name in SIGNED}
        parameters = {
            'signature': signed['signature'],
            'expires': signed['expires'],
            'paths': ','.join(signed['paths']),
            'methods': ','.join(signed['methods']),
            'project_id': signed['project'],
            'queue_name': self.stored_property('queue'),
        }
        return urllib.parse.urlencode(parameters)

    def _signed(self, name):
        """Return a part of the signature."""
        value = self.data()[name]
        return json.loads(value) if name in LISTS else value
