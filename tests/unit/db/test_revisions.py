import uuid

import pytest
from oslo_db import exception as db_exception

from heat_lite.db import journal, locks, revisions, session, stack_creation, stacks, templates
from heat_lite.db.column_types import utcnow
from tests import databases

OPTIONS = {'tags': ['a'], 'timeout_mins': None, 'disable_rollback': True}


@pytest.fixture
def definition(database):
    """Return a function from a number to the columns of a revision with a template of its own."""

    def make(number, status='COMPLETE', **values):
        template_id = templates.store({'heat_template_version': '2018-08-31', 'of': number})
        columns = {'raw_template_id': template_id, 'options': OPTIONS, 'action': 'UPDATE'}
        reason = {'status': status, 'status_reason': f'of {number}'}
        return {**columns, **reason, 'created_at': utcnow(), 'message': f'm{number}', **values}

    return make


@pytest.fixture
def stack_id(make_stack):
    return make_stack()


def save(stack_id, *changes, **more):
    journal.save(journal.ChangeSet(stack_id, revisions=list(changes), **more))


def begin(definition, number, before, limit=0):
    new = definition(number, 'IN_PROGRESS')
    return revisions.NewRevision(new, before, limit)


def found(stack_id, *names):
    return [tuple(getattr(row, each) for each in names) for row in revisions.list_rows(stack_id)]


def test_new_stack_has_its_first_revision(context, definition):
    values = {'name': 'web', 'tenant': context.tenant_id}
    revision = {'message': 'why', 'options': OPTIONS, 'username': 'u', 'action': 'CREATE'}
    content = ({'heat_template_version': '2018-08-31'},)
    stack_id, template_id = stack_creation.store(content, values, revision=revision)
    columns = ('number', 'raw_template_id', 'message', 'options', 'username')
    assert found(stack_id, *columns) == [(1, template_id, 'why', OPTIONS, 'u')]


def test_first_change_of_a_stack_of_heat_also_stores_what_it_had(stack_id, definition):
    save(stack_id, begin(definition, 2, definition(1)))
    assert found(stack_id, 'number', 'message', 'status') == [
        (2, 'm2', 'IN_PROGRESS'),
        (1, 'm1', 'COMPLETE'),
    ]
    save(stack_id, {'status': 'FAILED', 'status_reason': 'broken'})
    assert found(stack_id, 'number', 'status', 'status_reason') == [
        (2, 'FAILED', 'broken'),
        (1, 'COMPLETE', 'of 1'),
    ]


def test_definition_that_an_older_release_has_set_comes_in_between(stack_id, definition):
    save(stack_id, begin(definition, 2, definition(1)))
    save(stack_id, begin(definition, 4, definition(3, 'FAILED')))
    assert found(stack_id, 'number', 'message', 'status') == [
        (4, 'm4', 'IN_PROGRESS'),
        (3, 'm3', 'FAILED'),
        (2, 'm2', 'FAILED'),
        (1, 'm1', 'COMPLETE'),
    ]
    assert found(stack_id, 'status_reason')[2] == (revisions.PREEMPTED['status_reason'],)


@pytest.mark.parametrize(
    'state, reason', [('IN_PROGRESS', 'Another action has preempted it'), ('COMPLETE', 'of 2')]
)
def test_revision_without_a_result_gets_one_from_the_next(stack_id, definition, state, reason):
    save(stack_id, begin(definition, 2, definition(1)))
    save(stack_id, begin(definition, 3, definition(2, state)))
    assert found(stack_id, 'number', 'status_reason')[1] == (2, reason)


def test_result_and_the_next_revision_fit_in_one_turn(stack_id, definition):
    save(stack_id, begin(definition, 2, definition(1)))
    failed = {'status': 'FAILED', 'status_reason': 'broken'}
    back = begin(definition, 1, definition(2, 'FAILED'))
    save(stack_id, failed, back)
    assert found(stack_id, 'number', 'message', 'status_reason') == [
        (3, 'm1', 'of 1'),
        (2, 'm2', 'broken'),
        (1, 'm1', 'of 1'),
    ]


def test_only_the_newest_revisions_are_kept(stack_id, definition):
    for number in range(2, 6):
        save(stack_id, begin(definition, number, definition(number - 1), limit=3))
    assert found(stack_id, 'number') == [(5,), (4,), (3,)]
    save(stack_id, begin(definition, 6, definition(5), limit=0))
    assert found(stack_id, 'number') == [(6,), (5,), (4,), (3,)]
    save(stack_id, begin(definition, 7, definition(6), limit=1))
    assert found(stack_id, 'number') == [(7,)]


def test_result_of_a_stack_without_revisions_is_not_stored(stack_id):
    save(stack_id, {'status': 'COMPLETE', 'status_reason': ''})
    assert found(stack_id, 'number') == []


def test_failed_transaction_leaves_no_revision(stack_id, definition):
    locks.acquire(stack_id, 'other')
    change = begin(definition, 2, definition(1))
    with pytest.raises(journal.LockLost):
        save(stack_id, change, holder='own')
    with pytest.raises(db_exception.DBDuplicateEntry):
        save(stack_id, change, rows_added=[{'uuid': 'same', 'name': 'r'}] * 2)
    assert found(stack_id, 'number') == []


@pytest.mark.parametrize('stored', [True, False])
def test_lost_commit_stores_a_revision_once(database, stack_id, definition, stored):
    if database == 'sqlite':
        pytest.skip('SQLite has no connections to lose')
    event = {'uuid': str(uuid.uuid4()), 'resource_name': 'web'}
    change = begin(definition, 2, definition(1))
    with databases.lose_first_commit(database, stored):
        save(stack_id, change, events=[event])
    assert found(stack_id, 'number') == [(2,), (1,)]


def test_changes_of_many_stacks_take_as_many_statements_as_of_one(make_stack, definition):
    stack_ids = [make_stack(f's{number}') for number in range(5)]
    change = begin(definition, 2, definition(1))

    @session.writer
    def write(ids):
        with databases.statements() as counted:
            revisions.write([(each, change) for each in ids])
        return len(counted)

    few, many = write(stack_ids[:1]), write(stack_ids[1:])
    assert few == many
    assert [found(each, 'number') for each in stack_ids] == [[(2,), (1,)]] * 5


def test_reset_of_a_stack_ends_its_revision(context, stack_id, definition):
    save(stack_id, begin(definition, 2, definition(1)))
    stacks.reset_status(stack_id)
    assert found(stack_id, 'status') == [('FAILED',), ('COMPLETE',)]
