"""Nested stacks in an engine: create, read, update, cancel and delete with the parent stack."""

import time

import pytest

from heat_lite.common import exception
from heat_lite.db import stacks as db_stacks
from heat_lite.db.queries import StackFilter
from heat_lite.engine.execution.mailbox import cancel_message
from heat_lite.engine.runtime import EngineLimits
from tests import databases, engines
from tests.timeouts import WAIT_SECONDS

TEST = 'OS::Heat::TestResource'
INNER = """
heat_template_version: 2021-04-16
parameters:
  word: {type: string, default: nothing}
  secs: {type: number, default: 0}
  fail: {type: boolean, default: false}
resources:
  first:
    type: OS::Heat::TestResource
    properties: {value: {get_param: word}, wait_secs: {get_param: secs}, fail: {get_param: fail}}
  second:
    type: OS::Heat::RandomString
outputs:
  said: {value: {get_attr: [first, output]}}
  wrong: {value: {get_param: [word, {get_param: nowhere}]}}
"""
MIDDLE = """
heat_template_version: 2021-04-16
parameters:
  word: {type: string}
resources:
  deep:
    type: inner.yaml
    properties: {word: {get_param: word}}
outputs:
  said: {value: {get_attr: [deep, said]}}
"""
FILES = {'inner.yaml': INNER, 'middle.yaml': MIDDLE}


@pytest.fixture(scope='module', params=databases.BACKENDS)
def engine(request, tmp_path_factory):
    with databases.migrated(request.param, tmp_path_factory.mktemp('db')) as url:
        with engines.running(url) as driver:
            yield driver


@pytest.fixture(autouse=True)
def fresh(engine):
    engine.context.project_id = f'p{time.monotonic_ns()}'


def parent_template(properties=None, type_='inner.yaml', **more):
    return {'resources': {'web': {'type': type_, 'properties': properties or {}}}, **more}


def nested_identity(engine, identity, name='web'):
    """Return the identity of the nested stack of a resource."""
    return engine.resource(identity, name)['nested_stack_id']


def live_stack_names(engine):
    """Return the names of all stacks of the project that are not deleted, nested ones included."""
    return [row.name for row in db_stacks.list_rows(engine.context, StackFilter(show_nested=True))]


def test_nested_stack_is_readable_from_its_parent(engine):
    outputs = {
        'said': {'value': {'get_attr': ['web', 'said']}},
        'text': {'value': {'get_attr': ['web', 'resource.second', 'value']}},
        'same': {'value': {'get_attr': ['web', 'resource', 'second']}},
        'ref': {'value': {'get_resource': 'web'}},
        'none': {'value': {'get_attr': ['web', 'nowhere']}},
    }
    identity = engine.create(parent_template({'word': 'hello'}, outputs=outputs), files=FILES)
    assert engine.tree(identity) == {
        (None, 'web'): 'CREATE_COMPLETE',
        ('web', 'first'): 'CREATE_COMPLETE',
        ('web', 'second'): 'CREATE_COMPLETE',
    }
    found = engine.outputs(identity)
    assert (
        found['said'] == 'hello'
        and len(found['text']) == 32
        and found['same'] == found['text']
        and found['none'] is None
    )
    child = nested_identity(engine, identity)
    assert (
        found['ref']
        == f'arn:openstack:heat::{child["tenant"]}:stacks/{child["stack_name"]}/{child["stack_id"]}'
    )
    assert engine.physical_id(identity, 'web') == child['stack_id'] and child[
        'stack_name'
    ].startswith('stack-web-')
    assert engine.stack(child)['parent'] == identity['stack_id']
    assert engine.events(identity) == [
        ('stack', 'CREATE_IN_PROGRESS'),
        ('web', 'CREATE_IN_PROGRESS'),
        ('web', 'CREATE_COMPLETE'),
        ('stack', 'CREATE_COMPLETE'),
    ]


def test_nested_stacks_of_two_levels_are_created_and_deleted_with_the_parent(engine):
    identity = engine.create(
        parent_template(
            {'word': 'down'},
            'middle.yaml',
            outputs={'said': {'value': {'get_attr': ['web', 'said']}}},
        ),
        files=FILES,
    )
    assert engine.outputs(identity) == {'said': 'down'} and len(live_stack_names(engine)) == 3
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE' and live_stack_names(engine) == []


def test_failure_in_a_nested_stack_names_its_path(engine):
    files = {
        **FILES,
        'middle.yaml': MIDDLE.replace(
            '{word: {get_param: word}}', '{word: {get_param: word}, fail: true}'
        ),
    }
    identity = engine.create(parent_template({'word': 'x'}, 'middle.yaml'), files=files)
    assert engine.stack(identity)['stack_status_reason'] == (
        'Resource CREATE failed: ValueError: '
        'resources.web.resources.deep.resources.first: Test Resource failed first'
    )
    assert engine.tree(identity)['deep', 'first'] == 'CREATE_FAILED'
    engine.delete(identity)
    assert live_stack_names(engine) == []


def test_failed_tree_is_rolled_back(engine):
    identity = engine.create(parent_template({'fail': True}), files=FILES, disable_rollback=False)
    assert engine.state(identity) == 'ROLLBACK_COMPLETE' and live_stack_names(engine) == ['stack']


def test_name_longer_than_its_column_fails_the_resource_of_the_nested_stack(engine):
    long = {'inner.yaml': INNER.replace('second', 'r' * 256)}
    identity = engine.create(parent_template(), files=FILES)
    engine.update(identity, parent_template(), files=long)
    other = engine.create(parent_template(), 'other', files=long)
    for each in (identity, other):
        reason = engine.stack(each)['stack_status_reason']
        assert 'at most 255 characters' in reason and 'INSERT' not in reason


def test_parent_update_updates_the_nested_stack_in_place(engine):
    outputs = {'said': {'value': {'get_attr': ['web', 'said']}}}
    identity = engine.create(parent_template({'word': 'one'}, outputs=outputs), files=FILES)
    before = (
        nested_identity(engine, identity),
        engine.physical_id(nested_identity(engine, identity), 'first'),
    )
    engine.update(identity, parent_template({'word': 'two'}, outputs=outputs), files=FILES)
    assert engine.outputs(identity) == {'said': 'two'}
    assert before == (
        nested_identity(engine, identity),
        engine.physical_id(nested_identity(engine, identity), 'first'),
    )


def test_changed_template_file_of_the_same_name_updates_the_nested_stack(engine):
    identity = engine.create(parent_template(), files=FILES)
    without = INNER.replace('  second:\n    type: OS::Heat::RandomString\n', '')
    engine.update(identity, parent_template(), files={'inner.yaml': without})
    assert engine.tree(identity) == {
        (None, 'web'): 'UPDATE_COMPLETE',
        ('web', 'first'): 'CREATE_COMPLETE',
    }


def test_failed_update_of_a_nested_stack_is_rolled_back(engine):
    outputs = {'said': {'value': {'get_attr': ['web', 'said']}}}
    identity = engine.create(parent_template({'word': 'one'}, outputs=outputs), files=FILES)
    engine.update(
        identity,
        parent_template({'word': 'two', 'fail': True}, outputs=outputs),
        files=FILES,
        disable_rollback=False,
    )
    assert engine.state(identity) == 'ROLLBACK_COMPLETE' and engine.outputs(identity) == {
        'said': 'one'
    }


def test_resource_type_changed_to_a_template_and_back_is_replaced(engine):
    identity = engine.create({'resources': {'web': {'type': TEST}}}, files=FILES)
    engine.update(identity, parent_template(), files=FILES)
    assert (
        engine.tree(identity)[None, 'web'] == 'CREATE_COMPLETE'
        and len(live_stack_names(engine)) == 2
    )
    engine.update(identity, {'resources': {'web': {'type': TEST}}}, files=FILES)
    assert engine.tree(identity) == {(None, 'web'): 'CREATE_COMPLETE'} and live_stack_names(
        engine
    ) == ['stack']


def test_suspend_resume_and_check_reach_nested_stacks(engine):
    identity = engine.create(parent_template(), files=FILES)
    for verb, word in (
        ('stack_suspend', 'SUSPEND'),
        ('stack_resume', 'RESUME'),
        ('stack_check', 'CHECK'),
    ):
        getattr(engine.client, verb)(engine.context, stack_identity=identity)
        engine.wait(identity)
        assert engine.state(identity) == f'{word}_COMPLETE'
        assert engine.tree(identity)['web', 'first'] == f'{word}_COMPLETE'


def test_delete_stops_a_nested_create(engine):
    identity = engine.create(parent_template({'secs': 1000}), files=FILES, wait=False)
    until = time.monotonic() + WAIT_SECONDS
    while ('web', 'first') not in engine.tree(identity):
        assert time.monotonic() < until
        time.sleep(0.01)
    until = time.monotonic() + WAIT_SECONDS
    engine.delete(identity, wait=False)
    # its delete takes as long as its create would have taken
    while engine.tree(identity).get(('web', 'first')) != 'DELETE_IN_PROGRESS':
        assert time.monotonic() < until, engine.tree(identity)
        time.sleep(0.01)


def test_environment_maps_types_to_templates_at_each_level(engine):
    environment = {'resource_registry': {'My::Thing': 'inner.yaml'}}
    files = {**FILES, 'middle.yaml': MIDDLE.replace('inner.yaml', 'My::Thing')}
    identity = engine.create(
        parent_template({'word': 'x'}, 'middle.yaml'), files=files, params=environment
    )
    assert engine.tree(identity)['deep', 'first'] == 'CREATE_COMPLETE'


def test_template_of_a_mapped_type_may_use_that_type(engine):
    wrapper = (
        INNER.replace('  secs:', '  wait_secs:')
        .replace('get_param: secs', 'get_param: wait_secs')
        .replace('word', 'value')
    )
    wrapper = wrapper.replace('  said:', '  output:')
    environment = {'resource_registry': {TEST: 'wrapper.yaml'}}
    identity = engine.create(
        parent_template({'value': 'x'}, TEST), files={'wrapper.yaml': wrapper}, params=environment
    )
    assert engine.tree(identity)['web', 'first'] == 'CREATE_COMPLETE'


@pytest.mark.parametrize(
    ('files', 'message'),
    [
        ({}, 'Could not fetch remote template "inner.yaml": Invalid URL scheme '),
        (
            {'inner.yaml': 'heat_template_version: 2021-04-16\nresources: {x: {type: No::Such}}'},
            'resources.web<inner.yaml>: The Resource Type (No::Such) could not be found.',
        ),
        (
            {
                'inner.yaml': 'heat_template_version: 2021-04-16\n'
                'resources: {web: {type: inner.yaml}}'
            },
            'Recursion depth exceeds 5. The template contains itself: inner.yaml > inner.yaml',
        ),
        (
            {
                'inner.yaml': 'heat_template_version: 2021-04-16\n'
                'resources: {web: {type: OS::Heat::ResourceGroup, '
                'properties: {resource_def: {type: other.yaml}}}}',
                'other.yaml': 'heat_template_version: 2021-04-16\n'
                'resources: {web: {type: inner.yaml}}',
            },
            'The template contains itself: other.yaml > inner.yaml > other.yaml',
        ),
    ],
)
def test_invalid_nested_template_is_refused_before_the_create(engine, files, message):
    with pytest.raises(exception.StackValidationFailed) as caught:
        engine.create(parent_template(), files=files)
    assert message in str(caught.value) and live_stack_names(engine) == []


def test_template_that_contains_the_type_whose_place_it_takes_is_refused(engine):
    inner = 'heat_template_version: 2021-04-16\nresources: {web: {type: My::Web}}'
    with pytest.raises(exception.StackValidationFailed) as caught:
        engine.create(
            parent_template(type_='My::Web'),
            files={'inner.yaml': inner},
            params={'resource_registry': {'My::Web': 'inner.yaml'}},
        )
    assert str(caught.value).endswith(
        'resources.web<inner.yaml>: The Resource Type (My::Web) could not be found. '
        'The template that takes its place contains it.'
    )


def test_resource_limit_counts_the_whole_tree(engine):
    service = engine.service
    limits = service.runtime.limits
    service.runtime.limits = EngineLimits(**vars(limits) | {'max_resources_per_stack': 4})
    try:
        engine.create(parent_template(), files=FILES, name='fits')
        with pytest.raises(exception.RequestLimitExceeded):
            engine.create(
                {'resources': {name: {'type': 'inner.yaml'} for name in 'ab'}}, files=FILES
            )
    finally:
        service.runtime.limits = limits


def test_update_preempts_an_update_of_a_nested_stack(engine):
    identity = engine.create(parent_template({'word': 'one'}), files=FILES)
    engine.update(identity, parent_template({'word': 'two', 'secs': 60}), files=FILES, wait=False)
    until = time.monotonic() + WAIT_SECONDS
    while engine.tree(identity)['web', 'first'] != 'UPDATE_IN_PROGRESS':
        assert time.monotonic() < until, engine.tree(identity)
        time.sleep(0.01)
    engine.update(identity, parent_template({'word': 'three'}), files=FILES)
    assert engine.state(identity) == 'UPDATE_COMPLETE'
    assert (
        engine.resource(nested_identity(engine, identity), 'first')['attributes']['output']
        == 'three'
    )


def test_parameter_defaults_reach_nested_stacks(engine):
    needy = INNER.replace('word: {type: string, default: nothing}', 'word: {type: string}')
    outputs = {'said': {'value': {'get_attr': ['web', 'said']}}}
    identity = engine.create(
        parent_template(outputs=outputs),
        files={'inner.yaml': needy},
        params={'parameter_defaults': {'word': 'given'}},
    )
    assert engine.outputs(identity) == {'said': 'given'}


def test_dotted_path_reads_nested_outputs(engine):
    outputs = {'deep': {'value': {'get_attr': ['web', 'resource.deep.said']}}}
    identity = engine.create(
        parent_template({'word': 'low'}, 'middle.yaml', outputs=outputs), files=FILES
    )
    assert engine.outputs(identity) == {'deep': 'low'}


def test_nested_stack_inherits_the_timeout(engine):
    identity = engine.create(parent_template(), files=FILES, timeout_mins=7)
    assert engine.stack(nested_identity(engine, identity))['timeout_mins'] == 7


def test_preview_includes_nested_resources(engine):
    template = {
        'heat_template_version': '2021-04-16',
        **parent_template({'word': 'x'}, 'middle.yaml'),
    }
    answer = engine.client.validate_template(
        engine.context, template=template, files=FILES, show_nested=True
    )
    middle = answer['NestedParameters']['web']
    assert middle['Type'] == 'middle.yaml' and middle['Parameters']['word']['Value'] == 'x'
    assert middle['NestedParameters']['deep']['Parameters']['secs']['Default'] == 0


def test_update_preempts_an_update_two_levels_down(engine):
    identity = engine.create(parent_template({'word': 'one'}, 'middle.yaml'), files=FILES)
    slow = {
        **FILES,
        'middle.yaml': MIDDLE.replace(
            '{word: {get_param: word}}', '{word: {get_param: word}, secs: 60}'
        ),
    }
    engine.update(identity, parent_template({'word': 'two'}, 'middle.yaml'), files=slow, wait=False)
    until = time.monotonic() + WAIT_SECONDS
    while engine.tree(identity)['deep', 'first'] != 'UPDATE_IN_PROGRESS':
        assert time.monotonic() < until, engine.tree(identity)
        time.sleep(0.01)
    # the preempted resource is not in the new template, and its file is gone
    empty = 'heat_template_version: 2021-04-16\nparameters: {word: {type: string}}'
    engine.update(
        identity,
        parent_template({'word': 'three'}, 'middle.yaml'),
        files={'middle.yaml': empty},
        wait=False,
    )
    while ('deep', 'first') in engine.tree(identity) and engine.tree(identity)[
        'deep', 'first'
    ] != 'DELETE_IN_PROGRESS':
        assert time.monotonic() < until, engine.tree(identity)
        time.sleep(0.01)


def test_property_of_a_nested_stack_is_validated_at_create(engine):
    identity = engine.create(
        parent_template(),
        files={
            'inner.yaml': INNER.replace(
                'OS::Heat::RandomString', 'OS::Heat::RandomString\n    properties: {length: 999}'
            )
        },
    )
    assert engine.stack(identity)['stack_status_reason'] == (
        'Resource CREATE failed: resources.web: Property error: '
        'resources.second.properties.length: 999 is out of range (min: 1, max: 512)'
    )
    assert engine.physical_id(identity, 'web') == ''


def test_late_cancel_does_not_reach_the_next_action(engine):
    """A broker, or an engine that was silent, may deliver a cancellation after its action."""
    slow = {'type': 'OS::Heat::TestResource', 'properties': {'action_wait_secs': {'delete': 2}}}
    identity = engine.create({'resources': {'slow': slow}})
    late = cancel_message(db_stacks.get_row(identity['stack_id']))
    engine.delete(identity, wait=False)
    assert engine.service.runtime.task_manager.send(identity['stack_id'], late)
    engine.wait(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'
