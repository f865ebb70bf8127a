"""The resource types of Zaqar."""

import contextlib
import datetime
import functools
import json
import urllib.parse
from urllib.parse import quote

from heat_lite.clients import errors
from heat_lite.common.value_texts import from_json
from heat_lite.resources.base.cloud import CloudResource, Rest, ServiceResource
from heat_lite.resources.base.property_rules import refuse
from heat_lite.template.schema import (
    CACHE_NONE,
    any_attribute,
    integer,
    list_,
    map_,
    name_property,
    string,
)

PATCH = {'Content-Type': 'application/openstack-messaging-v2.0-json-patch'}
#: the prefix of metadata that Zaqar itself sets
OWN = '_'


class ZaqarQueue(ServiceResource):
    """A message queue."""

    resource_type = 'OS::Zaqar::Queue'
    since = '2014.2'
    default_client_name = 'zaqar'
    physical_resource_name_limit = 64
    # creating a queue that exists changes nothing
    repeatable = True

    properties_schema = {
        'name': name_property(update_allowed=False, max=64),
        'metadata': map_('Metadata of the queue.', update_allowed=True),
    }
    attributes_schema = {
        'href': any_attribute('URL of the queue.'),
        'queue_id': any_attribute(
            'Id of the queue.',
            cache_mode=CACHE_NONE,
            history='hidden 6.0.0, deprecated 2015.1, supported 2014.1',
        ),
    }

    def handle_create(self):
        name = self.properties['name'] or self.physical_resource_name()
        yield from self.call_with_retry(
            self.client().create_queue, name, self.properties['metadata']
        )
        self.resource_id_set(name)

    def handle_update(self, definition, tmpl_diff, prop_diff):
        if 'metadata' not in prop_diff:
            return
        wanted, present = prop_diff['metadata'] or {}, self.client().show(self._path())
        removed = [
            {'op': 'remove', 'path': f'/metadata/{key}'}
            for key in present
            if key not in wanted and not key.startswith(OWN)
        ]
        new = [
            {
                'op': 'replace' if key in present else 'add',
                'path': f'/metadata/{key}',
                'value': value,
            }
            for key, value in wanted.items()
        ]
        if removed or new:
            yield from self.call_with_retry(
                self.client().request, 'PATCH', self._path(), [*removed, *new], headers=PATCH
            )

    handle_check = ServiceResource.check_shown

    def get_live_state(self, resource_properties):
        """Return the metadata without those that Zaqar sets itself, also for a missing queue."""
        stored = self.stored_properties()
        asked = stored['metadata'] or {}
        found = self.show().items()
        own = {key: value for key, value in found if key in asked or not key.startswith(OWN)}
        live = {'name': self.resource_id, 'metadata': own}
        return {**stored, **{name: live[name] for name in live if stored[name] is not None}}

    def live_properties(self):
        if all(
            each['name'] != self.resource_id for each in self.client().list('/queues', 'queues')
        ):
            raise errors.NotFound(f'no queue has the name {self.resource_id}')
        metadata = {key: each for key, each in self.show().items() if not key.startswith(OWN)}
        return {'name': self.resource_id, **({'metadata': metadata} if metadata else {})}

    def delete_object(self):
        yield from self.delete_if_present(self.client().delete_queue, self.resource_id)

    def _path(self):
        return f'/queues/{quote(self.resource_id)}'

    def show(self):
        return None if self.resource_id is None else self.client().show(self._path())

    def resolve_attribute(self, name):
        return (
            self.resource_id
            if name == 'queue_id'
            else f'{self.client().url.rstrip("/")}{self._path()}'
        )


#: the parts of a signature in the data of the resource, and those that are lists
SIGNED = ('expires', 'methods', 'paths', 'project', 'signature')
LISTS = ('methods', 'paths')
FORMAT = '%Y-%m-%dT%H:%M:%S'


class ZaqarSignedQueueURL(ServiceResource):
    """A signed URL: access to a queue without a token, until it expires.

    Zaqar cannot revoke a signature.
    """

    resource_type = 'OS::Zaqar::SignedQueueURL'
    since = '8.0.0'
    default_client_name = 'zaqar'
    # a repeated create leaves an unused signature behind, which does no harm
    repeatable = True
    not_compared = 'Zaqar keeps nothing of a signed URL.'

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


#: the longest lifetime that Zaqar accepts
FOREVER = 220367260800
#: the number of subscriptions that are listed
MOST = 100
SCHEMES = ('http', 'https', 'mailto', 'trust+http', 'trust+https')
#: the placeholder for the message in the requests that Zaqar sends
MESSAGE = '$zaqar_message$'
#: the key of the message in the environment of a workflow
NOTIFICATION = 'notification'


_TTL = integer(
    'Lifetime of the subscription in seconds.', default=FOREVER, update_allowed=True, min=60
)


def _queue(what):
    return string(what, required=True, custom='zaqar.queue', sent=False)


class QueueListener(CloudResource):
    """A subscription: Zaqar sends each message of a queue to the subscriber."""

    rest = Rest(
        'zaqar', '/queues/{queue_name}/subscriptions', None, id='subscription_id', update='PATCH'
    )
    entity = None

    @functools.cached_property
    def parents(self):
        """The queue that has an external subscription."""
        if self.definition.external_id is None or 'queue_name' in (
            self.definition.properties or {}
        ):
            return {}
        for each in self.stack.clients().choices('zaqar.queue'):
            with contextlib.suppress(errors.NotFound):
                path = f'/queues/{quote(each["id"])}/subscriptions/{self.resource_id}'
                self.client().show(path)
                return {'queue_name': each['id']}
        raise errors.NotFound(f'no queue has the subscription {self.resource_id}')

    def find_existing(self):
        """Return the subscription with the same subscriber, which is unique for a queue."""
        wanted = self.body(self.request_values())['subscriber']
        found = self.client().request_json('GET', self.collection(), params={'limit': MOST})[
            'subscriptions'
        ]
        return next((each['id'] for each in found if each['subscriber'] == wanted), None)


class ZaqarSubscription(QueueListener):
    """A subscription with a URL as subscriber."""

    resource_type = 'OS::Zaqar::Subscription'
    since = '8.0.0'

    properties_schema = {
        'options': map_('Options of the subscription.', update_allowed=True),
        'queue_name': _queue('Queue whose messages are sent to the subscriber.'),
        'subscriber': string('URL of the subscriber.', required=True, update_allowed=True),
        'ttl': _TTL,
    }
    property_rules = (
        refuse(
            f'The subscriber type of must be one of: {", ".join(SCHEMES)}.',
            subscriber=lambda value, read: value.split(':')[0] not in SCHEMES,
        ),
    )


class MistralTrigger(QueueListener):
    """A subscription that executes a Mistral workflow for each message.

    The environment of the workflow holds the message as ``notification``.
    """

    resource_type = 'OS::Zaqar::MistralTrigger'
    since = '8.0.0'

    properties_schema = {
        'input': map_('Input of the workflow.', default={}, update_allowed=True),
        'params': map_(
            'Parameters of the workflow: its environment, or the last task of a reverse workflow.',
            default={},
            update_allowed=True,
        ),
        'queue_name': _queue('Queue whose messages start the workflow.'),
        'ttl': _TTL,
        'workflow_id': string(
            'Workflow to execute, by name or id.',
            required=True,
            update_allowed=True,
            custom='mistral.workflow',
        ),
    }

    def normalize(self, found):
        """Return the subscription with what it sends to Mistral."""
        post = from_json((found['options'] or {}).get('post_data') or '{}')
        params = dict(post.get('params') or {})
        env = {key: each for key, each in params.pop('env', {}).items() if key != NOTIFICATION}
        return {**found, **post, 'params': {**params, **({'env': env} if env else {})}}

    def body(self, values):
        """Return the subscriber with the trust of the requester. Zaqar keeps a trust of its own."""
        params = dict(values['params'])
        params['env'] = {**(params.get('env') or {}), NOTIFICATION: MESSAGE}
        post = {'workflow_id': values['workflow_id'], 'params': params, 'input': values['input']}
        subscriber = f'trust+{self.client("mistral").url.rstrip("/")}/executions'
        return {
            'subscriber': subscriber,
            'ttl': values['ttl'],
            'options': {'post_data': json.dumps(post)},
        }

    def changes(self, changed, diff):
        """Omit an unchanged subscriber: Zaqar would refuse it as a duplicate of itself."""
        return (
            {
                name: value
                for name, value in self.body(self.request_values()).items()
                if name != 'subscriber'
            }
            if diff
            else {}
        )
