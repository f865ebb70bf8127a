"""OS::Zaqar::Subscription, OS::Zaqar::MistralTrigger."""

import json
from urllib.parse import urlsplit

from heat_lite.common import exception
from heat_lite.resources.cloud import CloudResource, Rest
from heat_lite.template import support
from heat_lite.template.constraints import CustomConstraint, Range
from heat_lite.template.schema import integer, map_, string

#: the longest that the service takes
FOREVER = 220367260800
#: how many subscriptions of a queue are looked at
MOST = 100
SCHEMES = ('http', 'https', 'mailto', 'trust+http', 'trust+https')
#: what stands for the message in what the service posts
MESSAGE = '$zaqar_message$'


def _ttl():
    return integer('How many seconds it is good for.', default=FOREVER, update_allowed=True, constraints=[Range(min=60)])


def _queue(what):
    return string(what, required=True, constraints=[CustomConstraint('zaqar.queue')], sent=False)


class QueueListener(CloudResource):
    """Somebody who is told of each message of a queue."""

    rest = Rest('zaqar', '/queues/{queue_name}/subscriptions', None, id='subscription_id', update='PATCH')
    entity = None

    def find_existing(self):
        """No two subscriptions of a queue have the same subscriber."""
        wanted = self.body(self._given())['subscriber']
        found = self.client().ask('GET', self.collection(), params={'limit': MOST})['subscriptions']
        return next((each['id'] for each in found if each['subscriber'] == wanted), None)


class Subscription(QueueListener):
    """Has each message of a queue told to somebody."""

    resource_type = 'OS::Zaqar::Subscription'
    support_status = support.since('8.0.0')

    properties_schema = {
        'options': map_('What else belongs to each message.', update_allowed=True),
        'queue_name': _queue('The queue.'),
        'subscriber': string('The URL that is told.', required=True, update_allowed=True),
        'ttl': _ttl(),
    }

    def validate(self):
        super().validate()
        subscriber = self.properties['subscriber']
        if subscriber and urlsplit(subscriber).scheme not in SCHEMES:
            raise exception.StackValidationFailed(f'The subscriber type of must be one of: {", ".join(SCHEMES)}.')


class MistralTrigger(QueueListener):
    """Has each message of a queue start a workflow, which finds the message in its environment as ``notification``."""

    resource_type = 'OS::Zaqar::MistralTrigger'
    support_status = support.since('8.0.0')

    properties_schema = {
        'input': map_('The input of the workflow.', default={}, update_allowed=True),
        'params': map_('What else the workflow is told: its environment, or the task to end with.', default={}, update_allowed=True),
        'queue_name': _queue('The queue.'),
        'ttl': _ttl(),
        'workflow_id': string(
            'The workflow, by name or id.', required=True, update_allowed=True, constraints=[CustomConstraint('mistral.workflow')]
        ),
    }

    def body(self, values):
        """The queue starts the workflow as whoever asks now: the service keeps a trust of its own."""
        params = dict(values['params'])
        params['env'] = {**(params.get('env') or {}), 'notification': MESSAGE}
        post = {'workflow_id': values['workflow_id'], 'params': params, 'input': values['input']}
        subscriber = f'trust+{self.client("mistral").url.rstrip("/")}/executions'
        return {'subscriber': subscriber, 'ttl': values['ttl'], 'options': {'post_data': json.dumps(post)}}

    def changes(self, changed, diff):
        """The service takes its own old subscriber for somebody else's."""
        return {name: value for name, value in self.body(self._given()).items() if name != 'subscriber'} if diff else {}
