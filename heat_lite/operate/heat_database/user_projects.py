"""Projects of stack users that Heat expects of each stack, made in Keystone before a give-back.

heat_lite makes the project of a stack with its first user, Heat with the stack. Of a stack without
one, Heat can neither serve the signals nor delete the users.
"""

import functools
import itertools
from collections.abc import Iterator
from concurrent import futures
from typing import Any

from keystoneauth1 import exceptions

from heat_lite.clients import keystone
from heat_lite.common.value_types import Row
from heat_lite.db import stacks as db_stacks
from heat_lite.db.heat_database import give_back
from heat_lite.engine.stack import stack_users

#: stacks that are read at a time, and requests to Keystone under way
BATCH, REQUESTS = 500, 8


def count_missing() -> int:
    """Return the number of living top-level stacks without a project."""
    return sum(1 for _ in _missing())


def make_missing(domain: keystone.StackDomain) -> int:
    """Make the missing projects; return their number. It can be repeated after an interruption.

    Raises ValueError if Keystone refuses or does not answer.
    """
    count, rows = 0, _missing()
    with futures.ThreadPoolExecutor(REQUESTS) as pool:
        while batch := list(itertools.islice(rows, BATCH)):
            try:
                count += len(list(pool.map(functools.partial(_make, domain), batch)))
            except exceptions.ClientException as error:
                raise ValueError(
                    f'A project for the users of a stack could not be made in Keystone: {error}. '
                    'Repeat the command when Keystone answers; see stack_domain_admin in [DEFAULT].'
                ) from error
    return count


def _make(domain: Any, row: Row) -> None:
    made = domain.create_project(f'{row.tenant}-{row.id}', stack_users.DESCRIPTION)
    db_stacks.store_user_project(row.id, made)


def _missing() -> Iterator[Any]:
    """Yield the (id, tenant) of stacks."""
    last = ''
    while rows := give_back.stacks_without_project(last, BATCH):
        yield from rows
        last = rows[-1].id
