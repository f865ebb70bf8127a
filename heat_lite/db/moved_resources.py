"""Moves of resources between stacks, with new stacks and new templates, in one transaction.

Tests: tests/functional/test_refactoring.py.
"""

import typing
from collections.abc import Collection, Mapping, Sequence

from oslo_db import exception as db_exception
from sqlalchemy import insert

from heat_lite.common import exception
from heat_lite.common.identifier import NAMED_AFTER
from heat_lite.common.value_types import Values
from heat_lite.db import batch, journal, models, resources, session, stack_creation, stacks

#: the content of the template, the columns, the tags and the first revision of a new stack
New = tuple[tuple, Values, Collection[str], Values | None]


class Nested(typing.NamedTuple):
    """A nested stack that gets ``columns`` and another root; ``named`` are the rows in it, by id,
    with what their objects are named after.
    """

    stack_id: str
    columns: Values
    root_id: str
    named: Mapping[int, str]


def store(
    new: Sequence[New],
    changes: Sequence[journal.ChangeSet],
    nested: Sequence[Nested],
) -> None:
    """Create stacks, write the changes of all, and give nested stacks their new parents.

    Raises ``journal.LockLost`` and StackExists; then nothing is stored.
    """
    session.write_once(
        lambda: _store(new, changes, nested),
        lambda: journal.is_written(changes[0]) or None,
        exception.StackExists,
    )


@session.writer
def _store(
    new: Sequence[New],
    changes: Sequence[journal.ChangeSet],
    nested: Sequence[Nested],
) -> bool:
    for content, values, tags, revision in new:
        stack_creation.store(content, values, tags, revision=revision)
    try:
        journal.write(changes)
    except db_exception.DBDuplicateEntry as error:  # only the name of a stack can be one
        raise exception.StackExists(stack_name=_names(changes)) from error
    for each in nested:
        stacks.update(each.stack_id, each.columns)
        rows = models.resource.c.stack_id == each.stack_id
        session.update(models.resource, {'root_stack_id': each.root_id}, rows)
    named = [pair for each in nested for pair in each.named.items()]
    data = [resources.data_values(row, NAMED_AFTER, value, False) for row, value in named]
    batch.insert(insert(models.resource_data), data)
    return True


def _names(changes: Sequence[journal.ChangeSet]) -> str:
    return ', '.join(each.stack['name'] for each in changes if each.stack)
