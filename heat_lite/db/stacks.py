"""Stacks and their tags."""

import collections
import functools
import typing
import uuid
from collections.abc import Collection, Sequence

from oslo_db import exception as db_exception
from sqlalchemy import bindparam, func, insert, literal, or_, select
from sqlalchemy import delete as sql_delete
from sqlalchemy import update as sql_update

from heat_lite.common import exception, status
from heat_lite.db import batch, models, session, stack_query, templates, together
from heat_lite.db.types import row_type, utcnow

_S, _TAG = models.stack, models.stack_tag
# what a list does not show: all that grows with the stack
HEAVY = {'outputs', 'failures', 'plan', 'current_deps', 'asker'}
_LIGHT = [column for column in _S.c if column.name not in HEAVY]

_TAGS = select(_TAG.c.stack_id, _TAG.c.tag).where(_TAG.c.stack_id.in_(bindparam('stack_ids', expanding=True))).order_by(_TAG.c.id)

_StackRow: typing.Any = row_type(*_S.c.keys(), 'tags')


class StackRow(_StackRow):
    """All columns of a stack, and its tags."""

    __slots__ = ()


_ListedStack: typing.Any = row_type(*(column.name for column in _LIGHT), 'tags')


class ListedStack(_ListedStack):
    """What a list knows of a stack: all but what is HEAVY."""

    __slots__ = ()


_SHOWN = [
    _S.c[name]
    for name in 'id name tenant username owner_id action status status_reason created_at updated_at deleted_at'.split()
    + 'stack_user_project_id disable_rollback timeout'.split()
]
_ShownStack: typing.Any = row_type(*(column.name for column in _SHOWN), 'tags')


class ShownStack(_ShownStack):
    """What the API shows of a stack in a list: half of the columns, so half of the time."""

    __slots__ = ()


@session.reader
def get(context, stack_id: str, show_deleted: bool = False, tenant_safe: bool = True) -> StackRow | None:
    """The stack of that id, of whatever project for the administrator of the cloud."""
    query = _one(show_deleted, of_project=tenant_safe and not context.is_admin)
    rows = session.execute(query, {'stack_id': stack_id, 'project': context.tenant_id}).all()
    return StackRow(*rows[0][:-1], [row.tag for row in rows if row.tag is not None]) if rows else None


@functools.cache
def _one(show_deleted, of_project):
    # one statement, although that says the stack again for each tag: most have none
    query = select(_S, _TAG.c.tag).outerjoin(_TAG, _TAG.c.stack_id == _S.c.id).where(_S.c.id == bindparam('stack_id'))
    if not show_deleted:
        query = query.where(_S.c.deleted_at.is_(None))
    return (_seen_by(query, bindparam('project')) if of_project else query).order_by(_TAG.c.id)


def whole(context, stack_id: str) -> StackRow | None:
    """The row of a stack, deleted or not, for an engine that has to do with it; its tags are not looked for."""
    return _whole.get(context, stack_id)


@session.reader
def _whole_rows(context, stack_ids):
    return {row.id: StackRow(*row, []) for row in session.execute(select(_S).where(_S.c.id.in_(stack_ids)))}


_whole = together.Reading(_whole_rows)


@session.reader
def get_by_name(context, name: str, owner_id: str | None = None) -> StackRow | None:
    """The living stack of that name in the project, for an administrator too.

    Of several (nested ones may share a name) the one without an owner, then the newest.
    """
    query = _visible(select(_S).where(_S.c.name == name, _S.c.deleted_at.is_(None)), context)
    if owner_id is not None:
        query = query.where(_S.c.owner_id == owner_id)
    return _first(query.order_by(_S.c.owner_id.is_not(None), _S.c.created_at.desc()).limit(1))


def _visible(query, context):
    return _seen_by(query, context.tenant_id)


def _seen_by(query, project):
    """Of this project, or having its users in it (they report what happens inside servers)."""
    return query.where(or_(_S.c.tenant == project, _S.c.stack_user_project_id == project))


def _first(query):
    row = session.execute(query).first()
    return row and StackRow(*row, _tags([row.id]).get(row.id, []))


@session.writer
def create(context, values: dict, tags: Collection[str] = ()) -> str:
    """Insert a stack, and give its id. Raises StackExists where a stack of this name lives in the project; nested ones may share it."""
    values = {'disable_rollback': True, **values}
    values['live'] = True if values.get('owner_id') is None and not values.get('backup') and values.get('deleted_at') is None else None
    try:
        stack_id = session.execute(insert(_S).values(values)).inserted_primary_key[0]
    except db_exception.DBDuplicateEntry as error:
        if 'name' in error.columns:
            raise exception.StackExists(stack_name=values['name']) from error
        raise
    _add_tags(stack_id, tags)
    return stack_id


def store(
    context,
    content: tuple,
    values: dict,
    tags: Collection[str] = (),
    engine_id: str | None = None,
    on_behalf_of: str | None = None,
) -> tuple[str, int | None]:
    """Insert a stack with its template (``content``: what ``templates.store`` takes), locked for an engine if one is given.

    Gives the ids of both. Raises as ``create`` does, and then nothing is stored. ``on_behalf_of``: the engine that wants to have a stack
    made inside the one that it works on. Where that has been done already the stack's id alone is given; where that engine has lost
    the lock, ActionInProgress is raised: whoever has it now makes the stack again, or finds it.
    """
    # chosen here, so that a stack of whose commit nobody has heard can be looked for
    wish = context, content, {'id': str(uuid.uuid4()), **values}, tags, engine_id, on_behalf_of
    # those inside others come in numbers, and none of them can fail for its name
    plain = values.get('owner_id') is not None and not tags and engine_id is not None and on_behalf_of is None
    return _together.do(wish) if plain and not session.inside() else _store_surely(*wish)


def _store_surely(context, content, values, *more):
    try:
        return _store(context, content, values, *more)
    except (session.Broken, db_exception.DBDuplicateEntry, exception.StackExists) as error:
        found = None if session.inside() else _stored(context, values['id'])
        if found is not None:
            return found
        if isinstance(error, session.Broken):
            return _store(context, content, values, *more)
        raise


@session.reader
def _stored(context, stack_id):
    """The ids of a stack and of its template, if it is there."""
    found = session.execute(select(_S.c.id, _S.c.raw_template_id).where(_S.c.id == stack_id)).first()
    return found and tuple(found)


@session.writer
def _store(context, content, values, tags=(), engine_id=None, on_behalf_of=None):
    found = None if on_behalf_of is None else _made_already(values, on_behalf_of)
    if found is not None:
        return found, None
    template_id = templates.store(context, *content)
    stack_id = create(context, {**values, 'raw_template_id': template_id}, tags)
    if engine_id is not None:
        session.execute(insert(models.stack_lock), {'stack_id': stack_id, 'engine_id': engine_id})
    return stack_id, template_id


def _store_all(wishes):
    return _insert_all(wishes[0][0], [wish[1:5] for wish in wishes])


@session.writer
def _insert_all(context, wishes):
    """Stacks inside others."""
    template_ids = templates.store_all(context, [content for content, *_ in wishes])
    rows = [
        {'id': str(uuid.uuid4()), 'disable_rollback': True, **values, 'raw_template_id': template_id, 'live': None}
        for (_, values, *_), template_id in zip(wishes, template_ids, strict=True)
    ]
    batch.insert(insert(_S), rows)
    batch.insert(insert(models.stack_lock), [{'stack_id': row['id'], 'engine_id': wish[3]} for row, wish in zip(rows, wishes, strict=True)])
    return [(row['id'], row['raw_template_id']) for row in rows]


_together = together.Together(_store_all, lambda wish: _store_surely(*wish))


def _made_already(values, on_behalf_of):
    """The id of the stack, where it is there. The lock stays as it is until the transaction ends: of two that make the same stack the
    second finds it."""
    lock = models.stack_lock
    held = select(lock.c.engine_id).where(lock.c.stack_id == values['owner_id']).with_for_update()
    if session.execute(held).scalar() != on_behalf_of:
        raise exception.ActionInProgress(stack_name=values['name'], action=values['action'])
    same = select(_S.c.id).where(_S.c.owner_id == values['owner_id'], _S.c.name == values['name'], _S.c.deleted_at.is_(None))
    return session.execute(same).scalar()


@session.writer
def update(context, stack_id: str, values: dict, traversal: str | None = None) -> bool:
    """Store values; False where the stack is gone, or another traversal has taken it over."""
    query = sql_update(_S).where(_S.c.id == stack_id)
    if traversal is not None:
        query = query.where(_S.c.current_traversal == traversal)
    return session.execute(query.values(with_consequences(values))).rowcount == 1


def with_consequences(values: dict) -> dict:
    """A stack that dies gives its name free, one that is done forgets who has asked for it."""
    if values.get('deleted_at'):
        values = {**values, 'live': None}
    return values if values.get('status', status.IN_PROGRESS) == status.IN_PROGRESS else {**values, 'asker': None}


@session.writer
def delete(context, stack_id: str, values: dict | None = None) -> bool:
    """Mark the stack deleted, with further values, and remove its resources' rows; events and tags stay until the purge."""
    session.execute(sql_delete(models.sync_point).where(models.sync_point.c.stack_id == stack_id))
    session.execute(sql_delete(models.resource).where(models.resource.c.stack_id == stack_id))
    return update(context, stack_id, {'deleted_at': utcnow(), **(values or {})})


# --------------------------------------------------------------- tags


@session.reader
def tags(context, stack_ids: Collection[str]) -> dict[str, Sequence[str]]:
    """The tags of each stack that has any, in the order given by their user."""
    return _tags(stack_ids)


def _tags(stack_ids):
    found = collections.defaultdict(lambda: [])
    if stack_ids:
        for stack_id, tag in session.execute(_TAGS, {'stack_ids': stack_ids}):
            found[stack_id].append(tag)
    return dict(found)


@session.writer
def set_tags(context, stack_id: str, tags: Collection[str]):
    """These and no others."""
    session.execute(sql_delete(_TAG).where(_TAG.c.stack_id == stack_id))
    _add_tags(stack_id, tags)


def _add_tags(stack_id, tags):
    if tags:
        session.execute(insert(_TAG), [{'stack_id': stack_id, 'tag': tag} for tag in tags])


# --------------------------------------------------------------- trees


@session.reader
def children(context, owner_ids: Collection[str], show_deleted: bool = False) -> Sequence[ListedStack]:
    """The stacks nested right below any of these."""
    query = select(*_LIGHT, literal(None)).where(_S.c.owner_id.in_(owner_ids))
    if not show_deleted:
        query = query.where(_S.c.deleted_at.is_(None))
    return [ListedStack(*row) for row in session.execute(query.order_by(_S.c.created_at, _S.c.id))]


@session.reader
def tree(context, stack_id: str) -> Sequence[str]:
    """The id of a stack and those of all that live inside it, level by level."""
    found, level = [], [stack_id]
    while level:
        found += level
        level = session.execute(select(_S.c.id).where(_S.c.owner_id.in_(level), _S.c.deleted_at.is_(None))).scalars().all()
    return found


@session.reader
def inside(context, owner_id: str) -> dict[str, StackRow]:
    """The living stacks right below one, whole, by id."""
    rows = session.execute(select(_S).where(_S.c.owner_id == owner_id, _S.c.deleted_at.is_(None))).all()
    return {row.id: StackRow(*row, []) for row in rows}


@session.reader
def root_id(context, stack_id: str) -> str | None:
    """The stack at the top of the tree; the stack itself where it has no owner, None where there is no such stack."""
    climb = select(_S.c.id, _S.c.owner_id).where(_S.c.id == stack_id).cte('climb', recursive=True)
    climb = climb.union(select(_S.c.id, _S.c.owner_id).where(_S.c.id == climb.c.owner_id))
    found = session.execute(select(climb.c.id, climb.c.owner_id)).all()
    # the owner of the topmost one may have been purged
    known = {row.id for row in found}
    return next((row.id for row in found if row.owner_id not in known), None)


@session.reader
def count_tree_resources(context, root_stack_id: str) -> int:
    """How many resources a stack and all those nested in it have."""
    table = models.resource
    return session.execute(select(func.count()).select_from(table).where(table.c.root_stack_id == root_stack_id)).scalar()


# --------------------------------------------------------------- lists


@session.reader
def count(
    context,
    filters: dict | None = None,
    tenant_safe: bool = True,
    show_deleted: bool = False,
    show_nested: bool = False,
    show_hidden: bool = False,
    hidden_tags: Collection[str] = (),
    tags: Collection[str] | None = None,
    tags_any: Collection[str] | None = None,
    not_tags: Collection[str] | None = None,
    not_tags_any: Collection[str] | None = None,
) -> int:
    """How many stacks ``list`` would show without a limit."""
    chosen = stack_query.where(
        context, filters, tenant_safe, show_deleted, show_nested, () if show_hidden else hidden_tags, tags, tags_any, not_tags, not_tags_any
    )
    return session.execute(select(func.count()).select_from(_S).where(*chosen)).scalar()


# the last of the module: below it, the word no longer means Python's list
@session.reader
def list(
    context,
    limit: int | None = None,
    marker: str | None = None,
    sort_keys: Collection[str] | None = None,
    sort_dir: str | None = None,
    filters: dict | None = None,
    tenant_safe: bool = True,
    show_deleted: bool = False,
    show_nested: bool = False,
    show_hidden: bool = False,
    hidden_tags: Collection[str] = (),
    tags: Collection[str] | None = None,
    tags_any: Collection[str] | None = None,
    not_tags: Collection[str] | None = None,
    not_tags_any: Collection[str] | None = None,
    brief: bool = False,
) -> Sequence[ListedStack] | Sequence[ShownStack]:
    """A page of stacks, without what grows with them; with ``brief`` no more than the API shows.

    Filters and sort keys go by the API's names or the columns'.
    """
    columns, kind = (_SHOWN, ShownStack) if brief else (_LIGHT, ListedStack)
    chosen = stack_query.where(
        context, filters, tenant_safe, show_deleted, show_nested, () if show_hidden else hidden_tags, tags, tags_any, not_tags, not_tags_any
    )
    rows = session.execute(stack_query.page(select(*columns).where(*chosen), limit, marker, sort_keys, sort_dir)).all()
    tags_of = _tags([row.id for row in rows])
    return [kind(*row, tags_of.get(row.id, [])) for row in rows]
