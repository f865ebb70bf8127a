import datetime
import threading

import pytest
from sqlalchemy import func, select, update

from heat_lite.db import models, session, templates
from heat_lite.db.column_types import utcnow
from heat_lite.db.heat_database import give_back
from tests import databases

TEMPLATE = {
    'heat_template_version': '2018-08-31',
    'resources': {'b': {'type': 'T'}, 'a': {'type': '😀'}},
}


def counts():
    @session.reader
    def count():
        tables = (models.raw_template, models.raw_template_files)
        return tuple(
            session.execute(select(func.count()).select_from(table)).scalar() for table in tables
        )

    return count()


def test_template_is_read_as_stored(database, context):
    template_id = templates.store(TEMPLATE, {'parameters': {'p': 1}}, {'file:///a': 'text of a'})
    row = templates.get(template_id)
    assert (row.id, row.template, row.environment, row.files) == (
        template_id,
        TEMPLATE,
        {'parameters': {'p': 1}},
        {'file:///a': 'text of a'},
    )
    assert list(row.template['resources']) == ['b', 'a']


def test_template_without_environment_and_files_is_stored(database, context):
    row = templates.get(templates.store(TEMPLATE))
    assert (row.environment, row.files) == ({}, {})
    assert templates.get(row.id + 1) is None


def test_same_content_is_stored_once(database, context):
    first = templates.store(TEMPLATE, {}, {'f': 'x'})
    assert templates.store(dict(TEMPLATE), None, {'f': 'x'}) == first
    assert counts() == (1, 1)


def test_different_content_is_another_row(database, context):
    order = {**TEMPLATE, 'resources': dict(reversed(TEMPLATE['resources'].items()))}
    ids = [
        templates.store(TEMPLATE, {}, {'f': 'x'}),
        templates.store(TEMPLATE, {}, {'f': 'y'}),
        templates.store(TEMPLATE, {'parameters': {}}, {'f': 'x'}),
        templates.store(order, {}, {'f': 'x'}),
        templates.store(TEMPLATE),
    ]
    assert len(set(ids)) == 5
    assert counts() == (5, 2)
    assert [templates.get(template_id).files for template_id in ids] == [
        {'f': 'x'},
        {'f': 'y'},
        {'f': 'x'},
        {'f': 'x'},
        {},
    ]


def test_concurrent_stores_of_same_content_share_a_row(database, context):
    start, ids = threading.Barrier(8, timeout=20), []

    def store():
        start.wait()
        ids.append(templates.store(TEMPLATE, {}, {'f': 'x'}))

    threads = [threading.Thread(target=store) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(ids) == 8 and len(set(ids)) == 1 and counts() == (1, 1)


def test_use_of_an_old_row_is_recorded(database, context):
    """The purge keeps rows that were used recently."""
    template_id = templates.store(TEMPLATE)

    @session.writer
    def set_created(moment):
        session.execute(update(models.raw_template).values(created_at=moment, updated_at=None))

    @session.reader
    def noted():
        return session.execute(select(models.raw_template.c.updated_at)).scalar()

    set_created(utcnow() - templates.FRESH / 2)
    assert templates.store(TEMPLATE) == template_id and noted() is None
    set_created(utcnow() - datetime.timedelta(days=3))
    assert templates.store(TEMPLATE) == template_id and utcnow() - noted() < datetime.timedelta(
        minutes=1
    )


def test_find_returns_the_id_of_stored_content(database, context):
    assert templates.find(TEMPLATE, {}, {'f': 'x'}) is None
    template_id = templates.store(TEMPLATE, {}, {'f': 'x'})
    assert templates.find(TEMPLATE, None, {'f': 'x'}) == template_id
    assert templates.find(TEMPLATE, {}, {'f': 'y'}) is None


def test_text_is_kept_and_shared_only_with_equal_ones(database, context):
    plain = templates.store(TEMPLATE)
    mine, other = (
        templates.store(TEMPLATE, {}, {}, '# mine'),
        templates.store(TEMPLATE, {}, {}, '# \0ü'),
    )
    assert len({plain, mine, other}) == 3
    assert [templates.get(each).text for each in (plain, mine, other)] == [None, '# mine', '# \0ü']
    assert templates.store(TEMPLATE, {}, {}, '# mine') == mine
    assert templates.find(TEMPLATE, {}, {}, '# mine') == mine and templates.find(TEMPLATE) == plain


def test_store_all_reuses_existing_rows(database, context):
    first = templates.store(TEMPLATE, {}, {'f': 'x'})
    other = {**TEMPLATE, 'description': 'another'}
    contents = [
        (TEMPLATE, {}, {'f': 'x'}),
        (other, {}, {'f': 'x'}),
        (other, None, {'f': 'x'}),
        (other, {}, {'g': 'y'}),
        (other, {}, {}),
    ]
    ids = templates.store_all(contents)
    assert ids[0] == first and ids[1] == ids[2] and len(set(ids)) == 4
    assert [templates.get(each).files for each in ids] == [
        {'f': 'x'},
        {'f': 'x'},
        {'f': 'x'},
        {'g': 'y'},
        {},
    ]
    assert templates.get(ids[3]).template == other and templates.store_all(contents) == ids


@pytest.mark.parametrize('stored', [True, False])
def test_store_with_lost_commit_stores_one_template(database, context, stored):
    if database == 'sqlite':
        pytest.skip('SQLite has no connections to lose')
    with databases.lose_first_commit(database, stored) as lost:
        template_id = templates.store(TEMPLATE, {}, {'f': 'x'})
    assert lost and counts() == (1, 1)
    assert templates.get(template_id).template == TEMPLATE


def test_give_back_names_the_stacks_whose_templates_heat_cannot_read(context, make_stack):
    make_stack('heat')
    own = templates.store({'heat_template_version': 'heat_lite_2026-12-01'})
    stack_id = make_stack('own', raw_template_id=own)
    assert [(row.id, reason) for row, reason in give_back.losses()] == [
        (stack_id, give_back.UNREADABLE)
    ]
