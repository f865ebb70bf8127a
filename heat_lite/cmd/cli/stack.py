"""``heat-lite stack ...``: a view of stacks for people, over the public REST API."""

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

from heat_lite.cmd.cli import changes, resort, rest, screen, watch


def parameter(text: str) -> tuple[str, str]:
    name, sign, value = text.partition('=')
    if not sign or not name:
        raise argparse.ArgumentTypeError(f'{text!r} is not NAME=VALUE')
    return name, value


def list_stacks(api: rest.Api, out: screen.Screen, args: argparse.Namespace) -> None:
    found = api.call('GET', '/stacks')['stacks']
    out.table(
        ['NAME', 'STATUS', 'CREATED', 'ID'],
        [[stack['stack_name'], stack['stack_status'], stack['creation_time'], stack['id']] for stack in found],
    )


def show(api: rest.Api, out: screen.Screen, args: argparse.Namespace) -> None:
    stack = api.call('GET', api.find(args.stack))['stack']
    keys = [
        'stack_name',
        'id',
        'stack_status',
        'stack_status_reason',
        'description',
        'creation_time',
        'updated_time',
        'timeout_mins',
        'tags',
    ]
    out.table(['KEY', 'VALUE'], [[key, stack.get(key)] for key in keys])
    given = {name: value for name, value in stack['parameters'].items() if not name.startswith('OS::')}
    if given:
        out.say()
        out.table(['PARAMETER', 'VALUE'], given.items())
    if stack.get('outputs'):
        out.say()
        show_outputs(stack, out)


def create(api: rest.Api, out: screen.Screen, args: argparse.Namespace) -> None:
    body = {'stack_name': args.stack, 'template': args.template.read_text(), 'parameters': dict(args.parameter)}
    if args.environment:
        body['environment'] = args.environment.read_text()
    made = api.call('POST', '/stacks', body)['stack']
    path = rest.stack_path({'stack_name': args.stack, 'id': made['id']})
    if args.no_wait:
        out.say(made['id'])
        return
    watch.follow(api, path, out)
    show_outputs(api.call('GET', path)['stack'], out)


def delete(api: rest.Api, out: screen.Screen, args: argparse.Namespace) -> None:
    path = api.find(args.stack)
    known = watch.resources(api, path)
    api.call('DELETE', path, **({'force': 'true'} if args.force else {}))
    if not args.no_wait:
        watch.follow(api, path, out, known)


def events(api: rest.Api, out: screen.Screen, args: argparse.Namespace) -> None:
    found = api.call('GET', api.find(args.stack) + '/events')['events']
    out.table(
        ['TIME', 'RESOURCE', 'STATUS', 'REASON'],
        [[event['event_time'], event['resource_name'], event['resource_status'], event['resource_status_reason']] for event in found],
    )


def resources(api: rest.Api, out: screen.Screen, args: argparse.Namespace) -> None:
    out.table(
        ['NAME', 'TYPE', 'STATUS', 'PHYSICAL ID'],
        [
            [found['resource_name'], found['resource_type'], found['resource_status'], found['physical_resource_id']]
            for found in watch.resources(api, api.find(args.stack))
        ],
    )


def show_outputs(stack: dict, out: screen.Screen) -> None:
    rows = [[output['output_key'], output.get('output_error') or output.get('output_value')] for output in stack.get('outputs', ())]
    if rows:
        out.table(['OUTPUT', 'VALUE'], rows)


def outputs(api: rest.Api, out: screen.Screen, args: argparse.Namespace) -> None:
    stack = api.call('GET', api.find(args.stack))['stack']
    if args.json:
        values = {output['output_key']: output.get('output_value') for output in stack.get('outputs', ())}
        out.say(json.dumps(values, indent=2, ensure_ascii=False))
    else:
        show_outputs(stack, out)


# name -> what it does, its function (which may give an exit status), whether it takes a stack
VERBS: dict[str, tuple[str, Callable, bool]] = {
    'list': ('all stacks of the project', list_stacks, False),
    'show': ('one stack', show, True),
    'create': ('make a stack and watch it come to life', create, True),
    'preview': ('what a create or an update would do', changes.preview, True),
    'retry': ('go on with a failed action where it stopped', resort.retry, True),
    'protect': ('keep a stack from being deleted', resort.protect, True),
    'delete': ('delete a stack', delete, True),
    'failures': ('what failed in a stack, even after a rollback or a delete', resort.failures, True),
    'events': ('what happened to a stack', events, True),
    'resources': ('the resources of a stack', resources, True),
    'outputs': ('the outputs of a stack', outputs, True),
}


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog='heat-lite stack', description='Stacks, over the REST API.')
    top.add_argument(
        '--endpoint', metavar='URL', help='http://HOST:PORT/v1/PROJECT; else OS_* variables, HEAT_LITE_ENDPOINT, or this machine'
    )
    top.add_argument('--token', help='sent as X-Auth-Token')
    verbs = top.add_subparsers(dest='verb', required=True)
    made = {}
    for name, (text, function, takes_stack) in VERBS.items():
        made[name] = verbs.add_parser(name, help=text)
        made[name].set_defaults(function=function)
        if takes_stack:
            made[name].add_argument('stack', help='its name or id')
    made['preview'].add_argument('--existing', action='store_true', help='keep what is not given (as PATCH does)')
    made['preview'].add_argument('--detailed-exitcode', action='store_true', help='exit with 2 where there is something to do')
    for name in ('create', 'preview'):
        made[name].add_argument('-t', '--template', type=Path, required=name == 'create')
        made[name].add_argument('-e', '--environment', type=Path)
        made[name].add_argument('-P', '--parameter', type=parameter, action='append', default=[], metavar='NAME=VALUE')
    for name in ('create', 'delete', 'retry'):
        made[name].add_argument('--no-wait', action='store_true', help='return at once')
    for name in ('outputs', 'preview'):
        made[name].add_argument('--json', action='store_true', help='as one JSON object')
    made['protect'].add_argument('--off', action='store_true', help='no longer')
    made['delete'].add_argument('--force', action='store_true', help='forget what cannot be deleted, and list it')
    return top


def main(argv: list[str] | None = None) -> int:
    args = parser().parse_args(argv)
    try:
        return args.function(rest.from_environment(args.endpoint, args.token), screen.Screen(), args) or 0
    except BrokenPipeError:
        # whoever reads has seen enough (`| head`); nothing may be written to the pipe at exit either
        sys.stdout = None  # type: ignore[assignment]
    except (rest.Refused, watch.Failed, OSError) as error:
        print(f'heat-lite: {error}', file=sys.stderr)
        return 1
    return 0
