"""Software configurations and deployments in an engine without Keystone."""

import json
import threading
import time

import pytest
import sqlalchemy

from heat_lite.common import context, exception
from heat_lite.db import models, resources as db_resources, session
from heat_lite.engine.software.software import Software
from tests import databases, engines
from tests.timeouts import WAIT_SECONDS

CONFIG = {
    'type': 'OS::Heat::SoftwareConfig',
    'properties': {
        'group': 'script',
        'config': 'echo $foo',
        'inputs': [
            {'name': 'foo', 'default': 'bar'},
            {'name': 'size', 'type': 'Number', 'replace_on_change': True},
        ],
        'outputs': [{'name': 'out'}, {'name': 'err', 'error_output': True}],
    },
}


@pytest.fixture(scope='module', params=databases.BACKENDS)
def engine(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp('db')
    configuration = folder / 'heat-lite.conf'
    configuration.write_text('[clients_heat]\nurl = http://here:8004/v1/%(tenant_id)s\n')
    with databases.migrated(request.param, folder) as url:
        with engines.running(
            url, files=[configuration], max_software_configs_per_tenant=30
        ) as driver:
            yield driver


@pytest.fixture(autouse=True)
def fresh(engine):
    engine.context.project_id = f'p{time.monotonic_ns()}'


def deployment(transport='HEAT_SIGNAL', kind='SoftwareDeployment', config='c', **properties):
    properties = {
        'config': {'get_resource': config},
        'signal_transport': transport,
        'server': 'srv',
        **properties,
    }
    return {'type': f'OS::Heat::{kind}', 'properties': properties}


def deployed(*outputs, **properties):
    return {
        'resources': {'c': CONFIG, 'd': deployment(**properties)},
        'outputs': {name: {'value': {'get_attr': ['d', name]}} for name in outputs},
    }


def until(condition, seconds=WAIT_SECONDS):
    """Poll a condition until it is true; return its value."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end
        time.sleep(0.005)
    return found


def waiting_deployments(engine, action='CREATE', server='srv', count=1):
    """Return the deployments that wait for a signal of their server."""

    def all_of_them():
        listed = engine.client.list_software_deployments(engine.context, server_id=server)
        found = [
            each for each in listed if (each['action'], each['status']) == (action, 'IN_PROGRESS')
        ]
        return found if len(found) == count else None

    return until(all_of_them)


def signal(engine, identity, details, name='d'):
    engine.client.resource_signal(
        engine.context, stack_identity=identity, resource_name=name, details=details, sync_call=True
    )


def server_configs(engine, server='srv'):
    """Return the configurations that a server gets, each as {input name: value}."""
    listed = engine.client.metadata_software_deployments(engine.context, server_id=server)
    return [{each['name']: each['value'] for each in config['inputs']} for config in listed]


def configs(engine):
    return engine.client.list_software_configs(engine.context)


# --------------------------------------------------------------- endpoints


def test_configurations_belong_to_projects(engine):
    made = engine.client.create_software_config(
        engine.context, group='script', name='n', config='x', inputs=[{'name': 'i'}]
    )
    keys = ['id', 'name', 'group', 'creation_time', 'config', 'inputs', 'outputs', 'options']
    assert list(made) == keys and made['inputs'] == [{'name': 'i', 'type': 'String'}]
    assert engine.client.show_software_config(engine.context, config_id=made['id']) == made
    assert configs(engine) == [{key: made[key] for key in keys[:4]}]
    other = context.RequestContext(project_id='other')
    for door in (engine.client.show_software_config, engine.client.delete_software_config):
        with pytest.raises(
            exception.NotFound, match=f'Software config with id {made["id"]} not found'
        ):
            door(other, config_id=made['id'])
    with pytest.raises(exception.NotFound, match='Software config with id'):
        engine.client.create_software_deployment(other, server_id='srv', config_id=made['id'])
    admin = context.RequestContext(project_id='other', is_admin=True)
    assert engine.client.show_software_config(admin, config_id=made['id']) == made
    assert engine.context.project_id in [
        each['project'] for each in engine.client.list_software_configs(admin)
    ]


def test_number_of_configurations_is_limited(engine):
    for _ in range(30):
        engine.client.create_software_config(engine.context, group='g', name='n', config='x')
    with pytest.raises(
        exception.RequestLimitExceeded, match='maximum software configs per tenant, 30'
    ):
        engine.client.create_software_config(engine.context, group='g', name='n', config='x')


def test_deployment_is_managed_over_rpc(engine):
    config = engine.client.create_software_config(
        engine.context, group='script', name='n', config='x'
    )['id']
    made = engine.client.create_software_deployment(
        engine.context, server_id='srv', config_id=config, input_values={'a': 1}
    )
    assert (made['action'], made['status'], made['output_values']) == (
        'INIT',
        'COMPLETE',
        None,
    ) and 'updated_time' not in made
    changed = engine.client.update_software_deployment(
        engine.context, deployment_id=made['id'], action='GO', status='IN_PROGRESS'
    )
    assert (changed['action'], changed['status'], changed['input_values']) == (
        'GO',
        'IN_PROGRESS',
        {'a': 1},
    )
    assert changed['updated_time']
    with pytest.raises(exception.InvalidRestrictedAction):
        engine.client.delete_software_config(engine.context, config_id=config)
    message = engine.client.signal_software_deployment(
        engine.context, deployment_id=made['id'], details={'deploy_status_code': 0}
    )
    assert message == f'deployment {made["id"]} succeeded'
    again = {'deploy_status_code': 1}
    assert (
        engine.client.signal_software_deployment(
            engine.context, deployment_id=made['id'], details=again
        )
        is None
    )
    shown = engine.client.show_software_deployment(engine.context, deployment_id=made['id'])
    assert (shown['status'], shown['status_reason']) == ('COMPLETE', 'Outputs received')
    engine.client.delete_software_deployment(engine.context, deployment_id=made['id'])
    with pytest.raises(exception.NotFound, match=f'Deployment with id {made["id"]} not found'):
        engine.client.show_software_deployment(engine.context, deployment_id=made['id'])
    engine.client.delete_software_config(engine.context, config_id=config)


def test_deployment_status_can_be_waited_for(engine):
    config = engine.client.create_software_config(
        engine.context, group='script', name='n', config='x'
    )['id']
    values = {'server_id': 'srv', 'config_id': config, 'action': 'GO', 'status': 'IN_PROGRESS'}
    made = engine.client.create_software_deployment(engine.context, **values)['id']
    assert (
        engine.client.check_software_deployment(engine.context, deployment_id=made, timeout=1)[
            'status'
        ]
        == 'IN_PROGRESS'
    )
    change = {'deployment_id': made, 'status': 'FAILED', 'status_reason': 'why'}
    later = threading.Timer(0.2, engine.client.update_software_deployment, [engine.context], change)
    began = time.monotonic()
    later.start()
    assert (
        engine.client.check_software_deployment(engine.context, deployment_id=made, timeout=60)[
            'status_reason'
        ]
        == 'why'
    )
    assert time.monotonic() - began < 60, 'woken by the notification, not by polling'


@pytest.mark.parametrize(
    'values, message',
    [
        ({'server_id': None}, 'needs a server_id'),
        ({'server_id': 's' * 37}, 'no more than 36'),
        ({}, None),
    ],
)
def test_deployment_without_server_is_refused(engine, values, message):
    config = engine.client.create_software_config(
        engine.context, group='script', name='n', config='x'
    )['id']
    values = {'server_id': 'srv', 'config_id': config, **values}
    if message is None:
        assert (
            engine.client.create_software_deployment(engine.context, **values)['server_id'] == 'srv'
        )
        return
    with pytest.raises(exception.Invalid, match=message):
        engine.client.create_software_deployment(engine.context, **values)


# --------------------------------------------------------------- configurations in stacks


def test_configuration_types_are_stored(engine):
    resources = {
        'c': CONFIG,
        'map': {
            'type': 'OS::Heat::StructuredConfig',
            'properties': {'config': {'a': {'get_input': 'x'}}},
        },
        'cloud': {
            'type': 'OS::Heat::CloudConfig',
            'properties': {'cloud_config': {'users': [{'name': 'a'}], 'b': None}},
        },
        'component': {
            'type': 'OS::Heat::SoftwareComponent',
            'properties': {'configs': [{'config': 'c', 'tool': 't'}]},
        },
    }
    outputs = {name: {'value': {'get_attr': [name, 'config']}} for name in resources}
    identity = engine.create({'resources': resources, 'outputs': outputs})
    assert engine.outputs(identity) == {
        'c': 'echo $foo',
        'map': {'a': {'get_input': 'x'}},
        'cloud': '#cloud-config\nb: null\nusers:\n- name: a\n',
        'component': {'configs': [{'actions': ['CREATE', 'UPDATE'], 'config': 'c', 'tool': 't'}]},
    }
    shown = engine.client.show_software_config(
        engine.context, config_id=engine.physical_id(identity, 'c')
    )
    assert shown['inputs'][1] == {
        'name': 'size',
        'description': '',
        'type': 'Number',
        'default': 0,
        'replace_on_change': True,
    }
    assert engine.resource(identity, 'c')['attributes'] == shown
    engine.delete(identity)
    assert configs(engine) == []


def test_multipart_configuration_joins_its_parts(engine):
    parts = [
        {'config': {'get_resource': 'c'}},
        {'config': '#!/bin/sh', 'filename': 'f.sh', 'subtype': 'x-shellscript'},
        {'config': 'plain ü'},
    ]
    resources = {
        'c': CONFIG,
        'm': {'type': 'OS::Heat::MultipartMime', 'properties': {'parts': parts}},
        'outer': {
            'type': 'OS::Heat::MultipartMime',
            'properties': {
                'parts': [
                    {'config': {'get_resource': 'm'}, 'type': 'multipart'},
                    {'config': 'last'},
                ]
            },
        },
    }
    identity = engine.create(
        {'resources': resources, 'outputs': {'o': {'value': {'get_attr': ['outer', 'config']}}}}
    )
    message = engine.outputs(identity)['o']
    assert message.count('boundary=') == 1 and message.count('Content-Type: text/') == 4
    assert (
        'echo $foo' in message and 'text/x-shellscript' in message and 'filename="f.sh"' in message
    )
    assert 'charset="utf-8"' in message and 'cGxhaW4gw7w=' in message, (
        'what is not ASCII keeps its encoding'
    )


def test_two_configurations_for_one_action_are_refused(engine):
    config = {'actions': ['CREATE'], 'config': 'c', 'tool': 't'}
    component = {'type': 'OS::Heat::SoftwareComponent', 'properties': {'configs': [config, config]}}
    with pytest.raises(
        exception.StackValidationFailed,
        match='more than one configuration for the same action in SoftwareComponent "r"',
    ):
        engine.create({'resources': {'r': component}})


# --------------------------------------------------------------- deployments in stacks


def test_deployment_without_signals_completes_at_once(engine):
    template = deployed(transport='NO_SIGNAL', input_values={'foo': 'x', 'extra': 1}, name='n')
    identity = engine.create(template)
    (made,) = engine.client.list_software_deployments(engine.context, server_id='srv')
    assert (made['status'], made['status_reason']) == ('COMPLETE', 'Not waiting for outputs signal')
    assert engine.physical_id(identity, 'd') == made['id']
    (inputs,) = server_configs(engine)
    assert inputs == {
        'foo': 'x',
        'size': 0,
        'extra': 1,
        'deploy_server_id': 'srv',
        'deploy_action': 'CREATE',
        'deploy_stack_id': f'{identity["stack_name"]}/{identity["stack_id"]}',
        'deploy_resource_name': 'd',
        'deploy_signal_transport': 'NO_SIGNAL',
    }
    assert len(configs(engine)) == 2, 'that of the template, and that of the server'
    template['resources']['d']['properties']['input_values'] = {'foo': 'y'}
    engine.update(identity, template)
    assert (
        engine.physical_id(identity, 'd') == made['id']
        and server_configs(engine)[0]['deploy_action'] == 'UPDATE'
    )
    assert len(configs(engine)) == 2, 'the one of before is gone'
    engine.delete(identity)
    assert configs(engine) == [] and server_configs(engine) == []


def test_signal_completes_the_deployment(engine):
    identity = engine.create(deployed('out', 'deploy_stdout', 'bogus'), wait=False)
    waiting_deployments(engine)
    (inputs,) = server_configs(engine)
    assert inputs['deploy_signal_verb'] == 'POST' and inputs['deploy_signal_id'].endswith(
        '/resources/d/signal'
    )
    signal(engine, identity, {'deploy_status_code': 0, 'out': 'hi', 'deploy_stdout': 'so'})
    assert engine.state(engine.wait(identity)) == 'CREATE_COMPLETE'
    assert engine.outputs(identity) == {'out': 'hi', 'deploy_stdout': 'so', 'bogus': None}
    # as in Heat, the event of a signal is stored after its effect
    until(lambda: ('d', 'SIGNAL_IN_PROGRESS') in engine.events(identity))


def test_signal_keeps_outputs_that_are_stored_while_it_is_handled(engine, monkeypatch):
    config = engine.client.create_software_config(
        engine.context, group='script', name='n', config='x', outputs=[{'name': 'out'}]
    )['id']
    values = {'server_id': 'srv', 'config_id': config, 'action': 'GO', 'status': 'IN_PROGRESS'}
    waiting = engine.client.create_software_deployment(engine.context, **values)
    find = Software._deployment

    def find_before_a_change(self, deployment_id):
        monkeypatch.undo()
        row = find(self, deployment_id)
        table = models.software_deployment
        with session.engine().begin() as connection:
            changed = table.update().where(table.c.id == deployment_id)
            connection.execute(changed.values(output_values={'kept': 1}))
        return row

    monkeypatch.setattr(Software, '_deployment', find_before_a_change)
    engine.client.signal_software_deployment(
        engine.context, deployment_id=waiting['id'], details={'out': 'hi'}
    )
    shown = engine.client.show_software_deployment(engine.context, deployment_id=waiting['id'])
    assert (shown['output_values']['kept'], shown['output_values']['out']) == (1, 'hi')


def test_new_metadata_of_a_server_keep_a_deployment_that_is_stored_meanwhile(engine, monkeypatch):
    server = {'type': 'OS::Heat::DeployedServer', 'metadata': {'mine': 1}}
    identity = engine.create({'resources': {'s': server}})
    read = db_resources.metadata

    def read_before_a_change(row_id):
        known, key = read(row_id)
        monkeypatch.undo()
        assert db_resources.set_metadata(row_id, {**known, 'deployments': ['new']}, expect=key)
        return known, key

    monkeypatch.setattr(db_resources, 'metadata', read_before_a_change)
    engine.update(identity, {'resources': {'s': {**server, 'metadata': {'mine': 2}}}})
    metadata = engine.resource(identity, 's')['metadata']
    assert (metadata['mine'], metadata['deployments']) == (2, ['new'])


def test_failure_signal_fails_the_stack(engine):
    template = deployed()
    identity = engine.create(template, wait=False)
    waiting_deployments(engine)
    signal(engine, identity, {'deploy_status_code': 7, 'err': 'bad'})
    assert engine.state(engine.wait(identity)) == 'CREATE_FAILED'
    reason = (
        'Deployment to server failed: deploy_status_code : '
        'Deployment exited with non-zero status code: 7, err : bad'
    )
    assert (
        engine.stack(identity)['stack_status_reason']
        == f'Resource CREATE failed: Error: resources.d: {reason}'
    )
    failed = engine.physical_id(identity, 'd')
    engine.update(identity, template, wait=False)
    (again,) = waiting_deployments(engine)
    assert again['id'] != failed, 'what has failed is made anew'
    signal(engine, identity, None)
    assert engine.state(engine.wait(identity)) == 'UPDATE_COMPLETE'
    assert len(server_configs(engine)) == 1


def test_update_over_rpc_completes_a_waiting_deployment(engine):
    identity = engine.create(deployed(), wait=False)
    (made,) = waiting_deployments(engine)
    engine.client.update_software_deployment(
        engine.context, deployment_id=made['id'], status='COMPLETE'
    )
    assert engine.state(engine.wait(identity)) == 'CREATE_COMPLETE'


def test_delete_stops_a_waiting_deployment(engine):
    identity = engine.create(deployed(), wait=False)
    waiting_deployments(engine)
    engine.delete(identity)
    assert configs(engine) == []


def test_timed_out_deployment_is_cancelled_for_its_server(engine):
    identity = engine.create(deployed(), wait=False)
    waiting_deployments(engine)
    engine.expire(identity)
    assert engine.state(identity) == 'CREATE_FAILED'
    (made,) = engine.client.list_software_deployments(engine.context, server_id='srv')
    assert (made['status'], made['status_reason']) == ('FAILED', 'Deployment cancelled.')
    engine.update(identity, deployed(), wait=False)
    waiting_deployments(engine)
    signal(engine, identity, {'deploy_status_code': 0})
    assert engine.state(engine.wait(identity)) == 'UPDATE_COMPLETE'


def test_changed_input_triggers_a_new_deployment(engine):
    template = deployed(transport='NO_SIGNAL', input_values={'size': 1})
    identity = engine.create(template)
    first = engine.physical_id(identity, 'd')
    template['resources']['d']['properties']['input_values'] = {'size': 2}
    engine.update(identity, template)
    assert engine.physical_id(identity, 'd') != first
    assert [each['size'] for each in server_configs(engine)] == [2]


def test_deployment_runs_for_its_actions_only(engine):
    identity = engine.create(deployed(actions=['SUSPEND', 'RESUME']))
    assert server_configs(engine) == [] and not engine.physical_id(identity, 'd')
    for action, door in (
        ('SUSPEND', engine.client.stack_suspend),
        ('RESUME', engine.client.stack_resume),
    ):
        door(engine.context, stack_identity=identity)
        waiting_deployments(engine, action)
        signal(engine, identity, {'deploy_status_code': 0})
        assert engine.state(engine.wait(identity)) == f'{action}_COMPLETE'
    engine.delete(identity)
    assert server_configs(engine) == []


def test_software_component_runs_for_the_actions_it_configures(engine):
    component = {
        'type': 'OS::Heat::SoftwareComponent',
        'properties': {'configs': [{'actions': ['SUSPEND'], 'config': 'c', 'tool': 't'}]},
    }
    identity = engine.create({'resources': {'c': component, 'd': deployment('NO_SIGNAL')}})
    assert server_configs(engine) == []
    engine.client.stack_suspend(engine.context, stack_identity=identity)
    engine.wait(identity)
    assert [each['deploy_action'] for each in server_configs(engine)] == ['SUSPEND']


def test_missing_configuration_is_refused(engine):
    bad = deployment('NO_SIGNAL')
    bad['properties']['config'] = 'nix'
    identity = engine.create({'resources': {'d': bad}}, name='bad')
    assert engine.stack(identity)['stack_status_reason'].endswith(
        'resources.d: Software config with id nix not found'
    )


def test_deployment_of_inputs_needs_no_configuration(engine):
    alone = deployment('NO_SIGNAL', input_values={'a': 1})
    del alone['properties']['config']
    identity = engine.create({'resources': {'d': alone}})
    (made,) = engine.client.metadata_software_deployments(engine.context, server_id='srv')
    assert (made['group'], made['config'], made['inputs'][0]['value']) == ('Heat::Ungrouped', '', 1)
    assert made['name'].startswith(f'{identity["stack_name"]}-d-')


def test_inputs_in_the_metadata_have_their_types(engine):
    inputs = [
        {'name': 'list', 'type': 'CommaDelimitedList', 'default': 'a,b'},
        {'name': 'text', 'type': 'String', 'default': 1},
        {'name': 'size', 'type': 'Number', 'default': '2'},
    ]
    config = {'type': 'OS::Heat::SoftwareConfig', 'properties': {'inputs': inputs}}
    given = {'size': '5'}
    engine.create({'resources': {'c': config, 'd': deployment('NO_SIGNAL', input_values=given)}})
    (made,) = engine.client.metadata_software_deployments(engine.context, server_id='srv')
    assert [list(each) for each in made['inputs'][:3]] == 3 * [
        ['name', 'description', 'type', 'default', 'value']
    ]
    assert [(each['default'], each['value']) for each in made['inputs'][:3]] == [
        (['a', 'b'], ['a', 'b']),
        ('1', '1'),
        (2, '5'),
    ]


def test_structured_configuration_substitutes_inputs(engine):
    config = {
        'type': 'OS::Heat::StructuredConfig',
        'properties': {'config': {'x': {'get_input': 'a'}, 'y': {'get_input': 'b'}}},
    }
    engine.create(
        {
            'resources': {
                'c': config,
                'd': deployment('NO_SIGNAL', 'StructuredDeployment', input_values={'a': [1]}),
            }
        }
    )
    (made,) = engine.client.metadata_software_deployments(engine.context, server_id='srv')
    assert made['config'] == {'x': [1], 'y': None}
    strict = deployment(
        'NO_SIGNAL', 'StructuredDeployment', input_values={'a': 1}, input_values_validate='STRICT'
    )
    identity = engine.create({'resources': {'c': config, 'd': strict}}, name='strict')
    assert 'The Parameter (b) was not provided' in engine.stack(identity)['stack_status_reason']


def test_server_gets_its_configurations_sorted_by_name(engine):
    resources = {'c': CONFIG, **{f'd{name}': deployment('NO_SIGNAL', name=name) for name in 'bca'}}
    engine.create({'resources': resources})
    listed = engine.client.metadata_software_deployments(engine.context, server_id='srv')
    assert [each['name'] for each in listed] == ['a', 'b', 'c']


@pytest.mark.parametrize(
    'transport, service', [('TEMP_URL_SIGNAL', 'object storage'), ('ZAQAR_SIGNAL', 'messaging')]
)
def test_transport_of_a_missing_service_is_refused(engine, transport, service):
    with pytest.raises(
        exception.StackValidationFailed, match=f'{transport} needs the {service} service'
    ):
        engine.create(deployed(transport=transport))


def test_deployed_server_gets_its_deployments(engine):
    server = {'type': 'OS::Heat::DeployedServer', 'metadata': {'mine': 1}}
    template = {
        'resources': {
            's': server,
            'c': CONFIG,
            'd': deployment(
                'NO_SIGNAL', server={'get_resource': 's'}, actions=['CREATE', 'DELETE']
            ),
        },
        'outputs': {'name': {'value': {'get_attr': ['s', 'name']}}},
    }
    identity = engine.create(template)
    server_id = engine.physical_id(identity, 's')
    metadata = engine.resource(identity, 's')['metadata']
    assert metadata['deployments'] == engine.client.metadata_software_deployments(
        engine.context, server_id=server_id
    )
    assert (metadata['mine'], metadata['os-collect-config'], len(metadata['deployments'])) == (
        1,
        {'collectors': ['local']},
        1,
    )
    server['metadata'] = {'mine': 2}
    server['properties'] = {'name': 'other'}
    engine.update(identity, template)
    metadata = engine.resource(identity, 's')['metadata']
    assert (metadata['mine'], len(metadata['deployments'])) == (2, 1) and engine.outputs(
        identity
    ) == {'name': 'other'}
    assert engine.physical_id(identity, 's') == server_id
    assert engine.state(engine.delete(identity)) == 'DELETE_COMPLETE' and configs(engine) == []


def stack_whose_delete_waits(engine):
    """Delete a stack whose deployment waits for a signal. Return its identity and the server."""
    resources = {
        's': {'type': 'OS::Heat::DeployedServer'},
        'c': CONFIG,
        'd': deployment(server={'get_resource': 's'}, actions=['CREATE', 'DELETE']),
    }
    identity = engine.create({'resources': resources}, wait=False)
    server = until(
        lambda: engine.resources(identity).get('d') and engine.physical_id(identity, 's')
    )
    waiting_deployments(engine, server=server)
    signal(engine, identity, {'deploy_status_code': 0})
    engine.wait(identity)
    engine.delete(identity, wait=False)
    return identity, server


def test_delete_waits_for_the_signal_of_an_existing_server(engine):
    identity, server = stack_whose_delete_waits(engine)
    waiting_deployments(engine, 'DELETE', server)
    assert engine.state(identity) == 'DELETE_IN_PROGRESS'
    signal(engine, identity, {'deploy_status_code': 0})
    assert engine.state(engine.wait(identity)) == 'DELETE_COMPLETE' and configs(engine) == []


def test_polling_transport_of_a_missing_service_is_refused(engine):
    server = {
        'type': 'OS::Heat::DeployedServer',
        'properties': {'software_config_transport': 'ZAQAR_MESSAGE'},
    }
    with pytest.raises(
        exception.StackValidationFailed, match='ZAQAR_MESSAGE needs the messaging service'
    ):
        engine.create({'resources': {'s': server}})


# --------------------------------------------------------------- groups


def group(*names, policy=None, **properties):
    properties = {
        'config': {'get_resource': 'c'},
        'signal_transport': 'HEAT_SIGNAL',
        'servers': {n: f's-{n}' for n in names},
        **properties,
    }
    made = {'type': 'OS::Heat::SoftwareDeploymentGroup', 'properties': properties}
    return made if policy is None else {**made, 'update_policy': policy}


def grouped(*names, **more):
    outputs = {
        name: {'value': {'get_attr': ['g', name]}} for name in ('deploy_stdouts', 'out', 'nix')
    }
    return {'resources': {'c': CONFIG, 'g': group(*names, **more)}, 'outputs': outputs}


def nested_identity(engine, identity):
    """Return the identity of the nested stack of members."""
    until(lambda: 'g' in engine.resources(identity))
    return until(lambda: engine.resource(identity, 'g').get('nested_stack_id'))


def signal_all(engine, identity, names, action='CREATE'):
    nested = nested_identity(engine, identity)
    for name in names:
        waiting_deployments(engine, action, f's-{name}')
        signal(
            engine,
            nested,
            {'deploy_status_code': 0, 'deploy_stdout': f'std {name}', 'out': name},
            name,
        )


def test_group_waits_for_all_servers(engine):
    identity = engine.create(grouped('a', 'b'), wait=False)
    signal_all(engine, identity, 'ab')
    assert engine.state(engine.wait(identity)) == 'CREATE_COMPLETE'
    outputs = engine.outputs(identity)
    assert outputs == {
        'deploy_stdouts': {'a': 'std a', 'b': 'std b'},
        'out': {'a': 'a', 'b': 'b'},
        'nix': None,
    }
    engine.update(identity, grouped('b', 'n'), wait=False)
    signal_all(engine, identity, 'n')
    assert engine.state(engine.wait(identity)) == 'UPDATE_COMPLETE'
    assert (
        set(engine.outputs(identity)['deploy_stdouts']) == {'b', 'n'}
        and server_configs(engine, 's-a') == []
    )
    engine.delete(identity)
    assert configs(engine) == []


@pytest.mark.parametrize('kind', ['Software', 'Structured'])
def test_group_replaces_a_resource_of_the_same_name(engine, kind):
    template = grouped('a', signal_transport='NO_SIGNAL')
    template['resources']['g']['type'] = f'OS::Heat::{kind}Deployments'
    template['resources']['c']['properties']['group'] = 'script'
    if kind == 'Structured':
        template['resources']['c'] = {
            'type': 'OS::Heat::StructuredConfig',
            'properties': {'config': {'a': 1}},
        }
    identity = engine.create(template)
    before = engine.resource(identity, 'g')['physical_resource_id']
    template['resources']['g']['type'] = f'OS::Heat::{kind}DeploymentGroup'
    engine.update(identity, template)
    assert engine.state(identity) == 'UPDATE_COMPLETE'
    after = engine.resource(identity, 'g')
    assert (after['physical_resource_id'], after['resource_type']) == (
        before,
        f'OS::Heat::{kind}DeploymentGroup',
    )


def test_group_update_proceeds_in_batches(engine):
    policy = {'rolling_update': {'max_batch_size': 2}, 'batch_create': {'max_batch_size': 1}}
    identity = engine.create(grouped('a', 'b', 'c', policy=policy), wait=False)
    waiting_deployments(engine, server='s-a')
    assert server_configs(engine, 's-b') == [] == server_configs(engine, 's-c')
    signal_all(engine, identity, 'abc')
    assert engine.state(engine.wait(identity)) == 'CREATE_COMPLETE'
    engine.update(
        identity, grouped('a', 'b', 'c', policy=policy, input_values={'foo': 'new'}), wait=False
    )
    waiting_deployments(engine, 'UPDATE', 's-a'), waiting_deployments(engine, 'UPDATE', 's-b')
    assert server_configs(engine, 's-c')[0]['foo'] == 'bar', 'the third is not in the first batch'
    signal_all(engine, identity, 'abc', 'UPDATE')
    assert engine.state(engine.wait(identity)) == 'UPDATE_COMPLETE'
    assert [server_configs(engine, f's-{name}')[0]['foo'] for name in 'abc'] == ['new'] * 3


def test_group_without_servers_completes(engine):
    identity = engine.create(grouped())
    assert (
        engine.state(identity) == 'CREATE_COMPLETE'
        and engine.outputs(identity)['deploy_stdouts'] == {}
    )
    assert json.dumps(engine.resource(identity, 'g')['attributes'])


def test_deployment_is_shown_as_the_service_shows_it(engine):
    identity = engine.create({'resources': {'c': CONFIG, 'd': deployment('NO_SIGNAL')}})
    shown = engine.client.show_software_deployment(
        engine.context, deployment_id=engine.physical_id(identity, 'd')
    )
    assert shown['status'] == 'COMPLETE'
    assert engine.resource(identity, 'd')['attributes'] == shown


def test_deployment_whose_config_is_gone_is_deleted(engine):
    config = engine.client.create_software_config(
        engine.context, group='script', name='n', config='x'
    )
    resources = {
        's': {'type': 'OS::Heat::DeployedServer'},
        'd': deployment('NO_SIGNAL', server={'get_resource': 's'}, actions=['CREATE', 'DELETE']),
    }
    resources['d']['properties']['config'] = config['id']
    identity = engine.create({'resources': resources})
    assert engine.state(identity) == 'CREATE_COMPLETE' and len(configs(engine)) == 2
    engine.client.delete_software_config(engine.context, config_id=config['id'])
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE', engine.stack(identity)[
        'stack_status_reason'
    ]
    assert configs(engine) == []


def test_deployment_that_is_deleted_while_its_delete_waits(engine):
    identity, server = stack_whose_delete_waits(engine)
    (made,) = waiting_deployments(engine, 'DELETE', server)
    engine.client.delete_software_deployment(engine.context, deployment_id=made['id'])
    assert engine.state(engine.wait(identity)) == 'DELETE_COMPLETE'


def test_deployment_is_deleted_although_its_server_disappears_meanwhile(engine):
    resources = {
        's': {'type': 'OS::Heat::DeployedServer'},
        'd': deployment('NO_SIGNAL', server={'get_resource': 's'}),
        'c': CONFIG,
    }
    identity = engine.create({'resources': resources})
    server = engine.physical_id(identity, 's')
    (made,) = engine.client.list_software_deployments(engine.context, server_id=server)

    def delete_server():
        rows = sqlalchemy.delete(models.resource)
        with session.engine().begin() as connection:
            connection.execute(rows.where(models.resource.c.nova_instance == server))

    with databases.before_first('SELECT resource.rsrc_metadata', delete_server):
        engine.client.delete_software_deployment(engine.context, deployment_id=made['id'])
    assert engine.client.list_software_deployments(engine.context, server_id=server) == []
