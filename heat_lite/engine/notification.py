"""Notifications: what becomes of stacks, told to whoever listens on the message bus (billing, audit, dashboards)."""

import logging

from heat_lite.common import status
from heat_lite.engine import format, outbox

LOG = logging.getLogger(__name__)

PUBLISHER = 'orchestration'
WORDS = {status.IN_PROGRESS: 'start', status.COMPLETE: 'end', status.FAILED: 'error'}
# how many may wait for a broker that is away; what comes after them is lost
MOST_WAITING = 10000


class Notifications:
    """``notifier`` is oslo.messaging's, or None: then nobody is told. ``level`` is that of all but failures."""

    def __init__(self, notifier, level='INFO'):
        self._notifier = notifier
        self._level = level.lower()
        self._outbox = outbox.Outbox(self._send, 'notifications', 'the broker', MOST_WAITING)

    @property
    def wanted(self):
        """Whether anybody is told."""
        return self._notifier is not None

    def send(self, context, event_type, payload, failed=False):
        """Tell it soon."""
        if self.wanted:
            self._outbox.put((context, 'error' if failed else self._level, event_type, payload), event_type)

    def stop(self, seconds):
        """Give what waits so long to be sent."""
        self._outbox.stop(seconds)

    def _send(self, item):
        context, level, event_type, payload = item
        try:
            getattr(self._notifier, level)(context, event_type, payload)
        except Exception:
            LOG.exception('The notification %s could not be sent', event_type)


def of_stack(stack, journal):
    """The stack's present state, told when it is stored."""
    notifier = stack.runtime.notifier
    if notifier is None or not notifier.wanted:
        return
    event_type = f'{PUBLISHER}.stack.{stack.action.lower()}.{WORDS[stack.status]}'
    payload = _payload(stack)
    failed = stack.status == status.FAILED
    journal.afterwards(lambda: notifier.send(stack.context, event_type, payload, failed))


def of_scaling(stack, word, **told):
    """A group of the stack changes its size: ``word`` is start, end or error.

    ``told`` goes beside what is told of the stack: adjustment, adjustment_type, capacity, groupname, message.
    """
    notifier = stack.runtime.notifier
    if notifier is not None and notifier.wanted:
        notifier.send(stack.context, f'{PUBLISHER}.autoscaling.{word}', {**_payload(stack), **told}, failed=word == WORDS[status.FAILED])


def _payload(stack):
    context = stack.context
    return {
        'tenant_id': stack.tenant,
        'user_id': context.username,
        'user_identity': context.user_id,
        'username': stack.username,
        'stack_identity': stack.id,
        'stack_name': stack.name,
        'state': f'{stack.action}_{stack.status}',
        'state_reason': stack.status_reason,
        'create_at': format.time(stack.created_at),
        'updated_at': format.time(stack.updated_at),
        'tags': list(stack.tags),
        'description': stack.template.description or 'No description',
    }
