"""The verb ``events``, which also follows the events as they happen."""

import argparse
import time
from typing import Any

from heat_lite.cmd.cli import api_client, arguments, errors, progress, terminal
from heat_lite.cmd.cli.arguments import argument, flag

PAGE_SIZE = 200
OLDEST_FIRST = {'sort_keys': 'event_time', 'sort_dir': 'asc'}
EVENTS = (
    arguments.STACK,
    arguments.NESTED_DEPTH,
    flag('-f', '--follow', help='print events as they happen, until the running action has ended'),
    argument('--resource', metavar='NAME', help='only the events of this resource'),
    argument(
        '--limit', type=arguments.count, metavar='N', help='print only this many of the last events'
    ),
)
HEADERS = ['TIME', 'RESOURCE', 'STATUS', 'REASON']


def events(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> None:
    path = api.find(args.stack)
    seen: set[str] = set()
    # The state is read before the events: the events of an ended action are complete.
    is_running = _is_running(api, path)
    found = new_events(api, path, args, seen)
    if args.limit is not None:
        found = found[-args.limit :] if args.limit else []
    if out.is_json and not args.follow:
        out.write_json(found)
        return
    if not args.follow:
        out.table(HEADERS, [_row(each) for each in found])
        return
    _print(found, out)
    while is_running:
        is_running = _next(api, path, args, seen, out)


def _next(api, path, args, seen, out):
    """Wait and print the new events. Return whether the action is running."""
    time.sleep(progress.POLL_SECONDS * 2)
    silent = time.monotonic() + progress.UNREACHABLE_SECONDS
    while True:
        try:
            is_running = _is_running(api, path)
            _print(new_events(api, path, args, seen), out)
            return is_running
        except api_client.RequestFailed as error:
            if not error.is_temporary:
                raise
            if time.monotonic() > silent:
                raise errors.StackFailed(
                    f'the service does not answer any more: {error}'
                ) from error
            time.sleep(1)


def _is_running(api, path):
    status = api.call('GET', path, resolve_outputs='false')['stack']['stack_status']
    return status.endswith('IN_PROGRESS') or status == 'INIT_COMPLETE'


def new_events(
    api: api_client.ApiClient, path: str, args: argparse.Namespace, seen: set[str]
) -> list[dict[str, Any]]:
    """Return the events, of all pages, that are not in ``seen``, and add them to it."""
    query: dict[str, Any] = {**OLDEST_FIRST}
    if args.nested:
        query['nested_depth'] = args.nested
    if args.resource:
        query['resource_name'] = args.resource
    found: list[dict] = []
    marker: dict[str, str] = {}
    while True:
        page = api.call('GET', f'{path}/events', **query, **marker, limit=PAGE_SIZE)['events']
        found += [each for each in page if each['id'] not in seen]
        if len(page) < PAGE_SIZE:
            break
        marker = {'marker': page[-1]['id']}
    seen.update(each['id'] for each in found)
    return found


def _print(found, out):
    for each in found:
        if out.is_json:
            out.write_json(each, indent=None)
            continue
        moment, name, status, reason = map(terminal.cell, _row(each))
        out.write_line(f'{moment}  {out.colorize(status, status)}  {name}  {reason}'.rstrip())


def _row(event):
    return [
        event['event_time'],
        event['resource_name'],
        event['resource_status'],
        event.get('resource_status_reason'),
    ]
