"""Credentials by which the service acts later for the user of a stack. Password and trust are sealed."""

import typing

from sqlalchemy import delete as sql_delete
from sqlalchemy import insert, select

from heat_lite.db import models, session
from heat_lite.db.types import row_type

_C = models.user_creds
SECRETS = ('password', 'trust_id')


_CredentialsRow: typing.Any = row_type(*_C.c.keys())


class CredentialsRow(_CredentialsRow):
    """All columns, the secrets readable."""

    __slots__ = ()


@session.writer
def create(context, values: dict) -> int:
    """Keep username, password, tenant, tenant_id, auth_url, region_name, trust_id, trustor_user_id: any of them. The id of the row."""
    values = dict(values)
    for name in SECRETS:
        if values.get(name) is not None:
            values['decrypt_method'], values[name] = session.seal(values[name])
    return session.execute(insert(_C).values(values)).inserted_primary_key[0]


@session.reader
def get(context, credentials_id: int) -> CredentialsRow | None:
    """The credentials, readable."""
    row = session.execute(select(_C).where(_C.c.id == credentials_id)).first()
    if row is None:
        return None
    opened = {name: session.unseal(row.decrypt_method, getattr(row, name)) for name in SECRETS}
    return CredentialsRow(**{**row._mapping, **opened})


@session.writer
def delete(context, credentials_id: int) -> bool:
    """Forget them; stacks that still name them do so no more."""
    stack = models.stack
    session.execute(stack.update().where(stack.c.user_creds_id == credentials_id).values(user_creds_id=None))
    return session.execute(sql_delete(_C).where(_C.c.id == credentials_id)).rowcount == 1
