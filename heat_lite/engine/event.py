"""Events: the history of a stack, one for each change of state.

Events go to the database and to event sinks; those of the stack itself also to the message bus.

Tests: tests/functional/test_event_sinks.py.
"""

import datetime
import random
from typing import TYPE_CHECKING

from heat_lite.common import exception, status
from heat_lite.common.value_types import Value, Values
from heat_lite.db import column_types, events as db_events
from heat_lite.engine import notification
from heat_lite.engine.validation import masking

if TYPE_CHECKING:
    from heat_lite.engine.resource.record import Journal
    from heat_lite.engine.resource.resource import Resource
    from heat_lite.engine.stack.stack import Stack


def record_stack(stack: 'Stack', journal: 'Journal') -> None:
    """Add an event of the state of the stack.

    It carries the name and id of the stack as those of a resource.
    """
    values = {
        'resource_action': stack.action,
        'resource_status': stack.status,
        'resource_name': stack.name,
        'physical_resource_id': stack.id,
        'resource_status_reason': stack.status_reason,
        'resource_type': 'OS::Heat::Stack',
    }
    journal.event(None, created_at=column_types.exact_utcnow(), **values)
    _send_to_sinks(stack, journal, values)
    notification.send_state(stack, journal)


def record_state(resource: 'Resource') -> None:
    """Add an event of the present state of a resource.

    That of the end of an action also has the time at which its handler first waited.
    """
    is_end = resource.status != status.IN_PROGRESS
    record_resource(resource, first_wait=resource.first_wait if is_end else None)


def record_resource(
    resource: 'Resource',
    action: str | None = None,
    state: str | None = None,
    reason: str | None = None,
    first_wait: datetime.datetime | None = None,
) -> None:
    """Add an event of a resource: of its present state, or of the values given.

    Before there is a physical id, the physical name stands in (as in Heat); in INIT neither is
    shown.
    """
    record = resource.record
    physical = record.nova_instance
    if physical is None and record.action != status.INIT:
        physical = resource.physical_resource_name_or_reference()
    values = {
        'resource_action': action or record.action,
        'resource_status': state or record.status,
        'resource_name': record.name,
        'physical_resource_id': physical,
        'resource_status_reason': record.status_reason
        if reason is None
        else resource.stack.redact(reason),
        'resource_type': resource.type(),
    }
    now = column_types.exact_utcnow()
    waits = {} if first_wait is None else {'updated_at': min(first_wait, now)}
    record.journal.event(record, created_at=now, **waits, **values)
    _send_to_sinks(resource.stack, record.journal, values, resource)


def record_signal(resource: 'Resource', details: Value, result: Value) -> None:
    """Add the event of a signal that the type has handled; ``result`` is its text, or None."""
    record_resource(resource, 'SIGNAL', reason=_signal_reason(details, result))


def _signal_reason(details: Value, result: Value) -> str | None:
    """Return the reason for the event, whose handler has returned ``result``."""
    if result:
        return f'Signal: {result}'
    if not details and not isinstance(details, dict):
        return 'No signal details provided'
    if isinstance(details, str):
        return details
    if isinstance(details, dict) and {'current', 'previous', 'reason'} <= details.keys():
        return 'alarm state changed from {previous} to {current} ({reason})'.format(**details)
    return 'Unknown'


def _send_to_sinks(
    stack: 'Stack', journal: 'Journal', values: Values, resource: 'Resource | None' = None
) -> None:
    if stack.runtime.event_sinks is None or not stack.template.environment.event_sinks:
        return
    properties = {} if resource is None else _given(resource)
    stack.runtime.event_sinks.send(stack, journal, resource_properties=properties, **values)


def _given(resource: 'Resource') -> Values:
    """Return the properties that the template gives, with the values of the last action if there
    was one, secrets masked.
    """
    stored, given = resource.record.properties, resource.definition.properties or {}
    try:
        values = (
            {name: value for name, value in stored.items() if name in given}
            if stored
            else resource.properties.given()
        )
    except exception.HeatException:
        return {}
    return masking.masked(resource.stack, resource.name, values)


def trim(stack: 'Stack') -> None:
    """Delete the oldest events of a stack that has more than the limit.

    The check is random, with a probability in proportion to the events written, to spare queries.
    """
    limits = stack.limits
    keep, batch = limits.max_events_per_stack, limits.event_purge_batch_size
    is_new = stack.action == status.CREATE and stack.journal.events_written <= keep
    if is_new or stack.deleted_at is not None:  # too few events, or the purge deletes all
        return
    if keep > 0 and random.random() * batch < 2 * stack.journal.events_written:
        db_events.trim(stack.id, keep, batch)
