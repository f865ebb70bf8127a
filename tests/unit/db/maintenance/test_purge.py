import datetime
import functools

import pytest
from sqlalchemy import func, insert, select, update

from heat_lite.db import (
    credentials,
    journal,
    locks,
    models,
    resources,
    revisions,
    session,
    snapshots,
    stack_creation,
    stacks,
    sync_points,
    templates,
)
from heat_lite.db.column_types import utcnow
from heat_lite.db.maintenance import purge
from heat_lite.db.queries import StackFilter
from tests import databases

#: Purge shared rows regardless of their age.
purged = functools.partial(purge.purge_deleted, grace=datetime.timedelta(0))


def ago(**kwargs):
    return utcnow() - datetime.timedelta(**kwargs)


@session.reader
def count(table):
    return session.execute(select(func.count()).select_from(table)).scalar()


@session.writer
def age_all(**kwargs):
    """Set the times of all rows to that time."""
    for table in purge.SHARED:
        session.execute(update(table).values(created_at=ago(**kwargs), updated_at=None))


@session.writer
def add_revision(stack_id, template_id):
    revisions.add_first(stack_id, {'raw_template_id': template_id})


def everything(context, name, tenant='tenant'):
    """Create a stack with a row in each table that refers to it."""
    template_id = templates.store({'of': name}, {}, {'file of': name})
    values = {
        'name': name,
        'tenant': tenant,
        'raw_template_id': template_id,
        'user_creds_id': credentials.create({'username': 'u'}),
    }
    stack_id = stack_creation.create(values, ['a', 'b'])
    rows = [
        {'uuid': f'{name}-{number}', 'name': f'r{number}', 'current_template_id': template_id}
        for number in range(3)
    ]
    turn = journal.ChangeSet(
        stack_id,
        rows_added=rows,
        properties=[(row['uuid'], {'p': 1}) for row in rows],
        events=[{'row': row['uuid'], 'resource_name': row['name']} for row in rows],
        data=[(rows[0]['uuid'], 'k', 'v', False)],
    )
    journal.save(turn)
    locks.acquire(stack_id, 'engine')
    points = sync_points.PointChanges()
    points.put(
        {
            'entity_id': stack_id,
            'is_update': True,
            'traversal_id': 't',
            'stack_id': stack_id,
            'atomic_key': 0,
        }
    )
    journal.save(journal.ChangeSet(stack_id, points=points))
    add_revision(stack_id, template_id)
    snapshot_id = snapshots.create(context, {'stack_id': stack_id})
    databases.add_snapshot_part(context, snapshot_id, 'r', {})
    return stack_id


def test_purge_removes_all_rows_of_a_stack(database, context):
    for name in 'abc':
        everything(context, name)
    for stack_id in [row.id for row in stacks.list_rows(context)]:
        stacks.update(stack_id, {'deleted_at': ago(days=91)})
    age_all(days=100)
    assert purged(90, batch_size=2) == 3
    left = {table.name: count(table) for table in models.metadata.sorted_tables}
    assert not any(left.values()), left


def test_purge_keeps_living_stacks(database, context):
    alive, dead = everything(context, 'alive'), everything(context, 'dead')
    before = {table.name: count(table) for table in models.metadata.sorted_tables}
    stacks.delete(dead, {'deleted_at': ago(days=91)})
    age_all(days=100)
    assert purged(90) == 1
    assert {name: count(models.metadata.tables[name]) * 2 for name in before} == before
    assert stacks.get(context, alive).tags == ['a', 'b']
    assert [row.properties for row in resources.list_by_stack(alive)] == [{'p': 1}] * 3
    assert templates.get(stacks.get(context, alive).raw_template_id).files == {'file of': 'alive'}


@pytest.mark.parametrize(
    ('age', 'granularity', 'gone'),
    [
        (90, 'days', 1),
        (2, 'days', 2),
        (30, 'hours', 3),
        (90, 'minutes', 4),
        (100, 'seconds', 5),
        (0, 'days', 6),
    ],
)
def test_purge_respects_the_age(database, context, make_stack, age, granularity, gone):
    for number, past in enumerate(
        (
            {'days': 100},
            {'days': 3},
            {'hours': 36},
            {'minutes': 100},
            {'seconds': 110},
            {'seconds': 0},
        )
    ):
        make_stack(f's{number}', deleted_at=ago(**past))
    make_stack('alive')
    assert purged(age, granularity) == gone
    assert stacks.count(context, StackFilter(show_deleted=True)) == 7 - gone


def test_purge_of_one_project_keeps_others(database, context, make_stack):
    make_stack('ours', deleted_at=ago(days=2))
    make_stack('theirs', tenant='other', deleted_at=ago(days=2))
    assert purged(1, project_id='other') == 1
    assert [
        row.name
        for row in stacks.list_rows(context, StackFilter(show_deleted=True, tenant_safe=False))
    ] == ['ours']


def test_shared_template_stays_while_a_stack_uses_it(database, context):
    def create(name, **values):
        shared = templates.store({'shared': 1})
        return stack_creation.create(
            {'name': name, 'tenant': 'tenant', 'raw_template_id': shared, **values}
        )

    create('dead', deleted_at=ago(days=2))
    alive = create('alive')
    age_all(days=3)
    purged(1)
    assert templates.get(stacks.get(context, alive).raw_template_id).template == {'shared': 1}


def test_recently_used_template_stays(database, context):
    """A caller is about to create a stack with the template."""
    template_id = templates.store({'a': 1})
    credentials_id = credentials.create({'username': 'u'})
    purged(1)
    assert templates.get(template_id) and credentials.get(credentials_id)
    age_all(days=2)
    templates.store({'a': 1})
    purged(1)
    assert templates.get(template_id) and not credentials.get(credentials_id)


def test_unused_templates_are_purged(database, context, make_stack):
    """Each update of a stack leaves an unused template."""
    stack_id = make_stack()
    old = stacks.get(context, stack_id).raw_template_id
    stacks.update(
        stack_id,
        {'raw_template_id': templates.store({'new': 1}), 'prev_raw_template_id': old},
    )
    age_all(days=2)
    purged(1)
    assert templates.get(old)
    stacks.update(stack_id, {'prev_raw_template_id': None})
    purged(1)
    assert templates.get(old) is None and count(models.raw_template) == 1


def test_unused_properties_are_purged_in_batches(database, context):
    @session.writer
    def litter():
        session.execute(
            insert(models.resource_properties_data),
            [{'data': {}, 'created_at': ago(days=2)}] * (purge.SHARED_BATCH_SIZE + 10),
        )

    litter()
    purged(1)
    assert count(models.resource_properties_data) == 0


def test_purge_reads_shared_rows_in_use_once(database, context, make_stack, monkeypatch):
    monkeypatch.setattr(purge, 'SHARED_BATCH_SIZE', 2)
    for number in range(6):  # templates in use before and between those that are not
        make_stack(f's{number}', raw_template_id=templates.store({'used': number}))
        templates.store({'unused': number})
    age_all(days=2)
    with databases.statements() as sent:
        purged(1)
    assert count(models.raw_template) == 6
    looked = [each for each in sent if 'SELECT raw_template.id ' in each and 'BETWEEN' in each]
    assert len(looked) == 7  # with the template of the fixture there are 13


def test_purge_batch_takes_few_statements(database, context, make_stack):
    for number in range(30):
        make_stack(f's{number}', deleted_at=ago(days=2))
    with databases.statements() as sent:
        assert purged(1, batch_size=10) == 30
    assert len([statement for statement in sent if not statement.startswith('BEGIN')]) <= 40


@pytest.mark.parametrize(
    ('arguments', 'message'),
    [
        ({'age': 1, 'granularity': 'years'}, 'granularity'),
        ({'age': -1}, 'age'),
        ({'age': 1, 'batch_size': 0}, 'batch_size'),
        ({'age': 10**9}, 'too long'),
        ({'age': 10**12}, 'too long'),
    ],
)
def test_purge_with_invalid_arguments_raises(arguments, message):
    with pytest.raises(ValueError, match=message):
        purged(**arguments)


def test_new_shared_row_stays_until_it_is_referred_to(database, context):
    template_id = templates.store({'new': 1})
    purge.purge_deleted(0)
    assert templates.get(template_id)
