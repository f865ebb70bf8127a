import datetime

import pytest
from sqlalchemy import insert, select

from heat_lite.db import column_types, models, session

UTC = datetime.UTC


@pytest.mark.parametrize(
    ('text', 'limit', 'wanted'),
    [
        ('short', 10, 'short'),
        ('exactly', 7, 'exactly'),
        ('one too long', 11, 'one too ...'),
        (ValueError('not text'), 20, 'not text'),
        ('nul\0here', 20, 'nul\ufffdhere'),
        ('half a pair \ud83d', 20, 'half a pair ?'),
        ('grüße 😀', 20, 'grüße 😀'),
    ],
)
def test_truncate_limits_length_and_replaces_invalid_characters(text, limit, wanted):
    assert column_types.truncate(text, limit) == wanted


def test_utcnow_is_naive_and_whole():
    now = column_types.utcnow()
    assert now.tzinfo is None and now.microsecond == 0
    assert abs(now - datetime.datetime.now(UTC).replace(tzinfo=None)) < datetime.timedelta(
        seconds=5
    )


@session.writer
def store(**values):
    return session.execute(insert(models.stack).values(**values))


@session.reader
def load(*columns):
    return session.execute(select(*columns)).one()


@session.writer
def store_template(template):
    session.execute(insert(models.raw_template).values(template=template))


@pytest.mark.parametrize(
    'value',
    [
        {},
        [],
        '',
        0,
        False,
        {'emoji': '😀', 'nul': '\0', 'lone': '\ud83d', 'deep': [{'a': [None, 1.5, True]}]},
        {'big': 'x' * 100_000},
    ],
    ids=lambda value: str(value)[:20].encode('ascii', 'replace').decode(),
)
def test_json_value_is_read_as_stored(database, value):
    store_template(value)
    assert load(models.raw_template.c.template).template == value


def test_json_null_is_stored_as_null(database):
    store_template(None)
    assert load(models.raw_template.c.template.is_(None).label('empty')).empty


def test_json_larger_than_text_is_stored(database):
    """The value exceeds MariaDB's TEXT; one that exceeds MEDIUMTEXT would take too long."""
    value = {'x' * 100: 'y' * 70_000}
    store_template(value)
    assert load(models.raw_template.c.template).template == value


def test_long_reason_is_truncated(database, make_stack):
    make_stack(status_reason='😀' * 100_000)
    reason = load(models.stack.c.status_reason).status_reason
    assert (
        reason.startswith('😀😀')
        and reason.endswith('😀...')
        and len(reason) == column_types.TEXT_LIMIT
    )


def test_aware_time_is_stored_as_naive_utc(database, make_stack):
    there = datetime.timezone(datetime.timedelta(hours=2))
    make_stack(updated_at=datetime.datetime(2024, 1, 1, 12, 0, 0, 999_999, tzinfo=there))
    updated = load(models.stack.c.updated_at).updated_at
    assert updated.replace(microsecond=0) == datetime.datetime(2024, 1, 1, 10)
