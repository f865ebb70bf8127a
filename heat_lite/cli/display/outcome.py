"""The end of an action: its causes of failure, its outputs, and what to do next."""

import urllib.parse
from collections.abc import Sequence

from heat_lite.cli import api_client, errors
from heat_lite.cli.display import progress, resource_tree, terminal, views
from heat_lite.common.value_types import Value, Values

MAX_CAUSES = 10
#: reads of nested stacks for their failures
MAX_READS = 20
RETRY = ('retry', 'continue where it stopped')
#: the actions that follow a template
BUILDS = ('CREATE', 'UPDATE', 'RESTORE', 'ROLLBACK')
#: {failed action: (verb, what it does)} of the command that goes on from there
REMEDIES = {
    **dict.fromkeys((*BUILDS, 'DELETE'), RETRY),
    'CHECK': ('update --existing --converge', 'repair what differs'),
    'SUSPEND': ('suspend', 'try again'),
    'RESUME': ('resume', 'try again'),
    'SNAPSHOT': ('snapshot create', 'try again'),
    'ADOPT': ('abandon', 'forget the stack; all objects stay'),
}


def follow_or_tell(
    api: api_client.ApiClient,
    path: str,
    out: terminal.Terminal,
    expected: str,
    no_wait: bool,
    before: progress.Before = progress.NO_STACK,
) -> None:
    """Show an action until its end; with ``no_wait`` only the id of the stack."""
    if no_wait:
        out.write_line(path.split('/')[3])
    else:
        follow(api, path, out, expected, before)


def follow(
    api: api_client.ApiClient,
    path: str,
    out: terminal.Terminal,
    expected: str | None = None,
    before: progress.Before = progress.NO_STACK,
    limit: float | None = None,
    correct: str = 'apply -t FILE',
) -> Values:
    """Show an action until its end. Return the stack.

    ``expected`` is the action that has to end as complete; None for any action but a rollback.
    ``correct`` is the verb, with its options, that applies a corrected template.
    Raises StackFailed with the causes, and Interrupted with what to do next.
    """
    follower = progress.Follower(api, path, views.choose(out), before)
    try:
        stack = follower.follow(limit)
    except errors.Interrupted:
        raise errors.Interrupted(_detached(name_of(path), follower)) from None
    if not has_succeeded(stack['stack_status'], expected):
        raise errors.StackFailed(failure_text(api, stack, follower, correct))
    if out.is_json:
        out.write_json({'stack': stack}, indent=None)
    else:
        seconds = views.seconds_text(follower.seconds)
        out.write_line(f'{stack["stack_name"]}: {stack["stack_status"]} after {seconds}')
    return stack


def name_of(path: str) -> str:
    """Return the name of the stack of a path."""
    return urllib.parse.unquote(path.split('/')[2])


def _detached(name: str, follower: progress.Follower) -> str:
    """Return how to continue after the user has stopped following."""
    rows = [('follow', 'follow it again')]
    cancel = {'CREATE': 'cancel --no-rollback', 'UPDATE': 'cancel'}.get(follower.action)
    if cancel:
        rows.append((cancel, 'cancel it'))
    return '\n'.join(['the action goes on in the service.', *_commands(name, rows)])


def has_succeeded(status: str, expected: str | None) -> bool:
    if expected is None:
        return status.endswith('COMPLETE') and not status.startswith('ROLLBACK')
    return status == f'{expected}_COMPLETE'


def failure_text(
    api: api_client.ApiClient, stack: Values, follower: progress.Follower, correct: str
) -> str:
    """Return the state of a failed stack, the causes of the failure, and the next commands."""
    name, status = stack['stack_name'], stack['stack_status']
    found = causes(api, stack, follower.tree)
    lines = [f'{name}: {status} after {views.seconds_text(follower.seconds)}']
    if not found:
        lines[0] += f': {stack["stack_status_reason"]}'
    for each in found[:MAX_CAUSES]:
        lines += cause_lines(each)
    if len(found) > MAX_CAUSES:
        lines.append(f'  and {len(found) - MAX_CAUSES} more: heat-lite failures {name}')
    return '\n'.join([*lines, *_next_commands(name, status, correct, follower.tree.is_new)])


def cause_lines(cause: Values) -> list[str]:
    """Return the lines of a failure: path, type and physical id; the reason below."""
    words = [cause['path'], cause.get('resource_type'), cause.get('physical_resource_id')]
    return [
        '  ' + '  '.join(word for word in words if word),
        '      ' + ' '.join(cause['reason'].split()),
    ]


def _next_commands(name: str, status: str, correct: str, is_new: bool) -> list[str]:
    """Return what may come next; a stack that has been complete before is not to be deleted."""
    if status == 'DELETE_COMPLETE':
        return []
    rows = [('failures', 'all failures, also of earlier attempts')]
    action, _, result = status.partition('_')
    if action in BUILDS:
        rows.append((correct, 'after the template is corrected'))
    if result == 'FAILED' and action in REMEDIES:
        rows.append(REMEDIES[action])
    if action == 'DELETE':
        rows.append(('delete --force', 'give up what cannot be deleted, and list it'))
    elif is_new and action in BUILDS:
        rows.append(('delete', 'delete the stack'))
    return ['next:', *_commands(name, rows)]


def _commands(name: str, rows: Sequence[tuple[str, str]]) -> list[str]:
    """Return lines of commands with what each does."""
    commands = [(f'heat-lite {verb} {name}', text) for verb, text in rows]
    width = max(len(command) for command, _ in commands)
    return [f'  {command:{width}}  {text}' for command, text in commands]


def causes(
    api: api_client.ApiClient, stack: Values, tree: resource_tree.ResourceTree
) -> list[Values]:
    """Return the causes of a failure: path, type, physical id and reason of each.

    They are the failures that were observed, and those that the service has recorded: a rollback
    removes failed resources before they are seen.
    """
    found = {
        each.path: {**each.row, 'path': each.path, 'reason': each.reason} for each in tree.causes()
    }
    action = stack['stack_status'].partition('_')[0]
    # of a resource that has failed several times, the last failure
    latest = {each['path']: each for each in recorded(api, stack)}
    for each in latest.values():
        is_known = any(_explains(path, each['path']) for path in found)
        if not is_known and (action == 'ROLLBACK' or _is_present(each, action, tree)):
            found[each['path']] = each
    return list(found.values())


def _is_present(cause: dict, action: str, tree: resource_tree.ResourceTree) -> bool:
    """Whether a recorded failure is one of this action that no retry has repaired."""
    member = tree.members.get(cause['path'])
    return cause['stack_action'] == action and (member is None or member.outcome != 'COMPLETE')


def _explains(path: str, other: str) -> bool:
    return path == other or path.startswith(other + '/')


def recorded(api: api_client.ApiClient, stack: Values) -> list[Values]:
    """Return the recorded failures, those of nested stacks instead of those of their resource."""
    waiting = [('', each) for each in reversed(stack.get('failures') or ())]
    found, reads = [], 0
    while waiting:
        base, failure = waiting.pop()
        path = base + (failure['resource_name'] or '(the stack)')
        nested = []
        if reads < MAX_READS and _may_be_nested(failure):
            reads += 1
            nested = _nested_failures(api, failure['physical_resource_id'])
        if nested:
            waiting += [(path + '/', each) for each in reversed(nested)]
        else:
            found.append({**failure, 'path': path})
    return found


def _may_be_nested(failure: dict) -> bool:
    """Whether a failure has the form of one that comes from a nested stack."""
    return bool(failure.get('physical_resource_id')) and 'resources.' in failure['reason']


def _nested_failures(api: api_client.ApiClient, identity: str) -> list[dict]:
    try:
        return api.stack(identity).get('failures') or []
    except api_client.RequestFailed:
        return []


def show_outputs(stack: dict, out: terminal.Terminal) -> None:
    """Show the outputs of a stack as a table; nothing for a stack without outputs."""
    rows = [[each['output_key'], _output_text(each)] for each in stack.get('outputs', ())]
    if rows:
        out.table(['OUTPUT', 'VALUE'], rows)


def _output_text(output: dict) -> Value:
    error = output.get('output_error')
    return f'error: {error}' if error else output.get('output_value')
