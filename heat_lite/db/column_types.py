"""Column types that behave the same on SQLite, MariaDB and PostgreSQL."""

import collections
import datetime
import importlib
import json
import types
import typing

from sqlalchemy import DateTime, Dialect, String, Text
from sqlalchemy.types import TypeDecorator, TypeEngine

from heat_lite.common.value_texts import from_json
from heat_lite.common.value_types import Value
from heat_lite.db import encryption

# Maximum length of MariaDB's TEXT in characters: 65535 bytes, up to four per character.
TEXT_LIMIT = 65535 // 4


def row_type(*fields: str) -> typing.Any:
    """Return an immutable base class of rows with these attributes."""
    return collections.namedtuple('Row', fields)


def exact_utcnow() -> datetime.datetime:
    """Return the current UTC time, naive. MariaDB stores it in whole seconds."""
    return datetime.datetime.now(datetime.UTC).replace(tzinfo=None)


def utcnow() -> datetime.datetime:
    """Return the current UTC time, naive and in whole seconds, as most tables store it."""
    return exact_utcnow().replace(microsecond=0)


def dialect_module(dialect: str) -> types.ModuleType:
    """Return the SQLAlchemy module of a dialect.

    It is imported on demand: the modules of all dialects cost 3 MB and 50 ms.
    """
    return importlib.import_module(f'sqlalchemy.dialects.{dialect}')


_EMPTY: dict[str, type] = {'{}': dict, '[]': list}


class Json(TypeDecorator):
    """A JSON value as ASCII text with escapes, independent of character sets and NUL."""

    impl = Text
    cache_ok = True
    #: the column and the table, for errors
    place = ''

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine:
        return dialect.type_descriptor(
            dialect_module(dialect.name).LONGTEXT() if dialect.name == 'mysql' else Text()
        )

    def process_bind_param(self, value: Value, dialect: Dialect) -> Value:
        return None if value is None else json.dumps(value)

    def process_result_value(self, value: Value, dialect: Dialect) -> Value:
        if value in _EMPTY:  # as in most rows
            return _EMPTY[value]()
        return None if value is None else from_json(value)


class Secret(Json):
    """A JSON value that can contain values of parameters and properties.

    It is encrypted with [DEFAULT] encrypt_parameters_and_properties (see ``encryption``).
    """

    cache_ok = True

    def process_bind_param(self, value: Value, dialect: Dialect) -> Value:
        return None if value is None else encryption.encrypt_column(json.dumps(value))

    def process_result_value(self, value: Value, dialect: Dialect) -> Value:
        return None if value is None else from_json(encryption.decrypt_column(value, self.place))


class SecretText(Secret):
    """The text of a Secret, for readers that know what they have parsed. It is only read."""

    cache_ok = True

    def process_result_value(self, value: Value, dialect: Dialect) -> Value:
        return None if value is None else encryption.decrypt_column(value, self.place)


class TruncatedText(TypeDecorator):
    """A text for users that is truncated to the length of the column, with an ellipsis.

    Without it a text that is too long would fail the transaction.
    """

    impl = String
    cache_ok = True

    def __init__(self, length: int | None = None) -> None:
        self.length = length
        self.limit = length or TEXT_LIMIT
        super().__init__(length)

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine:
        return dialect.type_descriptor(String(self.length) if self.length else Text())

    def process_bind_param(self, value: Value, dialect: Dialect) -> Value:
        return None if value is None else truncate(value, self.limit)


def truncate(value: Value, limit: int) -> str:
    """Return the text in at most ``limit`` characters.

    NUL and lone surrogates, which a database cannot store, are replaced.
    """
    text = str(value)
    if len(text) > limit:
        text = text[: limit - 3] + '...'
    if text.isascii() and '\0' not in text:
        return text
    return text.replace('\0', '\ufffd').encode('utf-8', 'replace').decode('utf-8')


def fits(value: Value, length: int) -> bool:
    """Return whether a value is a text that a column of this length can store."""
    return isinstance(value, str) and len(value) <= length and truncate(value, length) == value


class UtcTime(TypeDecorator):
    """A naive UTC time. For MySQL fractions of a second are cut, because it rounds them up."""

    impl = DateTime
    cache_ok = True

    def process_bind_param(self, value: Value, dialect: Dialect) -> Value:
        if value is None:
            return None
        if value.tzinfo is not None:
            value = value.astimezone(datetime.UTC).replace(tzinfo=None)
        return value.replace(microsecond=0) if dialect.name == 'mysql' else value
