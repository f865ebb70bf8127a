"""Verbs about resources: list and show, signals, marks and hooks."""

import argparse
import json

from heat_lite.cli import api_client, arguments, errors
from heat_lite.cli.display import progress, resource_tree, terminal
from heat_lite.cli.option_parser import argument, flag
from heat_lite.common.value_types import Value


def json_value(text: str) -> Value:
    """Read a value in JSON."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f'{text!r} is not JSON: {error}') from None


#: paths of resources in an error
MAX_NAMED = 5
#: the name of a nested resource is a path
PATH = argument('resource', metavar='RESOURCE', help='name of the resource; OUTER/INNER if nested')
LIST_RESOURCES = (arguments.STACK, arguments.NESTED_DEPTH)
SHOW = METADATA = (arguments.STACK, PATH)
EVENT = (*SHOW, argument('event', metavar='EVENT', help='id of the event'))
SIGNAL = (
    arguments.STACK,
    PATH,
    argument('--data', metavar='JSON', type=json_value, help='content of the signal'),
)
MARK = (
    arguments.STACK,
    PATH,
    argument('--reason', metavar='TEXT', default='', help='the reason'),
    flag('--healthy', help='remove the mark'),
)
CLEAR_HOOK = (
    arguments.STACK,
    PATH,
    argument(
        'hook',
        metavar='HOOK',
        nargs='?',
        choices=resource_tree.HOOK_NAMES,
        help=f'one of {", ".join(resource_tree.HOOK_NAMES)}; else the one that the resource waits'
        ' at',
    ),
)
HOOKS = (arguments.STACK,)


def list_resources(
    api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace
) -> None:
    found = api.resources(api.find(args.stack), args.nested)
    rows = (
        [each.path, each.row['resource_type'], each.status, each.row['physical_resource_id']]
        for each in resource_tree.tree_of(found).members.values()
    )
    out.show(found, ['NAME', 'TYPE', 'STATUS', 'PHYSICAL ID'], rows)


def find(api: api_client.ApiClient, stack: str, name: str) -> str:
    """Return the path of a resource in the API. ``name`` may lead through nested stacks."""
    path = api.find(stack)
    *outer, last = name.split('/')
    for each in outer:
        resource = api.get(f'{path}/resources/{api_client.quote(each)}')['resource']
        nested = resource_tree.nested_of(resource)
        if not nested:
            raise errors.CommandError(f'resource {each} has no nested stack')
        path = api.find(nested)
    return f'{path}/resources/{api_client.quote(last)}'


def show(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> None:
    resource = api.get(find(api, args.stack, args.resource))['resource']
    if out.is_json:
        out.write_json(resource)
        return
    hidden = ('links', 'attributes', 'logical_resource_id')
    rows = [[key, value] for key, value in resource.items() if key not in hidden]
    out.table(['KEY', 'VALUE'], rows)
    if resource.get('attributes'):
        out.write_line()
        out.table(['ATTRIBUTE', 'VALUE'], resource['attributes'].items())


def event(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> None:
    path = f'{find(api, args.stack, args.resource)}/events/{api_client.quote(args.event)}'
    out.write_document(api.get(path)['event'])


def metadata(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> None:
    found = api.get(find(api, args.stack, args.resource) + '/metadata')
    out.write_document(found['metadata'])


def signal(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> None:
    api.call('POST', find(api, args.stack, args.resource) + '/signal', args.data)
    out.confirm(f'{args.resource} has the signal')


def mark(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> None:
    body = {'mark_unhealthy': not args.healthy, 'resource_status_reason': args.reason}
    api.call('PATCH', find(api, args.stack, args.resource), body)
    done = 'not marked any more' if args.healthy else 'marked: the next update replaces it'
    out.confirm(f'{args.resource} is {done}')


def hooks(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> None:
    """List the resources that wait at a hook, by their last events."""
    path = api.find(args.stack)
    rows = _waiting(api, path)
    if out.is_json:
        out.write_json(rows)
    elif rows:
        out.table(['RESOURCE', 'HOOK', 'SINCE'], [list(row.values()) for row in rows])
    else:
        out.write_line(_why_none_waits(api, path))


def _waiting(api: api_client.ApiClient, path: str) -> list[dict]:
    """Return {resource, hook, since} of each resource that waits at a hook."""
    found = progress.new_events(api, path, None, resource_tree.NESTED_DEPTH)
    tree = resource_tree.tree_of(progress.list_resources(api, path))
    return [
        {'resource': tree.path_of(event), 'hook': hook, 'since': event['event_time']}
        for event, hook in resource_tree.waiting_at_hooks(found)
    ]


def _why_none_waits(api: api_client.ApiClient, path: str) -> str:
    stack = api.stack_at(path)
    state = stack['stack_status']
    if state.endswith('_IN_PROGRESS'):
        return f'no resource waits at a hook: the stack is {state}'
    return f'no resource waits at a hook: no action runs, the stack is {state}'


def clear_hook(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> None:
    path = find(api, args.stack, args.resource)
    hook = args.hook or _hook_of(api, api.find(args.stack), args.resource)
    api.call('POST', f'{path}/signal', {'unset_hook': hook})
    out.confirm(f'{args.resource} continues')


def _hook_of(api: api_client.ApiClient, path: str, resource: str) -> str:
    """Return the hook that a resource waits at. Raises CommandError if it waits at none."""
    hooks = {each['resource']: each['hook'] for each in _waiting(api, path)}
    if resource not in hooks:
        waiting = sorted(hooks)[:MAX_NAMED]
        others = f'; what waits at one: {", ".join(waiting)}' if waiting else ''
        raise errors.CommandError(f'{resource} waits at no hook{others}')
    return hooks[resource]
