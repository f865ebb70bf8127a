"""Formats engine objects as the dictionaries of the RPC contract (the keys of Heat).

Tests: tests/functional/test_engine.py.
"""

import datetime
from collections.abc import Collection
from typing import TYPE_CHECKING, Literal

from heat_lite.common import identifier, lru_cache, status
from heat_lite.common.value_types import Row, Value, Values
from heat_lite.db import services
from heat_lite.engine.resource import fingerprint
from heat_lite.engine.resource.resource import SHOW, Resource
from heat_lite.engine.validation import masking
from heat_lite.template import unknown
from heat_lite.template.unknown import Unknown, as_heat_shows

if TYPE_CHECKING:
    from heat_lite.engine.stack.stack import Stack


NO_DESCRIPTION = 'No description'
SERVICE_FIELDS = ('id', 'engine_id', 'host', 'hostname', 'topic', 'report_interval')


@lru_cache.cached_function(1024)  # the rows of a list have few different times
def time(value: datetime.datetime | None) -> str | None:
    """Return a time as ``2026-01-31T12:00:00Z``, or None."""
    return None if value is None else f'{value.isoformat(timespec="seconds")}Z'


def stack(item: 'Stack', resolve_outputs: bool = True) -> Values:
    """Return a loaded stack as ``show_stack`` does."""
    description = item.template.description or NO_DESCRIPTION
    result = {
        **_listed(item),
        'notification_topics': [],
        'parameters': masking.redact_nested(item, item.parameters.as_strings()),
        'description': description,
        'template_description': description,
        'capabilities': [],
        'timeout_mins': item.timeout_mins,
        'tags': item.tags,
        'stack_status_reason': item.status_reason,
        'failures': item.failures or [],
        'event_queues': [
            sink['target']
            for sink in item.template.environment.event_sinks
            if sink.get('type') == 'zaqar-queue'
        ],
        'protected': bool(item.protected),
        'digest': fingerprint.stack_fingerprint(item),
    }
    if item.run.not_applied:
        result['not_applied'] = list(item.run.not_applied)
    if resolve_outputs and item.state != (status.DELETE, status.COMPLETE):
        result['outputs'] = item.outputs.read_all(item.limits.attribute_timeout)
    return result


def stack_row(row: Row) -> Values:
    """Return a row of a list of stacks."""
    return {
        **_listed(row),
        'description': '',
        'stack_status_reason': row.status_reason or '',
        'tags': list(row.tags) if row.tags else None,
        'timeout_mins': row.timeout,
    }


def _listed(item: 'Row | Stack') -> Values:
    """Return what a list shows of a stack like the stack itself."""
    return {
        'stack_name': item.name,
        'stack_identity': identity_of(item),
        'creation_time': time(item.created_at),
        'updated_time': time(item.updated_at),
        'deletion_time': time(item.deleted_at),
        'disable_rollback': bool(item.disable_rollback),
        'stack_owner': item.username,
        'parent': item.owner_id,
        'stack_user_project_id': item.stack_user_project_id,
        'stack_action': item.action,
        'stack_status': item.status,
    }


def resource(
    item: 'Resource',
    required_by: Collection[str] = (),
    detail: bool = False,
    with_attributes: Collection[str] | Literal[False] | None = None,
    parent: str | None = None,
    identity: Values | None = None,
) -> Values:
    """Return a resource as in a list; with ``detail`` as ``describe_stack_resource``.

    ``with_attributes`` names more attributes; False: the resource is shown without attributes.
    ``identity`` is that of its stack, if the caller knows it.
    """
    row = item.record
    stack = identity or identity_of(item.stack)
    result = {
        'resource_identity': {**stack, 'path': f'/resources/{item.name}'},
        'stack_name': item.stack.name,
        'stack_identity': stack,
        'resource_name': item.name,
        'physical_resource_id': item.resource_id or '',
        'resource_action': row.action,
        'resource_status': row.status,
        'resource_status_reason': row.status_reason,
        'resource_type': item.type(),
        'creation_time': time(row.created_at),
        'updated_time': time(row.updated_at or row.created_at),
        'required_by': list(required_by),
    }
    if parent is not None:
        result['parent_resource'] = parent
    nested = item.nested_identifier()
    if nested is not None:
        result['nested_stack_id'] = nested.as_dict()
    if detail:
        result['description'] = item.definition.description or ''
        result['metadata'] = item.metadata_get()
        if with_attributes is not False:
            result['attributes'] = attributes(item, with_attributes)
    return result


def attributes(item: 'Resource', more: Collection[str] | None = None) -> Values:
    """Return the attributes that the service shows, else all of the schema; and those of ``more``.

    Unknown values are None. Values are those of now, not the stored ones.
    """
    item.read_attributes_now()
    shown = None if type(item).show is Resource.show else _attribute(item, SHOW)
    more = [name for name in more or () if name != SHOW]
    if isinstance(shown, dict):
        result = {**shown, **{name: _attribute(item, name) for name in more if name not in shown}}
    else:
        names = dict.fromkeys((*item.attributes_schema, *more))
        result = {name: _attribute(item, name) for name in names}
    item.forget_read_attributes()
    return result


def _attribute(item: 'Resource', name: str) -> Value:
    try:
        return item.attribute(name)
    except Exception:  # an error in one attribute must not hide the others
        return None


def preview(item: 'Resource', required_by: Collection[str] = ()) -> Values:
    """Return a resource that does not exist yet, with its future properties."""
    result = resource(item, required_by, detail=True, parent=item.stack.parent_resource_name)
    metadata = item.initial_metadata()
    result.update(
        creation_time=None,
        updated_time=None,
        properties=item.shown_properties(),
        metadata={} if isinstance(metadata, Unknown) else as_heat_shows(metadata),
    )
    external_id = item.definition.external_id and item.external_id()
    if external_id is not None:
        result['physical_resource_id'] = as_heat_shows(external_id)
    parts = {
        'properties': item.foreseen_properties(),
        'metadata': metadata,
        'external_id': external_id,
        'condition': item.stack.bound.undecided.get(item.name),
    }
    return {**result, **unknown_parts(parts)}


def unknown_parts(value: Value) -> Values:
    """Return the ``unknown`` paths of a value, and ``known_after``: where each comes from."""
    found = {'.'.join(map(str, path)): list(part.sources) for path, part in unknown.walk(value)}
    return {'unknown': sorted(found), 'known_after': found}


def event(row: Row, stack: Values) -> Values:
    """Return a row of the event table. ``stack`` is the identity of its stack, a dict."""
    return {
        'event_identity': {**stack, 'path': f'/resources/{row.resource_name}/events/{row.uuid}'},
        'stack_identity': stack,
        'stack_name': stack['stack_name'],
        'event_time': time(row.created_at),
        'resource_name': row.resource_name,
        'physical_resource_id': row.physical_resource_id,
        'resource_action': row.resource_action,
        'resource_status': row.resource_status,
        'resource_status_reason': row.resource_status_reason,
        'resource_type': row.resource_type,
    }


def snapshot(row: Row) -> Values:
    """Return a row of the snapshot table."""
    return {
        'id': row.id,
        'name': row.name,
        'action': row.action,
        'status': row.status,
        'status_reason': row.status_reason,
        'data': row.data,
        'creation_time': time(row.created_at),
    }


def service(row: Row, up: bool) -> Values:
    """Return a row of the service table. ``up`` follows from its last heartbeat."""
    return {
        'binary': services.LISTED_BINARY,
        **{name: getattr(row, name) for name in SERVICE_FIELDS},
        **{name: _iso(getattr(row, name)) for name in ('created_at', 'updated_at', 'deleted_at')},
        'status': 'up' if up else 'down',
    }


def stack_at_work(row: Row) -> Values:
    """Return a stack on which an engine works. ``since``: the begin of the action."""
    return {
        'id': row.id,
        'stack_name': row.name,
        'project': row.tenant,
        'stack_status': f'{row.action}_{row.status}',
        'since': _iso(row.since),
    }


def _iso(value: datetime.datetime | None) -> str | None:
    return None if value is None else value.isoformat(timespec='microseconds')


def identity_of(item: Row) -> Values:
    """Return the identity of a stack or a row of one.

    A preview shows a missing id as the text None (as in Heat).
    """
    return identifier.HeatIdentifier(item.tenant, item.name, str(item.id)).as_dict()
