"""Verbs that act on a stack as a whole, from ``delete`` to ``drift``."""

import argparse
import functools
import json
from collections.abc import Iterator

from heat_lite.cli import action_history, api_client, arguments, errors
from heat_lite.cli.display import outcome, progress, resource_tree, terminal, views
from heat_lite.cli.option_parser import argument, flag

#: how the service begins the reason of a resource that others have changed
CHANGED_BY_OTHERS = 'changed by others: '
#: between the property, its live value and the wanted one
IS, NOT = ' is ', ', not '
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
DRIFT = (arguments.STACK, arguments.DETAILED_EXITCODE)
FOLLOW = (arguments.STACK,)
PROTECT = (arguments.STACK, flag('--off', help='remove the protection'))


def delete(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> None:
    """Request the deletes, and follow them one after another."""
    paths = [api.find(name) for name in args.stack]
    question = f'Delete {", ".join(args.stack)} with all resources?'
    if not args.yes and terminal.can_ask() and out.live and not terminal.ask(question):
        raise errors.CommandError('nothing is deleted')
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
    is_new = progress.rolls_create_back(api, path)
    history = action_history.read(api, path)
    before = progress.Before(None, rows, is_new=is_new, until_idle=True, history=history)
    outcome.follow(api, path, out, None, before)


def drift(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> int:
    """Check a stack and list the properties that others have changed.

    Return 3 for changes with ``--detailed-exitcode``, else 0. Raises StackFailed after the list if
    objects are missing or broken.
    """
    path, failure = api.find(args.stack), None
    before = progress.state_before(api, path)
    api.call('POST', f'{path}/actions', {'check': None})
    try:
        outcome.follow(api, path, out, 'CHECK', before)
    except errors.StackFailed as error:
        failure = error
    changed = list(_changes(progress.list_resources(api, path)))
    if out.is_json:
        for each in changed:
            out.write_json(each, indent=None)
    elif changed:
        keys = ('resource', 'resource_type', 'property', 'wanted', 'found')
        out.table(
            ['RESOURCE', 'TYPE', 'PROPERTY', 'WANTED', 'FOUND'],
            [[each[key] for key in keys] for each in changed],
        )
    elif failure is None:
        out.write_line('no drift')
    if failure is not None:
        raise failure
    return errors.CHANGED if changed and args.detailed_exitcode else errors.DONE


def _changes(rows: list[dict]) -> Iterator[dict]:
    """Yield each property that others have changed, of all resources."""
    tree = resource_tree.tree_of(rows)
    for member in tree.members.values():
        text = member.reason.partition(CHANGED_BY_OTHERS)[2]
        for change in read_drift(text) if text else ():
            yield {
                'resource': member.path,
                'resource_type': member.row['resource_type'],
                **change,
            }


def read_drift(text: str) -> list[dict]:
    """Return the changes that a check has found: ``name is JSON, not JSON; ...``.

    A text of another form, such as a shortened one, is the value of ``found`` as it is.
    """
    decoder, changes, position = json.JSONDecoder(), [], 0
    try:
        while position < len(text):
            start = text.index(IS, position)
            found, end = decoder.raw_decode(text, start + len(IS))
            wanted, end = decoder.raw_decode(text, _after(text, NOT, end))
            name = text[position:start]
            changes.append({'property': name, 'wanted': wanted, 'found': found})
            position = end if end == len(text) else _after(text, '; ', end)
    except ValueError:
        return [{'property': None, 'wanted': None, 'found': text}]
    return changes


def _after(text: str, part: str, position: int) -> int:
    """Return the position after ``part``. Raises ValueError if it does not stand there."""
    if not text.startswith(part, position):
        raise ValueError(f'{part!r} is missing at {position}')
    return position + len(part)
