"""Stack actions in a whole engine without the API: rows, order of events, failures, rollback."""

import contextlib
import functools
import threading
import time

import pytest
from sqlalchemy import select

from heat_lite.common import exception
from heat_lite.db import models, services, session, stacks as db_stacks
from heat_lite.engine.execution import traversal
from heat_lite.engine.resource.resource import Resource
from heat_lite.engine.runtime import EngineLimits
from heat_lite.template.schema import any_attribute, number, string
from tests import databases, engines
from tests.timeouts import WAIT_SECONDS

TEST = 'OS::Heat::TestResource'


class BlockingCall(Resource):
    """A resource type whose create blocks its thread, as an HTTP request does.

    During the call it reads the row of the resource from the database into ``calls``.
    """

    resource_type = 'Test::BlockingCall'
    properties_schema = {
        'seconds': number('Duration of the call in seconds.', default=0),
        'after': string('A value that makes a dependency.'),
        'size': number('The size.', default=1, update_allowed=True),
    }
    attributes_schema = {
        'seen': any_attribute('The row that the database returned during the call.')
    }
    calls, lock, running, max_running = [], threading.Lock(), 0, 0

    def handle_create(self):
        kind = type(self)
        with kind.lock:
            kind.running += 1
            kind.max_running = max(kind.max_running, kind.running)
        with session.engine().connect() as connection:
            rows = connection.execute(
                select(models.resource.c.action, models.resource.c.status).where(
                    models.resource.c.uuid == self.record.uuid
                )
            )
            kind.calls.append((self.name, [tuple(row) for row in rows]))
        time.sleep(self.properties['seconds'])
        with kind.lock:
            kind.running -= 1
        self.resource_id_set(f'call-{self.name}')
        return 2

    def check_create_complete(self, token):
        self.polls = getattr(self, 'polls', 0) + 1
        return self.polls >= token

    def handle_update(self, definition, tmpl_diff, prop_diff):
        if 'size' in prop_diff:
            self.data_set('size', str(prop_diff['size']))


class Refusal(Exception):
    """The refusal of a service because of a conflict."""

    code = 409


class FailsTwice(BlockingCall):
    """A resource type whose first create ends in status ERROR, and whose second is refused."""

    resource_type = 'Test::FailsTwice'
    attempts = 0

    def handle_create(self):
        type(self).attempts += 1
        self.resource_id_set(f'try-{self.attempts}')
        if self.attempts == 1:
            raise exception.ResourceInError(resource_status='ERROR', status_reason='bad luck')
        if self.attempts == 2:
            raise Refusal('the name exists')
        return 0

    def handle_delete(self):
        self.calls.append(('delete', self.resource_id))


@pytest.fixture(scope='module', params=databases.BACKENDS)
def engine(request, tmp_path_factory):
    with databases.migrated(request.param, tmp_path_factory.mktemp('db')) as url:
        with engines.running(url, [BlockingCall, FailsTwice]) as driver:
            yield driver


@pytest.fixture(autouse=True)
def new_project(engine):
    BlockingCall.calls, BlockingCall.max_running, BlockingCall.running = [], 0, 0
    engine.context.project_id = f'p{time.monotonic_ns()}'


def test_update_without_old_registry_mapping_keeps_and_deletes_old_resources(engine):
    before = {
        'a': {'type': TEST},
        'mine': {'type': 'My::Type'},
        'user': {'type': TEST, 'depends_on': 'mine'},
    }
    identity = engine.create(
        {'resources': before}, params={'resource_registry': {'My::Type': TEST}}
    )
    after = {
        'a': {'type': TEST, 'properties': {'fail': True}},
        'user': {'type': TEST, 'depends_on': 'a'},
    }
    engine.update(identity, {'resources': after})
    assert engine.state(identity) == 'UPDATE_FAILED'
    assert engine.resources(identity) == {
        'a': 'UPDATE_FAILED',
        'mine': 'CREATE_COMPLETE',
        'user': 'CREATE_COMPLETE',
    }
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'


def test_create_follows_dependencies_and_resolves_outputs(engine):
    identity = engine.create(
        {
            'parameters': {'size': {'type': 'number', 'default': 12}},
            'resources': {
                'last': {
                    'type': 'OS::Heat::Value',
                    'properties': {'value': {'get_attr': ['middle', 'output']}},
                },
                'middle': {'type': TEST, 'properties': {'value': {'get_attr': ['first', 'value']}}},
                'first': {
                    'type': 'OS::Heat::RandomString',
                    'properties': {'length': {'get_param': 'size'}},
                },
            },
            'outputs': {
                'out': {'value': {'get_attr': ['last', 'value']}},
                'ref': {'value': {'get_resource': 'middle'}},
            },
        }
    )
    assert engine.state(identity) == 'CREATE_COMPLETE'
    outputs = engine.outputs(identity)
    assert len(outputs['out']) == 12 and outputs['ref'] == engine.physical_id(identity, 'middle')
    assert engine.events(identity) == [
        ('stack', 'CREATE_IN_PROGRESS'),
        *(
            (name, f'CREATE_{state}')
            for name in ('first', 'middle', 'last')
            for state in ('IN_PROGRESS', 'COMPLETE')
        ),
        ('stack', 'CREATE_COMPLETE'),
    ]
    assert engine.resource(identity, 'first')['required_by'] == ['middle']


def test_create_handler_runs_after_in_progress_is_committed(engine):
    identity = engine.create(
        {'resources': {name: {'type': 'Test::BlockingCall'} for name in 'abc'}}
    )
    assert engine.state(identity) == 'CREATE_COMPLETE'
    assert sorted(BlockingCall.calls) == [(name, [('CREATE', 'IN_PROGRESS')]) for name in 'abc']


def test_independent_resources_run_in_parallel_up_to_limit(engine):
    resources = {
        f'r{number}': {'type': 'Test::BlockingCall', 'properties': {'seconds': 0.3}}
        for number in range(20)
    }
    identity = engine.create({'resources': resources})
    assert engine.state(identity) == 'CREATE_COMPLETE'
    assert 1 < BlockingCall.max_running <= engine.service.runtime.limits.max_parallel_handlers


def test_create_of_chain_of_100_resources_takes_few_statements(engine, monkeypatch):
    # a loaded machine needs several turns for the chain, each with statements of its own
    monkeypatch.setattr(traversal, 'TURN_SECONDS', WAIT_SECONDS)
    resources = {'r0': {'type': TEST}}
    for number_ in range(1, 100):
        resources[f'r{number_}'] = {
            'type': TEST,
            'properties': {'value': {'get_attr': [f'r{number_ - 1}', 'output']}},
        }
    with databases.statements() as statements:
        identity = engine.create({'resources': resources}, wait=False)
        until = time.monotonic() + WAIT_SECONDS
        while engine.service.runtime.task_manager.stack_ids():
            assert time.monotonic() < until
            time.sleep(0.01)
    assert engine.state(identity) == 'CREATE_COMPLETE'
    assert len(statements) < 60, statements


def test_failed_resource_stops_resources_that_have_not_started(engine):
    identity = engine.create(
        {
            'resources': {
                'bad': {'type': TEST, 'properties': {'fail': True}},
                'after': {'type': TEST, 'depends_on': 'bad'},
                'good': {'type': TEST, 'properties': {'wait_secs': 0.1}},
            }
        }
    )
    assert (
        engine.stack(identity)['stack_status_reason']
        == 'Resource CREATE failed: ValueError: resources.bad: Test Resource failed bad'
    )
    assert engine.resources(identity) == {
        'bad': 'CREATE_FAILED',
        'after': 'INIT_COMPLETE',
        'good': 'CREATE_COMPLETE',
    }
    assert (
        engine.resource(identity, 'bad')['resource_status_reason']
        == 'ValueError: resources.bad: Test Resource failed bad'
    )


def test_failed_create_with_rollback_deletes_resources_in_reverse_order(engine):
    resources = {
        'bad': {'type': TEST, 'depends_on': 'good', 'properties': {'fail': True}},
        'good': {'type': TEST},
        'later': {'type': TEST, 'depends_on': 'bad'},
    }
    outputs = {'value': {'value': {'get_attr': ['good', 'output']}}}
    identity = engine.create({'resources': resources, 'outputs': outputs}, disable_rollback=False)
    assert engine.state(identity) == 'ROLLBACK_COMPLETE'
    assert engine.resources(identity) == {}
    assert engine.outputs(identity) == {'value': None}, 'the resource is gone'
    assert engine.events(identity)[-7:] == [
        ('stack', 'CREATE_FAILED'),
        ('stack', 'ROLLBACK_IN_PROGRESS'),
        ('bad', 'DELETE_IN_PROGRESS'),
        ('bad', 'DELETE_COMPLETE'),
        ('good', 'DELETE_IN_PROGRESS'),
        ('good', 'DELETE_COMPLETE'),
        ('stack', 'ROLLBACK_COMPLETE'),
    ]


def test_resource_in_error_is_deleted_and_created_again(engine):
    FailsTwice.attempts = 0
    identity = engine.create({'resources': {'b': {'type': 'Test::FailsTwice'}}})
    assert engine.state(identity) == 'CREATE_COMPLETE'
    assert engine.physical_id(identity, 'b') == 'try-3'
    assert ('delete', 'try-1') in FailsTwice.calls and ('delete', 'try-2') in FailsTwice.calls


@pytest.mark.parametrize('names', [('user', 'used'), ('used', 'user')])
def test_delete_removes_dependents_first_and_all_rows(engine, names):
    resources = {'user': {'type': TEST, 'depends_on': 'used'}, 'used': {'type': TEST}}
    identity = engine.create({'resources': {name: resources[name] for name in names}})
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'
    deleted = [name for name, state in engine.events(identity) if state == 'DELETE_COMPLETE']
    assert deleted == ['user', 'used', 'stack']
    with session.engine().connect() as connection:
        assert not connection.execute(
            select(models.resource).where(models.resource.c.stack_id == identity['stack_id'])
        ).all()


def test_deleted_stack_leaves_nothing_in_caches(engine):
    kept, deleted = [engine.create({'resources': {'a': {'type': TEST}}}, name) for name in 'kd']
    engine.update(deleted, {'resources': {'b': {'type': TEST}}})
    engine.delete(deleted, wait=False)
    until = time.monotonic() + WAIT_SECONDS
    # not by a request: to show the stack, an engine reads its template again
    while db_stacks.get(engine.context, deleted['stack_id'], show_deleted=True).deleted_at is None:
        assert time.monotonic() < until
        time.sleep(0.01)
    engine.wait_for_free_lock(deleted)
    definitions = engine.service.runtime.definitions_cache
    assert definitions.forget(kept['stack_id']) != []
    assert definitions.forget(deleted['stack_id']) == []


def test_delete_after_update_removes_added_dependents_first(engine):
    identity = engine.create(
        {'resources': {'a': {'type': TEST, 'properties': {'update_replace_value': '1'}}}}
    )
    changed = {
        'a': {'type': TEST, 'properties': {'update_replace_value': '2'}},
        'b': {'type': TEST, 'properties': {'value': {'get_resource': 'a'}}},
        'c': {'type': TEST, 'depends_on': 'b'},
    }
    engine.update(identity, {'resources': changed})
    engine.delete(identity)
    deleted = [name for name, state in engine.events(identity) if state == 'DELETE_COMPLETE']
    assert deleted == ['a', 'c', 'b', 'a', 'stack']


def test_delete_interrupts_create(engine):
    identity = engine.create(
        {'resources': {'slow': {'type': TEST, 'properties': {'action_wait_secs': {'create': 60}}}}},
        wait=False,
    )
    engine.wait_for_resource(identity, 'slow', 'CREATE_IN_PROGRESS')
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'
    assert ('slow', 'CREATE_FAILED') in engine.events(identity) and (
        'stack',
        'CREATE_FAILED',
    ) in engine.events(identity)


def test_create_after_stack_timeout_fails_and_aborts_resource(engine):
    identity = engine.create(
        {'resources': {'slow': {'type': TEST, 'properties': {'action_wait_secs': {'create': 60}}}}},
        wait=False,
        timeout_mins=1,
    )
    engine.wait_for_resource(identity, 'slow', 'CREATE_IN_PROGRESS')
    engine.expire(identity)
    assert engine.stack(identity)['stack_status_reason'] == 'Timed out'
    slow = engine.resource(identity, 'slow')
    described = f'"slow" [{slow["physical_resource_id"]}] Stack "stack" [{identity["stack_id"]}]'
    task = f'TestResource {described}'
    assert slow['resource_status_reason'] == f'CREATE aborted (Task create from {task} Timed out)'


def test_update_changes_replaces_adds_and_removes_resources(engine):
    identity = engine.create(
        {
            'resources': {
                'same': {'type': TEST},
                'changed': {'type': TEST, 'properties': {'value': '1'}},
                'replaced': {'type': TEST, 'properties': {'update_replace_value': '1'}},
                'user': {
                    'type': 'OS::Heat::Value',
                    'properties': {'value': {'get_resource': 'replaced'}},
                },
                'removed': {'type': TEST},
            }
        }
    )
    before = {name: engine.physical_id(identity, name) for name in engine.resources(identity)}
    engine.update(
        identity,
        {
            'resources': {
                'same': {'type': TEST},
                'changed': {'type': TEST, 'properties': {'value': '2'}},
                'replaced': {'type': TEST, 'properties': {'update_replace_value': '2'}},
                'user': {
                    'type': 'OS::Heat::Value',
                    'properties': {'value': {'get_resource': 'replaced'}},
                },
                'added': {'type': TEST},
            },
            'outputs': {
                'user': {'value': {'get_attr': ['user', 'value']}},
                'changed': {'value': {'get_attr': ['changed', 'output']}},
            },
        },
    )
    assert engine.state(identity) == 'UPDATE_COMPLETE'
    assert engine.resources(identity) == {
        'same': 'CREATE_COMPLETE',
        'changed': 'UPDATE_COMPLETE',
        'replaced': 'CREATE_COMPLETE',
        'user': 'UPDATE_COMPLETE',
        'added': 'CREATE_COMPLETE',
    }
    after = {name: engine.physical_id(identity, name) for name in engine.resources(identity)}
    assert {name for name in before if after.get(name) == before[name]} == {
        'same',
        'changed',
        'user',
    }
    assert engine.outputs(identity) == {'user': after['replaced'], 'changed': '2'}


@pytest.mark.parametrize('tags', [['former', 'both'], []])
def test_failed_update_with_rollback_restores_resources_and_tags(engine, tags):
    identity = engine.create(
        {
            'resources': {
                'a': {'type': TEST, 'properties': {'value': '1'}},
                'b': {'type': TEST, 'depends_on': 'a'},
            }
        },
        tags=tags,
    )
    changed = {
        'a': {'type': TEST, 'properties': {'value': '2'}},
        'b': {'type': TEST, 'depends_on': 'a', 'properties': {'value': 'x', 'fail': True}},
        'new': {'type': TEST},
    }
    engine.update(identity, {'resources': changed}, disable_rollback=False, tags=['both', 'new'])
    assert engine.state(identity) == 'ROLLBACK_COMPLETE'
    assert engine.stack(identity)['tags'] == tags
    assert set(engine.resources(identity)) == {'a', 'b'}
    assert engine.resource(identity, 'a')['attributes']['output'] == '1'


def test_masked_hidden_parameter_keeps_its_stored_value(engine):
    template = {
        'parameters': {'secret': {'type': 'string', 'hidden': True}, 'open': {'type': 'string'}},
        'resources': {'a': {'type': TEST, 'properties': {'value': {'get_param': 'secret'}}}},
    }
    with pytest.raises(exception.Invalid, match='none is stored'):
        engine.create(template, params={'parameters': {'secret': '******', 'open': 'x'}})
    given = {'parameters': {'secret': 'hunter22', 'open': 'x'}}
    identity = engine.create(template, params=given)
    shown = engine.client.get_environment(engine.context, stack_identity=identity)
    assert shown['parameters'] == {'secret': '******', 'open': 'x'}
    request = {
        'stack_identity': identity,
        'template': {'heat_template_version': '2021-04-16', **template},
        'params': shown,
        'files': {},
    }
    for args in ({}, {'existing': True}):
        preview = engine.client.preview_update_stack(engine.context, **request, args=args)
        assert [each['resource_name'] for each in preview['unchanged']] == ['a']
        engine.client.update_stack(engine.context, **request, args=args)
        engine.wait(identity)
        assert engine.resource(identity, 'a')['attributes']['output'] == 'hunter22'
    more = {'parameters': {**template['parameters'], 'new': {'type': 'string', 'hidden': True}}}
    with pytest.raises(exception.Invalid, match='none is stored'):
        values = {'parameters': {**shown['parameters'], 'new': '******'}}
        engine.update(identity, {**template, **more}, params=values)


def test_resource_with_external_id_is_neither_created_nor_deleted(engine):
    identity = engine.create(
        {'resources': {'mine': {'type': 'Test::BlockingCall', 'external_id': 'somebodys'}}}
    )
    assert (
        engine.resources(identity) == {'mine': 'CHECK_COMPLETE'}
        and engine.physical_id(identity, 'mine') == 'somebodys'
    )
    assert BlockingCall.calls == []
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'


def test_create_with_existing_name_is_refused(engine):
    engine.create({'resources': {}}, name='twice')
    with pytest.raises(exception.StackExists):
        engine.create({'resources': {}}, name='twice')


def test_create_with_invalid_template_stores_no_stack(engine):
    with pytest.raises(exception.StackValidationFailed):
        engine.create({'resources': {'a': {'type': TEST, 'properties': {'nonsense': 1}}}})
    with pytest.raises(exception.EntityNotFound):
        engine.client.identify_stack(engine.context, stack_name='stack')
    assert engine.client.list_stacks(engine.context) == []


def test_event_purge_keeps_newest_events(engine):
    limits = engine.service.runtime.limits
    engine.service.runtime.limits = EngineLimits(
        **vars(limits) | {'max_events_per_stack': 6, 'event_purge_batch_size': 4}
    )
    try:
        identity = engine.create({'resources': {name: {'type': TEST} for name in 'abcdef'}})
        events = functools.partial(engine.events, identity)
        deadline = time.monotonic() + WAIT_SECONDS
        while len(events()) > 6:
            assert time.monotonic() < deadline, events()
            time.sleep(0.01)
        assert events()[-1] == ('stack', 'CREATE_COMPLETE') and len(events()) == 2
    finally:
        engine.service.runtime.limits = limits


def test_resource_type_forbidden_by_policy_is_hidden_and_refused(engine):
    rules = engine.service.runtime.allows_type
    engine.service.runtime.allows_type = lambda context, name: (
        name != TEST or 'admin' in context.roles
    )
    template = {'resources': {'a': {'type': TEST}}}
    try:
        with pytest.raises(exception.Forbidden, match=TEST):
            engine.create(template)
        assert TEST not in engine.client.list_resource_types(engine.context)
        engine.context.roles = ['admin']
        assert TEST in engine.client.list_resource_types(engine.context)
        assert engine.state(engine.create(template)) == 'CREATE_COMPLETE'
    finally:
        engine.service.runtime.allows_type, engine.context.roles = rules, ['member']


def test_engine_that_starts_removes_dead_engines_of_its_host_from_the_list(engine):
    context, (own,) = engine.context, services.list_rows()
    # an interval below zero: each heartbeat is older
    for engine_id, host in (('dead', own.host), ('elsewhere', 'elsewhere')):
        more = {key: getattr(own, key) for key in ('hostname', 'binary', 'topic')}
        services.create(engine_id=engine_id, host=host, report_interval=-1, **more)
    with engines.another(engine):
        found = engine.client.list_services(context)
    listed = {each['engine_id'] for each in found}
    assert {each['binary'] for each in found} == {'heat-engine'}, 'scripts look for this name'
    assert own.engine_id in listed and 'elsewhere' in listed
    assert 'dead' not in listed and len(listed) == 3


def test_resource_name_longer_than_its_column_is_refused_by_what_stores_it(engine):
    long = {'resources': {'r' * 256: {'type': TEST}}}
    with pytest.raises(exception.StackValidationFailed, match='at most 255 characters'):
        engine.create(long)
    identity = engine.create({'resources': {'r' * 255: {'type': TEST}}})
    assert engine.state(identity) == 'CREATE_COMPLETE'
    with pytest.raises(exception.StackValidationFailed, match='at most 255 characters'):
        engine.update(identity, long)


@pytest.mark.parametrize(
    ('properties', 'is_valid'),
    [
        ({'min_wait': 61}, False),
        ({'min_wait': 30, 'max_jitter': 10, 'jitter_multiplier': 4}, False),
        ({'min_wait': 30, 'max_jitter': 30}, True),
        ({'min_wait': {'get_attr': ['v', 'value']}}, True),
    ],
)
def test_delay_beyond_the_timeout_of_the_stack_is_refused(engine, properties, is_valid):
    template = {
        'heat_template_version': '2021-04-16',
        'resources': {
            'd': {'type': 'OS::Heat::Delay', 'properties': properties},
            'v': {'type': 'OS::Heat::Value', 'properties': {'value': 600}},
        },
    }
    request = {'stack_name': 's', 'template': template, 'params': {}, 'files': {}}
    refusal = pytest.raises(exception.StackValidationFailed, match='resources.d.*beyond the time')
    with contextlib.nullcontext() if is_valid else refusal:
        engine.client.preview_stack(engine.context, **request, args={'timeout_mins': 1})
