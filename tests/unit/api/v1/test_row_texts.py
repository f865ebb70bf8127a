"""The JSON of long lists is that of the views, whatever the texts are."""

import functools
import json

import pytest
from hypothesis import given, settings, strategies as st

from heat_lite.api import wsgi
from heat_lite.api.v1 import row_texts, views
from heat_lite.rpc import tables

REQUEST = wsgi.Request.blank('/v1/p/stacks')
NAMES = st.one_of(st.sampled_from(['a', 'b.c', 'r-1']), st.text(min_size=1, max_size=3))
REASONS = st.one_of(st.none(), st.text(max_size=3), st.just('100 % "done"'))
STATUSES = st.sampled_from(['CREATE', 'COMPLETE', '', None])
STACKS = st.sampled_from(
    [{'tenant': 'p', 'stack_name': 's', 'stack_id': '1', 'path': ''}]
    + [{'tenant': 'p/q', 'stack_name': name, 'stack_id': '2', 'path': ''} for name in 'st']
)


def row(draw, entity, path):
    name, stack = draw(NAMES), draw(STACKS)
    return {
        f'{entity}_identity': {**stack, 'path': path.format(name)},
        'stack_identity': stack,
        'resource_name': name,
        'physical_resource_id': draw(REASONS),
        'resource_action': draw(STATUSES),
        'resource_status': draw(STATUSES),
        'resource_status_reason': draw(REASONS),
        'resource_type': 'T',
    }


@st.composite
def resources(draw):
    times = {'creation_time': '2026', 'updated_time': draw(st.sampled_from(['2026', '2027']))}
    required_by = draw(st.sampled_from([[], ['a', 'é']]))
    return {**row(draw, 'resource', '/resources/{}'), **times, 'required_by': required_by}


@st.composite
def events(draw):
    uuid = draw(st.uuids())
    return {**row(draw, 'event', f'/resources/{{}}/events/{uuid}'), 'event_time': '2026'}


def lists(rows):
    return st.lists(rows, min_size=tables.MIN_ROWS, max_size=tables.MIN_ROWS + 3)


def expected(rows, view):
    return json.dumps({'listed': [view(row) for row in rows]})


def written(rows, view):
    packed = json.loads(json.dumps(tables.pack(rows)))
    found = row_texts.response('listed', packed, view)
    assert isinstance(found, wsgi.JsonText)
    return found


PLAIN = {
    'resource_identity': {'tenant': 'p', 'stack_name': 's', 'stack_id': '1', 'path': ''},
    'resource_name': 'a',
    'physical_resource_id': '',
    'resource_action': 'CREATE',
    'resource_status': 'COMPLETE',
    'resource_status_reason': None,
    'resource_type': 'T',
    'creation_time': '2026',
    'updated_time': '2026',
}


@settings(deadline=None, max_examples=30)
@given(lists(resources()))
def test_resources_are_written_as_their_views(rows):
    view = functools.partial(views.resource, REQUEST)
    assert written(rows, view) == expected(rows, view)


@settings(deadline=None, max_examples=30)
@given(lists(events()))
def test_events_are_written_as_their_views(rows):
    view = functools.partial(views.event, REQUEST)
    assert written(rows, view) == expected(rows, view)


@pytest.mark.parametrize('extra', [{}, {'parent_resource': 'up'}, {'nested_stack_id': 1}])
@pytest.mark.parametrize('name', ['r{}', 'ü{}', 'a/{}', '%s{}', '"{}', 'same'])
def test_names_and_nested_stacks_are_written_as_their_views(name, extra):
    rows = []
    for number in range(2 * tables.MAX_ROWS + 1):
        one = {**PLAIN, **extra, 'resource_name': name.format(number)}
        path = f'/resources/{one["resource_name"]}'
        one['resource_identity'] = {**PLAIN['resource_identity'], 'path': path}
        if 'nested_stack_id' in extra:
            one['nested_stack_id'] = {**PLAIN['resource_identity'], 'stack_id': f'n{number}'}
        rows.append(one)
    view = functools.partial(views.resource, REQUEST)
    assert written(rows, view) == expected(rows, view)


def test_rows_are_written_by_their_views():
    view = functools.partial(views.resource, REQUEST)
    path = {**PLAIN['resource_identity'], 'path': '/resources/a'}
    rows = [{**PLAIN, 'resource_identity': path}]
    assert row_texts.response('listed', rows, view) == {'listed': [view(rows[0])]}
