"""Re-encryption of the database with another key, or with or without parameters and properties.

The tables are processed in small transactions, which lock their rows. The process can be
interrupted and repeated at any time. Engines may run meanwhile if they know all keys and only the
key changes: they write parameters and properties encrypted or not by their configuration. See
``encryption``.
"""

import dataclasses
import json
import typing
from collections.abc import Callable, Iterator, Sequence

import sqlalchemy
from sqlalchemy import ColumnElement, Select, Table, TableClause, bindparam, or_, select, update

from heat_lite.common import cipher, exception
from heat_lite.common.value_types import Row, Value
from heat_lite.db import encryption, models, session
from heat_lite.db.column_types import Secret

#: from the columns of a row to their new values
Change = Callable[[dict], dict]
KEY, METHOD, SECRET = 'id', 'decrypt_method', 'redact'
#: Columns whose encryption method is in the row. A row with a false ``redact`` is encrypted only if
#: parameters and properties are.
METHOD_COLUMNS = {
    models.user_creds: [METHOD, 'password', 'trust_id'],
    models.resource_data: [METHOD, SECRET, 'value'],
}
#: A column with a prefix that is always encrypted; it has a value during an action only.
REQUESTER = 'asker'
_SECRET_COLUMNS = {
    table: [
        column.name
        for column in table.c
        if isinstance(column.type, Secret) or column is models.stack.c[REQUESTER]
    ]
    for table in models.metadata.sorted_tables
}
#: Columns of type Secret and REQUESTER, whose ciphertext starts with a prefix.
PREFIX_COLUMNS = {table: columns for table, columns in _SECRET_COLUMNS.items() if columns}
#: Properties of resources, whose values are encrypted one by one.
PROPERTIES_TABLE, DATA, ENCRYPTED = models.resource_properties_data, 'data', 'encrypted'
#: The fingerprint by which a content is found. It depends on the encryption of the content.
HASH = 'content_hash'


@dataclasses.dataclass(frozen=True)
class Target:
    """How secrets are to be encrypted: with ``keys[0]``; all ``keys`` decrypt.

    Parameters and properties are encrypted if ``encrypt`` is true and decrypted if it is false;
    None keeps encrypted what is encrypted and plain what is plain. ``method`` is that of
    METHOD_COLUMNS. ``checked``: ``undecryptable`` has found nothing, so what has ``method`` is not
    decrypted again if there is one key. Without ``secrets`` everything is only decrypted.
    """

    encrypt: bool | None
    keys: Sequence[str]
    method: str = cipher.METHOD
    checked: bool = False
    secrets: bool = True

    def decrypted(self, text: str, method: str = cipher.METHOD) -> str:
        """Return the plain text. Raises InvalidEncryptionKey."""
        return cipher.decrypt(method, text, self.keys[0], tuple(self.keys[1:]))

    def encrypted(self, text: str) -> str:
        """Return the text, encrypted by ``method``."""
        heat = self.method == cipher.HEAT_METHOD
        return (cipher.heat_encrypt if heat else cipher.encrypt)(text, self.keys[0])[1]

    def is_met(self, text: str, method: str = cipher.METHOD, wanted: str = cipher.METHOD) -> bool:
        """Return whether a secret is encrypted by the wanted method and with the first key."""
        if method != wanted:
            return False
        if self.checked and len(self.keys) == 1:
            return True
        try:
            cipher.decrypt(method, text, self.keys[0])
        except exception.InvalidEncryptionKey:
            return False
        return True


def reencrypt_tables(target: Target, batch_size: int) -> Iterator[tuple[str, int]]:
    """Encrypt all secrets as ``target`` says; yield (table name, number of changed rows).

    Raises ValueError for a row that no key decrypts.
    """
    for table, columns, change in _changes(target):
        yield table.name, _process_table(table, columns, change, target, batch_size)


def undecryptable(keys: Sequence[str], batch_size: int) -> Iterator[tuple[str, typing.Any]]:
    """Yield (table name, id) of each row with a secret that none of ``keys`` decrypts."""
    target = Target(False, keys, secrets=False)
    for table, columns, change in _changes(target):
        plain, last = _plain(table, columns), None
        while rows := _read(_after(plain, columns, target, last, batch_size)):
            for last, *values in rows:
                try:
                    change(dict(zip(columns, values, strict=True)))
                except exception.InvalidEncryptionKey:
                    yield table.name, last


def _changes(target: Target) -> Iterator[tuple[Table, list[str], Change]]:
    """Yield (table, columns, function from the columns of a row to their new values)."""
    for table, columns in METHOD_COLUMNS.items():
        yield table, columns, lambda row: _reencrypted_row(row, target)
    yield PROPERTIES_TABLE, [DATA, ENCRYPTED], lambda row: _reencrypted_properties(row, target)
    for table, columns in PREFIX_COLUMNS.items():
        yield table, columns, lambda row: _reencrypted_columns(row, target)


def _process_table(
    table: Table,
    columns: list[str],
    change: Callable[[dict], dict],
    target: Target,
    batch_size: int,
) -> int:
    plain = _plain(table, columns)
    last, changed = None, 0
    while True:
        query = _after(plain, columns, target, last, batch_size)
        last, count, more = _batch(plain, columns, change, query)
        changed += count
        if not more:
            return changed


def _plain(table: Table, columns: list[str]) -> TableClause:
    """Return the table with columns without types: the stored texts are read unchanged.

    Each table has the key ``id``.
    """
    names = [KEY, *columns, *([HASH] if HASH in table.c and columns else [])]
    return sqlalchemy.table(table.name, *map(sqlalchemy.column, names))


def _after(
    table: TableClause, columns: list[str], target: Target, last: typing.Any, batch_size: int
) -> Select:
    """Return the query of the next rows that may change: the key and the columns."""
    query = select(table.c[KEY], *(table.c[name] for name in columns))
    query = query.order_by(table.c[KEY]).limit(batch_size)
    if target.encrypt is False:
        query = query.where(_is_encrypted(table, columns, target))
    return query if last is None else query.where(table.c[KEY] > last)


def _is_encrypted(table: TableClause, columns: list[str], target: Target) -> ColumnElement[bool]:
    """Return the condition of rows that may be encrypted in another way than ``target`` says."""
    if METHOD in columns:
        has_method = table.c[METHOD].is_not(None) & (table.c[METHOD] != '')
        met = table.c[METHOD] == target.method
        if not (target.secrets and target.checked and len(target.keys) == 1):
            return has_method
        is_plain = [table.c[SECRET].is_not(True)] if SECRET in columns else []
        return has_method & or_(~met, *is_plain)
    if ENCRYPTED in columns:
        return table.c[ENCRYPTED].is_(True)
    texts = [table.c[name] for name in columns]
    names = f'%"{encryption.ENCRYPTED_NAMES}"%'
    return or_(*(text.like(f'{encryption.PREFIX}%') | text.like(names) for text in texts))


@session.reader
def _read(query: Select) -> Sequence[Row]:
    return session.rows(query)


@session.writer
def _batch(
    table: TableClause, columns: list[str], change: Change, query: Select
) -> tuple[typing.Any, int, bool]:
    """Change the rows of a query. Return (the last key, number of changed rows, may be more)."""
    rows = session.rows(query.with_for_update())
    changed, invalidated = [], {HASH: None} if HASH in table.c else {}
    for row in rows:
        before = dict(zip(columns, row[1:], strict=True))
        try:
            after = change(before)
        except exception.InvalidEncryptionKey as error:
            raise ValueError(
                f'The row {row[0]} of table {table.name} is encrypted with none of the given keys. '
                'Pass the key that was in use as the previous key.'
            ) from error
        if after != before:
            changed.append({'row_id': row[0], **after, **invalidated})
    if changed:
        names = [name for name in changed[0] if name != 'row_id']
        found = update(table).where(table.c[KEY] == bindparam('row_id'))
        statement = found.values({name: bindparam(name) for name in names})
        session.execute(statement, changed)
    return (rows[-1][0] if rows else None), len(changed), bool(rows)


def _reencrypted_row(row: dict, target: Target) -> dict:
    texts = {
        name: text
        for name, text in row.items()
        if name not in (METHOD, SECRET) and text is not None
    }
    method = row[METHOD]
    wanted = target.secrets and (target.encrypt or row.get(SECRET, True))
    if target.encrypt is None:
        wanted = bool(method)
    if not texts or not (method or wanted):
        return row
    if wanted and all(target.is_met(text, method, target.method) for text in texts.values()):
        return row
    plain = {
        name: target.decrypted(text, method) if method else text for name, text in texts.items()
    }
    if not wanted:
        return {**row, METHOD: None, **plain}
    encrypted = {name: target.encrypted(text) for name, text in plain.items()}
    return {**row, METHOD: target.method, **encrypted}


def _reencrypted_columns(row: dict, target: Target) -> dict:
    return {
        name: None if text is None else _reencrypted_text(text, _wanted(name, target), target)
        for name, text in row.items()
    }


def _wanted(name: str, target: Target) -> bool | None:
    """Return whether a column is to be encrypted; None: it stays as it is."""
    if name == REQUESTER and target.encrypt is not None and target.secrets:
        return True
    return target.encrypt


def _reencrypted_properties(row: dict, target: Target) -> dict:
    text = row[DATA]
    if text is None:
        return row
    encrypted, values = bool(row[ENCRYPTED]), json.loads(text)
    wanted = encrypted if target.encrypt is None else target.encrypt
    if not (encrypted or wanted):
        return row
    if encrypted:
        if wanted and all(target.is_met(value, how) for how, value in values.values()):
            return row
        values = {name: _plain_value(how, text, target) for name, (how, text) in values.items()}
    if wanted:
        key = target.keys[0]
        values = {
            name: list(cipher.encrypt(json.dumps(value), key)) for name, value in values.items()
        }
    return {DATA: json.dumps(values), ENCRYPTED: bool(wanted)}


def _plain_value(method: str, text: str, target: Target) -> Value:
    """Return the value of a property. Raises InvalidEncryptionKey.

    Heat's oldest method does not tell that a key is wrong: the text is no JSON then.
    """
    try:
        return json.loads(target.decrypted(text, method))
    except json.JSONDecodeError as error:
        raise exception.InvalidEncryptionKey() from error


def _reencrypted_text(text: str, encrypt: bool | None, target: Target) -> str:
    if encryption.ENCRYPTED_NAMES in text and not text.startswith(encryption.PREFIX):
        plain = _plain_environment(text, target)
        encrypt = plain != text if encrypt is None else encrypt
        text = plain
    encrypted = text.startswith(encryption.PREFIX)
    encrypt = encrypted if encrypt is None else encrypt
    if encrypted and encrypt and target.is_met(text[len(encryption.PREFIX) :]):
        return text
    plain = target.decrypted(text[len(encryption.PREFIX) :]) if encrypted else text
    return encryption.PREFIX + cipher.encrypt(plain, target.keys[0])[1] if encrypt else plain


def _plain_environment(text: str, target: Target) -> str:
    """Return the text of an environment without the parameters that Heat has encrypted in it."""
    found = json.loads(text)
    names = found.get(encryption.ENCRYPTED_NAMES) if isinstance(found, dict) else None
    values = found.get(encryption.PARAMETERS) or {} if names else {}
    pairs = {name: values[name] for name in names or () if name in values}
    pairs = {name: pair for name, pair in pairs.items() if cipher.is_encrypted_pair(pair)}
    if not pairs:
        return text
    plain = {name: target.decrypted(secret, how) for name, (how, secret) in pairs.items()}
    del found[encryption.ENCRYPTED_NAMES]
    return json.dumps({**found, encryption.PARAMETERS: {**values, **plain}})
