"""Creation of stacks: the row, its tags, its template and its first lock in one transaction.

Nested stacks are created in large numbers at once, so their creation is group-committed.
"""

import typing
import uuid
from collections.abc import Collection

from oslo_db import exception as db_exception
from sqlalchemy import Select, insert, select

from heat_lite.common import exception
from heat_lite.common.value_types import Values
from heat_lite.db import (
    batch,
    group_commit,
    locks,
    models,
    revisions,
    session,
    stacks,
    templates,
    traversals,
)

_S = models.stack.c


class _Request(typing.NamedTuple):
    """The arguments of ``store``, with the id of the new stack among ``values``."""

    content: tuple
    values: dict
    tags: Collection[str]
    engine_id: str | None
    parent_engine_id: str | None
    revision: Values | None
    plan_id: str | None

    @property
    def groupable(self) -> bool:
        """Whether the request can share a transaction: a nested stack cannot fail for its name."""
        return (
            self.values.get('owner_id') is not None and not self.tags and self.engine_id is not None
        )


@session.writer
def create(values: dict, tags: Collection[str] = ()) -> str:
    """Insert the row of a stack with its tags and return the id.

    Raises StackExists when a living top-level stack of the project has this name. Nested stacks
    may share a name.
    """
    values = {'disable_rollback': True, **values}
    top_level = values.get('owner_id') is None and not values.get('backup')
    values['live'] = True if top_level and values.get('deleted_at') is None else None
    try:
        stack_id = session.insert_row(models.stack, values)
    except db_exception.DBDuplicateEntry as error:
        if 'name' in error.columns:
            raise exception.StackExists(stack_name=values['name']) from error
        raise
    stacks.add_tags(stack_id, tags)
    return stack_id


def store(
    content: tuple,
    values: dict,
    tags: Collection[str] = (),
    engine_id: str | None = None,
    parent_engine_id: str | None = None,
    revision: Values | None = None,
    plan_id: str | None = None,
) -> tuple[str, int | None]:
    """Insert a stack and its template and return (stack id, template id).

    ``content`` is what ``templates.store`` takes. With ``engine_id`` the stack is locked by this
    engine. ``revision`` has the columns of the first revision of a top-level stack. ``plan_id`` is
    the plan of the create, which is used up. Raises StackExists as ``create`` does, and NotFound
    for a plan that was used; then nothing is stored.

    ``parent_engine_id`` is the engine that works on the resource of this nested stack: it holds
    the lock of the parent, or the row of the resource. If the stack exists already, the template
    id is None. Raises ActionInProgress when that engine has lost both: another one creates it.
    """
    # The id is chosen here, so that the stack can be found if the outcome of a commit is unknown.
    values = {'id': str(uuid.uuid4()), **values}
    request = _Request(content, values, tags, engine_id, parent_engine_id, revision, plan_id)
    if request.groupable and not session.in_transaction():
        return _creations.submit(request)
    return _store_once(request)


def _store_once(request: _Request) -> tuple[str, int | None]:
    """Store the stack, unless a transaction with unknown outcome has stored it already."""
    return session.write_once(
        lambda: _store(request),
        lambda: None if session.in_transaction() else _find_stored(request.values['id']),
        exception.StackExists,
    )


@session.reader
def _find_stored(stack_id: str) -> tuple[str, int] | None:
    """Return (stack id, template id), or None if there is no such stack."""
    query = select(_S.id, _S.raw_template_id).where(_S.id == stack_id)
    found = session.first(query)
    return found and tuple(found)


@session.writer
def _store(request: _Request) -> tuple[str, int | None]:
    values = request.values
    if request.parent_engine_id is not None:
        if _hold_parents([request]) and not traversals.hold_resource(
            values['owner_id'], values.get('parent_resource_name'), request.parent_engine_id
        ):
            raise exception.ActionInProgress(stack_name=values['name'], action=values['action'])
        found = session.scalar(_same([request]))
        if found is not None:
            return found, None
    template_id = templates.store(*request.content)
    stack_id = create({**values, 'raw_template_id': template_id}, request.tags)
    if request.revision is not None:
        revisions.add_first(stack_id, {**request.revision, 'raw_template_id': template_id})
    if request.plan_id is not None:
        revisions.use_plan(request.plan_id)
    if request.engine_id is not None:
        lock = {'stack_id': stack_id, 'engine_id': request.engine_id}
        session.execute(insert(models.stack_lock), lock)
    return stack_id, template_id


def _hold_parents(requests: list[_Request]) -> list[str]:
    """Keep the locks of the parents; return those that are lost.

    Of two transactions that create the same nested stack, the second one finds it.
    """
    held = [each for each in requests if each.parent_engine_id is not None]
    return locks.hold({each.values['owner_id']: str(each.parent_engine_id) for each in held})


def _same(requests: list[_Request]) -> Select:
    """Return the query of the living nested stacks of these names."""
    owners, names = ({each.values[key] for each in requests} for key in ('owner_id', 'name'))
    return select(_S.id).where(_S.owner_id.in_(owners), _S.name.in_(names), models.ALIVE)


@session.writer
def _store_many(requests: list[_Request]) -> list[tuple[str, int]]:
    """Store nested stacks with as many statements as for one; all of them or none."""
    if _hold_parents(requests) or session.first(_same(requests)):
        raise LookupError('Some of the stacks exist already, or their parents are lost.')
    template_ids = templates.store_all([request.content for request in requests])
    rows = [
        {
            'id': str(uuid.uuid4()),
            'disable_rollback': True,
            **request.values,
            'raw_template_id': template_id,
            'live': None,
        }
        for request, template_id in zip(requests, template_ids, strict=True)
    ]
    batch.insert(insert(models.stack), rows)
    own = [
        {'stack_id': row['id'], 'engine_id': request.engine_id}
        for row, request in zip(rows, requests, strict=True)
    ]
    batch.insert(insert(models.stack_lock), own)
    return [(row['id'], row['raw_template_id']) for row in rows]


_creations = group_commit.GroupCommit(_store_many, _store_once)
