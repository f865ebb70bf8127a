import datetime
import itertools

import pytest

from heat_lite.common.context import admin_context
from heat_lite.db import connections, queries, session, stacks
from heat_lite.db.column_types import utcnow
from heat_lite.db.queries import StackFilter

START = datetime.datetime(2024, 1, 1)


@pytest.fixture
def many(context, make_stack):
    """Create stacks a to e, one minute apart, with different tags and statuses."""
    table = {
        'a': {
            'tags': ['x', 'y'],
            'action': 'CREATE',
            'status': 'COMPLETE',
            'username': 'ann',
            'timeout': 60,
        },
        'b': {
            'tags': ['x'],
            'action': 'CREATE',
            'status': 'FAILED',
            'updated_at': START,
            'disable_rollback': False,
        },
        'c': {
            'tags': ['y'],
            'action': 'UPDATE',
            'status': 'COMPLETE',
            'updated_at': START + datetime.timedelta(1),
        },
        'd': {'tags': ['hidden'], 'action': 'UPDATE', 'status': 'FAILED', 'status_reason': 'why'},
        'e': {'action': 'DELETE', 'status': 'COMPLETE', 'deleted_at': utcnow(), 'tags': ['x']},
    }
    ids = {
        name: make_stack(name, created_at=START + datetime.timedelta(minutes=n), **table[name])
        for n, name in enumerate(table)
    }
    ids['nested'] = make_stack(
        'nested',
        owner_id=ids['a'],
        created_at=START + datetime.timedelta(hours=1),
        status='COMPLETE',
    )
    ids['foreign'] = make_stack(
        'foreign', tenant='other', created_at=START + datetime.timedelta(hours=2)
    )
    return ids


PAGE = ('limit', 'marker', 'sort_keys', 'sort_dir')


def names(context, **arguments):
    """Return the names in a list, separated by spaces. The count must agree with the list."""
    page = {name: value for name, value in arguments.items() if name in PAGE}
    stack_filter = StackFilter(
        **{name: value for name, value in arguments.items() if name not in PAGE}
    )
    found = ' '.join(row.name for row in stacks.list_rows(context, stack_filter, **page))
    assert stacks.count(context, stack_filter) == len(stacks.list_rows(context, stack_filter))
    return found


@pytest.mark.parametrize(
    ('arguments', 'wanted'),
    [
        ({}, 'd c b a'),
        ({'show_deleted': True}, 'e d c b a'),
        ({'show_nested': True}, 'nested d c b a'),
        ({'tenant_safe': False}, 'foreign d c b a'),
        ({'hidden_tags': ['hidden']}, 'c b a'),
        ({'hidden_tags': ['hidden'], 'show_hidden': True}, 'd c b a'),
        ({'tags': ['x', 'y']}, 'a'),
        ({'tags_any': ['x', 'y']}, 'c b a'),
        ({'tags': ['x'], 'tags_any': ['y', 'z']}, 'a'),
        ({'not_tags': ['x', 'y']}, 'd c b'),
        ({'not_tags_any': ['x', 'y']}, 'd'),
        ({'tags': ['no such']}, ''),
        ({'tags': [], 'tags_any': [], 'not_tags': [], 'not_tags_any': []}, 'd c b a'),
        ({'filters': {'name': 'a'}}, 'a'),
        ({'filters': {'stack_name': ['a', 'c']}}, 'c a'),
        ({'filters': {'status': 'COMPLETE'}}, 'c a'),
        ({'filters': {'stack_status': 'CREATE_FAILED'}}, 'b'),
        ({'filters': {'status': ['CREATE_COMPLETE', 'UPDATE_FAILED']}}, 'd a'),
        ({'filters': {'status': 'complete'}}, ''),
        ({'filters': {'action': 'UPDATE', 'status': 'FAILED'}}, 'd'),
        ({'filters': {'stack_owner': 'ann'}}, 'a'),
        ({'filters': {'timeout_mins': '60'}}, 'a'),
        ({'filters': {'timeout_mins': 60}}, 'a'),
        ({'filters': {'timeout_mins': 'sixty'}}, ''),
        ({'filters': {'timeout_mins': '9' * 30}}, ''),
        ({'filters': {'disable_rollback': 'false'}}, 'b'),
        ({'filters': {'stack_status_reason': 'why'}}, 'd'),
        ({'filters': {'tenant': 'other'}}, ''),
        ({'filters': {'tenant': 'other'}, 'tenant_safe': False}, 'foreign'),
        ({'filters': {'unknown': 'x', 'creation_time': 'x'}}, 'd c b a'),
        ({'filters': {'name': []}}, ''),
        ({'sort_keys': ['stack_name']}, 'a b c d'),
        ({'sort_keys': ['stack_name'], 'sort_dir': 'desc'}, 'd c b a'),
        ({'sort_keys': ['creation_time']}, 'a b c d'),
        ({'sort_dir': 'asc'}, 'a b c d'),
        ({'sort_keys': ['name; DROP TABLE stack']}, 'd c b a'),
        ({'sort_keys': ['stack_status', 'stack_name']}, 'a c b d'),
        ({'limit': 2}, 'd c'),
        ({'limit': 0}, ''),
        ({'limit': 2, 'marker': 'no such'}, 'd c'),
        ({'tags': ['x'] * 1500}, 'b a'),
        ({'not_tags': [f'{number}' for number in range(1500)]}, 'd c b a'),
        ({'filters': {'status': [f'{number}' for number in range(1500)]}}, ''),
        ({'filters': {'timeout': ['60'] * 1500, 'name': ['a'] * 1500}}, 'a'),
        ({'sort_keys': ['stack_name', 'updated_time'] * 1000}, 'a b c d'),
    ],
    ids=lambda value: str(value)[:60],
)
def test_list_applies_the_filter(database, context, many, arguments, wanted):
    assert names(context, **arguments) == wanted


def test_list_of_administrator_shows_all_projects(database, many):
    assert names(admin_context('other')) == 'foreign d c b a'
    assert names(admin_context('other'), filters={'tenant': 'tenant'}) == 'd c b a'


def test_parent_filter_lists_nested_stacks(database, context, many):
    assert names(context, filters={'parent': many['a']}, show_nested=True) == 'nested'


def test_null_sorts_first_in_ascending_order(database, context, many):
    found = names(context, sort_keys=['updated_time']).split()
    assert set(found[:2]) == {'a', 'd'} and found[2:] == ['b', 'c']
    found = names(context, sort_keys=['updated_time'], sort_dir='desc').split()
    assert set(found[2:]) == {'a', 'd'} and found[:2] == ['c', 'b']


@pytest.mark.parametrize('size', [1, 2, 3])
@pytest.mark.parametrize('direction', ['asc', 'desc', None])
@pytest.mark.parametrize(
    'keys', [[], ['updated_time'], ['stack_status', 'updated_time'], ['stack_name']], ids=str
)
def test_all_pages_equal_the_whole_list(database, context, many, keys, direction, size):
    every = StackFilter(show_deleted=True, show_nested=True, tenant_safe=False)
    order = {'sort_keys': keys, 'sort_dir': direction}
    whole = [row.id for row in stacks.list_rows(context, every, **order)]
    pages, marker = [], None
    while page := stacks.list_rows(context, every, limit=size, marker=marker, **order):
        assert len(page) <= size
        pages += [row.id for row in page]
        marker = page[-1].id
    assert pages == whole and len(whole) == 7


def test_list_with_unknown_direction_raises(database, context):
    with pytest.raises(ValueError, match='Unknown sort direction "sideways"'):
        stacks.list_rows(context, sort_dir='sideways')


def test_listed_stacks_have_their_tags(database, context, many):
    assert {row.name: row.tags for row in stacks.list_rows(context)} == {
        'a': ['x', 'y'],
        'b': ['x'],
        'c': ['y'],
        'd': ['hidden'],
    }


def test_brief_rows_equal_full_rows(context, many):
    for brief, whole in zip(
        stacks.list_rows(context, brief=True), stacks.list_rows(context), strict=True
    ):
        assert brief._asdict() == {name: getattr(whole, name) for name in brief._fields}


def test_lists_of_many_forms_keep_few_compiled_statements(database, context):
    for names in itertools.combinations(sorted(set(queries.FILTERS.values())), 4):
        stacks.list_rows(context, StackFilter(filters=dict.fromkeys(names, '1')))
    assert len(session.engine(writes=False)._compiled_cache) < 2 * connections.KEPT_STATEMENTS
