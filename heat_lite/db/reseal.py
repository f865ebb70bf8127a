"""Changes how what is stored is sealed: with another key, or parameters and properties from now on, or no longer (see ``seals``).

It goes through the tables in small transactions and may be broken off and called again at any time. No engine may be at work meanwhile.
"""

from collections.abc import Callable, Iterator

import sqlalchemy
from sqlalchemy import select, update

from heat_lite.common import crypt, exception
from heat_lite.db import models, seals, session
from heat_lite.db.types import Secret

METHOD, SECRET = 'decrypt_method', 'redact'
#: what is sealed by a method beside it, or, where the row does not say that it is a secret, may be
SEALED = {models.user_creds: [METHOD, 'password', 'trust_id'], models.resource_data: [METHOD, SECRET, 'value']}
_SECRETS = {table: [column.name for column in table.c if isinstance(column.type, Secret)] for table in models.metadata.sorted_tables}
WRAPPED = {table: columns for table, columns in _SECRETS.items() if columns}
#: always sealed, and only while an action is at work
LOCKED_UP = {models.stack: ['asker']}
#: by this a content is found again; what it is made of depends on how the content is sealed
HASH = 'content_hash'


def tables(encrypt: bool, key: str, previous: str | None, batch_size: int) -> Iterator[tuple[str, int]]:
    """Seal all with ``key`` what was sealed with it or with ``previous``; parameters and properties are sealed with ``encrypt``, else left
    readable. Gives each table that has something to seal, with how many of its rows have changed. Raises InvalidEncryptionKey for what
    neither key opens."""
    keys = [key] if previous is None else [key, previous]
    for table, columns in SEALED.items():
        yield table.name, _go_through(table, columns, lambda row: _resealed(row, encrypt, keys), batch_size)
    for table, columns in LOCKED_UP.items():
        _go_through(table, columns, lambda row: _rewrapped(row, True, keys), batch_size)
    for table, columns in WRAPPED.items():
        yield table.name, _go_through(table, columns, lambda row: _rewrapped(row, encrypt, keys), batch_size)


def _go_through(table, columns, change: Callable[[dict], dict], batch_size):
    # without the types of the columns: what is stored is read and written as it is
    (key,) = table.primary_key.columns.keys()
    names = [key, *columns, *([HASH] if HASH in table.c and columns else [])]
    plain = sqlalchemy.table(table.name, *map(sqlalchemy.column, names))
    last, changed = None, 0
    while True:
        last, count, more = _batch(plain, key, columns, change, last, batch_size)
        changed += count
        if not more:
            return changed


@session.writer
def _batch(table, key, columns, change, last, batch_size):
    query = select(table.c[key], *(table.c[name] for name in columns)).order_by(table.c[key]).limit(batch_size)
    rows = session.execute(query if last is None else query.where(table.c[key] > last)).all()
    count = 0
    for row in rows:
        before = {name: value for name, value in zip(columns, row[1:], strict=True)}
        try:
            after = change(before)
        except exception.InvalidEncryptionKey as error:
            raise ValueError(f'{table.name} {row[0]} is sealed with another key than those that were given') from error
        if after != before:
            forgotten = {HASH: None} if HASH in table.c else {}
            session.execute(update(table).where(table.c[key] == row[0]).values({**after, **forgotten}))
            count += 1
    return (rows[-1][0] if rows else last), count, bool(rows)


def _resealed(row, encrypt, keys):
    texts = {name: text for name, text in row.items() if name not in (METHOD, SECRET) and text is not None}
    method, wanted = row[METHOD], encrypt or row.get(SECRET, True)
    if not texts or not (method or wanted):
        return row
    if method and wanted and all(_opens(text, keys[0], method) for text in texts.values()):
        return row
    plain = {name: _opened(text, keys, method) if method else text for name, text in texts.items()}
    if not wanted:
        return {**row, METHOD: None, **plain}
    return {**row, METHOD: crypt.METHOD, **{name: crypt.seal(text, keys[0])[1] for name, text in plain.items()}}


def _rewrapped(row, encrypt, keys):
    return {name: None if text is None else _rewrapped_text(text, encrypt, keys) for name, text in row.items()}


def _rewrapped_text(text, encrypt, keys):
    wrapped = text.startswith(seals.MARK)
    if wrapped and encrypt and _opens(text[len(seals.MARK) :], keys[0]):
        return text
    plain = _opened(text[len(seals.MARK) :], keys) if wrapped else text
    return seals.MARK + crypt.seal(plain, keys[0])[1] if encrypt else plain


def _opened(text, keys, method=crypt.METHOD):
    for key in keys[:-1]:
        if _opens(text, key, method):
            return crypt.unseal(method, text, key)
    return crypt.unseal(method, text, keys[-1])


def _opens(text, key, method=crypt.METHOD):
    try:
        crypt.unseal(method, text, key)
    except exception.InvalidEncryptionKey:
        return False
    return True
