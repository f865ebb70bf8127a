"""Event sinks: where the environment of a stack wants its events told, besides the database.

An event is told when it is stored (see ``outbox``).
"""

import logging
import uuid

from heat_lite.clients import plugged
from heat_lite.engine import outbox

LOG = logging.getLogger(__name__)
VERSION, EVENT = '0.1', 'os.heat.event'
#: how many may wait for a sink; what comes after them is lost
MOST_WAITING = 10000


class ZaqarQueue:
    """A queue of the messaging service; messages are kept for ``ttl`` seconds."""

    def __init__(self, target, ttl=3600):
        self._target, self._ttl = target, ttl

    def consume(self, context, event):
        context.clients.client('zaqar').post(self._target, event, self._ttl)


KINDS = {'zaqar-queue': ZaqarQueue}


class Sinks:
    """``kinds`` are those that third parties have added: ``{type: class}``, whose objects have ``consume(context, event)``."""

    def __init__(self, kinds=None):
        self._kinds = {**KINDS, **(kinds or {})}
        self._outbox = outbox.Outbox(self._send, 'events', 'their sinks', MOST_WAITING)

    def tell(self, stack, journal, **payload):
        """An event of a stack, when it is stored."""
        wanted = stack.template.environment.event_sinks
        event = {
            'timestamp': stack.utcnow().isoformat(),
            'version': VERSION,
            'type': EVENT,
            'id': str(uuid.uuid4()),
            'payload': {'stack_id': stack.id, 'version': VERSION, **payload},
        }
        item = stack.context, stack.clients(), wanted, event
        journal.afterwards(lambda: self._outbox.put(item, 'An event'))

    def stop(self, seconds):
        """Give what waits so long to be told."""
        self._outbox.stop(seconds)

    def _send(self, item):
        context, clients, wanted, event = item
        for each in wanted:
            self._consume(dict(each), plugged.Asking(context, clients), event)

    def _consume(self, said, context, event):
        kind = said.pop('type')
        try:
            self._kinds[kind](**said).consume(context, event)
        except Exception:
            LOG.exception('An event of stack %s could not be told to the sink %s', event['payload']['stack_id'], kind)
