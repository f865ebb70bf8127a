"""The invariants of the database: each is broken by hand, found, and its cure named."""

import pytest
import sqlalchemy
from sqlalchemy import insert, update

from heat_lite.db import locks, models, session
from heat_lite.db.column_types import utcnow
from heat_lite.db.maintenance import verification

KEYS = ['a key of these tests, 32 letters']


@session.writer
def execute(statement):
    session.execute(statement)


def change_stack(stack_id, **values):
    execute(update(models.stack).where(models.stack.c.id == stack_id).values(**values))


def add_resource(stack_id, **values):
    execute(insert(models.resource).values(stack_id=stack_id, name='r', **values))


def add_signal(stack_id):
    add_resource(stack_id, id=7)
    execute(insert(models.resource_signal).values(resource_id=7, engine_id='dead-engine'))


def checks(context):
    return [finding.check for finding in verification.verify(KEYS)]


def test_sound_database_has_no_findings(context, make_stack):
    parent = make_stack(status='COMPLETE', action='CREATE')
    child = make_stack('child', owner_id=parent, status='COMPLETE', action='CREATE', live=None)
    null = sqlalchemy.type_coerce('null', sqlalchemy.Text)
    add_resource(child, properties_data=null)  # as Heat writes it
    assert list(verification.verify(KEYS)) == []


def test_action_without_an_engine_is_found_with_its_cure(context, make_stack):
    stack_id = make_stack(status='IN_PROGRESS', action='CREATE')
    locks.acquire(stack_id, 'dead-engine')
    (found,) = verification.verify(KEYS)
    assert (found.check, found.row) == ('actions have an engine', f'stack {stack_id}')
    assert 'dead-engine is dead' in found.text and 'reset_stack_status' in found.cure


BROKEN = {
    'locks': lambda context, stack_id: locks.acquire(stack_id, 'dead-engine'),
    'marks of living stacks': lambda _, stack_id: change_stack(stack_id, live=None),
    'parents': lambda _, stack_id: change_stack(stack_id, owner_id='gone', live=None),
    'states of resources': lambda _, stack_id: add_resource(
        stack_id, status='IN_PROGRESS', action='CREATE'
    ),
    'signals': lambda context, stack_id: add_signal(stack_id),
    'sync points': lambda _, stack_id: execute(
        insert(models.sync_point).values(
            entity_id='1', traversal_id='t', is_update=True, atomic_key=0, stack_id=stack_id
        )
    ),
    'former properties': lambda _, stack_id: add_resource(stack_id, properties_data={'a': 1}),
    'complete JSON': lambda _, stack_id: change_stack(
        stack_id, current_deps=sqlalchemy.type_coerce('{"edges": [', sqlalchemy.Text)
    ),
    'secrets': lambda _, stack_id: execute(
        insert(models.user_creds).values(password='x', decrypt_method='cryptography_decrypt_v1')
    ),
}


@pytest.mark.parametrize('name', BROKEN)
def test_broken_invariant_is_found(context, make_stack, name):
    BROKEN[name](context, make_stack(status='COMPLETE', action='CREATE'))
    assert checks(context) == [name]


def test_replacement_in_another_stack_is_found(context, make_stack):
    first = make_stack(status='COMPLETE', action='CREATE')
    second = make_stack('other', status='COMPLETE', action='CREATE')
    add_resource(first, id=7)
    add_resource(second, id=8, replaces=7)
    assert checks(context) == ['replacements']


def test_signal_to_a_deleted_stack_is_found(context, make_stack):
    stack_id = make_stack(status='COMPLETE', action='DELETE', deleted_at=utcnow(), live=None)
    add_signal(stack_id)
    (found,) = verification.verify(KEYS)
    assert (found.check, found.row[:7]) == ('signals', 'signal ')
    assert 'deleted' in found.text and 'purge_deleted' in found.cure


def test_names_that_two_stacks_have_are_found(context, make_stack):
    make_stack(status='COMPLETE', action='CREATE')
    change_stack(make_stack('other', status='COMPLETE', action='CREATE'), live=None, name='web')
    assert checks(context) == ['unique names', 'marks of living stacks']


def test_reference_to_no_row_is_found(context, database, make_stack):
    if database != 'sqlite':
        pytest.skip('the servers check references themselves')
    stack_id = make_stack(status='COMPLETE', action='CREATE')
    connection = session.engine().raw_connection()
    try:
        connection.execute('PRAGMA foreign_keys=OFF')
        connection.execute(f"INSERT INTO resource (stack_id, name) VALUES ('gone{stack_id}', 'r')")
        connection.commit()
        connection.execute('PRAGMA foreign_keys=ON')
    finally:
        connection.close()
    (found,) = verification.verify(KEYS)
    assert found.check == 'references' and 'stack has no such row' in found.text
