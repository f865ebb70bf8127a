"""``heat-lite stack retry|protect|failures``: what helps when things went wrong, or should not."""

import argparse

from heat_lite.cmd.cli import rest, screen, watch


def retry(api: rest.Api, out: screen.Screen, args: argparse.Namespace) -> None:
    path = api.find(args.stack)
    known = watch.resources(api, path)
    api.call('POST', f'{path}/actions', {'retry': None})
    if not args.no_wait:
        watch.follow(api, path, out, known)


def protect(api: rest.Api, out: screen.Screen, args: argparse.Namespace) -> None:
    api.call('POST', f'{api.find(args.stack)}/actions', {'unprotect' if args.off else 'protect': None})


def failures(api: rest.Api, out: screen.Screen, args: argparse.Namespace) -> None:
    found = api.call('GET', api.find(args.stack), resolve_outputs='false')['stack'].get('failures') or []
    if not found:
        out.say('no failures are remembered')
        return
    out.table(['TIME', 'WHILE', 'RESOURCE', 'ACTION', 'PHYSICAL ID', 'REASON'], [_row(each) for each in found])


def _row(failure: dict) -> list:
    reason = failure['reason']
    if failure.get('times', 1) > 1:
        reason += f' ({failure["times"]} times)'
    if failure.get('holds'):
        reason += f'; holds {", ".join(failure["holds"])}'
    if failure.get('forgotten'):
        reason += '; forgotten, it is still there'
    return [
        failure['time'],
        failure['stack_action'],
        failure['resource_name'] or '(the stack)',
        failure['action'],
        failure['physical_resource_id'],
        reason,
    ]
