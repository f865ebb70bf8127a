"""The statements that SQLAlchemy compiles, whose texts do not depend on how many data they concern.

It keeps hundreds of them by their texts, so one text for each number of data is memory that grows
for days, and each is compiled while a request waits.
"""

import collections
import re

import pytest

from heat_lite.common.context import RequestContext
from heat_lite.db import session
from tests import databases, engines

#: lives of stacks, each larger than the one before it
LIVES = 6
TEXT = 'OS::Heat::RandomString'


@pytest.fixture(params=databases.BACKENDS)
def engine(request, tmp_path):
    """An engine that also writes sync points."""
    with databases.migrated(request.param, tmp_path) as url:
        with engines.running(url, convergence_engine=True) as driver:
            yield driver


@pytest.fixture
def compiled(engine):
    """Return the dict in which SQLAlchemy keeps the compiled statements."""
    cache = {}
    for writes in (True, False):
        session.engine(writes).update_execution_options(compiled_cache=cache)
    return cache


def template(count):
    """Return a template with ``count`` texts beside each other, and as many members of a group."""
    handle = {'type': 'OS::Heat::WaitConditionHandle'}
    text = {'type': TEXT, 'metadata': {'count': count}, 'properties': {'length': count}}
    group = {'type': 'OS::Heat::ResourceGroup', 'properties': {'count': count}}
    group['properties']['resource_def'] = {'type': TEXT, 'properties': {'salt': 'x'}}
    texts = {f'r{number}': text for number in range(count)}
    return {'resources': {**texts, 'group': group, 'handle': handle}}


def live(engine, count):
    """Let a stack with ``count`` of everything live; ask for what has one of ``count`` values."""
    names = [f'n{number}' for number in range(count)]
    identity = engine.create(template(count), f's{count}', tags=names)
    client, context = engine.client, engine.context
    client.list_stacks(
        context, filters={'name': names, 'status': names}, tags=names, not_tags_any=names
    )
    client.list_events(context, stack_identity=identity, filters={'resource_status': names})
    tops = [[2 * number, 2 * number] for number in range(count)]
    client.read_new_events(
        RequestContext(is_admin=True),
        after=[3 * count, tops],
        stack_ids=names,
        projects=names,
        watched=names,
        with_tags=True,
    )
    for number in range(count):
        details = {'id': str(number), 'status': 'SUCCESS', 'data': '', 'reason': ''}
        client.resource_signal(
            context, stack_identity=identity, resource_name='handle', details=details
        )
    snapshot = client.stack_snapshot(context, stack_identity=identity, name='one')
    engine.wait(identity)
    client.delete_snapshot(context, stack_identity=identity, snapshot_id=snapshot['id'])
    engine.update(identity, template(count + 1), params={})
    engine.update(identity, template(1))
    engine.delete(identity)


def words(statement):
    """Return the words of a statement, which stay the same when a part of it is repeated."""
    return frozenset(re.findall(r'[^\W\d]+', str(statement)))


def test_lives_of_ever_larger_stacks_compile_no_more_statements(engine, compiled):
    for count in range(1, LIVES + 1):
        live(engine, count)
    # Tasks that run by the clock compile theirs in any life, so new ones alone say nothing.
    alike = collections.defaultdict(set)
    for statement in compiled.values():
        alike[words(statement)].add(str(statement))
    assert [texts for texts in alike.values() if len(texts) > 1] == []
