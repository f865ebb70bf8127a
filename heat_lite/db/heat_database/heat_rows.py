"""Reads of stacks in a database of Heat to which no column has been added yet.

They read the rows of many stacks with few statements. A secret that cannot be decrypted takes the
place of the row that has it, as an InvalidEncryptionKey.
"""

import collections
import typing
from collections.abc import Collection, Iterator

from sqlalchemy import func, select, type_coerce

from heat_lite.common import exception
from heat_lite.common.value_types import Values
from heat_lite.db import credentials, encryption, models, resources, session
from heat_lite.db.column_types import SecretText
from heat_lite.db.heat_database import heat_schema
from heat_lite.db.stacks import StackRow

_S, _T, _F, _C = (
    models.stack.c,
    models.raw_template.c,
    models.raw_template_files.c,
    models.user_creds.c,
)
_BLANK = dict.fromkeys(StackRow._fields)
_OWN = heat_schema.OWN_COLUMNS['stack']
_COLUMNS = [each for each in _S if each.name in _BLANK and each.name not in _OWN]


class RawTemplate(typing.NamedTuple):
    """A template as JSON text, the id of its files, and its environment with plain parameters."""

    text: str
    files_id: int | None
    files: dict | None
    environment: dict


def living_ids(batch_size: int) -> Iterator[list[str]]:
    """Yield the ids of all stacks that are not deleted, in their order, batch by batch."""
    last = ''
    while ids := _ids_after(last, batch_size):
        yield ids
        last = ids[-1]


@session.reader
def _ids_after(last: str, batch_size: int) -> list[str]:
    query = select(_S.id).where(_S.id > last, models.ALIVE).order_by(_S.id).limit(batch_size)
    return session.scalars(query)


@session.reader
def stacks(ids: Collection[str]) -> dict[str, StackRow]:
    """Return the rows of stacks by id. Columns that Heat does not have, and tags, are None."""
    found = session.execute(select(*_COLUMNS).where(_S.id.in_(ids)).order_by(_S.id))
    return {row.id: StackRow(**{**_BLANK, **row._mapping}) for row in found}


@session.reader
def templates(ids: Collection[int]) -> dict[int, RawTemplate | exception.InvalidEncryptionKey]:
    """Return the templates of these ids."""
    query = (
        select(
            _T.id,
            type_coerce(_T.template, SecretText),
            _T.files_id,
            func.coalesce(_F.files, _T.files, type_=_T.files.type),
            _T.environment,
        )
        .outerjoin(models.raw_template_files)
        .where(_T.id.in_(ids))
    )
    found: dict[int, RawTemplate | exception.InvalidEncryptionKey] = {}
    for number, text, files_id, files, environment in session.execute(query):
        try:
            plain = encryption.decrypt_parameters(environment)
            found[number] = RawTemplate(text, files_id, files, plain)
        except exception.InvalidEncryptionKey as error:
            found[number] = error
    return found


@session.reader
def resource_rows(
    stack_ids: Collection[str],
) -> dict[str, list[resources.ResourceRow | exception.InvalidEncryptionKey]]:
    """Return the rows of the resources of each stack, in the order of ids."""
    found: Values = collections.defaultdict(list)
    for stack_id, row in resources.read_each(stack_ids):
        found[stack_id].append(row)
    return found


@session.reader
def newest_credentials(number: int) -> list[int]:
    """Return the ids of the newest stored credentials, the newest first."""
    return session.scalars(select(_C.id).order_by(_C.id.desc()).limit(number))


@session.reader
def undecryptable_credentials(ids: Collection[int]) -> dict[int, str]:
    """Return the place of a secret by the id of stored credentials that cannot be decrypted."""
    query = select(_C.id, _C.decrypt_method, *(_C[name] for name in credentials.SECRETS))
    found = {}
    for number, method, *secrets in session.execute(query.where(_C.id.in_(ids))):
        try:
            for name, secret in zip(credentials.SECRETS, secrets, strict=True):
                encryption.decrypt(method, secret, f'{name} of row {number} of user_creds')
        except exception.InvalidEncryptionKey as error:
            found[number] = error.subject
    return found
