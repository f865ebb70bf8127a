"""Signals and server metadata through Swift and Zaqar, and Mistral workflows, in an engine."""

import json
import time

import pytest
import requests

from heat_lite.common import exception
from heat_lite.db import models, resources as db_resources, session
from tests.functional.clouds import driver, ids, running_cloud  # noqa: F401 - fixtures
from tests.timeouts import WAIT_SECONDS

# ruff: noqa: F811 - fixtures are arguments

CONFIG = {
    'type': 'OS::Heat::SoftwareConfig',
    'properties': {'config': 'x', 'outputs': [{'name': 'result'}]},
}


@pytest.fixture(autouse=True)
def assert_no_leftovers(running_cloud, driver, ids):
    running_cloud.identity.people.clear(), running_cloud.identity.keys.clear()
    yield
    assert not running_cloud.identity.people and not running_cloud.identity.keys, 'users stay'
    left = [
        key
        for key in running_cloud.cloud.objects
        if key[0] in ('object-store', 'messaging', 'workflow') and 'stack-' in key[2]
    ]
    assert not left


def until(condition, seconds=WAIT_SECONDS):
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end
        time.sleep(0.02)
    return found


def condition_template(
    *names,
    handle='OS::Heat::WaitConditionHandle',
    condition='OS::Heat::WaitCondition',
    count=2,
    **properties,
):
    resources = {
        'handle': {'type': handle, 'properties': properties},
        'wait': {
            'type': condition,
            'properties': {'handle': {'get_resource': 'handle'}, 'timeout': 30, 'count': count},
        },
    }
    outputs = {name: {'value': {'get_attr': ['handle', name]}} for name in names}
    return {
        'resources': resources,
        'outputs': {**outputs, 'data': {'value': {'get_attr': ['wait', 'data']}}},
    }


def signal_reasons(driver, stack):
    listed = driver.client.list_events(driver.context, stack_identity=stack, sort_dir='asc')
    return [
        each['resource_status_reason'] for each in listed if each['resource_action'] == 'SIGNAL'
    ]


def put(url, *texts):
    return [requests.put(url, data=text).status_code for text in texts]


# --------------------------------------------------------------- conditions


def test_wait_condition_is_signalled_by_an_object(running_cloud, driver, ids):
    stack = driver.create(
        condition_template('signal', signal_transport='TEMP_URL_SIGNAL'), wait=False
    )
    told = json.loads(until(lambda: driver.outputs(stack).get('signal')))
    assert put(told['alarm_url'], 'no json', '[1]', '\n{"data": "a"}', '') == [201] * 4
    assert put(told['alarm_url'].replace('temp_url_sig=', 'temp_url_sig=0'), '{}') == [401]
    assert driver.state(driver.wait(stack)) == 'CREATE_COMPLETE'
    assert json.loads(driver.outputs(stack)['data']) == {'1': 'a', '2': None}
    assert [each.partition(' a signal')[0] for each in signal_reasons(driver, stack)] == [
        *['Signal: refused: Data supplied was not valid:'] * 2,
        'Signal: status:SUCCESS reason:Signal 1 received',
        'Signal: status:SUCCESS reason:Signal 2 received',
    ]
    driver.delete(stack)


def change_data(stack, name, *removed, **added):
    """Edit the data of a resource as another version or Heat has stored them."""
    (row,) = [each for each in db_resources.list_by_stack(stack['stack_id']) if each.name == name]
    data = models.resource_data
    with session.engine().begin() as connection:
        chosen = data.c.resource_id == row.id, data.c.key.in_(removed)
        connection.execute(data.delete().where(*chosen))
        for key, value in added.items():
            values = {'resource_id': row.id, 'key': key, 'value': value, 'redact': False}
            connection.execute(data.insert().values(decrypt_method='', **values))


def test_signals_that_an_earlier_version_has_counted_do_not_count_again(running_cloud, driver, ids):
    template = condition_template('signal', signal_transport='TEMP_URL_SIGNAL', count=1)
    stack = driver.create(template, wait=False)
    url = json.loads(until(lambda: driver.outputs(stack).get('signal')))['alarm_url']
    assert put(url, '{"data": "a"}') == [201]
    assert driver.state(driver.wait(stack)) == 'CREATE_COMPLETE'
    change_data(stack, 'handle', 'swift_signals_until', swift_signals_heard='1')
    template['resources']['wait']['properties']['count'] = 2
    driver.update(stack, template, wait=False)
    assert put(url, '{"data": "b"}') == [201]
    assert driver.state(driver.wait(stack)) == 'UPDATE_COMPLETE'
    assert json.loads(driver.outputs(stack)['data']) == {'1': 'a', '2': 'b'}
    assert len(signal_reasons(driver, stack)) == 2
    driver.delete(stack)


def test_wait_condition_is_signalled_by_a_message(running_cloud, driver, ids):
    stack = driver.create(
        condition_template('signal', signal_transport='ZAQAR_SIGNAL', count=1), wait=False
    )
    told = json.loads(until(lambda: driver.outputs(stack).get('signal')))
    person = running_cloud.identity.people[told['user_id']]
    assert (told['password'], told['project_id']) == (
        person['password'],
        person['default_project_id'],
    )
    running_cloud.cloud.state['messages', told['queue_id']] = [{'data': 'z', 'id': 'q'}]
    assert driver.state(driver.wait(stack)) == 'CREATE_COMPLETE'
    assert driver.outputs(stack)['data'] == '{"q": "z"}'
    driver.client.stack_suspend(driver.context, stack_identity=stack)
    driver.wait(stack)
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE', (
        'its user is awake again to take the queue away'
    )


def test_deleted_queue_does_not_block_the_delete(running_cloud, driver, ids):
    template = condition_template('signal', signal_transport='ZAQAR_SIGNAL')
    del template['resources']['wait'], template['outputs']['data']
    stack = driver.create(template)
    running_cloud.identity.people.clear()
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE'
    running_cloud.cloud.objects = {
        key: each for key, each in running_cloud.cloud.objects.items() if key[0] != 'messaging'
    }


def swift_wait_condition(**more):
    return condition_template(
        'endpoint',
        'curl_cli',
        'token',
        handle='OS::Heat::SwiftSignalHandle',
        condition='OS::Heat::SwiftSignal',
        **more,
    )


def test_swift_signal_completes_the_wait_condition(running_cloud, driver, ids):
    stack = driver.create(swift_wait_condition(), wait=False)
    outputs = until(lambda: driver.outputs(stack).get('endpoint') and driver.outputs(stack))
    url = outputs['endpoint']
    assert (outputs['token'], outputs['curl_cli']) == ('', f"curl -i -X PUT '{url}'")
    put(url, '{"data": "one", "id": "same"}', '{"data": "two", "id": "same"}')
    time.sleep(1.5)
    assert driver.state(stack) == 'CREATE_IN_PROGRESS', 'one with the same id does not count twice'
    put(url, '')
    assert driver.state(driver.wait(stack)) == 'CREATE_COMPLETE'
    assert json.loads(driver.outputs(stack)['data']) == {'same': 'two', '3': None}
    driver.delete(stack)


@pytest.mark.parametrize(
    'details, reason',
    [
        ('{"status": "FAILURE", "reason": "why"}', 'SwiftSignalFailure: resources.wait: why'),
        ('{', 'Failed to parse JSON data'),
    ],
)
def test_swift_signal_of_a_failure_fails_the_stack(running_cloud, driver, ids, details, reason):
    stack = driver.create(swift_wait_condition(), wait=False)
    put(until(lambda: driver.outputs(stack).get('endpoint')), details)
    assert (
        driver.state(driver.wait(stack)) == 'CREATE_FAILED'
        and reason in driver.stack(stack)['stack_status_reason']
    )
    driver.delete(stack)


def test_swift_signals_below_the_count_time_out(running_cloud, driver, ids):
    template = swift_wait_condition()
    template['resources']['wait']['properties']['timeout'] = 1
    stack = driver.create(template)
    assert (
        'SwiftSignalTimeout: resources.wait: 0 of 2 received'
        in driver.stack(stack)['stack_status_reason']
    )
    driver.delete(stack)


# --------------------------------------------------------------- deployments


def deployment_template(transport, value=1, server_resource='srv'):
    values = {
        'config': {'get_resource': 'c'},
        'server': server_resource,
        'signal_transport': transport,
        'input_values': {'x': value},
    }
    resources = {'c': CONFIG, 'd': {'type': 'OS::Heat::SoftwareDeployment', 'properties': values}}
    return {'resources': resources, 'outputs': {'result': {'value': {'get_attr': ['d', 'result']}}}}


def inputs(driver, value):
    """Return the inputs of the deployment that the server gets."""
    listed = driver.client.metadata_software_deployments(driver.context, server_id='srv')
    told = {each['name']: each['value'] for config in listed for each in config['inputs']}
    return told if told.get('x') == value else None


@pytest.mark.parametrize('transport', ['TEMP_URL_SIGNAL', 'ZAQAR_SIGNAL'])
def test_deployment_completes_by_a_signal(running_cloud, driver, ids, transport):
    stack = driver.create(deployment_template(transport), wait=False)
    for value in (1, 2):
        told = until(lambda value=value: inputs(driver, value))
        answer = {'deploy_status_code': 0, 'result': f'r{value}'}
        if transport == 'TEMP_URL_SIGNAL':
            assert told['deploy_signal_verb'] == 'PUT' and put(
                told['deploy_signal_id'], json.dumps(answer)
            ) == [201]
        else:
            assert (
                told['deploy_user_id'] in running_cloud.identity.people
                and 'deploy_signal_id' not in told
            )
            running_cloud.cloud.state['messages', told['deploy_queue_id']] = [answer]
        driver.wait(stack)
        assert driver.state(stack).endswith('_COMPLETE') and driver.outputs(stack) == {
            'result': f'r{value}'
        }
        if value == 1:
            driver.update(stack, deployment_template(transport, 2), wait=False)
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE'


def bring_into_form_of_heat(running_cloud, stack):
    """Heat makes no user for such a deployment, and signals overwrite its object."""
    for (_, kind, name), container in running_cloud.cloud.objects.items():
        if (kind, name) == ('/', stack['stack_id']):
            container.pop('HTTP_X_VERSIONS_LOCATION', None)
    change_data(stack, 'd', 'user_id', 'password', 'swift_signals_until')


def test_deployment_of_heat_completes_by_the_signal_of_its_action(running_cloud, driver, ids):
    stack = driver.create(deployment_template('TEMP_URL_SIGNAL'), wait=False)
    url = until(lambda: inputs(driver, 1))['deploy_signal_id']
    bring_into_form_of_heat(running_cloud, stack)
    running_cloud.identity.people.clear()
    assert put(url, '{"result": "r1"}') == [201]
    assert driver.state(driver.wait(stack)) == 'CREATE_COMPLETE'
    assert driver.outputs(stack) == {'result': 'r1'}
    bring_into_form_of_heat(running_cloud, stack)
    time.sleep(1)  # such a deployment knows the time of its change in whole seconds
    driver.update(stack, deployment_template('TEMP_URL_SIGNAL', 2), wait=False)
    assert until(lambda: inputs(driver, 2))['deploy_signal_id'] == url
    time.sleep(1.5)  # a poll
    assert driver.state(stack) == 'UPDATE_IN_PROGRESS', 'the result of the create does not count'
    put(url, '{"result": "r2"}')
    assert driver.state(driver.wait(stack)) == 'UPDATE_COMPLETE'
    assert driver.outputs(stack) == {'result': 'r2'}
    driver.delete(stack)


# --------------------------------------------------------------- servers


def server_resource(transport, **more):
    properties = {'software_config_transport': transport, **more}
    template = deployment_template('NO_SIGNAL', server_resource={'get_resource': 's'})
    template['resources']['s'] = {'type': 'OS::Heat::DeployedServer', 'properties': properties}
    return {
        'resources': template['resources'],
        'outputs': {'told': {'value': {'get_attr': ['s', 'os_collect_config']}}},
    }


def test_server_metadata_is_published_by_its_transport(running_cloud, driver, ids):
    stack = driver.create(server_resource('POLL_TEMP_URL'))
    told = driver.outputs(stack)['told']
    assert told['collectors'] == ['request', 'local'] and not running_cloud.identity.people
    found = requests.get(told['request']['metadata_url']).json()
    assert found == driver.resource(stack, 's')['metadata'] and len(found['deployments']) == 1

    driver.update(
        stack,
        server_resource(
            'POLL_TEMP_URL', deployment_swift_data={'container': 'mine', 'object': 'it'}
        ),
    )
    assert '/mine/it?' in driver.outputs(stack)['told']['request']['metadata_url']
    assert requests.get(told['request']['metadata_url']).status_code == 404, (
        'the URL before the replacement is invalid'
    )

    driver.update(stack, server_resource('ZAQAR_MESSAGE'))
    told = driver.outputs(stack)['told']
    (person,) = running_cloud.identity.people.values()
    assert (
        told['collectors'] == ['zaqar', 'local'] and told['zaqar']['password'] == person['password']
    )
    *_, last = running_cloud.cloud.state['messages', told['zaqar']['queue_id']]
    assert last == driver.resource(stack, 's')['metadata'] and len(last['deployments']) == 1
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE'
    assert running_cloud.cloud.objects.pop(('object-store', '/', 'mine'))['objects'] == {}, (
        'a container of his own stays, empty'
    )


def test_published_metadata_are_the_newest_whichever_request_ends_last(running_cloud, driver, ids):
    template = server_resource('POLL_TEMP_URL', deployment_swift_data={'container': 'c'})
    del template['resources']['d']
    stack = driver.create(template)
    deployed = deployment_template('NO_SIGNAL', server_resource=driver.physical_id(stack, 's'))
    running_cloud.cloud.fail('PUT', '/c/', None, seconds=2)
    slow = driver.create(deployed, 'slow', wait=False)
    until(lambda: any(body is None for _, path, body in running_cloud.cloud.asked if '/c/' in path))
    driver.create(deployed, 'fast')
    driver.wait(slow)
    told = driver.outputs(stack)['told']
    found = requests.get(told['request']['metadata_url']).json()
    assert len(found['deployments']) == 2
    assert found == driver.resource(stack, 's')['metadata']


# --------------------------------------------------------------- workflows


def workflow(**more):
    values = {
        'type': 'direct',
        'input': {'who': 'x', 'n': 1},
        'params': {'env': {'a': 'b'}},
        'tasks': [{'name': 't', 'action': 'std.noop'}],
        **more,
    }
    template = {'resources': {'w': {'type': 'OS::Mistral::Workflow', 'properties': values}}}
    template['outputs'] = {
        name: {'value': {'get_attr': ['w', name]}} for name in ('alarm_url', 'executions', 'data')
    }
    return template


def signal(driver, stack, details, wait=True):
    driver.client.resource_signal(
        driver.context, stack_identity=stack, resource_name='w', details=details, sync_call=wait
    )


def test_signal_starts_a_workflow(running_cloud, driver, ids):
    stack = driver.create(workflow())
    name = driver.physical_id(stack, 'w')
    outputs = driver.outputs(stack)
    assert (
        outputs['data'] == {'name': name, 'input': {'who': 'x', 'n': 1}}
        and outputs['executions'] == []
    )
    assert 'Timestamp' not in outputs['alarm_url'], (
        'Keystone takes a signature of a certain time for minutes only'
    )
    signal(driver, stack, {'input': {'who': 'me'}, 'params': {'env': {'c': 'd'}}})
    signal(driver, stack, None)
    made = running_cloud.cloud.of('workflow', '/executions')
    assert [json.loads(each['input']) for each in made] == [
        {'who': 'me', 'n': 1},
        {'who': 'x', 'n': 1},
    ]
    assert [json.loads(each['params']) for each in made] == [
        {'env': {'c': 'd'}},
        {'env': {'a': 'b'}},
    ]
    told = driver.outputs(stack)['executions']
    assert [each['id'] for each in told] == [made[1]['id'], made[0]['id']]
    assert told[0]['workflow_name'] == name and told[0]['input'] == {'who': 'x', 'n': 1}
    for wrong, message in (
        ({'input': {'nobody': 1}}, 'Unknown input nobody'),
        ({'input': 'x'}, 'must be a map'),
        ([1], 'is a map'),
    ):
        for wait in (True, False):
            with pytest.raises(exception.StackValidationFailed, match=message):
                signal(driver, stack, wrong, wait)
    driver.delete(stack)
    assert not running_cloud.cloud.of('workflow', '/executions')


def test_signal_body_may_be_the_workflow_input(running_cloud, driver, ids):
    stack = driver.create(workflow(use_request_body_as_input=True))
    signal(driver, stack, {'who': 'you'})
    (made,) = running_cloud.cloud.of('workflow', '/executions')
    assert json.loads(made['input']) == {'who': 'you', 'n': 1}
    driver.delete(stack)


def test_workflow_definition_is_generated(running_cloud, driver, ids):
    task = {
        'name': 'a',
        'action': 'std.noop',
        'wait_before': 1,
        'on_success': ['b'],
        'policies': {'retry': {'count': 2}},
    }
    stack = driver.create(
        workflow(
            tasks=[task, {'name': 'b', 'action': 'std.fail', 'keep_result': False}],
            task_defaults={'on_error': ['b']},
            tags=['t'],
        )
    )
    details = running_cloud.cloud.objects['workflow', '/workflows', driver.physical_id(stack, 'w')][
        'definition'
    ]
    for part in (
        'wait-before: 1',
        'retry:',
        'on-success:',
        'keep-result: false',
        'task-defaults:',
        "version: '2.0'",
    ):
        assert part in details
    assert 'policies' not in details
    driver.delete(stack)


@pytest.mark.parametrize(
    'more, message',
    [
        ({'type': 'reverse', 'params': {}}, "'task_name' is not assigned"),
        (
            {'tasks': [{'name': 't', 'action': 'a', 'requires': ['u']}]},
            "contains property 'requires' in case of direct workflow",
        ),
        (
            {'tasks': [{'name': 't', 'action': 'a', 'workflow': 'a workflows'}]},
            'Cannot define the following properties at the same time: workflow, action',
        ),
        (
            {'tasks': [{'name': 't'}]},
            'At least one of the following properties must be specified: workflow, action',
        ),
        (
            {'tasks': [{'name': 't', 'action': 'a', 'concurrency': 2}]},
            'concurrency cannot be specified without with_items',
        ),
        (
            {'tasks': [{'name': 't', 'action': 'a', 'timeout': 1, 'policies': {'timeout': 2}}]},
            'tasks.timeout, tasks.policies.timeout',
        ),
    ],
)
def test_invalid_workflow_is_refused(running_cloud, driver, ids, more, message):
    with pytest.raises(exception.HeatException, match=message):
        driver.create(workflow(**more))


def external_resource(
    value=1, always=False, actions=('CREATE', 'UPDATE', 'SUSPEND', 'DELETE'), replace=()
):
    each = {'workflow': 'a workflows', 'params': {'env': {'k': 'v'}}}
    values = {
        'actions': {name: each for name in actions},
        'input': {'n': value},
        'always_update': always,
    }
    values['replace_on_change_inputs'] = list(replace)
    outputs = {
        'whole': {'value': {'get_attr': ['e', 'output']}},
        'part': {'value': {'get_attr': ['e', 'output', 'resource_id']}},
    }
    return {
        'resources': {'e': {'type': 'OS::Mistral::ExternalResource', 'properties': values}},
        'outputs': outputs,
    }


def executions(running_cloud):
    """Return the environments and inputs of all executions in order, deleted ones included."""
    asked = [
        body
        for method, path, body in running_cloud.cloud.asked
        if method == 'POST' and path.endswith('/executions')
    ]
    return [(json.loads(each['params'])['env'], json.loads(each['input'])) for each in asked]


def test_external_resource_runs_a_workflow_for_each_action(running_cloud, driver, ids):
    stack = driver.create(external_resource())
    assert driver.physical_id(stack, 'e') == 'made by it'
    assert driver.outputs(stack) == {'whole': '{"resource_id": "made by it"}', 'part': 'made by it'}
    driver.update(stack, external_resource(2))
    driver.update(stack, external_resource(2))
    driver.client.stack_suspend(driver.context, stack_identity=stack)
    driver.wait(stack)
    driver.client.stack_resume(driver.context, stack_identity=stack)
    driver.wait(stack)
    assert driver.state(stack) == 'RESUME_COMPLETE'
    driver.delete(stack)
    known = {'k': 'v', 'heat_extresource_data': {'resource_id': 'made by it'}}
    assert executions(running_cloud) == [
        ({'k': 'v'}, {'n': 1}),
        (known, {'n': 2}),
        (known, {'n': 2}),
        (known, {'n': 2}),
    ]
    assert not running_cloud.cloud.of('workflow', '/executions')


def test_external_resource_runs_always_or_is_replaced(running_cloud, driver, ids):
    stack = driver.create(external_resource(always=True))
    driver.update(stack, external_resource(always=True))
    assert len(executions(running_cloud)) == 2
    driver.update(stack, external_resource(replace=['n']))
    driver.update(stack, external_resource(2, replace=['n']))
    assert driver.events(stack) and len(executions(running_cloud)) >= 4
    driver.delete(stack)


def test_failed_workflow_fails_the_external_resource(running_cloud, driver, ids):
    running_cloud.cloud.sick.add('/executions')
    stack = driver.create(external_resource(actions=('CREATE',)))
    assert (
        driver.state(stack) == 'CREATE_FAILED'
        and 'ERROR' in driver.stack(stack)['stack_status_reason']
    )
    running_cloud.cloud.sick.clear()
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE'
