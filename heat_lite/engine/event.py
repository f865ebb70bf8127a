"""Events: the history of a stack, one line a change of state. Those of the stack itself are told to the message bus too."""

import random

from heat_lite.common import exception, status
from heat_lite.db import events as db_events
from heat_lite.engine import notification


def of_stack(stack, journal):
    """The stack's own state as an event; it bears the stack's name and id as if it were a resource."""
    told = {
        'resource_action': stack.action,
        'resource_status': stack.status,
        'resource_name': stack.name,
        'physical_resource_id': stack.id,
        'resource_status_reason': stack.status_reason,
        'resource_type': 'OS::Heat::Stack',
    }
    journal.event(None, **told)
    _tell_sinks(stack, journal, told)
    notification.of_stack(stack, journal)


def of_resource(resource, action=None, state=None, reason=None):
    """The resource's state as an event, or what else is to be told of it. Before there is a physical id its physical name stands in, as in
    Heat; before it is begun not even that."""
    record = resource.record
    physical = record.nova_instance
    if physical is None and record.action != status.INIT:
        physical = resource.physical_resource_name_or_reference()
    told = {
        'resource_action': action or record.action,
        'resource_status': state or record.status,
        'resource_name': record.name,
        'physical_resource_id': physical,
        'resource_status_reason': record.status_reason if reason is None else reason,
        'resource_type': resource.type(),
    }
    record.journal.event(record, **told)
    _tell_sinks(resource.stack, record.journal, told, resource)


def _tell_sinks(stack, journal, told, resource=None):
    if stack.runtime.sinks is None or not stack.template.environment.event_sinks:
        return
    properties = {} if resource is None else _given(resource)
    stack.runtime.sinks.tell(stack, journal, resource_properties=properties, **told)


def _given(resource):
    """What the template gives as properties, as they were when the resource was last made or changed, or are to be."""
    held, given = resource.record.properties, resource.definition.properties or {}
    try:
        return {name: value for name, value in held.items() if name in given} if held else resource.properties.given()
    except exception.HeatException:
        return {}


def trim(stack):
    """Drop the oldest events of a stack that has too many. Looked at by chance: the oftener, the more it has told."""
    limits = stack.limits
    keep, batch = limits.max_events_per_stack, limits.event_purge_batch_size
    is_new = stack.action == status.CREATE and stack.journal.told <= keep
    if is_new or stack.deleted_at is not None:  # it cannot have so many, or the purge gets them all
        return
    if keep > 0 and random.random() * batch < 2 * stack.journal.told:
        db_events.trim(stack.context, stack.id, keep, batch)
