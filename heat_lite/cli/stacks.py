"""Verbs that show stacks: ``list``, ``show``, ``failures``, ``outputs`` and others."""

import argparse
import datetime
import functools
import itertools

from heat_lite.cli import action_history, api_client, arguments, errors
from heat_lite.cli.display import outcome, progress, resource_tree, terminal
from heat_lite.cli.option_parser import argument, count, flag, repeatable
from heat_lite.common.value_types import Values

PAGE_SIZE = 200
#: how the service shows a hidden value
MASK = '******'
SHOWN_KEYS = (
    'stack_name',
    'id',
    'stack_status',
    'stack_status_reason',
    'description',
    'creation_time',
    'updated_time',
    'deletion_time',
    'timeout_mins',
    'disable_rollback',
    'protected',
    'not_applied',
    'parent',
    'stack_owner',
    'tags',
)
ACTIONS = (
    *('CREATE', 'UPDATE', 'DELETE', 'ROLLBACK', 'SUSPEND', 'RESUME', 'CHECK', 'ADOPT'),
    *('SNAPSHOT', 'RESTORE'),
)
SORT_KEYS = ('name', 'status', 'created_at', 'updated_at')


def order(text: str) -> str:
    """Read KEY or KEY:DIR, which the service drops if it does not know them."""
    key, _, direction = text.partition(':')
    if key not in SORT_KEYS or direction not in ('', 'asc', 'desc'):
        raise argparse.ArgumentTypeError(
            f'{text!r} is not one of {", ".join(SORT_KEYS)}, with :asc or :desc'
        )
    return text


LIST_STACKS = (
    repeatable('--name', metavar='NAME', help='only stacks of this name; may be repeated'),
    repeatable(
        '--status',
        metavar='STATUS',
        type=str.upper,
        choices=('COMPLETE', 'FAILED', 'IN_PROGRESS'),
        help='only stacks whose action is COMPLETE, FAILED or IN_PROGRESS; may be repeated',
    ),
    repeatable(
        '--action',
        metavar='ACTION',
        type=str.upper,
        choices=ACTIONS,
        help='only stacks whose last action is CREATE, UPDATE, ...; may be repeated',
    ),
    argument('--tags', metavar='TAG,TAG', help='only stacks with all of these tags'),
    argument('--tags-any', metavar='TAG,TAG', help='only stacks with one of these tags'),
    argument('--not-tags', metavar='TAG,TAG', help='only stacks without all of these tags'),
    argument('--not-tags-any', metavar='TAG,TAG', help='only stacks without any of these tags'),
    flag('--deleted', help='list deleted stacks as well'),
    flag('--nested', help='list nested stacks as well'),
    flag('--hidden', help='list hidden stacks as well'),
    flag('--all-projects', help='list the stacks of all projects, if the policy permits it'),
    argument('--limit', type=count, metavar='N', help='list at most this many stacks'),
    argument('--marker', metavar='ID', help='list the stacks after this one'),
    argument(
        '--sort',
        metavar='KEY[:DIR]',
        type=order,
        help='order by name, status, created_at or updated_at, asc or desc (default: newest first)',
    ),
)
SHOW = FAILURES = TEMPLATE = ENVIRONMENT = FILES = (arguments.STACK,)
OUTPUTS = (
    arguments.STACK,
    argument('output', metavar='OUTPUT', nargs='?', help='print the value of this output only'),
)


def list_stacks(
    api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace
) -> None:
    """List all pages, or ``--limit`` stacks."""
    if args.marker:
        api.stack(args.marker)  # the service drops one that does not exist
    page_size = PAGE_SIZE if args.limit is None else min(PAGE_SIZE, args.limit)
    every = api.items('/stacks', 'stacks', page_size, **_query(args))
    found = list(itertools.islice(every, args.limit))
    now = datetime.datetime.now(datetime.UTC)
    project = ['PROJECT'] if args.all_projects else []
    rows = (
        [
            *(stack.get('project') for _ in project),
            stack['stack_name'],
            stack['stack_status'],
            age(stack['creation_time'], now),
            age(stack.get('updated_time'), now),
            stack['id'],
        ]
        for stack in found
    )
    out.show(found, [*project, 'NAME', 'STATUS', 'AGE', 'CHANGED', 'ID'], rows)


def _query(args: argparse.Namespace) -> Values:
    sort_key, _, sort_dir = (args.sort or '').partition(':')
    given: Values = {
        'name': args.name,
        'status': args.status,
        'action': args.action,
        'tags': args.tags,
        'tags_any': args.tags_any,
        'not_tags': args.not_tags,
        'not_tags_any': args.not_tags_any,
        'show_deleted': args.deleted and 'true',
        'show_nested': args.nested and 'true',
        'show_hidden': args.hidden and 'true',
        'global_tenant': args.all_projects and 'true',
        'marker': args.marker,
        'sort_keys': sort_key,
        'sort_dir': sort_dir,
    }
    return {name: value for name, value in given.items() if value}


def age(time: str | None, now: datetime.datetime) -> str:
    """Return the time since a moment, in its largest unit: 45s, 3m, 5h, 2d."""
    if not time:
        return ''
    try:
        moment = action_history.read_time(time)
    except ValueError:
        return time
    seconds = max(int((now - moment).total_seconds()), 0)
    for unit, length in (('d', 86400), ('h', 3600), ('m', 60)):
        if seconds >= length:
            return f'{seconds // length}{unit}'
    return f'{seconds}s'


def show(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> None:
    stack = api.get(api.find(args.stack))['stack']
    if out.is_json:
        out.write_json(stack)
        return
    out.table(['KEY', 'VALUE'], [[key, stack[key]] for key in SHOWN_KEYS if key in stack])
    parameters = {
        name: value for name, value in stack['parameters'].items() if not name.startswith('OS::')
    }
    if parameters:
        out.write_line()
        out.table(['PARAMETER', 'VALUE'], parameters.items())
    if stack.get('outputs'):
        out.write_line()
        outcome.show_outputs(stack, out)


def outputs(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> None:
    stack = api.get(api.find(args.stack))['stack']
    values = {each['output_key']: each for each in stack.get('outputs', ())}
    if args.output is not None:
        _show_output(values, out, args.output)
    elif out.is_json:
        out.write_json({name: each.get('output_value') for name, each in values.items()})
    else:
        outcome.show_outputs(stack, out)


def _show_output(values: dict[str, dict], out: terminal.Terminal, name: str) -> None:
    """Print one value: text as it is, so that a script can use it."""
    if name not in values:
        others = f' It has: {", ".join(values)}.' if values else ' It has none.'
        hint = errors.suggest(name, values) or others
        raise errors.CommandError(f'the stack has no output {name}.{hint}')
    if values[name].get('output_error'):
        raise errors.CommandError(f'output {name}: {values[name]["output_error"]}')
    value = values[name].get('output_value')
    if isinstance(value, str) and not out.is_json:
        out.write_line(value)
    else:
        out.write_json(value)


def failures(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> None:
    """List the failures, those of nested stacks by the path of their resource."""
    stack = api.stack(args.stack)
    is_recorded = stack.get('failures') is not None
    found = outcome.recorded(api, stack) if is_recorded else _failed_events(api, args.stack)
    if out.is_json:
        out.write_json(found)
    elif not found:
        state = f'{stack["stack_status"]}: {stack["stack_status_reason"]}'
        out.write_line(f'no failures of resources are recorded; the stack is {state}')
    for each in () if out.is_json else found:
        first, *rest = outcome.cause_lines(each)
        during = '' if each['action'] == each['stack_action'] else f' during {each["stack_action"]}'
        out.write_line(f'{each["time"]}  {each["action"]}{during}')
        out.write_line('\n'.join([first, *rest]) + _remarks(each))


def _failed_events(api: api_client.ApiClient, name: str) -> list[dict]:
    """Return the failures in the events, of a server that records them nowhere else."""
    found = progress.new_events(api, api.find(name), None, resource_tree.NESTED_DEPTH)
    return [
        {
            'time': each['event_time'],
            'stack_action': 'an earlier action',
            'path': each['resource_name'],
            'action': each['resource_status'].partition('_')[0],
            'physical_resource_id': each.get('physical_resource_id'),
            'reason': each.get('resource_status_reason') or '',
        }
        for each in found
        if each['resource_status'].endswith('FAILED')
    ]


def _remarks(failure: dict) -> str:
    """Return what else is known of a failure, as the end of a line."""
    text = ''
    if failure.get('times', 1) > 1:
        text += f' ({failure["times"]} times)'
    if failure.get('holds'):
        text += f'; holds {", ".join(failure["holds"])}'
    if failure.get('forgotten'):
        text += '; abandoned, it still exists'
    return text


def _show_document(
    api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace, name: str
) -> None:
    """Print a document as YAML, or as JSON."""
    document = api.get(f'{api.find(args.stack)}/{name}')
    if name == 'environment' and not out.is_json and MASK in str(document):
        out.write_line(f'# {MASK} hides a value; an update with it keeps the stored value')
    out.write_document(document)


template = functools.partial(_show_document, name='template')
environment = functools.partial(_show_document, name='environment')
files = functools.partial(_show_document, name='files')
