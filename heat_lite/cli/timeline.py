"""The verb ``timeline``: what each resource did at which time in an action."""

import argparse

from heat_lite.cli import action_history, api_client, arguments
from heat_lite.cli.display import resource_tree, terminal, views
from heat_lite.cli.option_parser import argument
from heat_lite.common.value_types import Values

#: columns of a bar, and the signs of the phases
WIDTH, SIGNS = 32, {'waiting': '·', 'calling': '━', 'polling': '─', 'working': '━'}
TIMELINE = (
    arguments.STACK,
    argument('--action', type=str.upper, help='the last action of this name (default: the last)'),
)


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
