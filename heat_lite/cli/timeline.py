"""The verb ``timeline``: what each resource did at which time in an action."""

import argparse

from heat_lite.cli import action_history, api_client, arguments
from heat_lite.cli.display import resource_tree, terminal, views
from heat_lite.cli.option_parser import argument
from heat_lite.common.value_types import Values

#: columns of a bar, and the sign of what is no wait
WIDTH, WAITING, WORK = 32, '·', {'calling': '━', 'polling': '─', 'working': '━'}
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
    if not out.is_json:
        total = views.seconds_text(found['seconds'])
        out.write_line(f'{args.stack}: {found["action"]}_{found["status"]} after {total}')
    out.show(found, ['RESOURCE', 'WORK', 'WAIT · CALL ━ POLL ─', 'PATH'], rows)


def _bar(resource: Values, action: Values) -> str:
    """Return the phases of a resource; one that has not ended reaches to the right."""
    zero, total = action_history.read_time(action['started_at']), action['seconds'] or 1
    bar = ''
    for phase in resource['phases']:
        begin = (action_history.read_time(phase['started_at']) - zero).total_seconds()
        end = begin + phase['seconds'] if phase['ended_at'] else total
        bar = bar.ljust(int(begin / total * WIDTH), WAITING)
        if phase['phase'] in WORK and end > begin:
            bar += WORK[phase['phase']] * max(int(end / total * WIDTH) - len(bar), 1)
    return bar
