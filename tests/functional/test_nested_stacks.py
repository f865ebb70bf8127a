"""Stacks inside resources, in a whole engine: made, read, changed, stopped and taken away with the resource around them."""

import time

import pytest

from heat_lite.common import exception
from heat_lite.db import stacks as db_stacks
from tests import databases, engines
from tests.waiting import PATIENCE

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


def one(properties=None, type_='inner.yaml', **more):
    return {'resources': {'web': {'type': type_, 'properties': properties or {}}}, **more}


def inside(engine, identity, name='web'):
    """The identity of the stack inside a resource."""
    return engine.resource(identity, name)['nested_stack_id']


def living(engine):
    """Names of all stacks of the project that have not been deleted, nested ones included."""
    return [row.name for row in db_stacks.list(engine.context, show_nested=True)]


def test_what_is_inside_can_be_read_from_outside(engine):
    outputs = {
        'said': {'value': {'get_attr': ['web', 'said']}},
        'text': {'value': {'get_attr': ['web', 'resource.second', 'value']}},
        'same': {'value': {'get_attr': ['web', 'resource', 'second']}},
        'ref': {'value': {'get_resource': 'web'}},
        'none': {'value': {'get_attr': ['web', 'nowhere']}},
    }
    identity = engine.create(one({'word': 'hello'}, outputs=outputs), files=FILES)
    assert engine.tree(identity) == {
        (None, 'web'): 'CREATE_COMPLETE',
        ('web', 'first'): 'CREATE_COMPLETE',
        ('web', 'second'): 'CREATE_COMPLETE',
    }
    found = engine.outputs(identity)
    assert found['said'] == 'hello' and len(found['text']) == 32 and found['same'] == found['text'] and found['none'] is None
    child = inside(engine, identity)
    assert found['ref'] == f'arn:openstack:heat::{child["tenant"]}:stacks/{child["stack_name"]}/{child["stack_id"]}'
    assert engine.physical_id(identity, 'web') == child['stack_id'] and child['stack_name'].startswith('stack-web-')
    assert engine.stack(child)['parent'] == identity['stack_id']
    assert engine.events(identity) == [('stack', 'CREATE_IN_PROGRESS'), ('web', 'CREATE_IN_PROGRESS'), ('web', 'CREATE_COMPLETE'),
                                       ('stack', 'CREATE_COMPLETE')]  # fmt: skip


def test_stacks_stand_in_stacks_and_go_with_them(engine):
    identity = engine.create(one({'word': 'down'}, 'middle.yaml', outputs={'said': {'value': {'get_attr': ['web', 'said']}}}), files=FILES)
    assert engine.outputs(identity) == {'said': 'down'} and len(living(engine)) == 3
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE' and living(engine) == []


def test_a_failure_deep_down_tells_its_path(engine):
    files = {**FILES, 'middle.yaml': MIDDLE.replace('{word: {get_param: word}}', '{word: {get_param: word}, fail: true}')}
    identity = engine.create(one({'word': 'x'}, 'middle.yaml'), files=files)
    assert engine.stack(identity)['stack_status_reason'] == (
        'Resource CREATE failed: ValueError: resources.web.resources.deep.resources.first: Test Resource failed first'
    )
    assert engine.tree(identity)['deep', 'first'] == 'CREATE_FAILED'
    engine.delete(identity)
    assert living(engine) == []


def test_a_failed_tree_is_rolled_back(engine):
    identity = engine.create(one({'fail': True}), files=FILES, disable_rollback=False)
    assert engine.state(identity) == 'ROLLBACK_COMPLETE' and living(engine) == ['stack']


def test_an_update_changes_the_inside_in_place(engine):
    outputs = {'said': {'value': {'get_attr': ['web', 'said']}}}
    identity = engine.create(one({'word': 'one'}, outputs=outputs), files=FILES)
    before = inside(engine, identity), engine.physical_id(inside(engine, identity), 'first')
    engine.update(identity, one({'word': 'two'}, outputs=outputs), files=FILES)
    assert engine.outputs(identity) == {'said': 'two'}
    assert before == (inside(engine, identity), engine.physical_id(inside(engine, identity), 'first'))


def test_another_file_under_the_same_name_is_an_update(engine):
    identity = engine.create(one(), files=FILES)
    without = INNER.replace('  second:\n    type: OS::Heat::RandomString\n', '')
    engine.update(identity, one(), files={'inner.yaml': without})
    assert engine.tree(identity) == {(None, 'web'): 'UPDATE_COMPLETE', ('web', 'first'): 'CREATE_COMPLETE'}


def test_an_update_that_fails_inside_is_rolled_back_inside(engine):
    outputs = {'said': {'value': {'get_attr': ['web', 'said']}}}
    identity = engine.create(one({'word': 'one'}, outputs=outputs), files=FILES)
    engine.update(identity, one({'word': 'two', 'fail': True}, outputs=outputs), files=FILES, disable_rollback=False)
    assert engine.state(identity) == 'ROLLBACK_COMPLETE' and engine.outputs(identity) == {'said': 'one'}


def test_a_type_may_become_a_template_and_a_template_a_type(engine):
    identity = engine.create({'resources': {'web': {'type': TEST}}}, files=FILES)
    engine.update(identity, one(), files=FILES)
    assert engine.tree(identity)[None, 'web'] == 'CREATE_COMPLETE' and len(living(engine)) == 2
    engine.update(identity, {'resources': {'web': {'type': TEST}}}, files=FILES)
    assert engine.tree(identity) == {(None, 'web'): 'CREATE_COMPLETE'} and living(engine) == ['stack']


def test_suspend_resume_and_check_go_down(engine):
    identity = engine.create(one(), files=FILES)
    for verb, word in (('stack_suspend', 'SUSPEND'), ('stack_resume', 'RESUME'), ('stack_check', 'CHECK')):
        getattr(engine.client, verb)(engine.context, stack_identity=identity)
        engine.wait(identity)
        assert engine.state(identity) == f'{word}_COMPLETE'
        assert engine.tree(identity)['web', 'first'] == f'{word}_COMPLETE'


def test_deleting_stops_what_is_being_made_inside(engine):
    identity = engine.create(one({'secs': 60}), files=FILES, wait=False)
    until = time.monotonic() + PATIENCE
    while ('web', 'first') not in engine.tree(identity):
        assert time.monotonic() < until
        time.sleep(0.01)
    begun = time.monotonic()
    engine.delete(identity, wait=False)
    # its deletion takes as long as its creation would have
    while engine.tree(identity).get(('web', 'first')) != 'DELETE_IN_PROGRESS':
        assert time.monotonic() < begun + 10, engine.tree(identity)
        time.sleep(0.01)


def test_the_environment_maps_types_to_templates_all_the_way_down(engine):
    environment = {'resource_registry': {'My::Thing': 'inner.yaml'}}
    files = {**FILES, 'middle.yaml': MIDDLE.replace('inner.yaml', 'My::Thing')}
    identity = engine.create(one({'word': 'x'}, 'middle.yaml'), files=files, params=environment)
    assert engine.tree(identity)['deep', 'first'] == 'CREATE_COMPLETE'


def test_a_template_may_wrap_the_type_that_it_stands_for(engine):
    wrapper = INNER.replace('  secs:', '  wait_secs:').replace('get_param: secs', 'get_param: wait_secs').replace('word', 'value')
    wrapper = wrapper.replace('  said:', '  output:')
    environment = {'resource_registry': {TEST: 'wrapper.yaml'}}
    identity = engine.create(one({'value': 'x'}, TEST), files={'wrapper.yaml': wrapper}, params=environment)
    assert engine.tree(identity)['web', 'first'] == 'CREATE_COMPLETE'


@pytest.mark.parametrize(
    ('files', 'message'),
    [
        ({}, 'Could not fetch remote template "inner.yaml": Invalid URL scheme '),
        ({'inner.yaml': 'heat_template_version: 2021-04-16\nresources: {x: {type: No::Such}}'},
         'resources.web<inner.yaml>: The Resource Type (No::Such) could not be found.'),
        ({'inner.yaml': 'heat_template_version: 2021-04-16\nresources: {web: {type: inner.yaml}}'}, 'Recursion depth exceeds 5.'),
    ],
)  # fmt: skip
def test_what_is_wrong_inside_is_told_before_anything_is_made(engine, files, message):
    with pytest.raises(exception.StackValidationFailed) as caught:
        engine.create(one(), files=files)
    assert message in str(caught.value) and living(engine) == []


def test_all_resources_of_a_tree_count_together(engine):
    service = engine.service
    limits = service.runtime.limits
    service.runtime.limits = type(limits)(**{**vars(limits), 'max_resources_per_stack': 4})
    try:
        engine.create(one(), files=FILES, name='fits')
        with pytest.raises(exception.RequestLimitExceeded):
            engine.create({'resources': {name: {'type': 'inner.yaml'} for name in 'ab'}}, files=FILES)
    finally:
        service.runtime.limits = limits


def test_an_update_takes_over_from_one_that_is_still_at_work_inside(engine):
    identity = engine.create(one({'word': 'one'}), files=FILES)
    engine.update(identity, one({'word': 'two', 'secs': 60}), files=FILES, wait=False)
    until = time.monotonic() + PATIENCE
    while engine.tree(identity)['web', 'first'] != 'UPDATE_IN_PROGRESS':
        assert time.monotonic() < until, engine.tree(identity)
        time.sleep(0.01)
    engine.update(identity, one({'word': 'three'}), files=FILES)
    assert engine.state(identity) == 'UPDATE_COMPLETE'
    assert engine.resource(inside(engine, identity), 'first')['attributes']['output'] == 'three'


def test_defaults_of_the_environment_reach_the_inside(engine):
    needy = INNER.replace('word: {type: string, default: nothing}', 'word: {type: string}')
    outputs = {'said': {'value': {'get_attr': ['web', 'said']}}}
    identity = engine.create(one(outputs=outputs), files={'inner.yaml': needy}, params={'parameter_defaults': {'word': 'given'}})
    assert engine.outputs(identity) == {'said': 'given'}


def test_dots_lead_down(engine):
    outputs = {'deep': {'value': {'get_attr': ['web', 'resource.deep.said']}}}
    identity = engine.create(one({'word': 'low'}, 'middle.yaml', outputs=outputs), files=FILES)
    assert engine.outputs(identity) == {'deep': 'low'}


def test_the_inside_has_the_time_of_the_stack_around_it(engine):
    identity = engine.create(one(), files=FILES, timeout_mins=7)
    assert engine.stack(inside(engine, identity))['timeout_mins'] == 7


def test_what_is_inside_can_be_asked_before(engine):
    template = {'heat_template_version': '2021-04-16', **one({'word': 'x'}, 'middle.yaml')}
    answer = engine.client.validate_template(engine.context, template=template, files=FILES, show_nested=True)
    middle = answer['NestedParameters']['web']
    assert middle['Type'] == 'middle.yaml' and middle['Parameters']['word']['Value'] == 'x'
    assert middle['NestedParameters']['deep']['Parameters']['secs']['Default'] == 0


def test_an_update_takes_over_deep_down(engine):
    identity = engine.create(one({'word': 'one'}, 'middle.yaml'), files=FILES)
    slow = {**FILES, 'middle.yaml': MIDDLE.replace('{word: {get_param: word}}', '{word: {get_param: word}, secs: 60}')}
    engine.update(identity, one({'word': 'two'}, 'middle.yaml'), files=slow, wait=False)
    until = time.monotonic() + PATIENCE
    while engine.tree(identity)['deep', 'first'] != 'UPDATE_IN_PROGRESS':
        assert time.monotonic() < until, engine.tree(identity)
        time.sleep(0.01)
    # what is at work is not wanted any more, and nobody has its file
    empty = 'heat_template_version: 2021-04-16\nparameters: {word: {type: string}}'
    engine.update(identity, one({'word': 'three'}, 'middle.yaml'), files={'middle.yaml': empty}, wait=False)
    while ('deep', 'first') in engine.tree(identity) and engine.tree(identity)['deep', 'first'] != 'DELETE_IN_PROGRESS':
        assert time.monotonic() < until, engine.tree(identity)
        time.sleep(0.01)


def test_values_are_looked_at_when_the_inside_is_made(engine):
    identity = engine.create(
        one(), files={'inner.yaml': INNER.replace('OS::Heat::RandomString', 'OS::Heat::RandomString\n    properties: {length: 999}')}
    )
    assert engine.stack(identity)['stack_status_reason'] == (
        'Resource CREATE failed: resources.web: Property error: resources.second.properties.length: 999 is out of range (min: 1, max: 512)'
    )
    assert engine.physical_id(identity, 'web') == ''
