"""Stored credentials, by which the service acts for the user of a stack after the request.

Password and trust id are encrypted. As long as a stack without stored credentials is in progress,
the column ``stack.asker`` holds its requester (the request's context with the token, encrypted),
because the engine can die before it has created a trust. The column is cleared when the action
ends (``stacks.with_derived_columns``) or when credentials are stored. It stays if the token is of
a signature, for which Keystone makes no trust: it serves until it expires.
"""

import json
import typing

from sqlalchemy import select

from heat_lite.common import exception
from heat_lite.common.context import RequestContext
from heat_lite.common.value_types import Row
from heat_lite.db import encryption, models, session, stacks
from heat_lite.db.column_types import row_type

_C = models.user_creds.c
SECRETS = ('password', 'trust_id')
#: Attributes of a context that are not stored, because they can be valid longer than the action.
NOT_STORED = ('password', 'aws_creds')


_CredentialsRow: typing.Any = row_type(*_C.keys())


class CredentialsRow(_CredentialsRow):
    """All columns of stored credentials, with decrypted secrets."""

    __slots__ = ()

    @classmethod
    def of(cls, values: dict) -> 'CredentialsRow':
        """Return a row that is not stored."""
        return cls(**{**dict.fromkeys(cls._fields), **values})


@session.writer
def create(values: dict) -> int:
    """Store credentials and return the id of the row.

    The values are any of username, password, tenant, tenant_id, auth_url, region_name, trust_id
    and trustor_user_id.
    """
    values = dict(values)
    for name in SECRETS:
        if values.get(name) is not None:
            values['decrypt_method'], values[name] = encryption.encrypt(values[name])
    return session.insert_row(models.user_creds, values)


@session.writer
def replace_for_stack(stack_id: str, values: dict, old_id: int | None = None) -> int | None:
    """Replace the credentials of a stack and of all its nested stacks; return the id of the row.

    Return None, and store nothing, if the stack is gone or its credentials are not ``old_id``.
    """
    table = models.stack
    found = session.first(
        select(table.c.user_creds_id, table.c.deleted_at)
        .where(table.c.id == stack_id)
        .with_for_update()
    )
    if found is None or found.deleted_at is not None or found.user_creds_id != old_id:
        return None
    new_id = create(values)
    session.execute(
        table.update()
        .where(table.c.id.in_(stacks.tree_ids(stack_id)))
        .values(user_creds_id=new_id, asker=None)
    )
    if old_id is not None:
        delete(old_id)
    return new_id


@session.reader
def get_by_stack(stack_id: str) -> CredentialsRow | None:
    """Return the credentials of a stack, decrypted."""
    query = select(models.user_creds).join(models.stack).where(models.stack.c.id == stack_id)
    return _decrypted(session.first(query))


@session.reader
def get(credentials_id: int) -> CredentialsRow | None:
    """Return the credentials of this id, decrypted."""
    return _decrypted(session.first(select(models.user_creds).where(_C.id == credentials_id)))


def _decrypted(row: Row) -> CredentialsRow | None:
    if row is None:
        return None
    secrets = {
        name: encryption.decrypt(
            row.decrypt_method, getattr(row, name), f'{name} of row {row.id} of user_creds'
        )
        for name in SECRETS
    }
    return CredentialsRow(**{**row._mapping, **secrets})


def encrypt_requester(context: RequestContext) -> str | None:
    """Return the context as the column ``stack.asker`` stores it.

    Return None for a context without a token, or without a private encryption key.
    """
    if not context.auth_token:
        return None
    values = {name: value for name, value in context.to_dict().items() if name not in NOT_STORED}
    return encryption.encrypt_or_none(json.dumps(values))


def decrypt_requester(stored: str | None) -> RequestContext | None:
    """Return the context of the requester; None if it was encrypted with another key."""
    if stored is None:
        return None
    try:
        values = json.loads(encryption.decrypt_column(stored))
    except exception.InvalidEncryptionKey:
        return None
    return RequestContext.from_dict(values, overwrite=False)


@session.writer
def clear_requester(stack_id: str) -> None:
    """Clear the requester of a stack."""
    session.execute(models.stack.update().where(models.stack.c.id == stack_id).values(asker=None))


@session.writer
def delete(credentials_id: int) -> bool:
    """Delete credentials, also from the stacks that refer to them."""
    stack = models.stack
    session.execute(
        stack.update().where(stack.c.user_creds_id == credentials_id).values(user_creds_id=None)
    )
    return session.delete(models.user_creds, _C.id == credentials_id) == 1
