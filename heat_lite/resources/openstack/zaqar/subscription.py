"""The types of subscriptions to Zaqar queues."""

import json

from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.resources.base.property_rules import refuse
from heat_lite.template.schema import integer, map_, string

#: the longest lifetime that Zaqar accepts
FOREVER = 220367260800
#: the number of subscriptions that are listed
MOST = 100
SCHEMES = ('http', 'https', 'mailto', 'trust+http', 'trust+https')
#: the placeholder for the message in the requests that Zaqar sends
MESSAGE = '$zaqar_message$'


def _ttl():
    return integer(
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
        'ttl': _ttl(),
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
        'ttl': _ttl(),
        'workflow_id': string(
            'Workflow to execute, by name or id.',
            required=True,
            update_allowed=True,
            custom='mistral.workflow',
        ),
    }

    def body(self, values):
        """Return the subscriber with the trust of the requester. Zaqar keeps a trust of its own."""
        params = dict(values['params'])
        params['env'] = {**(params.get('env') or {}), 'notification': MESSAGE}
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
