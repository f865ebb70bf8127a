"""Column types that mean the same on SQLite, MariaDB and PostgreSQL."""

import collections
import datetime
import importlib
import json
import typing

from sqlalchemy import DateTime, String, Text
from sqlalchemy.types import TypeDecorator

from heat_lite.db import seals

# what MariaDB's TEXT holds, in bytes; a character takes up to four
TEXT_LIMIT = 65535 // 4


def row_type(*fields) -> typing.Any:
    """Base of a class of rows: immutable, with these attributes."""
    return collections.namedtuple('Row', fields)


def utcnow():
    """Now in UTC, without a zone and in whole seconds: what the tables keep and the API shows."""
    return datetime.datetime.now(datetime.UTC).replace(tzinfo=None, microsecond=0)


def own_words(dialect):
    """The module of what only one kind of database knows. To import those of all would cost an engine 3 MB and 50 ms."""
    return importlib.import_module(f'sqlalchemy.dialects.{dialect}')


class Json(TypeDecorator):
    """Any JSON, as text. It is kept in ASCII with escapes, so that no character set and no NUL can break it."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect):
        return dialect.type_descriptor(own_words(dialect.name).LONGTEXT() if dialect.name == 'mysql' else Text())

    def process_bind_param(self, value, dialect):
        return None if value is None else json.dumps(value)

    def process_result_value(self, value, dialect):
        return None if value is None else json.loads(value)


class Secret(Json):
    """Any JSON that may hold values of parameters and properties: sealed where the operator wants that (see ``seals``)."""

    cache_ok = True

    def process_bind_param(self, value, dialect):
        return None if value is None else seals.wrap(json.dumps(value))

    def process_result_value(self, value, dialect):
        return None if value is None else json.loads(seals.unwrap(value))


class Told(TypeDecorator):
    """Text for people that is cut, with an ellipsis, where the column ends, instead of failing the transaction that tells it."""

    impl = String
    cache_ok = True

    def __init__(self, length=None):
        self.limit = length or TEXT_LIMIT
        super().__init__(length)

    def load_dialect_impl(self, dialect):
        return dialect.type_descriptor(String(self.impl.length) if self.impl.length else Text())

    def process_bind_param(self, value, dialect):
        return None if value is None else cut(value, self.limit)


def cut(value, limit):
    """The text in at most ``limit`` characters, without those that a database cannot store (NUL, lone surrogates)."""
    text = str(value)
    if len(text) > limit:
        text = text[: limit - 3] + '...'
    if text.isascii() and '\0' not in text:
        return text
    return text.replace('\0', '\ufffd').encode('utf-8', 'replace').decode('utf-8')


class UtcTime(TypeDecorator):
    """A moment in UTC without a zone. MySQL would round fractions of a second up into the future: they are cut off there."""

    impl = DateTime
    cache_ok = True

    def process_bind_param(self, value, dialect):
        if value is None:
            return None
        if value.tzinfo is not None:
            value = value.astimezone(datetime.UTC).replace(tzinfo=None)
        return value.replace(microsecond=0) if dialect.name == 'mysql' else value
