"""Wait conditions and their handles in a whole engine without Keystone."""

import concurrent.futures
import json
import time

import pytest

from heat_lite.common import exception
from heat_lite.db import resources as db_resources
from heat_lite.resources import wait_condition
from heat_lite.rpc import listener
from tests import databases, engines
from tests.waiting import PATIENCE

HANDLE = {'type': 'OS::Heat::WaitConditionHandle'}
AWS = 'AWS::CloudFormation::WaitCondition'


@pytest.fixture(scope='module', params=databases.BACKENDS)
def engine(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp('db')
    configuration = folder / 'heat-lite.conf'
    configuration.write_text('[clients_heat]\nurl = http://here:8004/v1/%(tenant_id)s\n')
    with databases.migrated(request.param, folder) as url:
        with engines.running(url, files=[configuration]) as driver:
            yield driver


@pytest.fixture(autouse=True)
def fresh(engine):
    engine.context.project_id = f'p{time.monotonic_ns()}'


def waiting(count=1, timeout=60, handle=HANDLE):
    condition = {
        'type': 'OS::Heat::WaitCondition',
        'properties': {'handle': {'get_resource': 'h'}, 'timeout': timeout, 'count': count},
    }
    return {'resources': {'h': handle, 'w': condition}, 'outputs': {'o': {'value': {'get_attr': ['w', 'data']}}}}


def aws(count=1, kind=f'{AWS}Handle'):
    condition = {'type': AWS, 'properties': {'Handle': {'get_resource': 'h'}, 'Timeout': 60, 'Count': count}}
    return {'resources': {'h': {'type': kind}, 'w': condition}, 'outputs': {'o': {'value': {'get_attr': ['w', 'Data']}}}}


def begun(engine, template):
    """The identity of a stack whose condition waits."""
    identity = engine.create(template, wait=False)
    is_waiting(engine, identity)
    return identity


def is_waiting(engine, identity, state='CREATE_IN_PROGRESS'):
    until = time.monotonic() + PATIENCE
    while engine.resources(identity).get('w') != state:
        assert time.monotonic() < until, engine.events(identity)
        time.sleep(0.005)


def signal(engine, identity, details=None, name='h', wait=True):
    engine.client.resource_signal(engine.context, stack_identity=identity, resource_name=name, details=details, sync_call=wait)


def reason(engine, identity):
    return engine.stack(identity)['stack_status_reason']


def told(engine, identity):
    """What the events of signals say, oldest first."""
    listed = engine.client.list_events(engine.context, stack_identity=identity, sort_dir='asc')
    return [each['resource_status_reason'] for each in listed if each['resource_action'] == 'SIGNAL']


def test_signals_are_counted_and_their_data_come_out(engine):
    identity = begun(engine, waiting(count=2))
    assert engine.outputs(identity) == {'o': '{}'}
    signal(engine, identity, {'id': '1', 'data': 'one', 'reason': 'r'})
    signal(engine, identity, {'id': '1', 'data': 'again'})
    assert engine.outputs(identity) == {'o': '{"1": "again"}'}
    assert engine.resources(identity)['w'] == 'CREATE_IN_PROGRESS', 'the same id counts once'
    signal(engine, identity)
    assert engine.state(engine.wait(identity)) == 'CREATE_COMPLETE'
    assert engine.outputs(identity) == {'o': '{"1": "again", "2": null}'}
    assert told(engine, identity) == [f'Signal: status:SUCCESS reason:{each}' for each in ('r', 'Signal 2 received', 'Signal 2 received')]
    assert not engine.physical_id(identity, 'w')


def test_data_of_signals_that_come_late_are_not_missed(engine):
    identity = begun(engine, waiting())
    signal(engine, identity, {'id': 'a'})
    engine.wait(identity)
    signal(engine, identity, {'id': 'b', 'data': {'x': 1}})
    assert engine.outputs(identity) == {'o': '{"a": null, "b": {"x": 1}}'}


def test_one_failure_is_enough(engine):
    identity = begun(engine, waiting(count=3))
    signal(engine, identity, {'id': 'a'})
    signal(engine, identity, {'id': 'b', 'status': 'FAILURE', 'reason': 'boom'})
    assert engine.state(engine.wait(identity)) == 'CREATE_FAILED'
    assert reason(engine, identity) == 'Resource CREATE failed: WaitConditionFailure: resources.w: boom'


def test_too_few_in_time(engine):
    began = time.monotonic()
    identity = begun(engine, waiting(count=3, timeout=1))
    signal(engine, identity, {'reason': 'the only one'})
    engine.wait(identity)
    assert 0.9 < time.monotonic() - began < 6
    assert reason(engine, identity) == 'Resource CREATE failed: WaitConditionTimeout: resources.w: 1 of 3 received - the only one'


def test_what_is_no_signal_changes_nothing(engine):
    identity = begun(engine, waiting(timeout=1))
    with pytest.raises(exception.Invalid, match='a status of SUCCESS or FAILURE'):
        signal(engine, identity, {'status': 'MAYBE'})
    signal(engine, identity, {'status': 'MAYBE'}, wait=False)
    engine.wait(identity)
    assert reason(engine, identity) == 'Resource CREATE failed: WaitConditionTimeout: resources.w: 0 of 1 received'
    assert told(engine, identity) == []
    with pytest.raises(exception.ResourceActionNotSupported):
        signal(engine, identity, name='w')


def test_signals_at_the_same_time_are_all_kept(engine):
    count = 40
    identity = begun(engine, waiting(count=count))
    with concurrent.futures.ThreadPoolExecutor(20) as threads:
        list(threads.map(lambda number: signal(engine, identity, {'data': number}, wait=False), range(count)))
    assert engine.state(engine.wait(identity)) == 'CREATE_COMPLETE'
    data = json.loads(engine.outputs(identity)['o'])
    assert sorted(data.values()) == list(range(count)) and set(data) == {str(each) for each in range(1, count + 1)}


def test_who_waits_sleeps_until_the_signal_wakes_him(engine, monkeypatch):
    looks = []
    looked = wait_condition.Handle.signals
    monkeypatch.setattr(wait_condition.Handle, 'signals', lambda self: looks.append(1) or looked(self))
    identity = begun(engine, {'resources': waiting()['resources']})
    time.sleep(1)
    assert len(looks) == 1
    signal(engine, identity)
    engine.wait(identity)
    assert len(looks) == 2


def test_a_signal_that_came_to_another_engine(engine):
    """The other engine has written it, and tells the one that works on the stack."""
    identity = begun(engine, waiting())
    row = db_resources.get_by_name(engine.context, identity['stack_id'], 'h')
    metadata, key = db_resources.metadata(engine.context, row.id)
    kept = {**metadata, '1': {'status': 'SUCCESS', 'reason': 'r', 'data': None}}
    assert db_resources.set_metadata(engine.context, row.id, kept, expect=key)
    assert listener.send(engine.context, engine.service.engine_id, identity, f'signal:{row.id}')
    assert engine.state(engine.wait(identity)) == 'CREATE_COMPLETE'
    assert not listener.send(engine.context, engine.service.engine_id, identity, f'signal:{row.id}'), 'nobody waits any more'


def test_a_signal_of_which_nobody_tells(engine, monkeypatch):
    monkeypatch.setattr(wait_condition, 'PATIENCE', 0.2)
    identity = begun(engine, waiting())
    row = db_resources.get_by_name(engine.context, identity['stack_id'], 'h')
    db_resources.set_metadata(engine.context, row.id, {'1': {'status': 'SUCCESS', 'reason': 'r', 'data': None}})
    assert engine.state(engine.wait(identity)) == 'CREATE_COMPLETE'


def test_another_count_waits_again_and_keeps_what_has_come(engine):
    identity = begun(engine, waiting())
    signal(engine, identity, {'id': 'a'})
    engine.wait(identity)
    engine.update(identity, waiting(count=2), wait=False)
    is_waiting(engine, identity, 'UPDATE_IN_PROGRESS')
    signal(engine, identity, {'id': 'b'})
    assert engine.state(engine.wait(identity)) == 'UPDATE_COMPLETE'
    assert engine.outputs(identity) == {'o': '{"a": null, "b": null}'}


def test_a_condition_that_waits_goes_when_the_stack_does(engine):
    identity = begun(engine, waiting())
    began = time.monotonic()
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE' and time.monotonic() - began < 10


@pytest.mark.parametrize(
    ('condition', 'says'),
    [
        ({'type': 'OS::Heat::WaitCondition', 'properties': {'handle': 'none', 'timeout': 5}}, 'none is not a valid wait condition handle.'),
        (
            {'type': 'OS::Heat::WaitCondition', 'properties': {'handle': {'get_resource': 'v'}, 'timeout': 5}},
            'v is not a valid wait condition handle.',
        ),
        ({'type': AWS, 'properties': {'Handle': 'none', 'Timeout': 5}}, '"none" is not a valid URL'),
        ({'type': AWS, 'properties': {'Handle': 'http://a/b', 'Timeout': 5}}, '"http://a/b" is not a valid ARN URL'),
    ],
)
def test_no_handle(engine, condition, says):
    value = {'type': 'OS::Heat::Value', 'properties': {'value': 1}}
    identity = engine.create({'resources': {'v': value, 'w': {**condition, 'depends_on': 'v'}}})
    assert reason(engine, identity) == f'Resource CREATE failed: ValueError: resources.w: {says}'


def test_a_handle_tells_how_it_is_signalled_without_keystone(engine):
    values = {name: {'value': {'get_attr': ['h', name]}} for name in ('token', 'endpoint', 'curl_cli', 'signal')}
    identity = engine.create({'resources': {'h': HANDLE}, 'outputs': values})
    path = f'stacks/{identity["stack_name"]}/{identity["stack_id"]}/resources/h/signal'
    url = f'http://here:8004/v1/{engine.context.project_id}/{path}'
    assert engine.outputs(identity) == {
        'token': None,
        'endpoint': url,
        'curl_cli': f"curl -i -X POST -H 'Content-Type: application/json' -H 'Accept: application/json' {url}",
        'signal': 'null',
    }
    for transport, expected in (('CFN_SIGNAL', {'alarm_url': url}), ('HEAT_SIGNAL', {'alarm_url': url}), ('NO_SIGNAL', {})):
        changed = {'resources': {'h': {**HANDLE, 'properties': {'signal_transport': transport}}}, 'outputs': values}
        engine.update(identity, changed)
        outputs = engine.outputs(identity)
        assert json.loads(outputs['signal']) == expected
        assert outputs['endpoint'] is outputs['curl_cli'] is None


@pytest.mark.parametrize('transport', ['TEMP_URL_SIGNAL', 'ZAQAR_SIGNAL'])
def test_ways_through_services_that_are_not_there(engine, transport):
    with pytest.raises(exception.StackValidationFailed, match=f'{transport} needs the .* service: there is no Keystone, and so no cloud'):
        engine.create({'resources': {'h': {**HANDLE, 'properties': {'signal_transport': transport}}}})


def test_conditions_of_amazon(engine):
    identity = begun(engine, aws(count=2))
    signal(engine, identity, {'Status': 'SUCCESS', 'UniqueId': '1', 'Reason': 'r', 'Data': 'd'})
    signal(engine, identity)
    with pytest.raises(exception.Invalid, match='UniqueId, Status, Reason, Data'):
        signal(engine, identity, {'status': 'SUCCESS'})
    signal(engine, identity, {'Status': 'SUCCESS', 'UniqueId': '2', 'Reason': 'r', 'Data': {'x': 1}})
    assert engine.state(engine.wait(identity)) == 'CREATE_COMPLETE'
    assert engine.outputs(identity) == {'o': '{"1": "d", "2": {"x": 1}}'}
    said = 'Signal: status:SUCCESS reason:r'
    assert told(engine, identity) == [said, 'No signal details provided', said]


def test_a_handle_for_updates_is_another_after_each(engine):
    template = aws(kind='OS::Heat::UpdateWaitConditionHandle')
    details = {'Status': 'SUCCESS', 'UniqueId': '1', 'Reason': 'r', 'Data': 'd'}
    identity = begun(engine, template)
    signal(engine, identity, details)
    engine.wait(identity)
    before = engine.physical_id(identity, 'h')
    engine.update(identity, template, wait=False)
    is_waiting(engine, identity)
    assert engine.outputs(identity) == {'o': '{}'}
    signal(engine, identity, {**details, 'UniqueId': '2'})
    assert engine.state(engine.wait(identity)) == 'UPDATE_COMPLETE'
    assert engine.physical_id(identity, 'h') != before
    assert engine.outputs(identity) == {'o': '{"2": "d"}'}
    assert ('h', 'UPDATE_IN_PROGRESS') not in engine.events(identity)


def test_suspended_handles_take_no_signals(engine):
    identity = engine.create({'resources': {'h': HANDLE}})
    engine.client.stack_suspend(engine.context, stack_identity=identity)
    engine.wait(identity)
    with pytest.raises(exception.NotSupported, match='Signal resource during SUSPEND is not supported.'):
        signal(engine, identity)
    engine.client.stack_resume(engine.context, stack_identity=identity)
    engine.wait(identity)
    signal(engine, identity)
    assert told(engine, identity)[-1] == 'Signal: status:SUCCESS reason:Signal 1 received'
