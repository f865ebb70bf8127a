"""Verbs that act on a stack as a whole, from ``delete`` to ``drift``."""

import argparse
import functools
from collections.abc import Iterator

from heat_lite.cli import action_history, api_client, arguments, errors
from heat_lite.cli.display import outcome, progress, resource_tree, terminal, views
from heat_lite.cli.option_parser import argument, flag

NO_DRIFT_ROUTE = (
    'this service does not compare stacks with the cloud; `heat-lite check` makes it verify that'
    ' the objects exist, as an action on the stack'
)
DELETE = (
    argument('stack', metavar='STACK', nargs='+', help='name or id of a stack; may be several'),
    flag('--force', help='abandon resources that cannot be deleted, and list them'),
    arguments.YES,
    arguments.NO_WAIT,
)
CANCEL = (
    arguments.STACK,
    flag('--no-rollback', help='stop where the action is; also cancels a create'),
    arguments.NO_WAIT,
)
SUSPEND = RESUME = CHECK = RETRY = (arguments.STACK, arguments.NO_WAIT)
DRIFT = FOLLOW = (arguments.STACK,)
PROTECT = (arguments.STACK, flag('--off', help='remove the protection'))


def delete(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> None:
    """Request the deletes, and follow them one after another."""
    paths = [api.find(name) for name in args.stack]
    question = f'Delete {", ".join(args.stack)} with all resources?'
    arguments.confirm(args, question, 'nothing is deleted')
    begun, failed = [], []
    for path in paths:
        before = progress.state_before(api, path)
        try:
            api.call('DELETE', path, **({'force': 'true'} if args.force else {}))
            begun.append((path, before))
        except api_client.RequestFailed as error:
            if len(paths) == 1:
                raise
            failed.append(f'{outcome.name_of(path)}: {error}')
    for path, before in () if args.no_wait else begun:
        try:
            outcome.follow(api, path, out, 'DELETE', before)
        except errors.StackFailed as error:
            failed.append(str(error))
    if failed:
        raise errors.StackFailed('\n'.join(failed))


def _act(
    api: api_client.ApiClient,
    out: terminal.Terminal,
    args: argparse.Namespace,
    action: str,
    expected: str,
) -> None:
    """Request an action and follow it until it ends as ``expected``."""
    path = api.find(args.stack)
    before = progress.state_before(api, path)
    api.call('POST', f'{path}/actions', {action: None})
    if not args.no_wait:
        outcome.follow(api, path, out, expected, before)


suspend = functools.partial(_act, action='suspend', expected='SUSPEND')
resume = functools.partial(_act, action='resume', expected='RESUME')
check = functools.partial(_act, action='check', expected='CHECK')


def cancel(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> None:
    """Cancel the running action; with a rollback unless the user wants none."""
    if not args.no_rollback:
        _act(api, out, args, 'cancel_update', 'ROLLBACK')
        return
    path = api.find(args.stack)
    before = progress.state_before(api, path)
    api.call('POST', f'{path}/actions', {'cancel_without_rollback': None})
    if args.no_wait:
        return
    follower = progress.Follower(api, path, views.choose(out), before)
    stack = follower.follow()
    if out.is_json:
        out.write_json({'stack': stack}, indent=None)
        return
    name = stack['stack_name']
    out.write_line(f'{name}: {stack["stack_status"]} ({stack["stack_status_reason"]})')
    busy = follower.tree.at_work()
    if busy:
        out.write_line(f'still at work: {busy}; `heat-lite retry {name}` waits, and continues')


def retry(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> None:
    """Continue a failed action, after a cancel as soon as no resource is at work any more."""
    path = api.find(args.stack)
    if args.no_wait:
        api.call('POST', f'{path}/actions', {'retry': None})
        return
    waiting = progress.Follower(api, path, views.choose(out), progress.state_before(api, path))
    before = waiting.request({'retry': None})
    outcome.follow(api, path, out, None, before)


def protect(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> None:
    action = 'unprotect' if args.off else 'protect'
    api.call('POST', f'{api.find(args.stack)}/actions', {action: None})
    remedy = '' if args.off else f': `heat-lite protect --off {args.stack}` permits it again'
    out.confirm(f'{args.stack} can {"" if args.off else "not "}be deleted{remedy}')


def follow(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> None:
    path = api.find(args.stack)
    rows = tuple(progress.list_resources(api, path))
    history = action_history.read(api, path)
    before = progress.Before(None, rows, until_idle=True, history=history)
    outcome.follow(api, path, out, None, before)


def drift(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> int:
    """List the objects that others have changed or deleted, and what was not compared.

    Nothing changes. Return DRIFTED, NOT_COMPARED where no drift is known but the comparison has
    gaps, else DONE.
    """
    path = api.find(args.stack)
    try:
        found = api.get(f'{path}/drift', nested_depth=resource_tree.NESTED_DEPTH)['drift']
    except api_client.RequestFailed as error:
        if error.status != 404:
            raise
        raise errors.CommandError(NO_DRIFT_ROUTE) from None
    changes, unchecked = list(_changes(found['resources'])), found['unchecked']
    _show_drift(out, changes, [{**_place(each), 'reason': each['reason']} for each in unchecked])
    return errors.DRIFTED if changes else errors.NOT_COMPARED if unchecked else errors.DONE


def _changes(resources: list[dict]) -> Iterator[dict]:
    """Yield each property that others have changed; an object that is gone has no property."""
    for each in resources:
        place = {**_place(each), 'status': each['status']}
        for one in each['properties'] or ({'property': None, 'expected': None, 'actual': None},):
            values = {'wanted': one['expected'], 'found': one['actual']}
            yield {**place, 'property': one['property'], **values}


def _place(row: dict) -> dict:
    return {'resource': row['path'], 'resource_type': row['resource_type']}


def _show_drift(out: terminal.Terminal, changes: list[dict], unchecked: list[dict]) -> None:
    if out.is_json:
        for each in (*changes, *({**each, 'status': 'unchecked'} for each in unchecked)):
            out.write_json(each, indent=None)
        return
    if changes:
        keys = ('resource', 'resource_type', 'property', 'wanted', 'found')
        rows = [
            [*(each[key] for key in keys[:2]), '', 'an object', 'it is missing']
            if each['status'] == 'missing'
            else [each[key] for key in keys]
            for each in changes
        ]
        out.table(['RESOURCE', 'TYPE', 'PROPERTY', 'WANTED', 'FOUND'], rows)
    if unchecked:
        rows = [list(each.values()) for each in unchecked]
        out.table(['NOT COMPARED', 'TYPE', 'REASON'], rows)
    if not changes:
        out.write_line('no drift in what was compared' if unchecked else 'no drift')
