"""Groups in a whole engine: their insides, how they grow, shrink and change in batches, and what signals to scaling policies do."""

import json
import time

import pytest

from heat_lite.common import exception
from tests import databases, engines
from tests.waiting import PATIENCE

TEST, GROUP, ASG, POLICY = 'OS::Heat::TestResource', 'OS::Heat::ResourceGroup', 'OS::Heat::AutoScalingGroup', 'OS::Heat::ScalingPolicy'
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
def fresh(engine):
    engine.context.project_id = f'p{time.monotonic_ns()}'


def group(count, value='v%index%', policy=None, outputs=(), **properties):
    definition = {'type': TEST, 'properties': value if isinstance(value, dict) else {'value': value}}
    one = {'type': GROUP, 'properties': {'count': count, 'resource_def': definition, **properties}}
    if policy:
        one['update_policy'] = policy
    return {'resources': {'g': one}, 'outputs': {str(path): {'value': {'get_attr': ['g', *path]}} for path in outputs}}


def scaling(size=2, value='v', adjustment=1, cooldown=0, kind='change_in_capacity', group_cooldown=0, **rolling):
    properties = {'min_size': 0, 'max_size': 5, 'desired_capacity': size, 'cooldown': group_cooldown, 'rolling_updates': rolling}
    properties['resource'] = {'type': TEST, 'properties': value if isinstance(value, dict) else {'value': value}}
    policy = {'adjustment_type': kind, 'scaling_adjustment': adjustment, 'cooldown': cooldown}
    reads = {'size': ['current_size'], 'refs': ['refs_map'], 'values': ['outputs_list', 'output'], 'first': ['resource.0.output']}
    return {
        'resources': {
            'g': {'type': ASG, 'properties': properties},
            'p': {'type': POLICY, 'properties': {'auto_scaling_group_id': {'get_resource': 'g'}, **policy}},
        },
        'outputs': {name: {'value': {'get_attr': ['g', *path]}} for name, path in reads.items()},
    }


def inside(engine, identity, name='g'):
    return engine.resource(identity, name)['nested_stack_id']


def template(engine, identity):
    return engine.client.get_template(engine.context, stack_identity=inside(engine, identity))


def turns(engine, identity, after=0):
    """What was begun in each action of the inside: ``['+0 +1', '~0', '-1']``."""
    signs, told = {'CREATE': '+', 'UPDATE': '~', 'DELETE': '-'}, []
    for name, state in engine.events(inside(engine, identity)):
        action, _, state = state.partition('_')
        if name not in engine_names(engine, identity):
            if state == 'IN_PROGRESS':
                told.append([])
        elif state == 'IN_PROGRESS':
            told[-1].append(signs[action] + name)
    return [' '.join(sorted(each)) for each in told][after:]


def engine_names(engine, identity):
    listed = engine.client.list_events(engine.context, stack_identity=inside(engine, identity), sort_dir='asc')
    return {each['resource_name'] for each in listed if each['resource_type'] == TEST}


def signal(engine, identity, details=None):
    engine.client.resource_signal(engine.context, stack_identity=identity, resource_name='p', details=details, sync_call=True)
    return engine.outputs(identity)['size']


def metadata(engine, identity):
    return engine.resource(identity, 'g')['metadata']


# --------------------------------------------------------------- counted groups


def test_the_inside_of_a_group(engine):
    paths = [
        ('refs',),
        ('refs_map',),
        ('output',),
        ('attributes', 'output'),
        ('resource.1',),
        ('resource.1.output',),
        ('resource.0', 'output'),
    ]
    identity = engine.create(group(2, outputs=paths))
    assert engine.state(identity) == 'CREATE_COMPLETE'
    assert engine.resources(inside(engine, identity)) == {'0': 'CREATE_COMPLETE', '1': 'CREATE_COMPLETE'}
    data = template(engine, identity)
    assert data['heat_template_version'] == '2015-04-30'
    assert data['resources'] == {name: {'type': TEST, 'properties': {'value': f'v{name}'}} for name in '01'}
    assert data['outputs']['attributes, output'] == {'value': {name: {'get_attr': [name, 'output']} for name in '01'}}
    outputs = engine.outputs(identity)
    names = [engine.physical_id(inside(engine, identity), name) for name in '01']
    assert [outputs[str(path)] for path in paths] == [
        names,
        dict(zip('01', names, strict=True)),
        ['v0', 'v1'],
        {'0': 'v0', '1': 'v1'},
        names[1],
        'v1',
        'v0',
    ]


def test_members_that_are_not_there_are_the_error_of_the_output(engine):
    identity = engine.create(group(1, outputs=[('resource.7',), ('resource.7.output',)]))
    for output in engine.stack(identity)['outputs']:
        assert output['output_error'] == "Member '7' not found in group resource 'g'."


def test_unknown_attributes_and_types_are_told_before_anything_is_made(engine):
    with pytest.raises(exception.StackValidationFailed, match=r'resources.g<nested_stack>.outputs.nope.*0 nope'):
        engine.create(group(1, outputs=[('nope',)]))
    bad = group(1)
    bad['resources']['g']['properties']['resource_def'] = {'type': 'OS::Nope'}
    with pytest.raises(exception.StackValidationFailed, match=r'^The Resource Type \(OS::Nope\) could not be found'):
        engine.create(bad)
    with pytest.raises(exception.StackValidationFailed, match=r'resources.g<nested_stack>.resources\[0\].properties: Unknown Property no'):
        engine.create(group(1, {'no': 1}))
    with pytest.raises(exception.RequestLimitExceeded):
        engine.create(group(10**9))


def test_one_member_stands_for_all_where_parameters_are_told(engine):
    files = {'inner.yaml': 'heat_template_version: 2021-04-16\nparameters: {n: {type: string}}'}
    kind = {'type': 'inner.yaml', 'properties': {'n': 'x'}}
    template = {
        'heat_template_version': '2021-04-16',
        'resources': {
            'g': {'type': 'OS::Heat::ResourceGroup', 'properties': {'count': 3, 'resource_def': kind}},
            'none': {'type': 'OS::Heat::ResourceGroup', 'properties': {'count': 0, 'resource_def': kind}},
            'chain': {
                'type': 'OS::Heat::ResourceChain',
                'properties': {'resources': ['inner.yaml'] * 2, 'resource_properties': {'n': 'x'}},
            },
        },
    }
    answer = engine.client.validate_template(engine.context, template=template, files=files, show_nested=True)
    told = {name: sorted(each['NestedParameters']) for name, each in answer['NestedParameters'].items()}
    assert told == {'g': ['0'], 'none': ['0'], 'chain': ['0', '1']}


def test_a_failing_member_fails_the_group_and_is_mended_by_the_next_update(engine):
    identity = engine.create(group(2, {'fail': True}))
    assert engine.stack(identity)['stack_status_reason'].startswith('Resource CREATE failed: ValueError: resources.g.resources[')
    engine.update(identity, group(2, {'fail': False}))
    assert engine.state(identity) == 'UPDATE_COMPLETE'
    assert set(engine.resources(inside(engine, identity)).values()) <= {'CREATE_COMPLETE', 'UPDATE_COMPLETE'}


def test_removed_members_are_not_used_again_until_they_are_forgotten(engine):
    seen = [('refs_map',), ('removed_rsrc_list',)]

    def now():
        outputs = engine.outputs(identity)
        return sorted(outputs[str(seen[0])]), outputs[str(seen[1])]

    identity = engine.create(group(3, outputs=seen))
    engine.update(identity, group(3, outputs=seen, removal_policies=[{'resource_list': ['1', 'nobody']}]))
    assert now() == (['0', '2', '3'], ['1'])
    reference = engine.outputs(identity)[str(seen[0])]['0']
    engine.update(identity, group(2, outputs=seen, removal_policies=[{'resource_list': [reference]}]))
    assert now() == (['2', '3'], ['0', '1'])
    engine.update(identity, group(2, outputs=seen, removal_policies=[{'resource_list': ['2']}], removal_policies_mode='update'))
    assert now() == (['0', '1'], ['2'])
    engine.update(identity, group(0, outputs=seen))
    assert now() == ([], ['2'])


def test_batches(engine):
    policy = {'batch_create': {'max_batch_size': 2}, 'rolling_update': {'max_batch_size': 2, 'min_in_service': 3}}
    identity = engine.create(group(3, policy=policy))
    assert turns(engine, identity) == ['', '+0 +1', '+2']
    assert list(template(engine, identity)['outputs']) == ['refs_map'], 'even where nobody reads it'
    engine.update(identity, group(4, policy=policy))
    assert turns(engine, identity, 3) == ['+3']
    engine.update(identity, group(4, 'w%index%', policy))
    assert turns(engine, identity, 4) == ['+4 ~3', '~1 ~2', '-4 ~0']
    assert {each['properties']['value'] for each in template(engine, identity)['resources'].values()} == {'w0', 'w1', 'w2', 'w3'}


def test_pauses_lie_between_batches_and_must_fit_into_the_time(engine):
    identity = engine.create(group(3))
    began = time.monotonic()
    engine.update(identity, group(3, 'w', {'rolling_update': {'pause_time': 0.3}}))
    assert engine.state(identity) == 'UPDATE_COMPLETE' and time.monotonic() - began >= 0.6
    engine.update(identity, group(3, 'x', {'rolling_update': {'pause_time': 9000}}))
    reason = 'Resource UPDATE failed: ValueError: resources.g: The current update policy will result in stack update timeout.'
    assert engine.stack(identity)['stack_status_reason'] == reason


def test_groups_in_groups(engine):
    inner = {'count': 2, 'index_var': '%j%', 'resource_def': {'type': TEST, 'properties': {'value': '%index%-%j%'}}}
    outer = {'type': GROUP, 'properties': {'count': 2, 'resource_def': {'type': GROUP, 'properties': inner}}}
    paths = {'all': ['output'], 'one': ['resource.1.resource.0.output']}
    outputs = {name: {'value': {'get_attr': ['g', *path]}} for name, path in paths.items()}
    identity = engine.create({'resources': {'g': outer}, 'outputs': outputs})
    assert engine.outputs(identity) == {'all': [['0-0', '0-1'], ['1-0', '1-1']], 'one': '1-0'}
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'


def test_chains_are_made_one_after_the_other(engine):
    chain = {
        'type': 'OS::Heat::ResourceChain',
        'properties': {'resources': [TEST, 'OS::Heat::Value'], 'resource_properties': {'value': 'c'}},
    }
    identity = engine.create({'resources': {'g': chain}, 'outputs': {'o': {'value': {'get_attr': ['g', 'resource.1.value']}}}})
    assert engine.outputs(identity) == {'o': 'c'}
    assert template(engine, identity)['resources']['1'] == {
        'type': 'OS::Heat::Value',
        'properties': {'value': 'c'},
        'depends_on': ['0'],
    }
    chain['properties']['resources'] = [TEST]
    engine.update(identity, {'resources': {'g': chain}})
    assert list(engine.resources(inside(engine, identity))) == ['0']


# --------------------------------------------------------------- scaling


def test_the_oldest_go_and_signals_change_the_size(engine):
    identity = engine.create(scaling(2))
    first = engine.outputs(identity)
    assert first['size'] == 2 and first['values'] == ['v', 'v'] and first['first'] == 'v'
    assert [signal(engine, identity) for _ in range(5)] == [3, 4, 5, 5, 5]
    told = [state for name, state in engine.events(identity) if name == 'p']
    assert told == ['CREATE_IN_PROGRESS', 'CREATE_COMPLETE', *['SIGNAL_COMPLETE'] * 3]
    assert engine.resources(identity)['g'] == 'CREATE_COMPLETE'
    before = list(engine.outputs(identity)['refs'])
    assert before[:2] == list(first['refs'])
    engine.update(identity, scaling(2))
    assert list(engine.outputs(identity)['refs']) == before[-2:]
    engine.update(identity, scaling(0))
    assert engine.outputs(identity)['size'] == 0


def test_failed_members_do_not_count_and_go_first(engine):
    identity = engine.create(scaling(3, adjustment=-1))
    names = list(engine.outputs(identity)['refs'])
    engine.client.resource_mark_unhealthy(
        engine.context, stack_identity=inside(engine, identity), resource_name=names[2], mark_unhealthy=True
    )
    assert engine.outputs(identity)['size'] == 2
    assert signal(engine, identity) == 1 and list(engine.outputs(identity)['refs']) == [names[1]]


def test_cooldown_keeps_signals_off(engine):
    identity = engine.create(scaling(1, cooldown=60))
    assert [signal(engine, identity) for _ in range(2)] == [2, 2]
    ((end, reason),) = metadata(engine, identity)['cooldown_end'].items()
    assert reason == 'change_in_capacity : 1' and time.gmtime(time.time() + 50) < time.strptime(end[:19], '%Y-%m-%dT%H:%M:%S')
    assert metadata(engine, identity)['scaling_in_progress'] is False
    engine.update(identity, scaling(3, cooldown=60))
    assert engine.outputs(identity)['size'] == 3, 'an update does not wait for a cooldown'
    assert signal(engine, identity) == 3


def test_a_scaling_that_fails_is_over_and_can_be_tried_again(engine):
    identity = engine.create(scaling(0, {'fail': True}))
    for _ in range(2):
        with pytest.raises(exception.ResourceFailure, match='Test Resource failed'):
            signal(engine, identity)
        assert engine.outputs(identity)['size'] == 0
        assert metadata(engine, identity)['scaling_in_progress'] is False
    assert [name for name, _ in engine.events(identity)].count('p') == 2, 'nothing is told of a signal that failed'
    assert len(engine.resources(inside(engine, identity))) == 1


def test_of_signals_that_come_together_one_counts(engine):
    identity = engine.create(scaling(1, {'action_wait_secs': {'create': 0.5}}))
    for _ in range(4):
        engine.client.resource_signal(engine.context, stack_identity=identity, resource_name='p', details=None)
    until = time.monotonic() + PATIENCE
    while metadata(engine, identity)['scaling_in_progress'] or engine.outputs(identity)['size'] < 2:
        assert time.monotonic() < until
        time.sleep(0.05)
    assert engine.outputs(identity)['size'] == 2
    assert [name for name, _ in engine.events(identity)].count('p') == 3


def test_an_update_waits_for_a_scaling_under_way(engine):
    slow = {'action_wait_secs': {'create': 0.5}}
    identity = engine.create(scaling(1, slow))
    engine.client.resource_signal(engine.context, stack_identity=identity, resource_name='p', details=None)
    until = time.monotonic() + PATIENCE
    while not metadata(engine, identity)['scaling_in_progress']:
        assert time.monotonic() < until
        time.sleep(0.01)
    engine.update(identity, scaling(3, slow))
    assert engine.state(identity) == 'UPDATE_COMPLETE' and engine.outputs(identity)['size'] == 3
    assert metadata(engine, identity)['scaling_in_progress'] is False


def test_adopted_members_keep_their_names_and_objects(engine):
    identity = engine.create(scaling(2))
    before = engine.outputs(identity)
    document = engine.client.abandon_stack(engine.context, stack_identity=identity)
    engine.wait(identity)
    again = engine.create(scaling(2), name='again', adopt_stack_data=json.dumps(document))
    assert engine.state(again) == 'ADOPT_COMPLETE'
    assert engine.outputs(again)['refs'] == before['refs']
    assert signal(engine, again) == 3 and list(engine.outputs(again)['refs'])[:2] == list(before['refs'])


def test_outputs_of_stacks_around_follow_a_signal(engine):
    inner = {'heat_template_version': '2021-04-16', **scaling(1)}
    files = {'inner.yaml': json.dumps(inner)}
    outer = {'resources': {'web': {'type': 'inner.yaml'}}, 'outputs': {'n': {'value': {'get_attr': ['web', 'size']}}}}
    identity = engine.create(outer, files=files)
    assert engine.outputs(identity) == {'n': 1}
    assert signal(engine, inside(engine, identity, 'web')) == 2
    assert engine.outputs(identity) == {'n': 2}


def test_rolling_updates_of_a_scaling_group_reach_all_that_stay(engine):
    identity = engine.create(scaling(3, max_batch_size=2, min_in_service=3))
    before = list(engine.outputs(identity)['refs'])
    engine.update(identity, scaling(3, 'w', max_batch_size=2, min_in_service=3))
    outputs = engine.outputs(identity)
    assert outputs['values'] == ['w'] * 3 and list(outputs['refs'])[0] == before[2]
    sizes = [len(turn.split()) for turn in turns(engine, identity, 1)]
    assert max(sizes) == 2


def test_what_servers_are_told_of_a_group_follows_its_size(engine):
    grown = scaling(1)
    grown['resources']['server'] = {
        'type': 'told.yaml',
        'depends_on': 'g',
        'metadata': {'sizes': {'get_attr': ['g', 'current_size']}, 'fixed': 1},
    }
    identity = engine.create(grown, files={'told.yaml': 'heat_template_version: 2021-04-16'})
    assert engine.resource(identity, 'server')['metadata'] == {'sizes': 1, 'fixed': 1}
    signal(engine, identity)
    assert engine.resource(identity, 'server')['metadata'] == {'sizes': 2, 'fixed': 1}


def test_policies_by_percent_and_their_words(engine):
    identity = engine.create(scaling(4, kind='percent_change_in_capacity', adjustment=-30))
    assert signal(engine, identity) == 3
    bad = scaling()
    bad['resources']['p']['properties']['min_adjustment_step'] = 1
    with pytest.raises(exception.StackValidationFailed, match='min_adjustment_step property should only be specified'):
        engine.create(bad, name='other')
    bad = scaling(9)
    with pytest.raises(exception.StackValidationFailed, match='DesiredCapacity must be between MinSize and MaxSize'):
        engine.create(bad, name='other')


@pytest.mark.parametrize('kind', ['OS::Heat::InstanceGroup', 'AWS::AutoScaling::AutoScalingGroup'])
def test_groups_of_servers_by_a_launch_configuration(engine, kind):
    def servers(size, image):
        sizes = {'Size': size} if kind == 'OS::Heat::InstanceGroup' else {'MinSize': 1, 'MaxSize': 5, 'DesiredCapacity': size}
        configuration = {'ImageId': image, 'InstanceType': 'small'}
        reference = {'LaunchConfigurationName': {'get_resource': 'lc'}, 'AvailabilityZones': ['nova']}
        return {
            'resources': {
                'lc': {'type': 'AWS::AutoScaling::LaunchConfiguration', 'properties': configuration},
                'g': {'type': kind, 'properties': {**reference, **sizes}},
            },
            'outputs': {'ips': {'value': {'get_attr': ['g', 'InstanceList']}}},
        }

    files = {'server.yaml': SERVER}
    params = {'resource_registry': {'AWS::EC2::Instance': 'server.yaml'}}
    identity = engine.create(servers(2, 'a'), params=params, files=files)
    assert engine.state(identity) == 'CREATE_COMPLETE', engine.stack(identity)['stack_status_reason']
    assert engine.outputs(identity) == {'ips': 'a,a'}
    members = template(engine, identity)['resources'].values()
    assert {each['type'] for each in members} == {'OS::Heat::ScaledResource'}, 'what stands for instances need not be all that they are'
    engine.update(identity, servers(3, 'b'), params=params, files=files)
    assert engine.outputs(identity) == {'ips': 'b,b,b'}, engine.stack(identity)['stack_status_reason']
    bad = servers(1, 'a')
    bad['resources']['g']['properties']['LaunchConfigurationName'] = 'nope'
    with pytest.raises(exception.StackValidationFailed, match=r'LaunchConfigurationName \(nope\) reference can not be found'):
        engine.create(bad, name='other', params=params, files=files)
