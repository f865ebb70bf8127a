"""Views: results of the engine in the form of API responses, with their keys, order and links."""

import urllib.parse
from collections.abc import Iterable

from webob.multidict import MultiDict

from heat_lite.api import wsgi
from heat_lite.common.identifier import quoted_path, stack_path
from heat_lite.common.value_types import Value, Values
from heat_lite.operations.stacks import OUTPUT_KEYS

STACK_LISTED = (
    'stack_name',
    'description',
    'stack_status',
    'stack_status_reason',
    'creation_time',
    'updated_time',
    'deletion_time',
    'stack_owner',
    'parent',
    'stack_user_project_id',
    'tags',
)
STACK_SHOWN = (
    'creation_time',
    'updated_time',
    'deletion_time',
    'notification_topics',
    'parameters',
    'description',
    'template_description',
    'capabilities',
    'disable_rollback',
    'timeout_mins',
    'stack_owner',
    'parent',
    'stack_user_project_id',
    'tags',
    'stack_status',
    'stack_status_reason',
    'outputs',
    'resources',
    # keys that Heat does not have
    'failures',
    'protected',
    'digest',
    'not_applied',
)
RESOURCE_DETAIL = ('description', 'attributes')
# a resource in a preview
PREVIEWED_RESOURCE = (
    'unknown',
    'known_after',
    'updated_time',
    'creation_time',
    'resource_name',
    'physical_resource_id',
    'resource_action',
    'resource_status',
    'resource_status_reason',
    'resource_type',
    'resource_identity',
    'stack_identity',
    'stack_name',
    'required_by',
    'nested_stack_id',
    'parent_resource',
    'description',
    'metadata',
    'attributes',
    'properties',
    # the predicted change
    'action',
    'reason',
    'forced_by',
    'may_replace',
    'property_changes',
    'definition_changes',
    'ignored_changes',
    # of an existing object
    'live_properties',
    'live_error',
    'live_owner',
    'live_project',
    'nested',
)
CHANGES = ('unchanged', 'updated', 'replaced', 'added', 'deleted')
# keys of a preview as a whole
PREVIEW = (
    'has_changes',
    'digest',
    'present_digest',
    'refused',
    'not_applied',
    'moved',
    'parameter_changes',
    'output_changes',
    'unknown',
    'known_after',
    'plan',
    'live',
)
EVENT_DETAIL = ('resource_type', 'resource_properties')


def pick(row: Values, keys: Iterable[str]) -> Values:
    """Return those of ``keys`` that the row has, in the order of ``keys``."""
    return {key: row[key] for key in keys if key in row}


def status(row: Values, kind: str) -> str | None:
    """Return action and status as one text, such as ``CREATE_COMPLETE``."""
    action, state = row.get(kind + '_action'), row.get(kind + '_status')
    return f'{action}_{state}' if action else state


def listed_stack(request: wsgi.Request, row: Values, with_project: bool) -> Values:
    """Return the view of a stack in a list."""
    identity = row['stack_identity']
    view = {'id': identity['stack_id'], 'links': [_link(_url(request.base, identity), 'self')]}
    if with_project:
        view['project'] = identity['tenant']
    view.update(pick(row, STACK_LISTED))
    view['stack_status'] = status(row, 'stack')
    return view


def shown_stack(request: wsgi.Request, row: Values) -> Values:
    """Return the view of one stack."""
    identity = row['stack_identity']
    view = {
        'stack_name': row['stack_name'],
        'id': identity['stack_id'],
        'links': [_link(_url(request.base, identity), 'self')],
    }
    view.update(pick(row, STACK_SHOWN))
    if 'stack_status' in row:
        view['stack_status'] = status(row, 'stack')
    if 'outputs' in row:
        view['outputs'] = [pick(output, OUTPUT_KEYS) for output in row['outputs']]
    return view


def previewed_stack(request: wsgi.Request, row: Values) -> Values:
    """Return the view of the preview of a stack: without a status, but with its resources."""
    view = shown_stack(
        request, {key: value for key, value in row.items() if not key.startswith('stack_status')}
    )
    for kind, resources in pick(row, ('resources', 'nested_resources')).items():
        view[kind] = previewed_resources(resources)
    view.update(pick(row, PREVIEW))
    return view


def changes(found: Values) -> Values:
    """Return the view of an update preview: resources by the predicted change."""
    lists = {
        kind: previewed_resources(resources) for kind, resources in pick(found, CHANGES).items()
    }
    return {'resource_changes': lists, **pick(found, PREVIEW)}


def previewed_resources(item: Value) -> Value:
    """Return the views of resources in a preview; nested stacks are nested lists."""
    if isinstance(item, list):
        return [previewed_resources(part) for part in item]
    view = pick(item, PREVIEWED_RESOURCE)
    if view.get('nested') is not None:
        view['nested'] = changes(view['nested'])
    return view


def resource(request: wsgi.Request, row: Values, with_detail: bool | None = False) -> Values:
    """Return the view of a resource; only those of nested stacks have ``parent_resource``."""
    view = {
        'updated_time': row['updated_time'],
        'creation_time': row['creation_time'],
        'logical_resource_id': row['resource_name'],
        'resource_name': row['resource_name'],
        'physical_resource_id': row['physical_resource_id'],
        'resource_status': status(row, 'resource'),
        'resource_status_reason': row['resource_status_reason'],
        'resource_type': row['resource_type'],
        'links': _resource_links(request, row),
        'required_by': row.get('required_by', []),
    }
    if row.get('parent_resource') is not None:
        view['parent_resource'] = row['parent_resource']
    if with_detail:
        view.update(pick(row, RESOURCE_DETAIL))
    return view


def _resource_links(request: wsgi.Request, row: Values) -> list[dict[str, str]]:
    identity = row['resource_identity']
    stack = _url(request.base, identity)
    links = [
        {'href': stack + quoted_path(identity['path']), 'rel': 'self'},
        {'href': stack, 'rel': 'stack'},
    ]
    if row.get('nested_stack_id'):
        links.append(_link(_url(request.base, row['nested_stack_id']), 'nested'))
    return links


def _url(base: str, identity: Values) -> str:
    """Return the URL of the stack of an identity; ``base`` is that of a request."""
    path = stack_path(identity['tenant'], identity['stack_name'], identity['stack_id'])
    return f'{base}/{path}'


def _link(url: str, rel: str) -> dict[str, str]:
    return {'href': url, 'rel': rel}


def event(base: str, row: Values, with_detail: bool = False, with_root: bool = False) -> Values:
    """Return the view of an event; its links begin with ``base``, that of a request."""
    identity, name = row['event_identity'], row['resource_name']
    path, stack = identity['path'], _url(base, identity)
    links = [
        {'href': stack + quoted_path(path), 'rel': 'self'},
        {'href': stack + quoted_path(f'/resources/{name}'), 'rel': 'resource'},
        {'href': stack, 'rel': 'stack'},
    ]
    if with_root and row.get('root_stack_id'):
        links.append(_link(_url(base, row['root_stack_id']), 'root_stack'))
    view = {
        'id': path.rpartition('/')[2],
        'links': links,
        'event_time': row['event_time'],
        'logical_resource_id': name,
        'resource_name': name,
        'physical_resource_id': row['physical_resource_id'],
        'resource_status': status(row, 'resource'),
        'resource_status_reason': row['resource_status_reason'],
    }
    if with_detail:
        view.update(pick(row, EVENT_DETAIL))
    return view


def next_page(request: wsgi.Request, rows: list[Values], limit: int | None) -> list[dict[str, str]]:
    """Return a list with the link to the next page; an empty one if this page is not full."""
    if not limit or len(rows) != limit:
        return []
    query = request.query.copy()
    query.pop('marker', None)
    query['marker'] = rows[-1]['id']
    return [{'rel': 'next', 'href': f'{request.path_url}?{encoded(query)}'}]


def encoded(query: MultiDict) -> str:
    """Return a query string."""
    return urllib.parse.urlencode(list(query.items()))
