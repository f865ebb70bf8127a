"""Wait conditions and their handles in an engine without Keystone."""

import concurrent.futures
import json
import time

import pytest

from heat_lite.common import exception
from heat_lite.db import resources as db_resources
from heat_lite.resources.base import wait_condition
from heat_lite.rpc import listener
from tests import databases, engines
from tests.timeouts import WAIT_SECONDS

HANDLE = {'type': 'OS::Heat::WaitConditionHandle'}
AWS = 'AWS::CloudFormation::WaitCondition'


@pytest.fixture(scope='module', params=databases.BACKENDS)
def engine(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp('db')
    configuration = folder / 'heat-lite.conf'
    configuration.write_text('[clients_heat]\nurl = http://here:8004/v1/%(tenant_id)s\n')
    with databases.migrated(request.param, folder) as url:
        settings = {'enable_stack_adopt': True, 'enable_stack_abandon': True}
        with engines.running(url, files=[configuration], **settings) as driver:
            yield driver


@pytest.fixture(autouse=True)
def fresh(engine):
    engine.context.project_id = f'p{time.monotonic_ns()}'


def condition_template(count=1, timeout=60, handle=HANDLE):
    condition = {
        'type': 'OS::Heat::WaitCondition',
        'properties': {'handle': {'get_resource': 'h'}, 'timeout': timeout, 'count': count},
    }
    return {
        'resources': {'h': handle, 'w': condition},
        'outputs': {'o': {'value': {'get_attr': ['w', 'data']}}},
    }


def aws_wait_condition(count=1, kind=f'{AWS}Handle'):
    condition = {
        'type': AWS,
        'properties': {'Handle': {'get_resource': 'h'}, 'Timeout': 60, 'Count': count},
    }
    return {
        'resources': {'h': {'type': kind}, 'w': condition},
        'outputs': {'o': {'value': {'get_attr': ['w', 'Data']}}},
    }


def start_waiting(engine, template):
    """Return the identity of a stack whose wait condition waits."""
    identity = engine.create(template, wait=False)
    is_waiting(engine, identity)
    return identity


def is_waiting(engine, identity, state='CREATE_IN_PROGRESS'):
    until = time.monotonic() + WAIT_SECONDS
    while engine.resources(identity).get('w') != state:
        assert time.monotonic() < until, engine.events(identity)
        time.sleep(0.005)


def signal(engine, identity, details=None, name='h', wait=True):
    engine.client.resource_signal(
        engine.context, stack_identity=identity, resource_name=name, details=details, sync_call=wait
    )


def reason(engine, identity):
    return engine.stack(identity)['stack_status_reason']


def signal_reasons(engine, identity):
    """Return the reasons of signal events, oldest first."""
    listed = engine.client.list_events(engine.context, stack_identity=identity, sort_dir='asc')
    return [
        each['resource_status_reason'] for each in listed if each['resource_action'] == 'SIGNAL'
    ]


def test_signals_are_counted_and_their_data_returned(engine):
    identity = start_waiting(engine, condition_template(count=2))
    assert engine.outputs(identity) == {'o': '{}'}
    signal(engine, identity, {'id': '1', 'data': 'one', 'reason': 'r'})
    signal(engine, identity, {'id': '1', 'data': 'again'})
    assert engine.outputs(identity) == {'o': '{"1": "again"}'}
    assert engine.resources(identity)['w'] == 'CREATE_IN_PROGRESS', 'the same id counts once'
    signal(engine, identity)
    assert engine.state(engine.wait(identity)) == 'CREATE_COMPLETE'
    assert engine.outputs(identity) == {'o': '{"1": "again", "2": null}'}
    assert signal_reasons(engine, identity) == [
        f'Signal: status:SUCCESS reason:{each}'
        for each in ('r', 'Signal 2 received', 'Signal 2 received')
    ]
    assert not engine.physical_id(identity, 'w')


def test_signal_reads_only_the_rows_of_its_resource(engine):
    template = condition_template(count=3)
    template['resources'] |= {f'h{number}': HANDLE for number in range(20)}
    identity = start_waiting(engine, template)
    with databases.statements() as statements:
        for number in range(2):
            signal(engine, identity, {'id': str(number)})
    reads = [each for each in statements if 'resource.root_stack_id' in each]
    assert reads, statements
    assert not [each for each in reads if 'resource.name = ' not in each], reads


def test_data_of_late_signals_are_returned(engine):
    identity = start_waiting(engine, condition_template())
    signal(engine, identity, {'id': 'a'})
    engine.wait(identity)
    signal(engine, identity, {'id': 'b', 'data': {'x': 1}})
    assert engine.outputs(identity) == {'o': '{"a": null, "b": {"x": 1}}'}


def test_single_failure_signal_fails_the_stack(engine):
    identity = start_waiting(engine, condition_template(count=3))
    signal(engine, identity, {'id': 'a'})
    signal(engine, identity, {'id': 'b', 'status': 'FAILURE', 'reason': 'boom'})
    assert engine.state(engine.wait(identity)) == 'CREATE_FAILED'
    assert (
        reason(engine, identity)
        == 'Resource CREATE failed: WaitConditionFailure: resources.w: boom'
    )


def test_signals_below_the_count_time_out(engine):
    began = time.monotonic()
    # long enough for one signal on a loaded machine
    identity = start_waiting(engine, condition_template(count=3, timeout=5))
    signal(engine, identity, {'reason': 'the only one'})
    engine.wait(identity)
    assert time.monotonic() - began > 4.9
    assert (
        reason(engine, identity) == 'Resource CREATE failed: WaitConditionTimeout: '
        'resources.w: 1 of 3 received - the only one'
    )


def test_invalid_signal_is_refused(engine):
    identity = start_waiting(engine, condition_template(timeout=4))
    for details in ({'status': 'success'}, {'status': 'SUCCESS', 'extra': 1}, [], 'FAILURE'):
        for wait in (True, False):
            with pytest.raises(exception.Invalid, match='a status of SUCCESS or FAILURE'):
                signal(engine, identity, details, wait=wait)
    engine.wait(identity)
    assert (
        reason(engine, identity)
        == 'Resource CREATE failed: WaitConditionTimeout: resources.w: 0 of 1 received'
    )
    assert signal_reasons(engine, identity) == []
    with pytest.raises(exception.ResourceActionNotSupported):
        signal(engine, identity, name='w')


def test_concurrent_signals_are_all_stored(engine):
    count = 40
    identity = start_waiting(engine, condition_template(count=count))
    with concurrent.futures.ThreadPoolExecutor(20) as threads:
        list(
            threads.map(
                lambda number: signal(engine, identity, {'data': number}, wait=False), range(count)
            )
        )
    assert engine.state(engine.wait(identity)) == 'CREATE_COMPLETE'
    data = json.loads(engine.outputs(identity)['o'])
    assert sorted(data.values()) == list(range(count)) and set(data) == {
        str(each) for each in range(1, count + 1)
    }


def test_waiting_action_sleeps_until_the_signal(engine, monkeypatch):
    looks = []
    looked = wait_condition.WaitCondition._is_met
    monkeypatch.setattr(
        wait_condition.WaitCondition, '_is_met', lambda *args: looks.append(1) or looked(*args)
    )
    identity = start_waiting(engine, {'resources': condition_template()['resources']})
    until = time.monotonic() + WAIT_SECONDS
    while not looks:
        assert time.monotonic() < until
        time.sleep(0.005)
    time.sleep(1)
    assert len(looks) == 1
    signal(engine, identity)
    engine.wait(identity)
    assert len(looks) == 2


def test_signal_to_another_engine_wakes_the_waiting_one(engine):
    """The other engine stores the signal and notifies the engine of the stack."""
    identity = start_waiting(engine, condition_template())
    (row,) = db_resources.list_by_name(identity['stack_id'], 'h')
    metadata, key = db_resources.metadata(row.id)
    kept = {**metadata, '1': {'status': 'SUCCESS', 'reason': 'r', 'data': None}}
    assert db_resources.set_metadata(row.id, kept, expect=key)
    assert listener.send(engine.context, engine.service.engine_id, identity, f'signal:{row.id}')
    assert engine.state(engine.wait(identity)) == 'CREATE_COMPLETE'
    assert not listener.send(
        engine.context, engine.service.engine_id, identity, f'signal:{row.id}'
    ), 'no action waits'


def test_signal_without_notification_is_found_by_polling(engine, monkeypatch):
    monkeypatch.setattr(wait_condition, 'POLL_SECONDS', 0.2)
    identity = start_waiting(engine, condition_template())
    (row,) = db_resources.list_by_name(identity['stack_id'], 'h')
    db_resources.set_metadata(row.id, {'1': {'status': 'SUCCESS', 'reason': 'r', 'data': None}})
    assert engine.state(engine.wait(identity)) == 'CREATE_COMPLETE'


def test_changed_count_waits_again_and_keeps_signals(engine):
    identity = start_waiting(engine, condition_template())
    signal(engine, identity, {'id': 'a'})
    engine.wait(identity)
    engine.update(identity, condition_template(count=2), wait=False)
    is_waiting(engine, identity, 'UPDATE_IN_PROGRESS')
    signal(engine, identity, {'id': 'b'})
    assert engine.state(engine.wait(identity)) == 'UPDATE_COMPLETE'
    assert engine.outputs(identity) == {'o': '{"a": null, "b": null}'}


def test_delete_stops_a_waiting_condition(engine):
    identity = start_waiting(engine, condition_template(timeout=1000))
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'


@pytest.mark.parametrize(
    ('condition', 'message'),
    [
        (
            {'type': 'OS::Heat::WaitCondition', 'properties': {'handle': 'none', 'timeout': 5}},
            'none is not a valid wait condition handle.',
        ),
        (
            {
                'type': 'OS::Heat::WaitCondition',
                'properties': {'handle': {'get_resource': 'v'}, 'timeout': 5},
            },
            'v is not a valid wait condition handle.',
        ),
        (
            {'type': AWS, 'properties': {'Handle': 'none', 'Timeout': 5}},
            '"none" is not a valid URL',
        ),
        (
            {'type': AWS, 'properties': {'Handle': 'http://a/b', 'Timeout': 5}},
            '"http://a/b" is not a valid ARN URL',
        ),
    ],
)
def test_invalid_handle_is_refused(engine, condition, message):
    value = {'type': 'OS::Heat::Value', 'properties': {'value': 1}}
    identity = engine.create({'resources': {'v': value, 'w': {**condition, 'depends_on': 'v'}}})
    assert reason(engine, identity) == f'Resource CREATE failed: ValueError: resources.w: {message}'


def test_handle_without_keystone_returns_signal_attributes(engine):
    values = {
        name: {'value': {'get_attr': ['h', name]}}
        for name in ('token', 'endpoint', 'curl_cli', 'signal')
    }
    identity = engine.create({'resources': {'h': HANDLE}, 'outputs': values})
    path = f'stacks/{identity["stack_name"]}/{identity["stack_id"]}/resources/h/signal'
    url = f'http://here:8004/v1/{engine.context.project_id}/{path}'
    assert engine.outputs(identity) == {
        'token': None,
        'endpoint': url,
        'curl_cli': "curl -i -X POST -H 'Content-Type: application/json' "
        f"-H 'Accept: application/json' {url}",
        'signal': 'null',
    }
    for transport, expected in (
        ('CFN_SIGNAL', {'alarm_url': url}),
        ('HEAT_SIGNAL', {'alarm_url': url}),
        ('NO_SIGNAL', {}),
    ):
        changed = {
            'resources': {'h': {**HANDLE, 'properties': {'signal_transport': transport}}},
            'outputs': values,
        }
        engine.update(identity, changed)
        outputs = engine.outputs(identity)
        assert json.loads(outputs['signal']) == expected
        assert outputs['endpoint'] is outputs['curl_cli'] is None


@pytest.mark.parametrize('transport', ['TEMP_URL_SIGNAL', 'ZAQAR_SIGNAL'])
def test_transport_of_a_missing_service_is_refused(engine, transport):
    with pytest.raises(
        exception.StackValidationFailed,
        match=f'{transport} needs the .* service: there is no Keystone, and so no cloud',
    ):
        engine.create(
            {'resources': {'h': {**HANDLE, 'properties': {'signal_transport': transport}}}}
        )


def test_aws_wait_condition_waits_for_its_handle(engine):
    identity = start_waiting(engine, aws_wait_condition(count=2))
    signal(engine, identity, {'Status': 'SUCCESS', 'UniqueId': '1', 'Reason': 'r', 'Data': 'd'})
    signal(engine, identity)
    with pytest.raises(exception.Invalid, match='UniqueId, Status, Reason, Data'):
        signal(engine, identity, {'status': 'SUCCESS'})
    signal(
        engine, identity, {'Status': 'SUCCESS', 'UniqueId': '2', 'Reason': 'r', 'Data': {'x': 1}}
    )
    assert engine.state(engine.wait(identity)) == 'CREATE_COMPLETE'
    assert engine.outputs(identity) == {'o': '{"1": "d", "2": {"x": 1}}'}
    said = 'Signal: status:SUCCESS reason:r'
    assert signal_reasons(engine, identity) == [said, 'No signal details provided', said]


def test_adopted_handle_has_the_url_of_its_new_stack(engine):
    template = {
        **aws_wait_condition(),
        'outputs': {'url': {'value': {'get_resource': 'h'}}},
    }
    del template['resources']['w']
    former = engine.create(template)
    document = engine.client.export_stack(engine.context, stack_identity=former)
    identity = engine.create(template, name='again', adopt_stack_data=json.dumps(document))
    path = f'/stacks/again/{identity["stack_id"]}/resources/h/signal?handle='
    assert path in engine.outputs(identity)['url']


def test_update_handle_is_replaced_by_each_update(engine):
    template = aws_wait_condition(kind='OS::Heat::UpdateWaitConditionHandle')
    details = {'Status': 'SUCCESS', 'UniqueId': '1', 'Reason': 'r', 'Data': 'd'}
    identity = start_waiting(engine, template)
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


def test_suspended_handle_refuses_signals(engine):
    identity = engine.create({'resources': {'h': HANDLE}})
    engine.client.stack_suspend(engine.context, stack_identity=identity)
    engine.wait(identity)
    with pytest.raises(
        exception.NotSupported, match='Signal resource during SUSPEND is not supported.'
    ):
        signal(engine, identity)
    engine.client.stack_resume(engine.context, stack_identity=identity)
    engine.wait(identity)
    signal(engine, identity)
    assert signal_reasons(engine, identity)[-1] == 'Signal: status:SUCCESS reason:Signal 1 received'
