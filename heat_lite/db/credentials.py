"""Credentials by which the service acts later for the user of a stack. Password and trust are sealed.

Until there are any, a stack at work keeps who has asked for that, with his token, sealed too: an engine may die before it has made a trust.
It is forgotten with the end of the action (``stacks.with_consequences``), or as soon as there is something better.
"""

import json
import typing

from sqlalchemy import delete as sql_delete
from sqlalchemy import insert, select

from heat_lite.common import exception
from heat_lite.common.context import RequestContext
from heat_lite.db import models, seals, session, stacks
from heat_lite.db.types import row_type

_C = models.user_creds
SECRETS = ('password', 'trust_id')
#: what may hold for longer than an action is not kept for it
NOT_OF_ASKER = ('password', 'aws_creds')


_CredentialsRow: typing.Any = row_type(*_C.c.keys())


class CredentialsRow(_CredentialsRow):
    """All columns, the secrets readable."""

    __slots__ = ()

    @classmethod
    def of(cls, values: dict):
        """A row that is not stored."""
        return cls(**{**dict.fromkeys(cls._fields), **values})


@session.writer
def create(context, values: dict) -> int:
    """Keep username, password, tenant, tenant_id, auth_url, region_name, trust_id, trustor_user_id: any of them. The id of the row."""
    values = dict(values)
    for name in SECRETS:
        if values.get(name) is not None:
            values['decrypt_method'], values[name] = seals.seal(values[name])
    return session.execute(insert(_C).values(values)).inserted_primary_key[0]


@session.writer
def keep(context, stack_id: str, values: dict, instead_of: int | None = None) -> int | None:
    """Keep credentials for a stack and all stacks inside it, instead of those of that id. The id of the row.

    None, and nothing is stored, where the stack is gone, or has others meanwhile.
    """
    table = models.stack
    found = session.execute(select(table.c.user_creds_id, table.c.deleted_at).where(table.c.id == stack_id).with_for_update()).first()
    if found is None or found.deleted_at is not None or found.user_creds_id != instead_of:
        return None
    made = create(context, values)
    session.execute(table.update().where(table.c.id.in_(stacks.tree(context, stack_id))).values(user_creds_id=made, asker=None))
    if instead_of is not None:
        delete(context, instead_of)
    return made


@session.reader
def of_stack(context, stack_id: str) -> CredentialsRow | None:
    """The credentials that a stack has now, readable."""
    return _readable(session.execute(select(_C).join(models.stack).where(models.stack.c.id == stack_id)).first())


@session.reader
def get(context, credentials_id: int) -> CredentialsRow | None:
    """The credentials, readable."""
    return _readable(session.execute(select(_C).where(_C.c.id == credentials_id)).first())


def _readable(row):
    if row is None:
        return None
    opened = {name: seals.unseal(row.decrypt_method, getattr(row, name)) for name in SECRETS}
    return CredentialsRow(**{**row._mapping, **opened})


def sealed_asker(context) -> str | None:
    """Who asks, as ``stack.asker`` keeps it; None where he has no token, or where nothing could keep that secret."""
    if not context.auth_token:
        return None
    return seals.lock_up(json.dumps({name: value for name, value in context.to_dict().items() if name not in NOT_OF_ASKER}))


def asker(sealed: str | None) -> RequestContext | None:
    """Who has asked. What another key has sealed is as good as nothing."""
    try:
        return None if sealed is None else RequestContext.from_dict(json.loads(seals.unwrap(sealed)), overwrite=False)
    except exception.InvalidEncryptionKey:
        return None


@session.writer
def forget_asker(context, stack_id: str):
    """There is something better to go on with."""
    session.execute(models.stack.update().where(models.stack.c.id == stack_id).values(asker=None))


@session.writer
def delete(context, credentials_id: int) -> bool:
    """Forget them; stacks that still name them do so no more."""
    stack = models.stack
    session.execute(stack.update().where(stack.c.user_creds_id == credentials_id).values(user_creds_id=None))
    return session.execute(sql_delete(_C).where(_C.c.id == credentials_id)).rowcount == 1
