"""The RPC contract: each method against Heat's client, and against the endpoint of the engine."""

import inspect
import json
from pathlib import Path

import pytest

from heat_lite.engine import service
from heat_lite.engine.endpoints import listener as listener_endpoint, worker as worker_endpoint
from heat_lite.operations import OPERATIONS, remote_method
from heat_lite.rpc import client, listener, worker

HERE = Path(__file__).parent
HEAT = json.loads((HERE / 'heat_rpc.json').read_text())
CLIENTS = {
    'engine': client.EngineClient,
    'listener': listener.ListenerClient,
    'worker': worker.WorkerClient,
}
# methods written out, because they do more than send
EXPLICIT = {
    'check_software_deployment': client._CHECK_DEPLOYMENT,
}
# methods that Heat does not have, without those that operations declare
ADDED = {
    'engine': {
        'stack_retry',
        'refactor_stacks',
        'stack_protect',
        'list_unavailable_types',
        'read_new_events',
        'lint_template',
        'complete_template',
        'read_past_events',
        # Heat had these up to its version 9
        'create_watch_data',
        'show_watch',
        'show_watch_metric',
        'set_watch_state',
    },
    'listener': {'describe_work', 'helps'},
    'worker': set(),
}
# methods of Heat without a use here: the engine with the request deletes what a snapshot has saved
OMITTED = {'check_resource_delete_snapshot'}
CASES = [(part, name) for part, methods in HEAT.items() for name in methods if name not in OMITTED]
ENDPOINTS = {
    'engine': service.ENDPOINTS,
    'listener': (listener_endpoint.Listener,),
    'worker': (worker_endpoint.Worker,),
}


def method_of(part, name):
    return EXPLICIT.get(name) or getattr(CLIENTS[part], name)


@pytest.mark.parametrize('part, name', CASES)
def test_client_method_sends_arguments_of_heat(part, name):
    facts, method = HEAT[part][name], method_of(part, name)
    given = {argument: f'given {argument}' for argument in method.required}
    assert method.name == name
    assert method.version == facts['version']
    assert method.expects_reply == (facts['kind'] == 'call')
    assert method.arguments(given) == {
        argument: facts['defaults'].get(argument, f'given {argument}') for argument in facts['sent']
    }


@pytest.mark.parametrize('part, name', CASES)
def test_endpoint_method_accepts_sent_arguments(part, name):
    found = [
        getattr(endpoint, name) for endpoint in ENDPOINTS.get(part, ()) if hasattr(endpoint, name)
    ]
    if not found:
        pytest.skip('the engine does not have this endpoint yet')
    method = method_of(part, name)
    sent = {*method.required, *method.defaults}
    inspect.signature(found[0]).bind(None, 'context', **dict.fromkeys(sent))


@pytest.mark.parametrize('part', CLIENTS)
def test_client_has_no_methods_beyond_heat_and_the_listed_ones(part):
    declared = {
        name
        for name, value in vars(CLIENTS[part]).items()
        if isinstance(value, remote_method.Method)
    }
    listed = set(HEAT[part]) - OMITTED | ADDED[part]
    if part == 'engine':
        declared |= EXPLICIT.keys()
        listed |= {vars(each)['calls'].name for each in OPERATIONS if vars(each)['calls']}
    assert declared == listed


class Recorder(client.EngineClient):
    """Client that returns the request instead of sending it."""

    def deliver(self, method, context, args, expects_reply=None, timeout=None):
        return method.name, args, expects_reply, timeout


def test_client_method_with_wrong_arguments_raises_type_error():
    with pytest.raises(TypeError, match="unknown.*'colour'"):
        Recorder().show_stack('context', stack_identity={}, colour='red')
    with pytest.raises(TypeError, match="missing.*'stack_identity'"):
        Recorder().show_stack('context')


def test_absent_argument_is_sent_only_when_given():
    name, args, _, _ = Recorder().list_stacks('context', tenant_safe=False)
    assert args['tenant_safe'] is False
    assert 'tenant_safe' not in Recorder().list_stacks('context')[1]


def test_check_software_deployment_uses_its_timeout_for_the_call():
    _, args, _, timeout = Recorder().check_software_deployment(
        'context', deployment_id='d', timeout=77
    )
    assert (args, timeout) == ({'deployment_id': 'd', 'timeout': 77}, 77)


def test_argument_since_a_version_raises_the_version_of_its_requests_only():
    method = remote_method.call('paint', '1.4', 'wall', colour=remote_method.Since('1.12'), coats=1)
    without = method.arguments({'wall': 'w'})
    assert without == {'wall': 'w', 'coats': 1} and method.version_for(without) == '1.4'
    assert method.version_for(method.arguments({'wall': 'w', 'colour': 'red'})) == '1.12'
