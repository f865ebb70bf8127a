"""Re-encryption of the database with another key, or with or without parameters and properties.

The tables are processed in small transactions, which lock their rows. The process can be
interrupted and repeated at any time. Engines may run meanwhile if they know all keys and only the
key changes: they write parameters and properties encrypted or not by their configuration. See
``encryption``.
"""

import json
import typing
from collections.abc import Callable, Iterator, Sequence

import sqlalchemy
from sqlalchemy import select, update

from heat_lite.common import cipher, exception
from heat_lite.db import encryption, models, session
from heat_lite.db.column_types import Secret

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
#: Properties of resources, whose values are encrypted one by one. Earlier versions encrypted the
#: column as a whole, with a prefix.
PROPERTIES_TABLE, DATA, ENCRYPTED = models.resource_properties_data, 'data', 'encrypted'
#: The fingerprint by which a content is found. It depends on the encryption of the content.
HASH = 'content_hash'


def reencrypt_tables(
    encrypt: bool | None, keys: Sequence[str], batch_size: int
) -> Iterator[tuple[str, int]]:
    """Encrypt all secrets with ``keys[0]``; yield (table name, number of changed rows).

    The secrets were encrypted with one of ``keys``. Parameters and properties are encrypted if
    ``encrypt`` is true and decrypted if it is false; None keeps encrypted what is encrypted and
    plain what is plain. Raises ValueError for a row that no key decrypts.
    """
    for table, columns, change in _changes(encrypt, keys):
        yield table.name, _process_table(table, columns, change, batch_size)


def undecryptable(keys: Sequence[str], batch_size: int) -> Iterator[tuple[str, typing.Any]]:
    """Yield (table name, id) of each row with a secret that none of ``keys`` decrypts."""
    for table, columns, change in _changes(False, keys):
        plain, last = _plain(table, columns), None
        while rows := _read(_after(plain, columns, last, batch_size)):
            for last, *values in rows:
                try:
                    change(dict(zip(columns, values, strict=True)))
                except exception.InvalidEncryptionKey:
                    yield table.name, last


def _changes(encrypt, keys):
    """Yield (table, columns, function from the columns of a row to their new values)."""
    for table, columns in METHOD_COLUMNS.items():
        yield table, columns, lambda row: _reencrypted_row(row, encrypt, keys)
    properties = PROPERTIES_TABLE, [DATA, ENCRYPTED]
    yield *properties, lambda row: _reencrypted_properties(row, encrypt, keys)
    for table, columns in PREFIX_COLUMNS.items():
        yield table, columns, lambda row: _reencrypted_columns(row, encrypt, keys)


def _process_table(table, columns, change: Callable[[dict], dict], batch_size):
    plain = _plain(table, columns)
    last, changed = None, 0
    while True:
        last, count, more = _batch(plain, columns, change, last, batch_size)
        changed += count
        if not more:
            return changed


def _plain(table, columns):
    """Return the table with columns without types: the stored texts are read unchanged.

    Each table has the key ``id``.
    """
    names = [KEY, *columns, *([HASH] if HASH in table.c and columns else [])]
    return sqlalchemy.table(table.name, *map(sqlalchemy.column, names))


def _after(table, columns, last, batch_size):
    """Return the query of the next rows: the key and the columns."""
    query = select(table.c[KEY], *(table.c[name] for name in columns))
    query = query.order_by(table.c[KEY]).limit(batch_size)
    return query if last is None else query.where(table.c[KEY] > last)


@session.reader
def _read(query):
    return session.execute(query).all()


@session.writer
def _batch(table, columns, change, last, batch_size):
    rows = session.execute(_after(table, columns, last, batch_size).with_for_update()).all()
    count = 0
    for row in rows:
        before = {name: value for name, value in zip(columns, row[1:], strict=True)}
        try:
            after = change(before)
        except exception.InvalidEncryptionKey as error:
            raise ValueError(
                f'The row {row[0]} of table {table.name} is encrypted with none of the given keys. '
                'Pass the key that was in use as the previous key.'
            ) from error
        if after != before:
            invalidated = {HASH: None} if HASH in table.c else {}
            session.execute(
                update(table).where(table.c[KEY] == row[0]).values({**after, **invalidated})
            )
            count += 1
    return (rows[-1][0] if rows else last), count, bool(rows)


def _reencrypted_row(row, encrypt, keys):
    texts = {
        name: text
        for name, text in row.items()
        if name not in (METHOD, SECRET) and text is not None
    }
    method, wanted = row[METHOD], encrypt or row.get(SECRET, True)
    if encrypt is None:
        wanted = bool(method)
    if not texts or not (method or wanted):
        return row
    if wanted and all(_is_present(text, keys[0], method) for text in texts.values()):
        return row
    plain = {
        name: _decrypted(text, keys, method) if method else text for name, text in texts.items()
    }
    if not wanted:
        return {**row, METHOD: None, **plain}
    return {
        **row,
        METHOD: cipher.METHOD,
        **{name: cipher.encrypt(text, keys[0])[1] for name, text in plain.items()},
    }


def _reencrypted_columns(row, encrypt, keys):
    always = None if encrypt is None else True
    return {
        name: None
        if text is None
        else _reencrypted_text(text, always if name == REQUESTER else encrypt, keys)
        for name, text in row.items()
    }


def _reencrypted_properties(row, encrypt, keys):
    text = row[DATA]
    if text is None:
        return row
    has_prefix = text.startswith(encryption.PREFIX)
    encrypted = has_prefix or bool(row[ENCRYPTED])
    if has_prefix:
        text = _decrypted(text[len(encryption.PREFIX) :], keys)
    values = json.loads(text)
    wanted = encrypted if encrypt is None else encrypt
    if not (encrypted or wanted):
        return row
    if row[ENCRYPTED] and not has_prefix:
        if wanted and all(_is_present(value, keys[0], how) for how, value in values.values()):
            return row
        values = {
            name: json.loads(_decrypted(value, keys, how)) for name, (how, value) in values.items()
        }
    if wanted:
        values = {
            name: list(cipher.encrypt(json.dumps(value), keys[0])) for name, value in values.items()
        }
    return {DATA: json.dumps(values), ENCRYPTED: bool(wanted)}


def _reencrypted_text(text, encrypt, keys):
    if encryption.ENCRYPTED_NAMES in text and not text.startswith(encryption.PREFIX):
        plain = _plain_environment(text, keys)
        encrypt = plain != text if encrypt is None else encrypt
        text = plain
    encrypted = text.startswith(encryption.PREFIX)
    encrypt = encrypted if encrypt is None else encrypt
    if encrypted and encrypt and _is_present(text[len(encryption.PREFIX) :], keys[0]):
        return text
    plain = _decrypted(text[len(encryption.PREFIX) :], keys) if encrypted else text
    return encryption.PREFIX + cipher.encrypt(plain, keys[0])[1] if encrypt else plain


def _plain_environment(text, keys):
    """Return the text of an environment without the parameters that Heat has encrypted in it."""
    found = json.loads(text)
    names = found.get(encryption.ENCRYPTED_NAMES) if isinstance(found, dict) else None
    values = found.get(encryption.PARAMETERS) or {} if names else {}
    pairs = {name: values[name] for name in names or () if name in values}
    pairs = {name: pair for name, pair in pairs.items() if cipher.is_encrypted_pair(pair)}
    if not pairs:
        return text
    plain = {name: _decrypted(secret, keys, how) for name, (how, secret) in pairs.items()}
    del found[encryption.ENCRYPTED_NAMES]
    return json.dumps({**found, encryption.PARAMETERS: {**values, **plain}})


def _decrypted(text, keys, method=cipher.METHOD):
    return cipher.decrypt(method, text, keys[0], tuple(keys[1:]))


def _is_present(text, key, method=cipher.METHOD):
    """Return whether a secret is encrypted by the present method and key."""
    if method != cipher.METHOD:
        return False
    try:
        cipher.decrypt(method, text, key)
    except exception.InvalidEncryptionKey:
        return False
    return True
