"""Verbs about the definitions that a stack has had: ``history`` and ``diff``; and its plans."""

import argparse
import difflib
import pkgutil
from collections.abc import Iterator

from heat_lite.cli import api_client, arguments
from heat_lite.cli.display import planned_changes, terminal
from heat_lite.cli.option_parser import argument, count
from heat_lite.common.value_types import Value, Values

HISTORY = (arguments.STACK,)
PLANS = (
    argument(
        'stack', metavar='STACK', nargs='?', help='a stack (default: stacks that plans create)'
    ),
)
DIFF = (
    arguments.STACK,
    argument('before', metavar='REVISION', type=count, help='the former definition'),
    argument(
        'after',
        metavar='REVISION',
        nargs='?',
        type=count,
        help='the later definition (default: the present one)',
    ),
)
#: the end of the reason of an action that has done nothing but what it is named after
SUCCESS = ' completed successfully'
#: the parts of a definition that are compared, in the order in which they are shown
PARTS = ('tags', 'timeout_mins', 'disable_rollback', 'environment', 'template', 'files')


def history(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> None:
    """List the definitions, the newest first; * marks the present one."""
    found = _revisions(api, api.find(args.stack))
    keys = ('creation_time', 'username', 'action', 'status', 'message')
    rows = [
        [
            f'{each["number"]} *' if each is found[0] else each['number'],
            *(each[key] for key in keys),
            None if each['status_reason'].endswith(SUCCESS) else each['status_reason'],
        ]
        for each in found
    ]
    headers = ['REVISION', 'TIME', 'USER', 'ACTION', 'RESULT', 'MESSAGE', 'REASON']
    out.show(found, headers, rows)


def plans(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> None:
    """List the plans, the newest first."""
    path = api.find(args.stack) if args.stack else ''
    found = api.get(f'{path}/plans')['plans']
    keys = ('id', 'creation_time', 'username', 'approver', 'expiry_time', 'stack_name')
    headers = ['PLAN', 'TIME', 'USER', 'APPROVED BY', 'EXPIRES', 'STACK']
    out.show(found, headers, [[each.get(key, args.stack) for key in keys] for each in found])


def _revisions(api: api_client.ApiClient, path: str) -> list[Values]:
    return api.get(f'{path}/revisions')['revisions']


def diff(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> None:
    """Show the differences: texts by lines, other values before and after."""
    path = api.find(args.stack)
    after = _revisions(api, path)[0]['number'] if args.after is None else args.after
    old, new = (api.get(f'{path}/revisions/{each}')['revision'] for each in (args.before, after))
    found = list(_differences(old, new))
    if out.is_json:
        out.write_json(
            [dict(zip(('part', 'before', 'after'), each, strict=True)) for each in found]
        )
        return
    for part, before, value in found:
        for line in _lines(part, before, value, f'revision {args.before}', f'revision {after}'):
            out.write_line(line)
    if not found:
        is_hidden = old['digest'] != new['digest']
        out.write_line('only hidden values differ' if is_hidden else 'no differences')


def _differences(old: Values, new: Values) -> Iterator[tuple[str, Value, Value]]:
    """Yield (part, before, after). Templates are texts, as their author wrote them if both are."""
    texts = [each['template_text'] for each in (old, new)]
    if None in texts:
        # The library yaml starts slowly, and few verbs need it.
        dump = pkgutil.resolve_name('yaml:safe_dump')
        texts = [dump(each['template'], sort_keys=False) for each in (old, new)]
    sides = [{**each, 'template': text} for each, text in zip((old, new), texts, strict=True)]
    for part in PARTS:
        yield from planned_changes.different_parts(part, *(side[part] for side in sides))


def _lines(part: str, before: Value, after: Value, old: str, new: str) -> Iterator[str]:
    texts = [value or '' for value in (before, after)]
    if not all(isinstance(each, str) for each in texts) or '\n' not in ''.join(texts):
        yield f'{part}: {planned_changes.text_before(before)}{planned_changes.text_after(after)}'
        return
    former, later = (each.splitlines() for each in texts)
    yield from difflib.unified_diff(
        former, later, f'{part} of {old}', f'{part} of {new}', lineterm=''
    )
