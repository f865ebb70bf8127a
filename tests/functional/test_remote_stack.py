"""OS::Heat::Stack in an engine without Keystone: the remote stack belongs to the same engine."""

import json
import time

import pytest

from heat_lite.common import exception
from heat_lite.db import stacks as db_stacks
from heat_lite.engine.stack import stack as engine_stack
from tests import databases, engines

INNER = {
    'heat_template_version': '2021-04-16',
    'parameters': {
        'word': {'type': 'string', 'default': 'nothing'},
        'fail': {'type': 'boolean', 'default': False},
    },
    'resources': {
        'x': {
            'type': 'OS::Heat::TestResource',
            'properties': {'value': {'get_param': 'word'}, 'fail': {'get_param': 'fail'}},
        },
    },
    'outputs': {'said': {'value': {'get_attr': ['x', 'output']}}},
}


@pytest.fixture(scope='module')
def engine(tmp_path_factory):
    with (
        databases.migrated('sqlite', tmp_path_factory.mktemp('db')) as url,
        engines.running(url, action_retry_limit=0) as driver,
    ):
        yield driver


@pytest.fixture(autouse=True)
def fresh(engine):
    engine.context.project_id = f'p{time.monotonic_ns()}'


def outer(**properties):
    properties.setdefault('template', json.dumps(INNER))
    return {
        'resources': {'s': {'type': 'OS::Heat::Stack', 'properties': properties}},
        'outputs': {
            'said': {'value': {'get_attr': ['s', 'outputs', 'said']}},
            'name': {'value': {'get_attr': ['s', 'stack_name']}},
        },
    }


def names(engine):
    return sorted(each['stack_name'] for each in engine.client.list_stacks(engine.context))


def test_remote_stack_follows_its_resource(engine):
    identity = engine.create(outer(parameters={'word': 'hello'}))
    outputs = engine.outputs(identity)
    assert outputs['said'] == 'hello' and names(engine) == ['stack', outputs['name']]
    other = engine.physical_id(identity, 's')
    engine.update(identity, outer(parameters={'word': 'again'}))
    assert (
        engine.outputs(identity)['said'] == 'again' and engine.physical_id(identity, 's') == other
    )
    for verb in ('suspend', 'resume', 'check'):
        getattr(engine.client, f'stack_{verb}')(engine.context, stack_identity=identity)
        engine.wait(identity)
        assert engine.state(identity) == f'{verb.upper()}_COMPLETE'
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE' and names(engine) == []


def test_remote_stack_is_updated_by_each_update(engine):
    identity = engine.create(outer())
    predicted = engine.client.preview_update_stack(
        engine.context,
        stack_identity=identity,
        template={'heat_template_version': '2018-08-31', **outer()},
        params={},
        files={},
        args={},
    )
    assert [each['resource_name'] for each in predicted['updated']] == ['s']
    engine.update(identity, outer())
    events = engine.client.list_events(engine.context, stack_identity=identity)
    updates = [each for each in events if each['resource_action'] == 'UPDATE']
    assert [each['resource_name'] for each in updates].count('s') == 2


def test_request_of_a_remote_stack_has_only_its_own_parameters(engine):
    """A service in another region refuses the parameters of the stack that has the resource."""
    child = {
        'heat_template_version': '2021-04-16',
        'parameters': {'region': {'type': 'string'}},
        **outer(parameters={'word': {'get_param': 'region'}}),
    }
    identity = engine.create(
        {'resources': {'c': {'type': 'c.yaml', 'properties': {'region': 'RegionOne'}}}},
        files={'c.yaml': json.dumps(child)},
        params={'parameter_defaults': {'fail': False}},
    )
    nested = engine.resource(identity, 'c')['nested_stack_id']['stack_id']
    row = db_stacks.get(engine.context, nested)
    stack = engine_stack.Stack.from_row(engine.service.runtime, engine.context, row)
    request = stack.resource_for('s').request()
    assert request['parameters'] == {'word': 'RegionOne'}
    assert 'parameters' not in request['environment']
    assert request['environment']['parameter_defaults'] == {'fail': False}


def test_failure_of_the_remote_stack_fails_the_resource(engine):
    identity = engine.create(outer(parameters={'fail': True}))
    assert engine.stack(identity)['stack_status_reason'] == (
        'Resource CREATE failed: ResourceInError: resources.s: Went to status CREATE_FAILED due to '
        '"Resource CREATE failed: ValueError: resources.x: Test Resource failed x"'
    )


@pytest.mark.parametrize(
    ('properties', 'message'),
    [
        (
            {'parameters': {'no': 1}},
            'at region "None" due to "ERROR: The Parameter (no) was not defined in template."',
        ),
        ({'template': 'x: ['}, 'at region "None" due to "Error parsing template'),
        (
            {'context': {'region_name': 'far'}},
            'Cannot establish connection to Heat endpoint at region "far" due to',
        ),
    ],
)
def test_invalid_remote_template_is_refused_before_the_create(engine, properties, message):
    with pytest.raises(exception.StackValidationFailed) as caught:
        engine.create(outer(**properties))
    assert message in str(caught.value) and names(engine) == []


def test_deleted_remote_stack_is_created_again(engine):
    identity = engine.create(outer())
    other = engine.client.identify_stack(
        engine.context, stack_name=engine.physical_id(identity, 's')
    )
    engine.delete(other)
    engine.client.stack_check(engine.context, stack_identity=identity)
    engine.wait(identity)
    assert engine.state(identity) == 'CHECK_FAILED'
    engine.update(identity, outer())
    assert (
        engine.state(identity) == 'UPDATE_COMPLETE'
        and engine.physical_id(identity, 's') != other['stack_id']
    )
