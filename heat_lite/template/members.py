"""The members of groups: their template, their names, their order of removal, rolling batches.

Pure functions. The template of the nested stack of a group has a fixed version of the language,
independent of the version of the parent's template.
"""

import copy
import itertools
import typing
from collections.abc import Callable, Collection, Iterable, Sequence

from heat_lite.common.value_types import Value
from heat_lite.template.function import Function, Scope, nodes, resolve
from heat_lite.template.functions import budget
from heat_lite.template.functions.refs import GetAttr, GetParam
from heat_lite.template.unknown import require_known

VERSION = '2015-04-30'
REFS, REFS_MAP = 'refs', 'refs_map'
#: values that a call of a function counts as: its maps and lists, and what is parsed of them
CALL_VALUES = 10
#: the key of a value that each member selects by its name
SELECT = 'Fn::Select'
#: what errors call the source of a charge
SUBJECT = 'the members of the group'


# --------------------------------------------------------------- definitions of members


def render_member(snippet: Value, placeholder: str, name: str) -> Value:
    """Return the snippet with the placeholder replaced by the member's name in all strings.

    Keys of maps are not changed. The values of ``IndexedCall`` become those of the member.
    """
    if isinstance(snippet, str):
        text = snippet.replace(placeholder, name)
        budget.charge_text(SUBJECT, len(snippet) + len(text))
        return text
    if isinstance(snippet, Function):
        call = copy.copy(snippet)
        call.args = render_member(snippet.args, placeholder, name)
        return call
    if isinstance(snippet, dict) and snippet.get(SELECT, ())[:1] == [placeholder]:
        return render_member(snippet[SELECT][1].get(name, ''), placeholder, name)
    if isinstance(snippet, dict | list):
        budget.charge_values(SUBJECT, len(snippet))
    if isinstance(snippet, dict):
        return {key: render_member(value, placeholder, name) for key, value in snippet.items()}
    if isinstance(snippet, list):
        return [render_member(value, placeholder, name) for value in snippet]
    return snippet


class IndexedCall(Function):
    """A call with the placeholder in a path, such as {get_param: [zones, '%index%']}.

    Its value is {Fn::Select: [placeholder, {index: value of the call}]}.
    """

    def __init__(self, call: Function, placeholder: str) -> None:
        self.placeholder = placeholder
        super().__init__(call.name, call)

    def result(self, scope: Scope) -> Value:
        values = {
            key: resolve(render_member(self.args, self.placeholder, key), scope)
            for call in _indexed(self.args, self.placeholder)
            for key in _keys(resolve(call, scope))
        }
        return {SELECT: [self.placeholder, values]}


def index_calls(snippet: Value, placeholder: str) -> Value:
    """Return a parsed tree with an IndexedCall for each call that has the placeholder in a path."""
    if isinstance(snippet, Function):
        indexed = any(_indexed(snippet, placeholder))
        return IndexedCall(snippet, placeholder) if indexed else snippet
    if isinstance(snippet, dict):
        return {key: index_calls(value, placeholder) for key, value in snippet.items()}
    if isinstance(snippet, list):
        return [index_calls(value, placeholder) for value in snippet]
    return snippet


def _indexed(call: Function, placeholder: str) -> Iterable[Function]:
    """Yield the calls whose values the placeholder is an index of."""
    for node in nodes(call):
        path = node.args[1:] if isinstance(node, GetParam | GetAttr) else ()
        if isinstance(path, list) and placeholder in path:
            whole = copy.copy(node)
            whole.args = node.args[: node.args.index(placeholder)]
            yield whole


def _keys(collection: Value) -> Iterable[str]:
    require_known(collection)
    if isinstance(collection, list):
        return map(str, range(len(collection)))
    return collection if isinstance(collection, dict) else ()


def charge_of(shared: Value) -> Callable[[], None]:
    """Return a function that charges a part which definitions of members have in common.

    Call it for each member: the text of the template has the part that often.
    """
    values, characters = budget.count_values(shared), budget.count_characters(shared)

    def charge() -> None:
        budget.charge_values(SUBJECT, values)
        budget.charge_text(SUBJECT, characters)

    return charge


def template(members: dict, outputs: dict) -> dict:
    """Return the template of the nested stack from ``{name: resource}`` and ``{name: value}``."""
    data: dict = {'heat_template_version': VERSION}
    if members:
        data['resources'] = members
    if outputs:
        data['outputs'] = {name: {'value': value} for name, value in outputs.items()}
    return data


def definition(snippet: Value) -> Value:
    """Return the definition of a member in the language of ``template``.

    Heat writes the nested templates of instance groups in the language of CloudFormation.
    """
    if not isinstance(snippet, dict) or 'Type' not in snippet:
        return snippet
    parts = {_CFN_PARTS.get(key, key): value for key, value in snippet.items()}
    return {key: value for key, value in parts.items() if key != 'metadata' or value}


_CFN_PARTS = {
    'Type': 'type',
    'Properties': 'properties',
    'Metadata': 'metadata',
    'DependsOn': 'depends_on',
    'DeletionPolicy': 'deletion_policy',
    'UpdatePolicy': 'update_policy',
}


# --------------------------------------------------------------- outputs of the nested stack


def output_name(path: Sequence) -> str:
    """Return the name of the output that holds the value of an attribute path of the group."""
    return ', '.join(str(part) for part in path)


def reference_list(names: Collection[str]) -> list:
    _charge_calls(names)
    return [{'get_resource': name} for name in names]


def reference_map(names: Collection[str]) -> dict:
    _charge_calls(names)
    return {name: {'get_resource': name} for name in names}


def attribute_call(name: str, path: Sequence) -> dict:
    return {'get_attr': [name, *path]}


def attribute_list(names: Collection[str], path: Sequence) -> list:
    _charge_calls(names)
    return [attribute_call(name, path) for name in names]


def attribute_map(names: Collection[str], path: Sequence) -> dict:
    _charge_calls(names)
    return {name: attribute_call(name, path) for name in names}


def _charge_calls(names: Collection[str]) -> None:
    """Charge a call for each member: a template can read thousands of attributes of them."""
    budget.charge_values('the outputs of the group', CALL_VALUES * len(names))


def member_path(path: Sequence) -> tuple[str, list] | None:
    """Return ``(member, remaining path)`` of an attribute path, None if it names no member.

    A path begins with ``resource.N``, ``resource.N.attribute`` or ('resource', N). Only the first
    two dots separate parts: the member evaluates the rest.
    """
    first, *rest = path
    if first == 'resource' and rest:
        return str(rest[0]), rest[1:]
    if not isinstance(first, str) or not first.startswith('resource.'):
        return None
    _, member, *more = first.split('.', 2)
    return member, [*more, *rest]


# --------------------------------------------------------------- names of members


def first_names(count: int, removed: Collection[str] = ()) -> list[str]:
    """Return the names of ``count`` members, '0', '1' and so on, skipping the removed ones."""
    require_known(count)  # islice refuses it with an error of its own
    removed = frozenset(removed)  # of a list each look would take as long as it is
    numbers = map(str, itertools.count())
    return list(itertools.islice((name for name in numbers if name not in removed), count))


def removed_names(
    before: Iterable[str], requested: Iterable, present: dict[str, str] | None, append: bool
) -> list[str]:
    """Return the names that a group must not use (again).

    ``requested`` are names or references of members to remove. ``present`` maps the name of each
    member to its reference; None before the group exists, and then each requested name is
    accepted. Otherwise a name that is neither a member nor removed ``before`` is ignored.
    ``append`` keeps the names removed ``before``.
    """
    before = set(before)
    names = {reference: name for name, reference in (present or {}).items()}
    removed = {names.get(str(item), str(item)) for item in requested}
    if present is not None:
        removed &= {*present, *before}
    return sorted(removed | before if append else removed)


def newest_names(names: Sequence[str], count: int) -> list[str]:
    """Return the ``count`` newest names; ``names`` begins with the oldest."""
    return list(names[-count:]) if count else []


class Member(typing.NamedTuple):
    """An existing member; ``created_at`` is any value that sorts by age."""

    name: str
    created_at: typing.Any
    failed: bool = False


def removal_order(present: Iterable[Member]) -> list[str]:
    """Return the names in order of removal: failed members first, then the oldest."""
    ordered = sorted(present, key=lambda member: (not member.failed, member.created_at))
    return [member.name for member in ordered]


# --------------------------------------------------------------- size of a group


def adjusted_size(
    current: int,
    adjustment: float,
    kind: str,
    min_size: int,
    max_size: int,
    min_step: int | None = None,
) -> int:
    """Return the size of a group after an adjustment, within its bounds.

    ``kind`` is ``change``, ``percent`` or ``exact``. A percentage is rounded towards zero, but to
    at least one member or ``min_step`` members.
    """
    if kind == 'exact':
        size = int(adjustment)
    elif kind == 'percent':
        size = current + _rounded_change(current * adjustment / 100, min_step)
    else:
        size = current + int(adjustment)
    return max(min_size, min(size, max_size))


def _rounded_change(change: float, min_step: int | None) -> int:
    if not change:
        return 0
    size = max(int(abs(change)), 1, min_step or 0)
    return size if change > 0 else -size


# --------------------------------------------------------------- rolling batches


class Batch(typing.NamedTuple):
    """One step of a rolling change.

    ``names`` are the members after the step, ``changed`` those of them with the new definition.
    """

    names: list[str]
    changed: frozenset[str]


class RollingPolicy(typing.NamedTuple):
    """Limits of a rolling change.

    One batch changes at most ``batch_size`` members. At least ``min_in_service`` other members, if
    the group has as many, are not changed meanwhile. ``pause`` is the time between two batches, in
    seconds.
    """

    batch_size: int
    min_in_service: int = 0
    pause: float = 0


def rolling_batches(
    present: Sequence[str],
    names_at: Callable[[int], list[str]],
    target: int,
    order: Sequence[str],
    policy: RollingPolicy,
    current: Collection[str] = (),
) -> list[Batch]:
    """Return the batches from the present members to ``target`` members with the new definition.

    ``names_at(size)`` returns the members of a group of that size. ``order`` are the members of
    the last batch in the order in which they change. ``current`` are those with the new definition
    already. To keep enough members in service the group may grow temporarily::

        present 0 1 2 3, target 4, batch size 2, in service 3:
        add 4, change 3  |  change 2 1  |  change 0, remove 4
    """
    batches: list[Batch] = []
    present, changed = list(present), set(current)
    while True:
        unchanged = [name for name in order if name not in changed]
        names = names_at(_size(len(present), target, len(unchanged), policy))
        before = frozenset(present)
        staying = [name for name in names if name in before]
        added = [name for name in names if name not in before]
        allowance = min(
            min(policy.batch_size, len(unchanged)) - len(added),
            len(staying) - min(policy.min_in_service, target),
        )
        kept = frozenset(staying)
        changing = [name for name in unchanged if name in kept][: max(0, allowance)]
        if not added and not changing and names == present:
            return batches
        changed.update(added, changing)
        batches.append(Batch(names, frozenset(changed.intersection(names))))
        present = names


def _size(present_size: int, target: int, unchanged: int, policy: RollingPolicy) -> int:
    """Return the size of the group during the next batch."""
    if not unchanged:
        return target
    batch = min(policy.batch_size, unchanged)
    return min(max(target, min(policy.min_in_service, target) + batch), present_size + batch)


def index_batches(
    present: Sequence[str],
    target: int,
    policy: RollingPolicy,
    removed: Collection[str] = (),
    current: Collection[str] = (),
) -> list[Batch]:
    """Return the batches of a group whose members have numbers; the highest change first."""
    removed = frozenset(removed)
    kept = [name for name in present if name not in removed]
    order = first_names(target, removed)[::-1]
    batches = rolling_batches(
        kept, lambda size: first_names(size, removed), target, order, policy, current
    )
    return batches or [Batch(first_names(target, removed), frozenset(current))]


def oldest_first_batches(
    present: Sequence[str],
    target: int,
    policy: RollingPolicy,
    new_name: Callable[[], str],
    current: Collection[str] = (),
) -> list[Batch]:
    """Return the batches of a group that removes its oldest members first.

    ``present`` begins with the oldest, and ``target`` is at most their number. All members that
    stay are changed; those that are removed at the end are not.
    """
    batch = min(
        policy.batch_size,
        len([name for name in newest_names(present, target) if name not in current]),
    )
    extra = max(0, min(policy.min_in_service, target) + batch - len(present)) if batch else 0
    all_names = [*present, *(new_name() for _ in range(extra))]
    return rolling_batches(
        present,
        lambda size: newest_names(all_names, size),
        target,
        newest_names(all_names, target),
        policy,
        current,
    )
