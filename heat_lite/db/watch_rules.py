"""Alarms that engines evaluate (watch rules), and their measurements."""

import datetime
import typing
from collections.abc import Callable, Collection, Iterable, Sequence

from sqlalchemy import ColumnElement, Select, func, insert, or_, select

from heat_lite.common import status
from heat_lite.common.context import RequestContext
from heat_lite.common.value_types import Row, Values
from heat_lite.db import models, session, stacks

_W, _D, _S = models.watch_rule.c, models.watch_data.c, models.stack.c
#: measurements that one transaction reads
MAX_POINTS = 20_000
_LISTED = (*_W, _S.name.label('stack_name'), _S.tenant)


class Verdict(typing.NamedTuple):
    """The result of an evaluation: the state, why, and when the next one is due.

    ``before``: measurements of an earlier time are not needed any more.
    """

    state: str
    reason: str
    due_at: datetime.datetime
    before: datetime.datetime


class Evaluation(typing.NamedTuple):
    """A rule as it was, its verdict, and the project of its stack.

    ``acts``: whether the state of its stack allows actions.
    """

    rule: typing.Any
    verdict: Verdict
    tenant: str
    acts: bool


Point = tuple[datetime.datetime, dict]
Judge = Callable[[typing.Any, Sequence[Point], datetime.datetime], Verdict]


# --------------------------------------------------------------- rules


@session.repeatable_writer
def put(stack_id: str, name: str, values: dict) -> None:
    """Insert the rule of a stack with this name, or change the columns in ``values``."""
    found = _W.stack_id == stack_id, _W.name == name
    changed = session.update(models.watch_rule, values, *found)
    # MariaDB does not count a row that an UPDATE leaves as it was.
    if not changed and not session.exists(models.watch_rule, *found):
        session.execute(insert(models.watch_rule).values(stack_id=stack_id, name=name, **values))


@session.repeatable_writer
def remove(stack_id: str, name: str) -> None:
    """Delete the rule of a stack with its measurements."""
    ids = select(_W.id).where(_W.stack_id == stack_id, _W.name == name)
    found = session.scalars(ids)
    session.delete(models.watch_data, _D.watch_rule_id.in_(found))
    session.delete(models.watch_rule, _W.id.in_(found))


@session.writer
def set_state(rule_id: int, values: dict) -> bool:
    """Store values of a rule. Return False if it does not exist any more."""
    return session.update(models.watch_rule, values, _W.id == rule_id) == 1


@session.writer
def override(rule_id: int, state: str, unless: str) -> str | None:
    """Set the state of a rule, unless it has a certain one. Return the former one, or None."""
    chosen = _W.id == rule_id
    query = select(_W.state).where(chosen).with_for_update()
    former = session.scalar(query)
    if former != unless:
        session.update(models.watch_rule, {'state': state}, chosen)
    return former


@session.reader
def find(stack_id: str, name: str) -> Row:
    """Return the rule of a stack with this name, or None."""
    query = _listed().where(_W.stack_id == stack_id, _W.name == name)
    return session.first(query)


@session.reader
def page(
    context: RequestContext,
    *conditions: ColumnElement[bool],
    limit: int | None = None,
    after: int = 0,
) -> Sequence[Row]:
    """Return the rules that the context may see, in the order of their ids.

    ``after``: the id before the first one. ``conditions``: see ``named``, ``in_state``.
    """
    query = _listed().where(_visible(context), _W.id > after, *conditions)
    return session.rows(query.order_by(_W.id).limit(limit))


def named(names: Collection[str]) -> ColumnElement[bool]:
    """Return the condition of the rules with these names."""
    return _W.name.in_(names)


def begins_with(prefix: str) -> ColumnElement[bool]:
    """Return the condition of the rules whose name begins with a text."""
    return _W.name.startswith(prefix, autoescape=True)


def measuring(metrics: Collection[str]) -> ColumnElement[bool]:
    """Return the condition of the rules about one of these metrics."""
    return _W.metric_name.in_(metrics)


def in_state(state: str) -> ColumnElement[bool]:
    """Return the condition of the rules in a state."""
    return _W.state == state


@session.reader
def count(tenant: str) -> int:
    """Return the number of rules of a project."""
    return session.count(models.watch_rule, _W.stack_id == _S.id, _S.tenant == tenant)


def _listed() -> Select:
    return select(*_LISTED).join(models.stack, _W.stack_id == _S.id).where(models.ALIVE)


def _visible(context: RequestContext) -> ColumnElement[bool]:
    """Return the condition of the rules of a project, or of the trees of its stack users."""
    own = _S.tenant == context.tenant_id
    query = select(_S.id).where(_S.stack_user_project_id == context.tenant_id, models.ALIVE)
    roots = {stacks.root_id(each) for each in session.scalars(query)}
    trees = {each for root in roots if root for each in stacks.tree_ids(root)}
    return or_(own, _S.id.in_(sorted(trees))) if trees else own


# --------------------------------------------------------------- measurements


@session.writer
def add_data(rows: Iterable[dict]) -> None:
    """Insert measurements: ``watch_rule_id``, ``data``, ``created_at``."""
    session.execute(insert(models.watch_data), list(rows))


@session.reader
def count_data(tenant: str) -> int:
    """Return the number of stored measurements of a project."""
    joined = _D.watch_rule_id == _W.id, _W.stack_id == _S.id
    return session.count(models.watch_data, *joined, _S.tenant == tenant)


@session.reader
def count_data_of(rule_ids: Collection[int]) -> dict[int, int]:
    """Return the number of stored measurements by the id of their rule."""
    query = select(_D.watch_rule_id, func.count()).where(_D.watch_rule_id.in_(rule_ids))
    return dict(tuple(row) for row in session.execute(query.group_by(_D.watch_rule_id)))


@session.reader
def data_page(context: RequestContext, limit: int, after: int = 0) -> Sequence[Row]:
    """Return measurements that the context may see, with the names of their rules."""
    query = (
        select(_D.id, _D.created_at, _D.data, _W.name)
        .join(models.watch_rule, _D.watch_rule_id == _W.id)
        .join(models.stack, _W.stack_id == _S.id)
        .where(models.ALIVE, _visible(context), _D.id > after)
    )
    return session.rows(query.order_by(_D.id).limit(limit))


# --------------------------------------------------------------- evaluation


@session.writer
def evaluate_due(
    now: datetime.datetime,
    share: tuple[int, int],
    limit: int,
    judge: Judge,
) -> list[Evaluation]:
    """Evaluate at most ``limit`` rules that are due, store their states, and return them.

    ``share`` is (number of this engine, number of engines): an engine evaluates the rules of its
    share. The rows are locked, so a rule that two engines take for theirs is evaluated once.
    """
    rules = _within_budget(_due(now, share, limit))
    if not rules:
        return []
    # the locked rows may be of stacks that are deleted meanwhile, so these are read afterwards
    states = _stack_states({rule.stack_id for rule in rules})
    points = _points([rule.id for rule in rules])
    found, unused, forgotten = [], [], []
    for rule in rules:
        if rule.stack_id not in states:
            forgotten.append(rule.id)
            continue
        own = points.get(rule.id, ())
        verdict = judge(rule, [(at, data) for _, at, data in own], now)
        unused += [number for number, at, _ in own if at < verdict.before]
        stack = states[rule.stack_id]
        acts = stack.action != status.DELETE and stack.status == status.COMPLETE
        found.append(Evaluation(rule, verdict, stack.tenant, acts))
    _store(now, found, forgotten)
    if unused:
        session.delete(models.watch_data, _D.id.in_(unused))
    return found


def _due(now: datetime.datetime, share: tuple[int, int], limit: int) -> Sequence[Row]:
    number, engines = share
    query = select(models.watch_rule).where(_W.due_at <= now)
    if engines > 1:
        query = query.where(_W.id % engines == number)
    return session.rows(query.order_by(_W.due_at).limit(limit).with_for_update())


def _within_budget(rules: Sequence[Row]) -> list:
    """Return the first rules: one at least, but at most MAX_POINTS measurements in all."""
    numbers = count_data_of([rule.id for rule in rules]) if rules else {}
    total, chosen = 0, list[typing.Any]()
    for rule in rules:
        total += numbers.get(rule.id, 0)
        if chosen and total > MAX_POINTS:
            break
        chosen.append(rule)
    return chosen


def _stack_states(stack_ids: Collection[str]) -> Values:
    """Return the living stacks among these, by id."""
    query = select(_S.id, _S.tenant, _S.action, _S.status)
    query = query.where(_S.id.in_(stack_ids), models.ALIVE)
    return {row.id: row for row in session.execute(query)}


def _points(rule_ids: Collection[int]) -> dict[int, list]:
    """Return [(id, time, data)] by the id of the rule."""
    query = select(_D.watch_rule_id, _D.id, _D.created_at, _D.data)
    result: dict[int, list] = {}
    for rule_id, *point in session.execute(query.where(_D.watch_rule_id.in_(rule_ids))):
        result.setdefault(rule_id, []).append(tuple(point))
    return result


def _store(now: datetime.datetime, found: list[Evaluation], forgotten: list[int]) -> None:
    """Store states and times, by one statement for the rules that get the same."""
    groups: dict[tuple, list[int]] = {}
    for rule, verdict, *_ in found:
        groups.setdefault((verdict.state, verdict.due_at), []).append(rule.id)
    for (state, due_at), ids in groups.items():
        values = {'state': state, 'due_at': due_at, 'last_evaluated': now}
        # the time of the last change of the alarm by a user
        values['updated_at'] = _W.updated_at
        session.update(models.watch_rule, values, _W.id.in_(ids))
    if forgotten:
        session.update(models.watch_rule, {'due_at': None}, _W.id.in_(forgotten))
