"""``heat-lite stack preview``: what a create or an update would do, before it does it."""

import argparse
import json
from typing import Any

from heat_lite.cmd.cli import rest, screen

#: action -> its sign in front of a resource, and the status in whose colour it is shown
SIGNS = {
    'create': ('+', 'CREATE_COMPLETE'),
    'update': ('~', 'UPDATE_IN_PROGRESS'),
    'replace': ('!', 'DELETE_FAILED'),
    'delete': ('-', 'DELETE_FAILED'),
}
CHANGED = 2


def preview(api: rest.Api, out: screen.Screen, args: argparse.Namespace) -> int:
    """Show it. With ``--detailed-exitcode`` 2 says that there is something to do."""
    answer = _asked(api, args)
    if args.json:
        out.say(json.dumps(answer, indent=2, ensure_ascii=False))
    else:
        _show(answer, out)
    return CHANGED if args.detailed_exitcode and answer['has_changes'] else 0


def _asked(api: rest.Api, args: argparse.Namespace) -> dict[str, Any]:
    body: dict[str, Any] = {'parameters': dict(args.parameter)}
    if args.template:
        body['template'] = args.template.read_text()
    if args.environment:
        body['environment'] = args.environment.read_text()
    try:
        path = api.find(args.stack)
    except rest.Refused as error:
        if error.status != 404 or not args.template:
            raise
        made = api.call('POST', '/stacks/preview', {**body, 'stack_name': args.stack})['stack']
        return {'resource_changes': {'added': flat(made['resources'])}, **{key: made.get(key) for key in ('has_changes', 'digest')}}
    return api.call('PATCH' if args.existing else 'PUT', f'{path}/preview', body)


def flat(resources: list) -> list[dict]:
    """The resources of the stacks inside of others are lists in the list."""
    found: list[dict] = []
    for each in resources:
        found.extend(flat(each) if isinstance(each, list) else [each])
    return found


def _show(answer: dict[str, Any], out: screen.Screen) -> None:
    if answer.get('refused'):
        out.say(f'an update would be refused now: {answer["refused"]}')
    if not answer['has_changes']:
        out.say('nothing to do')
        return
    counts = _show_all(answer['resource_changes'], out, '')
    if not any(counts.values()):
        out.say('no resource changes: only what the stack is described by')
        return
    out.say()
    out.say(', '.join(f'{count} to {action}' for action, count in counts.items() if count))


def _show_all(changes: dict[str, list], out: screen.Screen, indent: str) -> dict[str, int]:
    counts = dict.fromkeys(SIGNS, 0)
    for resource in (each for listed in changes.values() for each in listed):
        if resource.get('action') in SIGNS:
            counts[resource['action']] += 1
            _show_one(resource, out, indent)
        if resource.get('nested'):
            for action, count in _show_all(resource['nested']['resource_changes'], out, indent + '    ').items():
                counts[action] += count
    return counts


def _show_one(resource: dict[str, Any], out: screen.Screen, indent: str) -> None:
    sign, status = SIGNS[resource['action']]
    word = f'may {resource["action"]}' if resource.get('may_replace') else resource['action']
    reason = f'  ({resource["reason"]})' if resource.get('reason') else ''
    out.say(
        f'{indent}{out.paint(sign, status)} {resource["resource_name"]}  {resource["resource_type"]}  {out.paint(word, status)}{reason}'
    )
    for change in resource.get('property_changes', ()):
        after = screen.cell(change['after']) if change['known'] else '(known later)'
        before = f'{screen.cell(change["before"])} -> ' if change['before'] is not None else ''
        mark = '  takes a new resource' if change['forces_replacement'] else ''
        out.say(f'{indent}    {change["property"]}: {before}{after}{mark}')
    for part in resource.get('definition_changes', ()):
        out.say(f'{indent}    {part} changes')
