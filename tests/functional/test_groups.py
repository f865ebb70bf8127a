"""Resource groups and scaling groups in a whole engine: members, batches, scaling policies."""

import datetime
import json
import time

import pytest
import sqlalchemy

from heat_lite.common import exception
from heat_lite.db import models, resources, session, signals
from heat_lite.engine.cluster import takeover
from heat_lite.resources.base import scaling as scaling_base
from tests import databases, engines
from tests.timeouts import WAIT_SECONDS

TEST, GROUP, ASG, POLICY = (
    'OS::Heat::TestResource',
    'OS::Heat::ResourceGroup',
    'OS::Heat::AutoScalingGroup',
    'OS::Heat::ScalingPolicy',
)
SERVER = """
heat_template_version: 2021-04-16
parameters:
  ImageId: {type: string}
  InstanceType: {type: string}
  Tags: {type: comma_delimited_list}
resources:
  one: {type: OS::Heat::TestResource, properties: {value: {get_param: ImageId}}}
outputs:
  PublicIp: {value: {get_attr: [one, output]}}
"""


@pytest.fixture(scope='module', params=databases.BACKENDS)
def engine(request, tmp_path_factory):
    with databases.migrated(request.param, tmp_path_factory.mktemp('db')) as url:
        with engines.running(url, enable_stack_adopt=True, enable_stack_abandon=True) as driver:
            for kind in ('glance.image', 'nova.flavor'):
                driver.service.runtime.registry.add_check(kind, lambda stack, value: None)
            yield driver


@pytest.fixture(autouse=True)
def new_project(engine):
    engine.context.project_id = f'p{time.monotonic_ns()}'


def group(count, value='v%index%', policy=None, outputs=(), **properties):
    definition = {
        'type': TEST,
        'properties': value if isinstance(value, dict) else {'value': value},
    }
    one = {'type': GROUP, 'properties': {'count': count, 'resource_def': definition, **properties}}
    if policy:
        one['update_policy'] = policy
    return {
        'resources': {'g': one},
        'outputs': {str(path): {'value': {'get_attr': ['g', *path]}} for path in outputs},
    }


def scaling(
    size=2,
    value='v',
    adjustment=1,
    cooldown=0,
    kind='change_in_capacity',
    group_cooldown=0,
    **rolling,
):
    properties = {
        'min_size': 0,
        'max_size': 5,
        'desired_capacity': size,
        'cooldown': group_cooldown,
        'rolling_updates': rolling,
    }
    properties['resource'] = {
        'type': TEST,
        'properties': value if isinstance(value, dict) else {'value': value},
    }
    policy = {'adjustment_type': kind, 'scaling_adjustment': adjustment, 'cooldown': cooldown}
    reads = {
        'size': ['current_size'],
        'refs': ['refs_map'],
        'values': ['outputs_list', 'output'],
        'first': ['resource.0.output'],
    }
    return {
        'resources': {
            'g': {'type': ASG, 'properties': properties},
            'p': {
                'type': POLICY,
                'properties': {'auto_scaling_group_id': {'get_resource': 'g'}, **policy},
            },
        },
        'outputs': {name: {'value': {'get_attr': ['g', *path]}} for name, path in reads.items()},
    }


def nested_identity(engine, identity, name='g'):
    return engine.resource(identity, name)['nested_stack_id']


def template(engine, identity):
    return engine.client.get_template(
        engine.context, stack_identity=nested_identity(engine, identity)
    )


def batches(engine, identity, after=0):
    """The changes of members in each action of the nested stack: ``['+0 +1', '~0', '-1']``."""
    signs, found = {'CREATE': '+', 'UPDATE': '~', 'DELETE': '-'}, []
    for name, state in engine.events(nested_identity(engine, identity)):
        action, _, state = state.partition('_')
        if name not in member_names(engine, identity):
            if state == 'IN_PROGRESS':
                found.append([])
        elif state == 'IN_PROGRESS':
            found[-1].append(signs[action] + name)
    return [' '.join(sorted(each)) for each in found][after:]


def member_names(engine, identity):
    listed = engine.client.list_events(
        engine.context, stack_identity=nested_identity(engine, identity), sort_dir='asc'
    )
    return {each['resource_name'] for each in listed if each['resource_type'] == TEST}


def signal(engine, identity, details=None):
    engine.client.resource_signal(
        engine.context, stack_identity=identity, resource_name='p', details=details, sync_call=True
    )
    return engine.outputs(identity)['size']


def make_members_older():
    """Move all resources a second back: those that are created in one second sort by name."""
    table = models.resource
    query = sqlalchemy.select(table.c.id, table.c.created_at)
    with session.engine().begin() as connection:
        for row_id, created_at in connection.execute(query).all():
            before = created_at - datetime.timedelta(seconds=1)
            changed = table.update().where(table.c.id == row_id)
            connection.execute(changed.values(created_at=before, updated_at=table.c.updated_at))


def metadata(engine, identity):
    return engine.resource(identity, 'g')['metadata']


# --------------------------------------------------------------- counted groups


def test_resource_group_creates_nested_stack_and_resolves_attributes(engine):
    paths = [
        ('refs',),
        ('refs_map',),
        ('output',),
        ('attributes', 'output'),
        ('resource.1',),
        ('resource.1.output',),
        ('resource.0', 'output'),
        ('refs', 0),
        ('refs', '1'),
        ('refs_map', '1'),
        ('removed_rsrc_list', 0),
    ]
    identity = engine.create(group(2, outputs=paths))
    assert engine.state(identity) == 'CREATE_COMPLETE'
    assert engine.resources(nested_identity(engine, identity)) == {
        '0': 'CREATE_COMPLETE',
        '1': 'CREATE_COMPLETE',
    }
    data = template(engine, identity)
    assert data['heat_template_version'] == '2015-04-30'
    assert data['resources'] == {
        name: {'type': TEST, 'properties': {'value': f'v{name}'}} for name in '01'
    }
    assert data['outputs']['attributes, output'] == {
        'value': {name: {'get_attr': [name, 'output']} for name in '01'}
    }
    outputs = engine.outputs(identity)
    names = [engine.physical_id(nested_identity(engine, identity), name) for name in '01']
    assert [outputs[str(path)] for path in paths] == [
        names,
        dict(zip('01', names, strict=True)),
        ['v0', 'v1'],
        {'0': 'v0', '1': 'v1'},
        names[1],
        'v1',
        'v0',
        names[0],
        names[1],
        names[1],
        None,
    ]


@pytest.mark.parametrize('kind', [ASG, 'OS::Heat::ResourceChain'])
def test_path_reaches_into_lists_and_maps_of_groups(engine, kind):
    properties = {
        ASG: {'min_size': 2, 'max_size': 2, 'resource': {'type': TEST}},
        'OS::Heat::ResourceChain': {'resources': [TEST, TEST]},
    }
    identity = engine.create(
        {
            'resources': {'g': {'type': kind, 'properties': properties[kind]}},
            'outputs': {
                'all': {'value': {'get_attr': ['g', 'refs']}},
                'one': {'value': {'get_attr': ['g', 'refs', 1]}},
                'none': {'value': {'get_attr': ['g', 'refs', 2]}},
            },
        }
    )
    outputs = engine.outputs(identity)
    assert outputs['one'] == outputs['all'][1] and outputs['none'] is None


def test_placeholder_indexes_lists_of_parameters_and_attributes(engine):
    value = {
        'zone': {'get_param': ['zones', '%index%']},
        'size': {'get_attr': ['sizes', 'value', '%index%']},
    }
    data = group(2, {'value': value})
    data['resources']['g']['properties']['resource_def']['type'] = 'OS::Heat::Value'
    data['resources']['sizes'] = {'type': 'OS::Heat::Value', 'properties': {'value': [5, 7]}}
    data['parameters'] = {'zones': {'type': 'comma_delimited_list'}}
    data['outputs'] = {'seen': {'value': {'get_attr': ['g', 'value']}}}
    identity = engine.create(data, params={'parameters': {'zones': 'a,b'}})
    assert engine.outputs(identity)['seen'] == [{'zone': 'a', 'size': 5}, {'zone': 'b', 'size': 7}]
    engine.update(identity, data, params={'parameters': {'zones': 'c,b'}})
    assert [each['zone'] for each in engine.outputs(identity)['seen']] == ['c', 'b']


def test_output_of_missing_group_member_returns_error(engine):
    identity = engine.create(group(1, outputs=[('resource.7',), ('resource.7.output',)]))
    for output in engine.stack(identity)['outputs']:
        assert output['output_error'] == "Member '7' not found in group resource 'g'."


def test_group_with_unknown_attribute_type_or_property_is_refused(engine):
    with pytest.raises(
        exception.StackValidationFailed, match=r'resources.g<nested_stack>.outputs.nope.*0 nope'
    ):
        engine.create(group(1, outputs=[('nope',)]))
    bad = group(1)
    bad['resources']['g']['properties']['resource_def'] = {'type': 'OS::Nope'}
    with pytest.raises(
        exception.StackValidationFailed, match=r'^The Resource Type \(OS::Nope\) could not be found'
    ):
        engine.create(bad)
    with pytest.raises(
        exception.StackValidationFailed,
        match=r'resources.g<nested_stack>.resources\[0\].properties: Unknown Property no',
    ):
        engine.create(group(1, {'no': 1}))
    with pytest.raises(exception.RequestLimitExceeded):
        engine.create(group(10**9))


def test_nested_parameters_of_group_describe_one_member(engine):
    files = {'inner.yaml': 'heat_template_version: 2021-04-16\nparameters: {n: {type: string}}'}
    kind = {'type': 'inner.yaml', 'properties': {'n': 'x'}}
    template = {
        'heat_template_version': '2021-04-16',
        'resources': {
            'g': {
                'type': 'OS::Heat::ResourceGroup',
                'properties': {'count': 3, 'resource_def': kind},
            },
            'none': {
                'type': 'OS::Heat::ResourceGroup',
                'properties': {'count': 0, 'resource_def': kind},
            },
            'chain': {
                'type': 'OS::Heat::ResourceChain',
                'properties': {'resources': ['inner.yaml'] * 2, 'resource_properties': {'n': 'x'}},
            },
        },
    }
    response = engine.client.validate_template(
        engine.context, template=template, files=files, show_nested=True
    )
    members = {
        name: sorted(each['NestedParameters'])
        for name, each in response['NestedParameters'].items()
    }
    assert members == {'g': ['0'], 'none': ['0'], 'chain': ['0', '1']}


def nested_parameters(engine, **resource):
    """Validate a template whose parameters have no values; return those of the nested stack."""
    child = {
        'heat_template_version': '2021-04-16',
        'parameters': {'text': {'type': 'string'}, 'n': {'type': 'number', 'default': 1}},
    }
    template = {
        'heat_template_version': '2021-04-16',
        'parameters': {'no': {'type': 'number'}},
        'resources': {'r': resource},
    }
    files = {'inner.yaml': json.dumps(child)}
    shown = engine.client.validate_template(
        engine.context, template=template, files=files, show_nested=True
    )['NestedParameters']['r']
    (described,) = shown.get('NestedParameters', {'r': shown}).values()
    return {name: each.get('Value') for name, each in described['Parameters'].items()}


NO = {'get_param': 'no'}


@pytest.mark.parametrize(
    ('kind', 'properties'),
    [
        ('inner.yaml', {'text': NO}),
        ('inner.yaml', {'text': {'list_join': ['', ['a', NO]]}, 'n': 'no number'}),
        ('OS::Heat::ResourceGroup', {'resource_def': {'type': 'inner.yaml'}, 'count': NO}),
        (
            'OS::Heat::ResourceGroup',
            {'resource_def': {'type': 'inner.yaml', 'properties': {'text': NO}}},
        ),
        (
            'OS::Heat::AutoScalingGroup',
            {'resource': {'type': 'inner.yaml'}, 'min_size': NO, 'max_size': 3},
        ),
    ],
)
def test_template_validation_shows_nested_stacks_whose_values_are_missing(engine, kind, properties):
    found = nested_parameters(engine, type=kind, properties=properties)
    assert found == {'text': None, 'n': None}


def test_template_validation_refuses_group_without_a_definition_of_members(engine):
    properties = {'count': 1}
    with pytest.raises(exception.StackValidationFailed, match='resource_def not assigned'):
        nested_parameters(engine, type='OS::Heat::ResourceGroup', properties=properties)


def test_group_with_failed_member_fails_and_next_update_repairs_it(engine):
    identity = engine.create(group(2, {'fail': True}))
    assert engine.stack(identity)['stack_status_reason'].startswith(
        'Resource CREATE failed: ValueError: resources.g.resources['
    )
    engine.update(identity, group(2, {'fail': False}))
    assert engine.state(identity) == 'UPDATE_COMPLETE'
    assert set(engine.resources(nested_identity(engine, identity)).values()) <= {
        'CREATE_COMPLETE',
        'UPDATE_COMPLETE',
    }


def test_removed_members_are_not_reused_until_removal_list_is_reset(engine):
    seen = [('refs_map',), ('removed_rsrc_list',)]

    def members_and_removed():
        outputs = engine.outputs(identity)
        return sorted(outputs[str(seen[0])]), outputs[str(seen[1])]

    identity = engine.create(group(3, outputs=seen))
    engine.update(
        identity, group(3, outputs=seen, removal_policies=[{'resource_list': ['1', 'nobody']}])
    )
    assert members_and_removed() == (['0', '2', '3'], ['1'])
    reference = engine.outputs(identity)[str(seen[0])]['0']
    engine.update(
        identity, group(2, outputs=seen, removal_policies=[{'resource_list': [reference]}])
    )
    assert members_and_removed() == (['2', '3'], ['0', '1'])
    engine.update(
        identity,
        group(
            2,
            outputs=seen,
            removal_policies=[{'resource_list': ['2']}],
            removal_policies_mode='update',
        ),
    )
    assert members_and_removed() == (['0', '1'], ['2'])
    engine.update(identity, group(0, outputs=seen))
    assert members_and_removed() == ([], ['2'])


def test_group_update_policy_runs_in_batches(engine):
    policy = {
        'batch_create': {'max_batch_size': 2},
        'rolling_update': {'max_batch_size': 2, 'min_in_service': 3},
    }
    identity = engine.create(group(3, policy=policy))
    assert batches(engine, identity) == ['', '+0 +1', '+2']
    assert list(template(engine, identity)['outputs']) == ['refs_map'], (
        'the output exists although no template reads it'
    )
    engine.update(identity, group(4, policy=policy))
    assert batches(engine, identity, 3) == ['+3']
    engine.update(identity, group(4, 'w%index%', policy))
    assert batches(engine, identity, 4) == ['+4 ~3', '~1 ~2', '-4 ~0']
    assert {
        each['properties']['value'] for each in template(engine, identity)['resources'].values()
    } == {'w0', 'w1', 'w2', 'w3'}


def test_rolling_update_pauses_between_batches_within_timeout(engine):
    identity = engine.create(group(3))
    started = time.monotonic()
    engine.update(identity, group(3, 'w', {'rolling_update': {'pause_time': 0.3}}))
    assert engine.state(identity) == 'UPDATE_COMPLETE' and time.monotonic() - started >= 0.6
    engine.update(identity, group(3, 'x', {'rolling_update': {'pause_time': 9000}}))
    reason = (
        'Resource UPDATE failed: ValueError: resources.g: '
        'The current update policy will result in stack update timeout.'
    )
    assert engine.stack(identity)['stack_status_reason'] == reason


def test_group_of_groups_resolves_index_variables(engine):
    inner = {
        'count': 2,
        'index_var': '%j%',
        'resource_def': {'type': TEST, 'properties': {'value': '%index%-%j%'}},
    }
    outer = {
        'type': GROUP,
        'properties': {'count': 2, 'resource_def': {'type': GROUP, 'properties': inner}},
    }
    paths = {'all': ['output'], 'one': ['resource.1.resource.0.output']}
    outputs = {name: {'value': {'get_attr': ['g', *path]}} for name, path in paths.items()}
    identity = engine.create({'resources': {'g': outer}, 'outputs': outputs})
    assert engine.outputs(identity) == {'all': [['0-0', '0-1'], ['1-0', '1-1']], 'one': '1-0'}
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'


def test_resource_chain_members_depend_on_previous_member(engine):
    chain = {
        'type': 'OS::Heat::ResourceChain',
        'properties': {
            'resources': [TEST, 'OS::Heat::Value'],
            'resource_properties': {'value': 'c'},
        },
    }
    identity = engine.create(
        {
            'resources': {'g': chain},
            'outputs': {'o': {'value': {'get_attr': ['g', 'resource.1.value']}}},
        }
    )
    assert engine.outputs(identity) == {'o': 'c'}
    assert template(engine, identity)['resources']['1'] == {
        'type': 'OS::Heat::Value',
        'properties': {'value': 'c'},
        'depends_on': ['0'],
    }
    chain['properties']['resources'] = [TEST]
    engine.update(identity, {'resources': {'g': chain}})
    assert list(engine.resources(nested_identity(engine, identity))) == ['0']


# --------------------------------------------------------------- scaling


def test_scaling_signals_change_size_and_oldest_members_go_first(engine):
    identity = engine.create(scaling(2))
    first = engine.outputs(identity)
    assert first['size'] == 2 and first['values'] == ['v', 'v'] and first['first'] == 'v'
    sizes = []
    for _ in range(5):
        make_members_older()
        sizes.append(signal(engine, identity))
    assert sizes == [3, 4, 5, 5, 5]
    policy_states = [state for name, state in engine.events(identity) if name == 'p']
    assert policy_states == ['CREATE_IN_PROGRESS', 'CREATE_COMPLETE', *['SIGNAL_COMPLETE'] * 3]
    assert engine.resources(identity)['g'] == 'CREATE_COMPLETE'
    before = list(engine.outputs(identity)['refs'])
    assert before[:2] == list(first['refs'])
    engine.update(identity, scaling(2))
    assert list(engine.outputs(identity)['refs']) == before[-2:]
    engine.update(identity, scaling(0))
    assert engine.outputs(identity)['size'] == 0


def test_failed_members_are_not_counted_and_go_first(engine):
    identity = engine.create(scaling(3, adjustment=-1))
    names = list(engine.outputs(identity)['refs'])
    engine.client.resource_mark_unhealthy(
        engine.context,
        stack_identity=nested_identity(engine, identity),
        resource_name=names[2],
        mark_unhealthy=True,
    )
    assert engine.outputs(identity)['size'] == 2
    assert signal(engine, identity) == 1 and list(engine.outputs(identity)['refs']) == [names[1]]


def test_signal_during_cooldown_is_ignored(engine):
    identity = engine.create(scaling(1, cooldown=60))
    assert [signal(engine, identity) for _ in range(2)] == [2, 2]
    ((end, reason),) = metadata(engine, identity)['cooldown_end'].items()
    assert reason == 'change_in_capacity : 1' and time.gmtime(time.time() + 50) < time.strptime(
        end[:19], '%Y-%m-%dT%H:%M:%S'
    )
    assert metadata(engine, identity)['scaling_in_progress'] is False
    engine.update(identity, scaling(3, cooldown=60))
    assert engine.outputs(identity)['size'] == 3, 'an update does not wait for a cooldown'
    assert signal(engine, identity) == 3


def test_failed_scaling_ends_and_can_be_repeated(engine):
    identity = engine.create(scaling(0, {'fail': True}))
    for _ in range(2):
        with pytest.raises(exception.ResourceFailure, match='Test Resource failed'):
            signal(engine, identity)
        assert engine.outputs(identity)['size'] == 0
        assert metadata(engine, identity)['scaling_in_progress'] is False
    assert [name for name, _ in engine.events(identity)].count('p') == 2, (
        'a failed signal adds no event'
    )
    assert len(engine.resources(nested_identity(engine, identity))) == 1


SLOW = {'action_wait_secs': {'create': 2}}


def send(engine, identity, policy, **details):
    engine.client.resource_signal(
        engine.context, stack_identity=identity, resource_name=policy, details=details
    )


def await_signals(engine, identity):
    """Wait until all signals are handled. Return the size of the group."""
    deadline = time.monotonic() + WAIT_SECONDS
    while signals.by_engine():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert metadata(engine, identity)['scaling_in_progress'] is False
    return engine.outputs(identity)['size']


@pytest.mark.parametrize('policies', ['pp', 'pq'])
def test_concurrent_signals_scale_one_after_another(engine, policies):
    template = scaling(0, SLOW)
    template['resources']['q'] = template['resources']['p']
    identity = engine.create(template)
    for policy in policies:
        send(engine, identity, policy)
    assert await_signals(engine, identity) == 2
    for policy in policies:
        assert (policy, 'SIGNAL_COMPLETE') in engine.events(identity)


def test_concurrent_signal_is_subject_to_the_cooldown_of_the_first(engine):
    identity = engine.create(scaling(0, SLOW, cooldown=60))
    for _ in range(2):
        send(engine, identity, 'p')
    assert await_signals(engine, identity) == 1


def test_alarm_that_repeats_itself_during_a_scaling_does_not_count(engine):
    identity = engine.create(scaling(0, SLOW))
    send(engine, identity, 'p', previous='ok', current='alarm', reason='high')
    for _ in range(3):
        send(engine, identity, 'p', previous='alarm', current='alarm', reason='still high')
    assert await_signals(engine, identity) == 1
    send(engine, identity, 'p', previous='alarm', current='alarm', reason='still high')
    assert await_signals(engine, identity) == 2


def test_signal_computes_the_size_after_a_change_that_it_has_not_read(engine, monkeypatch):
    """Between the load of the group and its mark another signal has been handled."""
    identity = engine.create(scaling(1))
    first = scaling_base.ScalingGroup.metadata_change

    def after_another(group, changed, signals=None):
        monkeypatch.undo()
        assert signal(engine, identity) == 2
        return first(group, changed, signals)

    template = scaling(1)
    template['resources']['q'] = template['resources']['p']
    engine.update(identity, template)
    monkeypatch.setattr(scaling_base.ScalingGroup, 'metadata_change', after_another)
    send(engine, identity, 'q')
    assert await_signals(engine, identity) == 3


def test_signal_that_meets_an_update_uses_what_the_update_stores(engine, monkeypatch):
    """Between the load of the group and its mark an update has ended."""
    identity = engine.create(scaling(1))
    first = scaling_base.ScalingGroup.metadata_change

    def after_an_update(group, changed, signals=None):
        monkeypatch.undo()
        engine.update(identity, scaling(3, 'new'))
        return first(group, changed, signals)

    monkeypatch.setattr(scaling_base.ScalingGroup, 'metadata_change', after_an_update)
    send(engine, identity, 'p')
    assert await_signals(engine, identity) == 4
    assert engine.outputs(identity)['values'] == ['new'] * 4


def test_scaling_that_a_gone_engine_has_begun_does_not_count(engine):
    """The engine was killed while it scaled the group, so that the mark stayed."""
    identity = engine.create(scaling(1))
    put_mark(identity, {'scaling_in_progress': True, 'scaling_engine': 'gone'})
    assert signal(engine, identity) == 2
    assert metadata(engine, identity)['scaling_in_progress'] is False


def test_signal_waits_for_the_scaling_of_a_living_engine(engine):
    identity = engine.create(scaling(1))
    mark = {'scaling_in_progress': True, 'scaling_engine': engine.service.engine_id}
    put_mark(identity, mark)
    send(engine, identity, 'p')
    time.sleep(0.3)
    assert metadata(engine, identity) == mark
    put_mark(identity, {'scaling_in_progress': False})
    assert await_signals(engine, identity) == 2


def put_mark(identity, mark):
    (row,) = resources.list_by_name(identity['stack_id'], 'g')
    resources.set_metadata(row.id, mark)


def test_signal_of_a_gone_engine_scales_to_the_size_that_it_was_to_reach(engine):
    """The engine was killed when the group had its new size, and the signal was still stored."""
    identity = engine.create(scaling(2))
    ids = {row.name: row.id for row in resources.list_by_stack(identity['stack_id'])}
    signal_id = signals.add(ids['p'], 'gone', None)
    mark = {'scaling_in_progress': True, 'scaling_engine': 'gone'}
    resources.set_metadata(ids['g'], {**mark, 'scaling_target': [signal_id, 2]})
    takeover.TakeoverTask(engine.service.runtime, engine.service._membership).run_once()
    assert await_signals(engine, identity) == 2
    assert metadata(engine, identity).keys() == {'scaling_in_progress', 'cooldown_end'}
    assert ('p', 'SIGNAL_COMPLETE') in engine.events(identity)


@pytest.mark.parametrize('policy', ['p', 'q'])
def test_signal_waits_for_another_that_a_gone_engine_has_begun(policy, engine):
    """The group has the size of the first signal: handled last, it would add one more."""
    template = scaling(2)
    template['resources']['q'] = template['resources']['p']
    identity = engine.create(template)
    ids = {row.name: row.id for row in resources.list_by_stack(identity['stack_id'])}
    signal_id = signals.add(ids['p'], 'gone', None)
    mark = {'scaling_in_progress': True, 'scaling_engine': 'gone'}
    resources.set_metadata(ids['g'], {**mark, 'scaling_target': [signal_id, 2]})
    send(engine, identity, policy)
    time.sleep(0.3)  # for a signal that does not wait
    takeover.TakeoverTask(engine.service.runtime, engine.service._membership).run_once()
    assert await_signals(engine, identity) == 3


def test_update_waits_for_scaling_in_progress(engine):
    slow = {'action_wait_secs': {'create': 2}}
    identity = engine.create(scaling(1, slow))
    engine.client.resource_signal(
        engine.context, stack_identity=identity, resource_name='p', details=None
    )
    deadline = time.monotonic() + WAIT_SECONDS
    while not metadata(engine, identity)['scaling_in_progress']:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    engine.update(identity, scaling(3, slow))
    assert engine.state(identity) == 'UPDATE_COMPLETE' and engine.outputs(identity)['size'] == 3
    assert metadata(engine, identity)['scaling_in_progress'] is False


@pytest.mark.parametrize('action', ['check', 'suspend'])
def test_action_waits_for_scaling_in_progress(action, engine):
    """The update of the nested stack would take the place of the action there."""
    identity = engine.create(scaling(1))
    put_mark(identity, {'scaling_in_progress': True, 'scaling_engine': engine.service.engine_id})
    getattr(engine.client, f'stack_{action}')(engine.context, stack_identity=identity)
    time.sleep(0.3)
    assert engine.state(identity) == f'{action.upper()}_IN_PROGRESS'
    put_mark(identity, {'scaling_in_progress': False})
    engine.wait(identity)
    assert engine.state(identity) == f'{action.upper()}_COMPLETE'


def test_adopted_members_keep_names_and_cloud_objects(engine):
    identity = engine.create(scaling(2))
    before = engine.outputs(identity)
    document = engine.client.abandon_stack(engine.context, stack_identity=identity)
    engine.wait(identity)
    again = engine.create(scaling(2), name='again', adopt_stack_data=json.dumps(document))
    assert engine.state(again) == 'ADOPT_COMPLETE'
    assert engine.outputs(again)['refs'] == before['refs']
    assert signal(engine, again) == 3
    assert set(before['refs']) < set(engine.outputs(again)['refs'])


def test_outputs_of_parent_stack_follow_scaling_signal(engine):
    inner = {'heat_template_version': '2021-04-16', **scaling(1)}
    files = {'inner.yaml': json.dumps(inner)}
    outer = {
        'resources': {'web': {'type': 'inner.yaml'}},
        'outputs': {'n': {'value': {'get_attr': ['web', 'size']}}},
    }
    identity = engine.create(outer, files=files)
    assert engine.outputs(identity) == {'n': 1}
    assert signal(engine, nested_identity(engine, identity, 'web')) == 2
    assert engine.outputs(identity) == {'n': 2}


def test_rolling_update_of_scaling_group_updates_remaining_members(engine):
    identity = engine.create(scaling(3, max_batch_size=2, min_in_service=3))
    before = list(engine.outputs(identity)['refs'])
    engine.update(identity, scaling(3, 'w', max_batch_size=2, min_in_service=3))
    outputs = engine.outputs(identity)
    # members of one second are listed by name
    assert outputs['values'] == ['w'] * 3 and set(before) & set(outputs['refs']) == {before[2]}
    sizes = [len(batch.split()) for batch in batches(engine, identity, 1)]
    assert max(sizes) == 2


def test_metadata_that_reads_group_size_follows_scaling(engine):
    template = scaling(1)
    template['resources']['server'] = {
        'type': 'server.yaml',
        'depends_on': 'g',
        'metadata': {'sizes': {'get_attr': ['g', 'current_size']}, 'fixed': 1},
    }
    identity = engine.create(template, files={'server.yaml': 'heat_template_version: 2021-04-16'})
    assert engine.resource(identity, 'server')['metadata'] == {'sizes': 1, 'fixed': 1}
    signal(engine, identity)
    assert engine.resource(identity, 'server')['metadata'] == {'sizes': 2, 'fixed': 1}


def test_percent_policy_scales_and_invalid_policy_is_refused(engine):
    identity = engine.create(scaling(4, kind='percent_change_in_capacity', adjustment=-30))
    assert signal(engine, identity) == 3
    bad = scaling()
    bad['resources']['p']['properties']['min_adjustment_step'] = 1
    with pytest.raises(
        exception.ResourcePropertyValueDependency,
        match='min_adjustment_step property should only be specified',
    ):
        engine.create(bad, name='other')
    bad = scaling(9)
    with pytest.raises(
        exception.StackValidationFailed, match='DesiredCapacity must be between MinSize and MaxSize'
    ):
        engine.create(bad, name='other')


@pytest.mark.parametrize('kind', ['OS::Heat::InstanceGroup', 'AWS::AutoScaling::AutoScalingGroup'])
def test_instance_group_uses_launch_configuration(engine, kind):
    def servers(size, image):
        sizes = (
            {'Size': size}
            if kind == 'OS::Heat::InstanceGroup'
            else {'MinSize': 1, 'MaxSize': 5, 'DesiredCapacity': size}
        )
        configuration = {'ImageId': image, 'InstanceType': 'small'}
        reference = {
            'LaunchConfigurationName': {'get_resource': 'lc'},
            'AvailabilityZones': ['nova'],
        }
        return {
            'resources': {
                'lc': {
                    'type': 'AWS::AutoScaling::LaunchConfiguration',
                    'properties': configuration,
                },
                'g': {'type': kind, 'properties': {**reference, **sizes}},
            },
            'outputs': {'ips': {'value': {'get_attr': ['g', 'InstanceList']}}},
        }

    files = {'server.yaml': SERVER}
    params = {'resource_registry': {'AWS::EC2::Instance': 'server.yaml'}}
    identity = engine.create(servers(2, 'a'), params=params, files=files)
    assert engine.state(identity) == 'CREATE_COMPLETE', engine.stack(identity)[
        'stack_status_reason'
    ]
    assert engine.outputs(identity) == {'ips': 'a,a'}
    members = template(engine, identity)['resources'].values()
    assert {each['type'] for each in members} == {'OS::Heat::ScaledResource'}, (
        'a type mapped to AWS::EC2::Instance may lack its attributes'
    )
    engine.update(identity, servers(3, 'b'), params=params, files=files)
    assert engine.outputs(identity) == {'ips': 'b,b,b'}, engine.stack(identity)[
        'stack_status_reason'
    ]
    bad = servers(1, 'a')
    bad['resources']['g']['properties']['LaunchConfigurationName'] = 'nope'
    with pytest.raises(
        exception.StackValidationFailed,
        match=r'LaunchConfigurationName \(nope\) reference can not be found',
    ):
        engine.create(bad, name='other', params=params, files=files)
