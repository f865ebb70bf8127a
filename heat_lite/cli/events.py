"""The verbs ``events``, which also follows them as they happen, and ``timeline``."""

import argparse
import time
from collections.abc import Iterator

from heat_lite.cli import action_history, api_client, arguments, errors, event_stream
from heat_lite.cli.display import progress, resource_tree, terminal, views
from heat_lite.cli.option_parser import argument, count, flag
from heat_lite.common.value_types import Values

EVENTS = (
    argument(
        'stack',
        metavar='STACK',
        nargs='?',
        help='name or id of the stack; with --follow, without it all stacks of the project',
    ),
    arguments.NESTED_DEPTH,
    flag('-f', '--follow', help='print events as they happen, until the stack is deleted'),
    argument('--resource', metavar='NAME', help='only the events of this resource'),
    argument('--limit', type=count, metavar='N', help='print only this many of the last events'),
)
#: columns of a bar, and the signs of the phases
WIDTH, SIGNS = 32, {'waiting': '·', 'calling': '━', 'polling': '─', 'working': '━'}
TIMELINE = (
    arguments.STACK,
    argument('--action', type=str.upper, help='the last action of this name (default: the last)'),
)
#: statuses of the request for a stream after which the events are listed again and again
WITHOUT_STREAM = (404, 406, 503)
HEADERS = ['TIME', 'RESOURCE', 'STATUS', 'REASON']
#: the columns of what is still to come
WIDTHS = {'TIME': 20, 'STACK': 16, 'RESOURCE': 24, 'STATUS': 20, 'REASON': 120}


def events(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> None:
    if not args.stack and not args.follow:
        raise errors.UsageError('name a stack, or follow the events of all with --follow')
    path = api.find(args.stack) if args.stack else ''
    table = EventTable(api, path, out, args.nested)
    query = {'resource_name': args.resource} if args.resource else {}
    found = progress.new_events(api, path, None, args.nested, **query) if path else []
    last = found[-1]['id'] if found else None
    shown = found[-args.limit :] if args.limit else [] if args.limit == 0 else found
    if out.is_json and not args.follow:
        out.write_json(shown)
        return
    table.begin(shown, WIDTHS if args.follow else {})
    if not args.follow:
        return
    seen = {each['id'] for each in found}
    for event in _happening(api, path, last, {**query, 'nested_depth': args.nested}):
        if event['id'] not in seen:
            table.add([event])


class EventTable:
    """A table that grows. Events of nested stacks have paths, of all stacks the name of theirs."""

    def __init__(
        self, api: api_client.ApiClient, path: str, out: terminal.Terminal, nested: int
    ) -> None:
        self._api = api
        self._path = path
        self._out = out
        self._nested = bool(nested and path)
        self._tree = resource_tree.ResourceTree()
        self._headers = HEADERS if path else [HEADERS[0], 'STACK', *HEADERS[1:]]
        self._widths: list[int] = []

    def begin(self, found: list[Values], widths: dict[str, int]) -> None:
        """Write the first events below the headers, with columns for what may follow."""
        if self._out.is_json:
            self.add(found)
        else:
            self._widths = self._out.table(self._headers, map(self._row, found), widths)

    def add(self, found: list[Values]) -> None:
        """Write new events."""
        for event in found:
            if self._out.is_json:
                self._out.write_json(event, indent=None)
            else:
                self._out.write_row(map(terminal.cell, self._row(event)), self._widths)

    def _row(self, event: Values) -> list:
        if self._nested and not self._tree.knows(event):
            self._tree.update(progress.list_resources(self._api, self._path), 0)
        row = [
            event['event_time'],
            self._tree.path_of(event),
            event['resource_status'],
            event.get('resource_status_reason'),
        ]
        return row if self._path else [row[0], event['stack_name'], *row[1:]]


def _happening(
    api: api_client.ApiClient, path: str, last: str | None, query: Values
) -> Iterator[Values]:
    """Yield events, until the stack is deleted; those of one stack also from its beginning.

    A stock Heat, or a service whose places for streams are taken, is asked again and again for
    those after the ``last`` one. Raises RequestFailed.
    """
    answered, position, has_stream = time.monotonic(), None, True
    start = {'from': 'start'} if path else {}
    while True:
        try:
            if has_stream:
                messages = event_stream.messages(api, path, position, **query, **start)
                for found, kind, data in messages:
                    position, answered = found or position, time.monotonic()
                    if kind == 'event':
                        yield data
                    elif kind == 'complete' and path:
                        return
            else:
                is_deleted = api.stack_at(path)['stack_status'] == 'DELETE_COMPLETE'
                new = progress.new_events(api, path, last, **query)
                yield from new
                answered, last = time.monotonic(), new[-1]['id'] if new else last
                if is_deleted:
                    return
        except api_client.RequestFailed as error:
            if has_stream and position is None and path and error.status in WITHOUT_STREAM:
                has_stream = False
            elif error.status == 404 and not has_stream:
                return
            elif (
                not error.is_temporary or time.monotonic() - answered > progress.UNREACHABLE_SECONDS
            ):
                raise
        time.sleep(1)


def timeline(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> None:
    """Draw a bar for each resource; those that held up the end are critical."""
    path = api.find(args.stack)
    query = {'action': args.action} if args.action else {}
    depth = resource_tree.NESTED_DEPTH
    found = api.get(f'{path}/timeline', nested_depth=depth, **query)['timeline']
    bases = {path.rpartition('/')[2]: ''}
    rows = []
    for each in found['resources']:
        name = bases.get(each['stack_id'], f'{each["stack_name"]}/') + each['resource_name']
        bases[each['physical_resource_id']] = f'{name}/'
        seconds = views.seconds_text(each['seconds'])
        rows.append([name, seconds, _bar(each, found), 'critical' if each['critical'] else ''])
    out.show(found, ['RESOURCE', 'WORK', f'{found["action"]}: · WAIT ━ CALL ─ POLL', 'PATH'], rows)


def _bar(resource: Values, action: Values) -> str:
    """Return the phases of a resource; one that has not ended reaches to the right."""
    zero, total, bar = action_history.read_time(action['started_at']), action['seconds'] or 1, ''
    for phase in resource['phases']:
        begin = (action_history.read_time(phase['started_at']) - zero).total_seconds()
        end = begin + phase['seconds'] if phase['ended_at'] else total
        bar = bar.ljust(int(begin / total * WIDTH), SIGNS['waiting'])
        bar += SIGNS[phase['phase']] * (int(end / total * WIDTH) - len(bar))
    return bar
