"""The contract: each line against what Heat's client sends, and against the door of the engine that it leads to."""

import inspect
import json
from pathlib import Path

import pytest

from heat_lite.engine import service
from heat_lite.engine.endpoints import listener as listener_door
from heat_lite.rpc import api, client, listener, remote, worker

HERE = Path(__file__).parent
HEAT = json.loads((HERE / 'heat_rpc.json').read_text())
KEYS = json.loads((HERE / 'heat_keys.json').read_text())
OURS = {'engine': client.EngineClient, 'listener': listener.ListenerClient, 'worker': worker.WorkerClient}
# written out, as they do more than send
SPECIAL = {'delete_stack': client._DELETE_STACK, 'check_software_deployment': client._CHECK_DEPLOYMENT}
# what only this service knows
ADDED = {'engine': {'stack_retry', 'stack_protect'}, 'listener': set(), 'worker': set()}
CASES = [(part, name) for part, methods in HEAT.items() for name in methods]
DOORS = {'engine': service.ENDPOINTS, 'listener': (listener_door.Listener,)}


def line(part, name):
    return SPECIAL.get(name) or getattr(OURS[part], name)


@pytest.mark.parametrize('part, name', CASES)
def test_sends_what_heat_sends(part, name):
    facts, ours = HEAT[part][name], line(part, name)
    given = {argument: f'given {argument}' for argument in ours.required}
    assert ours.name == name
    assert ours.version == facts['version']
    assert ours.answers == (facts['kind'] == 'call')
    assert ours.arguments(given) == {argument: facts['defaults'].get(argument, f'given {argument}') for argument in facts['sent']}


@pytest.mark.parametrize('part, name', CASES)
def test_the_engine_takes_what_is_sent(part, name):
    found = [getattr(door, name) for door in DOORS.get(part, ()) if hasattr(door, name)]
    if not found:
        pytest.skip('this door of the engine is not there yet')
    ours = line(part, name)
    sent = {*ours.required, *ours.defaults}
    inspect.signature(found[0]).bind(None, 'context', **dict.fromkeys(sent))


@pytest.mark.parametrize('part', OURS)
def test_nothing_is_there_that_heat_does_not_know(part):
    lines = {name for name, value in vars(OURS[part]).items() if isinstance(value, remote.Method)}
    assert lines | {name for name in SPECIAL if part == 'engine'} == set(HEAT[part]) | ADDED[part]


@pytest.mark.parametrize('name', [name for name in KEYS if name != 'PARAM_KEYS'])
def test_the_keys_are_heats(name):
    assert list(getattr(api, name)) == KEYS[name]


def test_the_parameters_are_heats():
    assert [value for name, value in vars(api).items() if name.startswith('PARAM_')] == KEYS['PARAM_KEYS']


class Recorder(client.EngineClient):
    """Takes down what would be sent."""

    def deliver(self, method, context, args, answers=None, timeout=None):
        return method.name, args, answers, timeout


def test_what_is_not_in_the_contract_is_refused():
    with pytest.raises(TypeError, match="unknown.*'colour'"):
        Recorder().show_stack('context', stack_identity={}, colour='red')
    with pytest.raises(TypeError, match="missing.*'stack_identity'"):
        Recorder().show_stack('context')


def test_what_need_not_be_sent_is_sent_when_given():
    name, args, _, _ = Recorder().list_stacks('context', tenant_safe=False)
    assert args['tenant_safe'] is False
    assert 'tenant_safe' not in Recorder().list_stacks('context')[1]


def test_deleting_without_waiting():
    assert Recorder().delete_stack('context', stack_identity={'a': 1}) == ('delete_stack', {'stack_identity': {'a': 1}}, True, None)
    assert Recorder().delete_stack('context', stack_identity={'a': 1}, cast=True)[2] is False


def test_a_deployment_is_waited_for_as_long_as_wanted():
    _, args, _, timeout = Recorder().check_software_deployment('context', deployment_id='d', timeout=77)
    assert (args, timeout) == ({'deployment_id': 'd', 'timeout': 77}, 77)
