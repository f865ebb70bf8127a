"""The members of groups: what each is to be, which go when a group shrinks, and in which batches they change.

Pure functions. The template of the inside of a group is made here too; it is written in a fixed version of the language, whatever the
version of the template around it.
"""

import typing
from collections.abc import Callable, Collection, Iterable, Sequence

VERSION = '2015-04-30'
REFS, REFS_MAP = 'refs', 'refs_map'


# --------------------------------------------------------------- what a member is to be


def numbered(snippet, placeholder: str, name: str):
    """The same values with the member's name wherever the placeholder is part of a text. Keys of maps stay as they are."""
    if isinstance(snippet, str):
        return snippet.replace(placeholder, name)
    if isinstance(snippet, dict):
        return {key: numbered(value, placeholder, name) for key, value in snippet.items()}
    if isinstance(snippet, list):
        return [numbered(value, placeholder, name) for value in snippet]
    return snippet


def template(members: dict, outputs: dict) -> dict:
    """The template of the inside: ``members`` by name, ``outputs`` by name with what each is the value of."""
    data: dict = {'heat_template_version': VERSION}
    if members:
        data['resources'] = members
    if outputs:
        data['outputs'] = {name: {'value': value} for name, value in outputs.items()}
    return data


# --------------------------------------------------------------- what the outputs of the inside are


def output_name(path: Sequence) -> str:
    """The name of the output that holds what an attribute path asks of the members."""
    return ', '.join(str(part) for part in path)


def references(names: Iterable[str]) -> list:
    return [{'get_resource': name} for name in names]


def references_map(names: Iterable[str]) -> dict:
    return {name: {'get_resource': name} for name in names}


def attribute(name: str, path: Sequence) -> dict:
    return {'get_attr': [name, *path]}


def attributes_list(names: Iterable[str], path: Sequence) -> list:
    return [attribute(name, path) for name in names]


def attributes_map(names: Iterable[str], path: Sequence) -> dict:
    return {name: attribute(name, path) for name in names}


def member_path(path: Sequence) -> tuple[str, list] | None:
    """The member that ``resource.N``, ``resource.N.attribute`` or (resource, N) at the begin of a path means, and what is asked of it.

    None where the path asks for something else. Only the first two dots count: what comes after them is the member's own affair.
    """
    first, *rest = path
    if first == 'resource' and rest:
        return str(rest[0]), rest[1:]
    if not isinstance(first, str) or not first.startswith('resource.'):
        return None
    _, member, *more = first.split('.', 2)
    return member, [*more, *rest]


# --------------------------------------------------------------- who is there


def first_names(count: int, removed: Collection[str] = ()) -> list[str]:
    """The names of a group that counts its members: '0', '1' and so on, without those that have been removed for good."""
    names: list[str] = []
    number = 0
    while len(names) < count:
        if str(number) not in removed:
            names.append(str(number))
        number += 1
    return names


def removed_names(before: Iterable[str], wanted: Iterable, present: dict[str, str] | None, append: bool) -> list[str]:
    """The names that a group shall not use (again).

    ``wanted`` are names or references of members, ``present`` is {name: reference} of those that are there; None where there are none yet,
    and any name will do. What is neither a member nor removed already is left out. ``append`` keeps those removed ``before``.
    """
    before = set(before)
    names = {reference: name for name, reference in (present or {}).items()}
    chosen = {names.get(str(each), str(each)) for each in wanted}
    if present is not None:
        chosen &= {*present, *before}
    return sorted(chosen | before if append else chosen)


def newest(names: Sequence[str], count: int) -> list[str]:
    """Those that stay when the oldest go. ``names`` begins with the oldest."""
    return list(names[-count:]) if count else []


class Member(typing.NamedTuple):
    """One that is there: ``made`` tells its age, by order; ``failed`` that it does not work."""

    name: str
    made: typing.Any
    failed: bool = False


def by_worth(present: Iterable[Member]) -> list[str]:
    """Names in the order in which they go: the failed ones first, then the oldest."""
    return [each.name for each in sorted(present, key=lambda each: (not each.failed, each.made))]


# --------------------------------------------------------------- how many


def resized(current: int, adjustment: float, kind: str, lowest: int, highest: int, least_step: int | None = None) -> int:
    """The size of a group after an adjustment: ``change``, ``percent`` or ``exact``, within its bounds.

    A percentage is cut off to whole members, but never to none.
    """
    if kind == 'exact':
        wanted = int(adjustment)
    elif kind == 'percent':
        wanted = current + _part(current * adjustment / 100, least_step)
    else:
        wanted = current + int(adjustment)
    return max(lowest, min(wanted, highest))


def _part(change, least_step):
    if not change:
        return 0
    size = max(int(abs(change)), 1, least_step or 0)
    return size if change > 0 else -size


# --------------------------------------------------------------- in which batches


class Stage(typing.NamedTuple):
    """One step of a change: who is there after it, and who of these is as wanted by then."""

    names: list[str]
    changed: frozenset[str]


class Pace(typing.NamedTuple):
    """How fast a group may change: at most ``batch`` members at once, while ``in_service`` others stay as they are if that many can be.

    ``pause`` is the time between two batches, in seconds.
    """

    batch: int
    in_service: int = 0
    pause: float = 0


def stages(
    present: Sequence[str],
    names_at: Callable[[int], list[str]],
    target: int,
    order: Sequence[str],
    pace: Pace,
    current: Collection[str] = (),
) -> list[Stage]:
    """The steps from those present to ``target`` members that are all as wanted.

    ``names_at(size)`` are the members of a group of that size, ``order`` those of the last step in the order in which they shall change,
    ``current`` those that are as wanted already. To keep enough members in service the group may be larger in between::

        present 0 1 2 3, target 4, batch 2, in service 3:    +4, change 3  |  change 2 1  |  change 0, -4
    """
    steps: list[Stage] = []
    present, done = list(present), set(current)
    while True:
        waiting = [name for name in order if name not in done]
        names = names_at(_size(len(present), target, len(waiting), pace))
        staying = [name for name in names if name in present]
        added = [name for name in names if name not in present]
        free = min(min(pace.batch, len(waiting)) - len(added), len(staying) - min(pace.in_service, target))
        changing = [name for name in waiting if name in staying][: max(0, free)]
        if not added and not changing and names == present:
            return steps
        done.update(added, changing)
        steps.append(Stage(names, frozenset(done.intersection(names))))
        present = names


def _size(now, target, waiting, pace):
    """How large the group has to be during the next batch."""
    if not waiting:
        return target
    batch = min(pace.batch, waiting)
    return min(max(target, min(pace.in_service, target) + batch), now + batch)


def counted(present: Sequence[str], target: int, pace: Pace, removed: Collection[str] = (), current: Collection[str] = ()) -> list[Stage]:
    """The stages of a group that counts its members; the highest numbers change first."""
    kept = [name for name in present if name not in removed]
    order = first_names(target, removed)[::-1]
    steps = stages(kept, lambda size: first_names(size, removed), target, order, pace, current)
    return steps or [Stage(first_names(target, removed), frozenset(current))]


def renewed(present: Sequence[str], target: int, pace: Pace, new_name: Callable[[], str], current: Collection[str] = ()) -> list[Stage]:
    """The stages of a group in which the oldest go; ``present`` begins with those, and ``target`` is not more than they are.

    Members that go at the end are not changed before: all that stay are.
    """
    batch = min(pace.batch, len([name for name in newest(present, target) if name not in current]))
    more = max(0, min(pace.in_service, target) + batch - len(present)) if batch else 0
    everyone = [*present, *(new_name() for _ in range(more))]
    return stages(present, lambda size: newest(everyone, size), target, newest(everyone, target), pace, current)
