"""The resources of a stack that wait at a hook, as its events tell."""

from collections.abc import Iterable, Iterator

from heat_lite.cmd.cli import resource_tree
from heat_lite.common import printable

HOOK_NAMES = ('pre-create', 'post-create', 'pre-update', 'post-update', 'pre-delete', 'post-delete')


def waiting(found: Iterable[dict]) -> Iterator[tuple[dict, str]]:
    """Yield (event, hook) of each resource whose last event about a hook is a pause.

    ``found``: the events, the oldest first.
    """
    last: dict[tuple, tuple[dict, str, bool]] = {}
    for event in found:
        reason = event.get('resource_status_reason') or ''
        key = (resource_tree.stack_of(event), event['resource_name'])
        hook = next((each for each in HOOK_NAMES if f'Hook {each} is ' in reason), None)
        if hook is not None:
            last[key] = (event, hook, 'paused until' in reason)
        elif not event['resource_status'].endswith('IN_PROGRESS'):
            last.pop(key, None)  # the hook has ended with its action
    for event, hook, is_paused in last.values():
        if is_paused:
            yield event, hook


def describe(stack: str, tree: resource_tree.ResourceTree, found: Iterable[dict]) -> str:
    """Return what waits at a hook, and the command that continues; '' if nothing waits."""
    paused = list(waiting(found))
    if not paused:
        return ''
    event, hook = paused[0]
    key = resource_tree.stack_of(event), event['resource_name']
    paths = (
        each.path
        for each in tree.members.values()
        if (resource_tree.stack_of(each.row), each.name) == key
    )
    path = next(paths, event['resource_name'])
    text = f'waits at a hook: heat-lite hook clear {stack} {path} {hook}'
    if len(paused) > 1:
        text = f'{len(paused)} resources wait at hooks: heat-lite hook list {stack}'
    return printable.escape(text)
