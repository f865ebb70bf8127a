"""Stacks: rows, tags, trees of nested stacks, lists, and the reset of a stuck stack.

``stack_creation`` inserts stacks; ``queries`` holds the filters of lists.
"""

import collections
import functools
import typing
from collections.abc import Collection, Iterable, Mapping, Sequence

from sqlalchemy import Select, bindparam, func, insert, literal, or_, select

from heat_lite.common import exception, status
from heat_lite.common.context import RequestContext
from heat_lite.common.value_types import Row
from heat_lite.db import group_commit, models, queries, session
from heat_lite.db.column_types import row_type, utcnow
from heat_lite.db.queries import DEFAULT_FILTER, StackFilter

_S, _R, _TAG = models.stack.c, models.resource.c, models.stack_tag.c
#: Columns that a list does not read, because their size grows with the stack.
LARGE_COLUMNS = {'outputs', 'failures', 'plan', 'current_deps', 'asker', 'moved'}
# A StackRow omits the graph of a traversal, the largest column: only workers read it.
_COLUMNS = [column for column in _S if column.name != 'current_deps']
_SMALL = [column for column in _S if column.name not in LARGE_COLUMNS]
_SHOWN_NAMES = (
    'id',
    'name',
    'tenant',
    'username',
    'owner_id',
    'action',
    'status',
    'status_reason',
    'created_at',
    'updated_at',
    'deleted_at',
    'stack_user_project_id',
    'disable_rollback',
    'timeout',
)
_SHOWN = [_S[name] for name in _SHOWN_NAMES]
_TAGS = (
    select(_TAG.stack_id, _TAG.tag)
    .where(_TAG.stack_id.in_(bindparam('stack_ids', expanding=True)))
    .order_by(_TAG.id)
)
# One statement, although it repeats the stack for each tag: most stacks have no tags.
_TAGGED = (
    select(*_COLUMNS, _TAG.tag)
    .outerjoin(models.stack_tag, _TAG.stack_id == _S.id)
    .order_by(_TAG.id)
)
# The reason that Heat's reset_stack_status stores.
RESET_REASON = 'Stack status manually reset'

_StackRow: typing.Any = row_type(*(column.name for column in _COLUMNS), 'tags')
_ListedStack: typing.Any = row_type(*(column.name for column in _SMALL), 'tags')
_ShownStack: typing.Any = row_type(*_SHOWN_NAMES, 'tags')


class StackRow(_StackRow):
    """All columns of a stack except ``current_deps``, and its tags."""

    __slots__ = ()


class ListedStack(_ListedStack):
    """A stack in a list: all columns except LARGE_COLUMNS, and its tags."""

    __slots__ = ()


class ShownStack(_ShownStack):
    """The columns of a stack that the API shows in a list: half of them, read in half the time."""

    __slots__ = ()


# --------------------------------------------------------------- rows


@session.reader
def get(
    context: RequestContext,
    stack_id: str | None,
    show_deleted: bool = False,
    tenant_safe: bool = True,
) -> StackRow | None:
    """Return the stack of this id, or None; for an administrator of the cloud, of any project."""
    query = _get_query(show_deleted, of_project=tenant_safe and not context.is_admin)
    known = {'stack_id': stack_id, 'project': context.tenant_id}
    return _by_id(session.execute(query, known)).get(stack_id or '')


@functools.cache
def _get_query(show_deleted: bool, of_project: bool) -> Select:
    query = _TAGGED.where(_S.id == bindparam('stack_id'))
    if not show_deleted:
        query = query.where(models.ALIVE)
    return _visible_to(query, bindparam('project')) if of_project else query


def get_row(stack_id: str) -> StackRow | None:
    """Return the row of a stack, deleted or not, of any project."""
    return _row_reads.get(stack_id)


@session.reader
def _rows(stack_ids: Collection[str]) -> Mapping[str, StackRow]:
    return _by_id(session.execute(_TAGGED.where(_S.id.in_(stack_ids))))


def _by_id(found: Iterable[typing.Any]) -> dict[str, StackRow]:
    rows: dict[str, StackRow] = {}
    for *columns, tag in found:
        stack = StackRow(*columns, [])
        tags = rows.setdefault(stack.id, stack).tags
        if tag is not None:
            tags.append(tag)
    return rows


_row_reads = group_commit.GroupRead(_rows)


@session.reader
def get_by_name(context: RequestContext, name: str) -> StackRow | None:
    """Return the living stack of this name in the project, for an administrator too.

    Nested stacks may share a name: a stack without an owner is preferred, then the newest one.
    """
    query = select(*_COLUMNS).where(_S.name == name, models.ALIVE)
    query = _visible_to(query, context.tenant_id)
    query = query.order_by(_S.owner_id.is_not(None), _S.created_at.desc()).limit(1)
    row = session.first(query)
    return row and StackRow(*row, tags([row.id]).get(row.id, []))


@session.repeatable_writer
def store_user_project(stack_id: str, project_id: str) -> str | None:
    """Store the project of the users of a stack unless it has one. Return the stored one.

    Return None if the stack is deleted.
    """
    mine = _S.id == stack_id, models.ALIVE
    free = _S.stack_user_project_id.is_(None)
    session.update(models.stack, {'stack_user_project_id': project_id}, *mine, free)
    return session.scalar(select(_S.stack_user_project_id).where(*mine))


@session.reader
def shares_user_project(stack_id: str, user_project_id: str) -> bool:
    """Return whether the users of another living stack are in this project, too."""
    others = _S.id != stack_id, models.ALIVE
    return session.exists(models.stack, *others, _S.stack_user_project_id == user_project_id)


@session.reader
def owns_user_project(context: RequestContext, user_project_id: str) -> bool:
    """Return whether the users of a living stack of the project are in ``user_project_id``."""
    own = _S.tenant == context.tenant_id, models.ALIVE
    return session.exists(models.stack, *own, _S.stack_user_project_id == user_project_id)


def _visible_to(query: Select, project: typing.Any) -> Select:
    """Restrict a query to the stacks of a project.

    The project of the stack's users counts too: its users report events from within servers.
    """
    return query.where(or_(_S.tenant == project, _S.stack_user_project_id == project))


@session.repeatable_writer
def update(stack_id: str, values: dict, traversal: str | None = None) -> bool:
    """Store values. Return False if the stack is gone or its current traversal is another one."""
    which = [_S.id == stack_id]
    if traversal is not None:
        which.append(_S.current_traversal == traversal)
    return session.update(models.stack, with_derived_columns(values), *which) == 1


def with_derived_columns(values: dict) -> dict:
    """Return the values with the columns that follow from them.

    A deleted stack releases its name. A stack whose action has ended drops its requester, unless
    ``values`` has one.
    """
    if values.get('deleted_at'):
        values = {**values, 'live': None}
    if values.get('status', status.IN_PROGRESS) != status.IN_PROGRESS:
        values = {'asker': None, **values}
    return values


@session.repeatable_writer
def delete(stack_id: str, values: dict | None = None) -> bool:
    """Mark the stack deleted, store further values and remove the rows of its resources.

    Events and tags stay until the purge.
    """
    session.delete(models.sync_point, models.sync_point.c.stack_id == stack_id)
    session.delete(models.resource, _R.stack_id == stack_id)
    return update(stack_id, {'deleted_at': utcnow(), **(values or {})})


# --------------------------------------------------------------- tags


@session.reader
def tags(stack_ids: Collection[str]) -> dict[str, Sequence[str]]:
    """Return the tags of each stack that has any, in the order given by the user."""
    found = collections.defaultdict(lambda: [])
    if stack_ids:
        for stack_id, tag in session.execute(_TAGS, {'stack_ids': stack_ids}):
            found[stack_id].append(tag)
    return dict(found)


def set_tags(stack_id: str, tags: Collection[str]) -> None:
    """Replace the tags of a stack in the current transaction."""
    session.delete(models.stack_tag, _TAG.stack_id == stack_id)
    add_tags(stack_id, tags)


def add_tags(stack_id: str, tags: Collection[str]) -> None:
    """Insert tags of a stack in the current transaction."""
    if tags:
        session.execute(
            insert(models.stack_tag), [{'stack_id': stack_id, 'tag': tag} for tag in tags]
        )


# --------------------------------------------------------------- trees


@session.reader
def children(owner_ids: Collection[str], show_deleted: bool = False) -> Sequence[ListedStack]:
    """Return the stacks nested directly below any of these, without LARGE_COLUMNS."""
    query = select(*_SMALL, literal(None)).where(_S.owner_id.in_(owner_ids), models.NO_BACKUP)
    if not show_deleted:
        query = query.where(models.ALIVE)
    return [ListedStack(*row) for row in session.execute(query.order_by(_S.created_at, _S.id))]


@session.reader
def child_rows(owner_id: str) -> dict[str, StackRow]:
    """Return the living stacks nested directly below one: the complete rows by id."""
    query = select(*_COLUMNS).where(_S.owner_id == owner_id, models.ALIVE, models.NO_BACKUP)
    return {row.id: StackRow(*row, []) for row in session.rows(query)}


@session.reader
def tree_ids(stack_id: str) -> Sequence[str]:
    """Return the id of a stack and those of all living stacks nested in it, level by level."""
    found, level = [], [stack_id]
    while level:
        found += level
        query = select(_S.id).where(_S.owner_id.in_(level), models.ALIVE)
        level = session.scalars(query)
    return found


@session.reader
def root_id(stack_id: str) -> str | None:
    """Return the id of the stack at the top of the tree; None if there is no such stack."""
    climb = select(_S.id, _S.owner_id).where(_S.id == stack_id).cte('climb', recursive=True)
    climb = climb.union(select(_S.id, _S.owner_id).where(_S.id == climb.c.owner_id))
    found = session.rows(select(climb.c.id, climb.c.owner_id))
    # The owner of the topmost stack may have been purged.
    known = {row.id for row in found}
    return next((row.id for row in found if row.owner_id not in known), None)


@session.reader
def count_tree_resources(root_stack_id: str) -> int:
    """Return the number of resources in a stack and in all stacks nested in it."""
    return session.count(models.resource, _R.root_stack_id == root_stack_id)


@session.reader
def list_tree_states(root_stack_id: str) -> Sequence[Row]:
    """Return what an update decides by, of each resource in a stack and in all nested in it."""
    columns = _R.id, _R.name, _R.nova_instance, _R.rsrc_prop_data_id, _R.current_template_id
    query = select(*columns, _R.action, _R.status).where(_R.root_stack_id == root_stack_id)
    return session.rows(query.order_by(_R.id))


# --------------------------------------------------------------- reset


@session.writer
def reset_status(stack_id: str) -> int:
    """Set everything that is in progress in a tree of stacks to FAILED and remove its locks.

    Return the number of stacks in the tree. Raises EntityNotFound when there is no such stack.
    An engine that still works on one of the stacks can no longer write, since it has lost the
    lock.
    """
    alive = select(_S.id).where(_S.id == stack_id, models.ALIVE)
    if session.first(alive) is None:
        raise exception.no_stack(stack_id)
    stack_ids = tree_ids(stack_id)
    failed = {'status': status.FAILED, 'status_reason': RESET_REASON, 'updated_at': utcnow()}
    revision = models.stack_revision
    for table, id_column in (
        (models.stack, _S.id),
        (models.resource, _R.stack_id),
        (revision, revision.c.stack_id),
    ):
        unfinished = id_column.in_(stack_ids), table.c.status == status.IN_PROGRESS
        session.update(table, failed, *unfinished)
    session.update(models.stack, {'asker': None}, _S.id.in_(stack_ids))
    session.update(models.resource, {'engine_id': None}, _R.stack_id.in_(stack_ids))
    for table in (models.stack_lock, models.sync_point):
        session.delete(table, table.c.stack_id.in_(stack_ids))
    return len(stack_ids)


# --------------------------------------------------------------- lists


@session.reader
def count(context: RequestContext, stack_filter: StackFilter = DEFAULT_FILTER) -> int:
    """Return the number of stacks that ``list_rows`` returns without a limit."""
    return session.count(models.stack, *queries.stack_conditions(context, stack_filter))


@session.reader
def tenants_among(names: Collection[str]) -> set[str]:
    """Return those of these projects that have stacks."""
    query = select(_S.tenant).where(_S.tenant.in_(names), models.ALIVE).distinct()
    return set(session.scalars(query))


@session.reader
def list_rows(
    context: RequestContext,
    stack_filter: StackFilter = DEFAULT_FILTER,
    limit: int | None = None,
    marker: str | None = None,
    sort_keys: Collection[str] | None = None,
    sort_dir: str | None = None,
    brief: bool = False,
) -> Sequence[ListedStack] | Sequence[ShownStack]:
    """Return a page of stacks without LARGE_COLUMNS; with ``brief`` as ShownStack.

    Sort keys are the API's names or those of columns. Raises ValueError for an unknown direction.
    """
    columns, kind = (_SHOWN, ShownStack) if brief else (_SMALL, ListedStack)
    query = queries.page_of_stacks(
        select(*columns), context, stack_filter, limit, marker, sort_keys, sort_dir
    )
    rows = session.rows(query)
    tags_of = tags([row.id for row in rows])
    return [kind(*row, tags_of.get(row.id, [])) for row in rows]


@session.reader
def count_by_state() -> Sequence[tuple[str, str, int, typing.Any]]:
    """Return rows of the stacks by their state, without deleted ones.

    A row is (action, status, number of stacks, time of the oldest last change). Nested stacks count
    like others. The last change of a stack in progress is the beginning of its action, since only
    the states of a stack are stored with a time.
    """
    state = _S.action, _S.status
    changed = func.coalesce(_S.updated_at, _S.created_at)
    query = select(*state, func.count(), func.min(changed)).where(models.ALIVE).group_by(*state)
    return [tuple(row) for row in session.execute(query)]
