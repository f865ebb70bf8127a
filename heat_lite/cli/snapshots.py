"""Verbs about the snapshots of a stack."""

import argparse

from heat_lite.cli import api_client, arguments, errors
from heat_lite.cli.display import outcome, progress, terminal
from heat_lite.cli.option_parser import argument

SNAPSHOT = argument('snapshot', metavar='SNAPSHOT', help='id or name of the snapshot')
CREATE = (
    arguments.STACK,
    argument('--name', metavar='NAME', help='name of the snapshot'),
    arguments.NO_WAIT,
)
LIST_SNAPSHOTS = (arguments.STACK,)
SHOW = DELETE = (arguments.STACK, SNAPSHOT)
RESTORE = (arguments.STACK, SNAPSHOT, arguments.NO_WAIT)


def create(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> None:
    path = api.find(args.stack)
    before = progress.state_before(api, path)
    found = api.call('POST', f'{path}/snapshots', {'name': args.name} if args.name else {})
    if not args.no_wait:
        outcome.follow(api, path, out, 'SNAPSHOT', before)
    if out.is_json:
        out.write_json(found, indent=None)
    else:
        out.write_line(f'snapshot {found["id"]}')


def list_snapshots(
    api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace
) -> None:
    found = api.get(api.find(args.stack) + '/snapshots')['snapshots']
    keys = ('name', 'status', 'creation_time', 'id')
    rows = ([each.get(key) for key in keys] for each in found)
    out.show(found, ['NAME', 'STATUS', 'CREATED', 'ID'], rows)


def show(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> None:
    found = api.get(_find(api, args)[1])['snapshot']
    if out.is_json:
        out.write_json(found)
    else:
        out.table(['KEY', 'VALUE'], [[key, found[key]] for key in found if key != 'data'])
        _show_resources(found['data'], out)


def _show_resources(data: dict | None, out: terminal.Terminal) -> None:
    """Show the resources of a snapshot; --json also shows its template and environment."""
    resources = (data or {}).get('resources') or {}
    keys = ('type', 'status', 'resource_id')
    rows = [[name, *(each.get(key) for key in keys)] for name, each in resources.items()]
    if rows:
        out.write_line()
        out.table(['RESOURCE', 'TYPE', 'STATUS', 'PHYSICAL ID'], rows)


def restore(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> None:
    path, snapshot = _find(api, args)
    before = progress.state_before(api, path)
    api.call('POST', f'{snapshot}/restore')
    if not args.no_wait:
        outcome.follow(api, path, out, 'RESTORE', before)


def delete(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> None:
    api.call('DELETE', _find(api, args)[1])
    out.confirm(f'snapshot {args.snapshot} is deleted')


def _find(api: api_client.ApiClient, args: argparse.Namespace) -> tuple[str, str]:
    """Return the paths of the stack and of its snapshot, which has this id or name."""
    path = api.find(args.stack)
    rows = api.get(f'{path}/snapshots')['snapshots']
    found = [each for each in rows if args.snapshot in (each['id'], each['name'])]
    if len(found) == 1:
        return path, f'{path}/snapshots/{found[0]["id"]}'
    if found:
        ids = ', '.join(each['id'] for each in found)
        raise errors.CommandError(f'{len(found)} snapshots have the name {args.snapshot}: {ids}')
    hint = errors.suggest(args.snapshot, [each['name'] for each in rows if each['name']])
    raise errors.CommandError(f'the stack has no snapshot {args.snapshot}.{hint}')
