"""The verb ``events``, which also follows the events as they happen."""

import argparse
import time
from collections.abc import Iterable

from heat_lite.cli import api_client, arguments, errors, event_stream
from heat_lite.cli.display import progress, resource_tree, terminal
from heat_lite.cli.option_parser import argument, flag
from heat_lite.common.value_types import Values

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
#: statuses of the request for a stream after which the events are listed again and again
WITHOUT_STREAM = (404, 406, 503)
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
    paths = NestedPaths(api, path, found if args.nested else ())
    if not args.follow:
        out.table(HEADERS, [_row(each, paths) for each in found])
        return
    _print(found, out, paths)
    try:
        if is_running:
            _listen(api, path, args, seen, out, paths)
    except api_client.RequestFailed as error:
        # a stock Heat, or a service whose places for streams are taken: ask again and again
        if error.status not in WITHOUT_STREAM:
            raise
        while is_running:
            is_running = _next(api, path, args, seen, out)


class NestedPaths:
    """The paths of resources in nested stacks, whose events only name their stack.

    A nested stack that does not exist any more keeps the name that the service gave it.
    """

    def __init__(self, api: api_client.ApiClient, path: str, found: Iterable[dict]) -> None:
        top = path.rpartition('/')[2]
        self._bases = {top: ''}
        if any(resource_tree.stack_of(each) not in self._bases for each in found):
            tree = resource_tree.tree_of(progress.list_resources(api, path))
            for each in tree.members.values():
                self._bases[resource_tree.nested_of(each.row)] = each.path

    def knows(self, event: Values) -> bool:
        """Return whether the stack of an event was listed."""
        return resource_tree.stack_of(event) in self._bases

    def find(self, event: Values) -> str:
        """Return the path of the resource, or of the nested stack, of an event."""
        stack, name = resource_tree.stack_of(event), event['resource_name']
        base = self._bases.get(stack, '')
        if base and event.get('physical_resource_id') == stack:
            return base
        return f'{base}/{name}' if base else name


def _listen(
    api: api_client.ApiClient,
    path: str,
    args: argparse.Namespace,
    seen: set[str],
    out: terminal.Terminal,
    paths: NestedPaths,
) -> None:
    """Print new events as they come, until the action has ended.

    Raises RequestFailed if the service has no streams, or no place for one.
    """
    query = {'until': 'complete', 'from': 'start', 'nested_depth': args.nested or 0}
    if args.resource:
        query['resource_name'] = args.resource
    position, silent = None, time.monotonic() + progress.UNREACHABLE_SECONDS
    while True:
        try:
            for found, kind, data in event_stream.messages(api, path, position, **query):
                position = found or position
                silent = time.monotonic() + progress.UNREACHABLE_SECONDS
                if kind == 'complete':
                    return
                if kind == 'event' and data['id'] not in seen:
                    seen.add(data['id'])
                    if not paths.knows(data):
                        paths = NestedPaths(api, path, [data])
                    _print([data], out, paths)
        except api_client.RequestFailed as error:
            is_refused = position is None and error.status in WITHOUT_STREAM
            if is_refused or not error.is_temporary or time.monotonic() > silent:
                raise
        time.sleep(1)


def _next(
    api: api_client.ApiClient,
    path: str,
    args: argparse.Namespace,
    seen: set[str],
    out: terminal.Terminal,
) -> bool:
    """Wait and print the new events. Return whether the action is running."""
    time.sleep(progress.POLL_SECONDS * 2)
    silent = time.monotonic() + progress.UNREACHABLE_SECONDS
    while True:
        try:
            is_running = _is_running(api, path)
            found = new_events(api, path, args, seen)
            _print(found, out, NestedPaths(api, path, found if args.nested else ()))
            return is_running
        except api_client.RequestFailed as error:
            if not error.is_temporary:
                raise
            if time.monotonic() > silent:
                raise errors.StackFailed(
                    f'the service does not answer any more: {error}'
                ) from error
            time.sleep(1)


def _is_running(api: api_client.ApiClient, path: str) -> bool:
    status = api.stack_at(path)['stack_status']
    return status.endswith('IN_PROGRESS') or status == 'INIT_COMPLETE'


def new_events(
    api: api_client.ApiClient, path: str, args: argparse.Namespace, seen: set[str]
) -> list[Values]:
    """Return the events, of all pages, that are not in ``seen``, and add them to it."""
    query: Values = {**OLDEST_FIRST}
    if args.nested:
        query['nested_depth'] = args.nested
    if args.resource:
        query['resource_name'] = args.resource
    every = api.items(f'{path}/events', 'events', PAGE_SIZE, **query)
    found = [each for each in every if each['id'] not in seen]
    seen.update(each['id'] for each in found)
    return found


def _print(found: list[dict], out: terminal.Terminal, paths: NestedPaths) -> None:
    for each in found:
        if out.is_json:
            out.write_json(each, indent=None)
            continue
        moment, name, status, reason = map(terminal.cell, _row(each, paths))
        out.write_line(f'{moment}  {out.colorize(status, status)}  {name}  {reason}'.rstrip())


def _row(event: dict, paths: NestedPaths) -> list:
    return [
        event['event_time'],
        paths.find(event),
        event['resource_status'],
        event.get('resource_status_reason'),
    ]
