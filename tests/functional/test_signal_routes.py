"""Signals that come through the object storage and through queues, what servers are told there, and workflows, in a whole engine."""

import json
import time

import pytest
import requests

from heat_lite.common import exception
from tests.functional.clouds import driver, ids, place  # noqa: F401 - fixtures
from tests.waiting import PATIENCE

# ruff: noqa: F811 - fixtures are arguments

CONFIG = {'type': 'OS::Heat::SoftwareConfig', 'properties': {'config': 'x', 'outputs': [{'name': 'result'}]}}


@pytest.fixture(autouse=True)
def nothing_is_left(place, driver, ids):
    place.identity.people.clear(), place.identity.keys.clear()
    yield
    assert not place.identity.people and not place.identity.keys, 'users stay'
    left = [key for key in place.cloud.objects if key[0] in ('object-store', 'messaging', 'workflow') and 'stack-' in key[2]]
    assert not left


def until(question, seconds=PATIENCE):
    end = time.monotonic() + seconds
    while not (found := question()):
        assert time.monotonic() < end
        time.sleep(0.02)
    return found


def waiting(*names, handle='OS::Heat::WaitConditionHandle', condition='OS::Heat::WaitCondition', count=2, **properties):
    resources = {
        'handle': {'type': handle, 'properties': properties},
        'wait': {'type': condition, 'properties': {'handle': {'get_resource': 'handle'}, 'timeout': 30, 'count': count}},
    }
    outputs = {name: {'value': {'get_attr': ['handle', name]}} for name in names}
    return {'resources': resources, 'outputs': {**outputs, 'data': {'value': {'get_attr': ['wait', 'data']}}}}


def put(url, *texts):
    return [requests.put(url, data=text).status_code for text in texts]


# --------------------------------------------------------------- conditions


def test_a_condition_hears_of_an_object(place, driver, ids):
    stack = driver.create(waiting('signal', signal_transport='TEMP_URL_SIGNAL'), wait=False)
    told = json.loads(until(lambda: driver.outputs(stack).get('signal')))
    assert put(told['alarm_url'], '{"data": "a"}', '', 'no json') == [201, 201, 201]
    assert put(told['alarm_url'].replace('temp_url_sig=', 'temp_url_sig=0'), '{}') == [401]
    assert driver.state(driver.wait(stack)) == 'CREATE_COMPLETE'
    assert json.loads(driver.outputs(stack)['data'])['1'] == 'a'
    driver.delete(stack)


def test_a_condition_hears_of_a_message(place, driver, ids):
    stack = driver.create(waiting('signal', signal_transport='ZAQAR_SIGNAL', count=1), wait=False)
    told = json.loads(until(lambda: driver.outputs(stack).get('signal')))
    person = place.identity.people[told['user_id']]
    assert (told['password'], told['project_id']) == (person['password'], person['default_project_id'])
    place.cloud.state['messages', told['queue_id']] = [{'data': 'z', 'id': 'q'}]
    assert driver.state(driver.wait(stack)) == 'CREATE_COMPLETE'
    assert driver.outputs(stack)['data'] == '{"q": "z"}'
    driver.client.stack_suspend(driver.context, stack_identity=stack)
    driver.wait(stack)
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE', 'its user is awake again to take the queue away'


def test_a_queue_that_is_gone_does_not_hold_up_the_stack(place, driver, ids):
    template = waiting('signal', signal_transport='ZAQAR_SIGNAL')
    del template['resources']['wait'], template['outputs']['data']
    stack = driver.create(template)
    place.identity.people.clear()
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE'
    place.cloud.objects = {key: each for key, each in place.cloud.objects.items() if key[0] != 'messaging'}


def swift_condition(**more):
    return waiting('endpoint', 'curl_cli', 'token', handle='OS::Heat::SwiftSignalHandle', condition='OS::Heat::SwiftSignal', **more)


def test_a_signal_of_swift(place, driver, ids):
    stack = driver.create(swift_condition(), wait=False)
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
    'said, reason',
    [('{"status": "FAILURE", "reason": "why"}', 'SwiftSignalFailure: resources.wait: why'), ('{', 'Failed to parse JSON data')],
)
def test_a_failure_told_through_swift(place, driver, ids, said, reason):
    stack = driver.create(swift_condition(), wait=False)
    put(until(lambda: driver.outputs(stack).get('endpoint')), said)
    assert driver.state(driver.wait(stack)) == 'CREATE_FAILED' and reason in driver.stack(stack)['stack_status_reason']
    driver.delete(stack)


def test_too_few_signals_of_swift(place, driver, ids):
    template = swift_condition()
    template['resources']['wait']['properties']['timeout'] = 1
    stack = driver.create(template)
    assert 'SwiftSignalTimeout: resources.wait: 0 of 2 received' in driver.stack(stack)['stack_status_reason']
    driver.delete(stack)


# --------------------------------------------------------------- deployments


def deployed(transport, value=1, server='srv'):
    values = {'config': {'get_resource': 'c'}, 'server': server, 'signal_transport': transport, 'input_values': {'x': value}}
    resources = {'c': CONFIG, 'd': {'type': 'OS::Heat::SoftwareDeployment', 'properties': values}}
    return {'resources': resources, 'outputs': {'result': {'value': {'get_attr': ['d', 'result']}}}}


def inputs(driver, value):
    """What the server is told once it is to do that."""
    listed = driver.client.metadata_software_deployments(driver.context, server_id='srv')
    told = {each['name']: each['value'] for config in listed for each in config['inputs']}
    return told if told.get('x') == value else None


@pytest.mark.parametrize('transport', ['TEMP_URL_SIGNAL', 'ZAQAR_SIGNAL'])
def test_a_deployment_hears_of_its_end(place, driver, ids, transport):
    stack = driver.create(deployed(transport), wait=False)
    for value in (1, 2):
        told = until(lambda value=value: inputs(driver, value))
        answer = {'deploy_status_code': 0, 'result': f'r{value}'}
        if transport == 'TEMP_URL_SIGNAL':
            assert told['deploy_signal_verb'] == 'PUT' and put(told['deploy_signal_id'], json.dumps(answer)) == [201]
        else:
            assert told['deploy_user_id'] in place.identity.people and 'deploy_signal_id' not in told
            place.cloud.state['messages', told['deploy_queue_id']] = [answer]
        driver.wait(stack)
        assert driver.state(stack).endswith('_COMPLETE') and driver.outputs(stack) == {'result': f'r{value}'}
        if value == 1:
            driver.update(stack, deployed(transport, 2), wait=False)
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE'


# --------------------------------------------------------------- servers


def server(transport, **more):
    properties = {'software_config_transport': transport, **more}
    template = deployed('NO_SIGNAL', server={'get_resource': 's'})
    template['resources']['s'] = {'type': 'OS::Heat::DeployedServer', 'properties': properties}
    return {'resources': template['resources'], 'outputs': {'told': {'value': {'get_attr': ['s', 'os_collect_config']}}}}


def test_a_server_finds_what_it_is_to_do_elsewhere(place, driver, ids):
    stack = driver.create(server('POLL_TEMP_URL'))
    told = driver.outputs(stack)['told']
    assert told['collectors'] == ['request', 'local'] and not place.identity.people
    found = requests.get(told['request']['metadata_url']).json()
    assert found == driver.resource(stack, 's')['metadata'] and len(found['deployments']) == 1

    driver.update(stack, server('POLL_TEMP_URL', deployment_swift_data={'container': 'mine', 'object': 'it'}))
    assert '/mine/it?' in driver.outputs(stack)['told']['request']['metadata_url']
    assert requests.get(told['request']['metadata_url']).status_code == 404, 'the old place is gone'

    driver.update(stack, server('ZAQAR_MESSAGE'))
    told = driver.outputs(stack)['told']
    (person,) = place.identity.people.values()
    assert told['collectors'] == ['zaqar', 'local'] and told['zaqar']['password'] == person['password']
    *_, last = place.cloud.state['messages', told['zaqar']['queue_id']]
    assert last == driver.resource(stack, 's')['metadata'] and len(last['deployments']) == 1
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE'
    assert place.cloud.objects.pop(('object-store', '/', 'mine'))['objects'] == {}, 'a container of his own stays, empty'


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
    template['outputs'] = {name: {'value': {'get_attr': ['w', name]}} for name in ('alarm_url', 'executions', 'data')}
    return template


def signal(driver, stack, details):
    driver.client.resource_signal(driver.context, stack_identity=stack, resource_name='w', details=details, sync_call=True)


def test_signals_start_a_workflow(place, driver, ids):
    stack = driver.create(workflow())
    name = driver.physical_id(stack, 'w')
    outputs = driver.outputs(stack)
    assert outputs['data'] == {'name': name, 'input': {'who': 'x', 'n': 1}} and outputs['executions'] == []
    assert 'Timestamp' not in outputs['alarm_url'], 'Keystone takes a signature of a certain time for minutes only'
    signal(driver, stack, {'input': {'who': 'me'}, 'params': {'env': {'c': 'd'}}})
    signal(driver, stack, None)
    made = place.cloud.of('workflow', '/executions')
    assert [json.loads(each['input']) for each in made] == [{'who': 'me', 'n': 1}, {'who': 'x', 'n': 1}]
    assert [json.loads(each['params']) for each in made] == [{'env': {'c': 'd'}}, {'env': {'a': 'b'}}]
    told = driver.outputs(stack)['executions']
    assert [each['id'] for each in told] == [made[1]['id'], made[0]['id']]
    assert told[0]['workflow_name'] == name and told[0]['input'] == {'who': 'x', 'n': 1}
    for wrong, why in (({'input': {'nobody': 1}}, 'Unknown input nobody'), ({'input': 'x'}, 'must be a map'), ([1], 'is a map')):
        with pytest.raises(exception.StackValidationFailed, match=why):
            signal(driver, stack, wrong)
    driver.delete(stack)
    assert not place.cloud.of('workflow', '/executions')


def test_a_body_may_be_the_input(place, driver, ids):
    stack = driver.create(workflow(use_request_body_as_input=True))
    signal(driver, stack, {'who': 'you'})
    (made,) = place.cloud.of('workflow', '/executions')
    assert json.loads(made['input']) == {'who': 'you', 'n': 1}
    driver.delete(stack)


def test_the_language_of_workflows(place, driver, ids):
    task = {'name': 'a', 'action': 'std.noop', 'wait_before': 1, 'on_success': ['b'], 'policies': {'retry': {'count': 2}}}
    stack = driver.create(
        workflow(tasks=[task, {'name': 'b', 'action': 'std.fail', 'keep_result': False}], task_defaults={'on_error': ['b']}, tags=['t'])
    )
    said = place.cloud.objects['workflow', '/workflows', driver.physical_id(stack, 'w')]['definition']
    for part in ('wait-before: 1', 'retry:', 'on-success:', 'keep-result: false', 'task-defaults:', "version: '2.0'"):
        assert part in said
    assert 'policies' not in said
    driver.delete(stack)


@pytest.mark.parametrize(
    'more, why',
    [
        ({'type': 'reverse', 'params': {}}, "'task_name' is not assigned"),
        ({'tasks': [{'name': 't', 'action': 'a', 'requires': ['u']}]}, "contains property 'requires' in case of direct workflow"),
        (
            {'tasks': [{'name': 't', 'action': 'a', 'workflow': 'a workflows'}]},
            'Cannot define the following properties at the same time: workflow, action',
        ),
        ({'tasks': [{'name': 't'}]}, 'At least one of the following properties must be specified: workflow, action'),
        ({'tasks': [{'name': 't', 'action': 'a', 'concurrency': 2}]}, 'concurrency cannot be specified without with_items'),
        ({'tasks': [{'name': 't', 'action': 'a', 'timeout': 1, 'policies': {'timeout': 2}}]}, 'tasks.timeout, tasks.policies.timeout'),
    ],
)
def test_workflows_that_are_refused(place, driver, ids, more, why):
    with pytest.raises(exception.HeatException, match=why):
        driver.create(workflow(**more))


def external(value=1, always=False, actions=('CREATE', 'UPDATE', 'SUSPEND', 'DELETE'), replace=()):
    each = {'workflow': 'a workflows', 'params': {'env': {'k': 'v'}}}
    values = {'actions': {name: each for name in actions}, 'input': {'n': value}, 'always_update': always}
    values['replace_on_change_inputs'] = list(replace)
    outputs = {'whole': {'value': {'get_attr': ['e', 'output']}}, 'part': {'value': {'get_attr': ['e', 'output', 'resource_id']}}}
    return {'resources': {'e': {'type': 'OS::Mistral::ExternalResource', 'properties': values}}, 'outputs': outputs}


def started(place):
    """The environments and inputs of all that was started, in order; what has been taken away, too."""
    asked = [body for method, path, body in place.cloud.asked if method == 'POST' and path.endswith('/executions')]
    return [(json.loads(each['params'])['env'], json.loads(each['input'])) for each in asked]


def test_something_that_workflows_make(place, driver, ids):
    stack = driver.create(external())
    assert driver.physical_id(stack, 'e') == 'made by it'
    assert driver.outputs(stack) == {'whole': '{"resource_id": "made by it"}', 'part': 'made by it'}
    driver.update(stack, external(2))
    driver.update(stack, external(2))
    driver.client.stack_suspend(driver.context, stack_identity=stack)
    driver.wait(stack)
    driver.client.stack_resume(driver.context, stack_identity=stack)
    driver.wait(stack)
    assert driver.state(stack) == 'RESUME_COMPLETE'
    driver.delete(stack)
    known = {'k': 'v', 'heat_extresource_data': {'resource_id': 'made by it'}}
    assert started(place) == [({'k': 'v'}, {'n': 1}), (known, {'n': 2}), (known, {'n': 2}), (known, {'n': 2})]
    assert not place.cloud.of('workflow', '/executions')


def test_something_that_is_changed_always_or_made_anew(place, driver, ids):
    stack = driver.create(external(always=True))
    driver.update(stack, external(always=True))
    assert len(started(place)) == 2
    driver.update(stack, external(replace=['n']))
    driver.update(stack, external(2, replace=['n']))
    assert driver.events(stack) and len(started(place)) >= 4
    driver.delete(stack)


def test_a_workflow_that_fails(place, driver, ids):
    place.cloud.sick.add('/executions')
    stack = driver.create(external(actions=('CREATE',)))
    assert driver.state(stack) == 'CREATE_FAILED' and 'ERROR' in driver.stack(stack)['stack_status_reason']
    place.cloud.sick.clear()
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE'
