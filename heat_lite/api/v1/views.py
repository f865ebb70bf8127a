"""What the engine answers, as the API shows it: which keys, in which order, with which links."""

import urllib.parse

from heat_lite.common.identifier import quoted_path, stack_path

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
    # ours from here on
    'failures',
    'protected',
    'digest',
)
OUTPUT = ('output_key', 'description', 'output_value', 'output_error')
RESOURCE_DETAIL = ('description', 'attributes')
# a resource that is only thought of, in previews
RESOURCE_THOUGHT_OF = (
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
    # what becomes of it
    'action',
    'reason',
    'forced_by',
    'may_replace',
    'property_changes',
    'definition_changes',
    'nested',
)
CHANGES = ('unchanged', 'updated', 'replaced', 'added', 'deleted')
# of a whole preview
FORETOLD = ('has_changes', 'digest', 'present_digest', 'refused')
EVENT_DETAIL = ('resource_type', 'resource_properties')
CONFIG = ('id', 'name', 'group', 'creation_time', 'project', 'config', 'inputs', 'outputs', 'options')
DEPLOYMENT = (
    'id',
    'server_id',
    'input_values',
    'output_values',
    'action',
    'status',
    'status_reason',
    'config_id',
    'creation_time',
    'updated_time',
)
SNAPSHOT = ('id', 'name', 'action', 'status', 'status_reason', 'data', 'creation_time')


def pick(row, keys):
    """Those of ``keys`` that the row has, in their order."""
    return {key: row[key] for key in keys if key in row}


def status(row, kind):
    """``CREATE_COMPLETE`` out of action and status."""
    action, state = row.get(kind + '_action'), row.get(kind + '_status')
    return f'{action}_{state}' if action else state


def listed_stack(request, row, with_project):
    """A stack in a list."""
    identity = row['stack_identity']
    view = {'id': identity['stack_id'], 'links': [_link(_url(request, identity), 'self')]}
    if with_project:
        view['project'] = identity['tenant']
    view.update(pick(row, STACK_LISTED))
    view['stack_status'] = status(row, 'stack')
    return view


def shown_stack(request, row):
    """A stack by itself."""
    identity = row['stack_identity']
    view = {'stack_name': row['stack_name'], 'id': identity['stack_id'], 'links': [_link(_url(request, identity), 'self')]}
    view.update(pick(row, STACK_SHOWN))
    if 'stack_status' in row:
        view['stack_status'] = status(row, 'stack')
    if 'outputs' in row:
        view['outputs'] = [pick(output, OUTPUT) for output in row['outputs']]
    return view


def previewed_stack(request, row):
    """A stack that is not there: it has no status, but its resources are shown."""
    view = shown_stack(request, {key: value for key, value in row.items() if not key.startswith('stack_status')})
    if 'resources' in view:
        view['resources'] = thought_of(view['resources'])
    view.update(pick(row, FORETOLD))
    return view


def changes(found):
    """What an update would do: resources by what becomes of them."""
    lists = {kind: thought_of(resources) for kind, resources in pick(found, CHANGES).items()}
    return {'resource_changes': lists, **pick(found, FORETOLD)}


def thought_of(item):
    """Resources of a preview, in lists as deep as the stacks are nested."""
    if isinstance(item, list):
        return [thought_of(part) for part in item]
    view = pick(item, RESOURCE_THOUGHT_OF)
    if view.get('nested') is not None:
        view['nested'] = changes(view['nested'])
    return view


def resource(request, row, with_detail=False):
    """A resource. ``parent_resource`` is there only for those of nested stacks."""
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


def _resource_links(request, row):
    identity = row['resource_identity']
    stack = _url(request, identity)
    links = [{'href': stack + quoted_path(identity['path']), 'rel': 'self'}, {'href': stack, 'rel': 'stack'}]
    if row.get('nested_stack_id'):
        links.append(_link(_url(request, row['nested_stack_id']), 'nested'))
    return links


def _url(request, identity):
    """The URL of the stack that an identity is of."""
    return f'{request.base}/{stack_path(identity["tenant"], identity["stack_name"], identity["stack_id"])}'


def _link(url, rel):
    return {'href': url, 'rel': rel}


def event(request, row, with_detail=False, with_root=False):
    """An event."""
    name = row['resource_name']
    view = {
        'id': _event_id(row),
        'links': _event_links(request, row, with_root),
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


def _event_id(row):
    return row['event_identity']['path'].rpartition('/')[2]


def _event_links(request, row, with_root):
    identity = row['event_identity']
    stack = _url(request, identity)
    links = [
        {'href': stack + quoted_path(identity['path']), 'rel': 'self'},
        {'href': stack + quoted_path(f'/resources/{row["resource_name"]}'), 'rel': 'resource'},
        {'href': stack, 'rel': 'stack'},
    ]
    if with_root and row.get('root_stack_id'):
        links.append(_link(_url(request, row['root_stack_id']), 'root_stack'))
    return links


def next_page(request, rows, limit):
    """The link to the next page, in a list: only where this one is full."""
    if not limit or len(rows) != limit:
        return []
    query = request.query.copy()
    query.pop('marker', None)
    query['marker'] = rows[-1]['id']
    return [{'rel': 'next', 'href': f'{request.path_url}?{encoded(query)}'}]


def encoded(query):
    """A query string."""
    return urllib.parse.urlencode(list(query.items()))
