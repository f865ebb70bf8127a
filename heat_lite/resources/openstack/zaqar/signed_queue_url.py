"""OS::Zaqar::SignedQueueURL."""

import datetime
import json
import urllib.parse

from heat_lite.resources.cloud import ServiceResource
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues
from heat_lite.template.schema import any_attribute, integer, list_, string

#: what the service has signed
SIGNED = ('expires', 'methods', 'paths', 'project', 'signature')
FORMAT = '%Y-%m-%dT%H:%M:%S'


class SignedQueueURL(ServiceResource):
    """A signature by which a queue can be used without a token, until it ends. There is no way to take it back."""

    resource_type = 'OS::Zaqar::SignedQueueURL'
    support_status = support.since('8.0.0')
    default_client_name = 'zaqar'
    # an unused signature does no harm
    repeatable = True

    properties_schema = {
        'methods': list_(
            'The methods of HTTP that may be used.', string(None, constraints=[AllowedValues(['GET', 'DELETE', 'PATCH', 'POST', 'PUT'])])
        ),
        'paths': list_('What of the queue may be used: messages, subscriptions, claims.'),
        'queue': string('The queue, by its name.', required=True),
        'ttl': integer('How many seconds it is good for.'),
    }
    attributes_schema = {
        'expires': any_attribute('When it ends.'),
        'methods': any_attribute('The methods of HTTP that may be used.'),
        'paths': any_attribute('The paths that may be used.'),
        'project': any_attribute('The project that the queue belongs to.'),
        'query_str': any_attribute('All of it, as the query of a URL.'),
        'signature': any_attribute('The signature.'),
    }

    def handle_create(self):
        values = {name: self.properties[name] for name in ('methods', 'paths') if self.properties[name] is not None}
        if self.properties['ttl'] is not None:
            ends = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=self.properties['ttl'])
            values['expires'] = ends.strftime(FORMAT)
        path = f'/queues/{urllib.parse.quote(self.properties["queue"])}/share'
        signed = yield from self.ask(self.client().ask, 'POST', path, values)
        for name in SIGNED:
            self.data_set(name, json.dumps(signed[name]), redact=name == 'signature')
        self.resource_id_set(self.physical_resource_name())

    def handle_delete(self):
        """It stays good until it ends."""

    def resolve_attribute(self, name):
        if self.resource_id is None:
            return None
        if name == 'query_str':
            return self._query()
        return json.loads(self.data()[name])

    def _query(self):
        known = {name: json.loads(self.data()[name]) for name in SIGNED}
        said = {
            'signature': known['signature'],
            'expires': known['expires'],
            'paths': ','.join(known['paths']),
            'methods': ','.join(known['methods']),
            'project_id': known['project'],
            'queue_name': self.held('queue'),
        }
        return urllib.parse.urlencode(said)
