"""The resources of a stack and of its nested stacks, as they change during an action."""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from heat_lite.cli.display import terminal
from heat_lite.common import printable
from heat_lite.common.value_types import Values

DELETED = 'DELETE_COMPLETE'
#: the longest way from a stack to a nested stack that is listed
NESTED_DEPTH = 5
#: names of members in a line
MAX_NAMES = 3
HOOK_NAMES = ('pre-create', 'post-create', 'pre-update', 'post-update', 'pre-delete', 'post-delete')


@dataclasses.dataclass
class Member:
    """One resource.

    ``path`` has the names of the resources that contain it, e.g. ``outer/inner``. ``started`` and
    ``ended`` are seconds since the beginning of the observation; None if it was not observed.
    """

    path: str
    row: Values
    depth: int = 0
    started: float | None = None
    ended: float | None = None
    touched: bool = False

    @property
    def name(self) -> str:
        return self.row['resource_name']

    @property
    def status(self) -> str:
        return self.row['resource_status']

    @property
    def reason(self) -> str:
        return self.row.get('resource_status_reason') or ''

    @property
    def outcome(self) -> str:
        return terminal.outcome(self.status)

    def seconds(self, now: float) -> float | None:
        """Return the duration of the work on the resource."""
        if self.started is None:
            return None
        return (now if self.ended is None else self.ended) - self.started


def stack_of(row: dict) -> str:
    """Return the id of the stack that a row of the list of resources belongs to."""
    return _linked(row, 'stack')


def is_of_stack(event: Values) -> bool:
    """Return whether an event is about its stack itself."""
    return event.get('physical_resource_id') == stack_of(event)


def nested_of(row: dict) -> str:
    """Return the id of the nested stack of a resource; an empty string without one."""
    return _linked(row, 'nested')


def _linked(row: dict, relation: str) -> str:
    for link in row.get('links') or ():
        if link.get('rel') == relation:
            return link.get('href', '').rstrip('/').rpartition('/')[2]
    return ''


def tree_of(rows: Iterable[dict]) -> 'ResourceTree':
    """Return the tree of a list of resources."""
    tree = ResourceTree()
    tree.update(rows, 0, is_first=True)
    return tree


class ResourceTree:
    """The members by path, each after the member that contains it."""

    def __init__(self) -> None:
        self.members: dict[str, Member] = {}
        #: the last failure of each path, which a rollback may have removed since
        self.failures: dict[str, Member] = {}
        #: whether the action has made all members, so that its rollback deletes them
        self.is_new = False
        #: the paths that an update will change; ``group/`` for unknown ones in it; None if unknown
        self.plan: Set[str] | None = None
        #: {id of a nested stack: path of its resource}
        self._bases: dict[str, str] = {}

    def update(self, rows: Iterable[dict], now: float, is_first: bool = False) -> list[Member]:
        """Take in the list of resources. Return the members whose status has changed.

        A member that is no longer listed is deleted. The members of the first list, ``is_first``,
        are the state before the action.
        """
        rows, order = list(rows), list(self.members)
        self.is_new = not rows if is_first else self.is_new
        previous, self.members, changed = self.members, {}, []
        for path, depth, row in _in_order(rows):
            known = previous.pop(path, None)
            member = known or Member(path, row, depth)
            is_changed = known is None or _has_changed(known.row, row)
            member.row = row
            self.members[path] = member
            if nested := nested_of(row):
                self._bases[nested] = path
            if is_first and member.outcome == 'IN_PROGRESS':
                self._note_change(member, now)
            if is_changed and not is_first:
                self._note_change(member, now)
                changed.append(member)
        if previous:
            every = {**self.members, **previous}
            self.members = {path: every[path] for path in _with_vanished(order, self.members)}
        for member in previous.values():
            if member.status != DELETED:
                member.row = {**member.row, 'resource_status': DELETED}
                self._note_change(member, now)
                changed.append(member)
        return changed

    def recall(self, work: Mapping[tuple[str, str], tuple[float, float | None]]) -> None:
        """Take in the work before: {(id of the stack, name): (began, ended)}."""
        for member in self.members.values():
            began, ended = work.get((stack_of(member.row), member.name), (None, None))
            if began is not None and (ended is None) == (member.outcome == 'IN_PROGRESS'):
                member.started = began
                self._note_change(member, began if ended is None else ended)

    def _note_change(self, member: Member, now: float) -> None:
        if not member.outcome:
            return
        member.touched = True
        if member.outcome == 'IN_PROGRESS':
            member.started, member.ended = now, None
            return
        if member.started is None:
            member.started = now
        member.ended = now
        if member.outcome == 'FAILED':
            self.failures[member.path] = dataclasses.replace(member)

    def causes(self) -> list[Member]:
        """Return the failures that no failure of a nested member explains."""
        return [
            member
            for path, member in self.failures.items()
            if not any(other.startswith(path + '/') for other in self.failures)
        ]

    def begin_rollback(self) -> None:
        """Plan to undo what has been touched."""
        self.set_plan({path for path, member in self.members.items() if member.touched}, True)

    def set_plan(self, paths: Set[str], is_rollback: bool) -> None:
        """Plan what is still to change: no work on it that has ended was of this action.

        A failure was, except in a rollback, which begins with it.
        """
        self.plan = paths
        for member in map(self.members.__getitem__, self.members.keys() & paths):
            if member.outcome == 'COMPLETE' or (is_rollback and member.outcome == 'FAILED'):
                member.touched, member.started, member.ended = False, None, None

    def is_planned(self, path: str) -> bool:
        """Return whether the plan has a path, or does not know what it contains."""
        if self.plan is None or path in self.plan:
            return True
        return any(f'{path[:end]}/' in self.plan for end, sign in enumerate(path) if sign == '/')

    def at_work(self) -> str:
        """Return the paths of the members at work, of many the first ones; '' for none."""
        busy = [each.path for each in self.members.values() if each.outcome == 'IN_PROGRESS']
        return ', '.join(busy[:MAX_NAMES]) + ' and others' * (len(busy) > MAX_NAMES)

    def knows(self, event: Values) -> bool:
        """Return whether the nested stack of an event was listed."""
        return stack_of(event) in self._bases

    def path_of(self, event: Values) -> str:
        """Return the path of the member that an event is about, of a nested stack that of its
        resource. Of a stack that was never listed, it is the name.
        """
        base, name = self._bases.get(stack_of(event), ''), event['resource_name']
        if base and is_of_stack(event):
            return base
        return f'{base}/{name}' if base else name


def _has_changed(before: dict, row: dict) -> bool:
    """Whether a resource has another state, has failed again for another reason, or has been
    replaced by a complete one.
    """
    if before['resource_status'] != row['resource_status']:
        return True
    reason = 'resource_status_reason'
    if terminal.outcome(row['resource_status']) == 'FAILED' and before.get(reason) != row.get(
        reason
    ):
        return True
    is_replaced = before.get('physical_resource_id') != row.get('physical_resource_id')
    return is_replaced and terminal.outcome(row['resource_status']) == 'COMPLETE'


def _in_order(rows: list[dict]) -> Iterator[tuple[str, int, dict]]:
    """Yield (path, depth, row), depth first, siblings by time of creation and name."""
    by_stack: dict[str, list[dict]] = {}
    for row in rows:
        by_stack.setdefault(stack_of(row), []).append(row)
    waiting = [
        ('', 0, row)
        for stack in reversed(_outermost(by_stack, rows))
        for row in reversed(_sorted(by_stack[stack]))
    ]
    while waiting:
        base, depth, row = waiting.pop()
        path = base + row['resource_name']
        yield path, depth, row
        children = by_stack.pop(nested_of(row), ()) if nested_of(row) else ()
        waiting += [(path + '/', depth + 1, each) for each in reversed(_sorted(children))]


def _with_vanished(before: Iterable[str], listed: Iterable[str]) -> Iterator[str]:
    """Yield paths depth first: the listed ones in their order, and those of before that are not
    listed after the sibling that they followed.
    """
    present, last = set(listed), {}
    vanished: dict[str, list[str]] = {}
    for path in before:
        base = path.rpartition('/')[0]
        if path in present:
            last[base] = path
        else:
            vanished.setdefault(last.get(base, base + '/'), []).append(path)
    inside: dict[str, list[str]] = {}
    for base in dict.fromkeys(path.rpartition('/')[0] for path in (*before, *listed)):
        inside[base] = vanished.get(base + '/', [])
    for path in listed:
        inside[path.rpartition('/')[0]] += [path, *vanished.get(path, ())]
    waiting = inside.get('', [])[::-1]
    while waiting:
        path = waiting.pop()
        yield path
        waiting += inside.get(path, [])[::-1]


def _outermost(by_stack: Mapping[str, list[dict]], rows: Sequence[dict]) -> list[str]:
    """Return the stacks that are in no other.

    A nested stack is listed a moment before the resource that contains it has its link. It is left
    out until then: its members would be taken for those of the outermost stack.
    """
    nested = {nested_of(row) for row in rows} - {''}
    unlinked = {row['resource_name']: stack_of(row) for row in rows if not nested_of(row)}
    outermost: list[str] = []
    others: list[str] = []
    for stack, members in by_stack.items():
        if stack not in nested:
            container = unlinked.get(members[0].get('parent_resource'), stack)
            (outermost if container == stack else others).append(stack)
    return outermost or others


def _sorted(rows: Sequence[dict]) -> list[dict]:
    return sorted(rows, key=_sort_key)


def _sort_key(row: dict) -> tuple:
    """Members of a group, whose names are numbers, are in the order of their numbers."""
    name = row['resource_name']
    number = int(name) if name.isascii() and name.isdigit() else -1
    return row.get('creation_time') or '', number, name


def waiting_at_hooks(found: Iterable[dict]) -> Iterator[tuple[dict, str]]:
    """Yield (event, hook) of each resource whose last event about a hook is a pause.

    ``found``: the events, the oldest first.
    """
    last: dict[tuple, tuple[dict, str, bool]] = {}
    for event in found:
        reason = event.get('resource_status_reason') or ''
        key = (stack_of(event), event['resource_name'])
        hook = next((each for each in HOOK_NAMES if f'Hook {each} is ' in reason), None)
        if hook is not None:
            last[key] = (event, hook, 'paused until' in reason)
        elif not event['resource_status'].endswith('IN_PROGRESS'):
            last.pop(key, None)  # the hook has ended with its action
    for event, hook, is_paused in last.values():
        if is_paused:
            yield event, hook


def describe_hooks(stack: str, tree: ResourceTree, found: Iterable[dict]) -> str:
    """Return what waits at a hook, and the command that continues; '' if nothing waits."""
    paused = list(waiting_at_hooks(found))
    if not paused:
        return ''
    event, hook = paused[0]
    text = f'waits at a hook: heat-lite hook clear {stack} {tree.path_of(event)} {hook}'
    if len(paused) > 1:
        text = f'{len(paused)} resources wait at hooks: heat-lite hook list {stack}'
    return printable.escape(text)
