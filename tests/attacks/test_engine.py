"""Attacks on engines: stacks of themselves, stacks that end their engine, too many signals."""

import concurrent.futures
import json
import signal
import subprocess
import sys
import threading
import time
import types

import pytest
import yaml

from heat_lite.api import wsgi
from heat_lite.api.middleware import context
from heat_lite.common import exception
from heat_lite.common.context import RequestContext
from heat_lite.common.local_stack_domain import DISABLED
from heat_lite.db import resources as db_resources, stacks as db_stacks
from heat_lite.engine.signals import signals
from heat_lite.engine.stack.stack import Stack
from heat_lite.resources.heat import wait_condition
from tests import databases, engines
from tests.timeouts import WAIT_SECONDS

VERSION = '2021-04-16'
#: far more than any request takes: machines that run tests are busy
SECONDS = 30
MAX_SIGNALS = 20
NOTHING = {'n': {'type': 'OS::Heat::None'}}


class SlowHandle(wait_condition.HeatWaitConditionHandle):
    """A handle that stores its signals when ``released`` is set."""

    resource_type = 'Test::SlowHandle'
    released = threading.Event()

    def handle_signal(self, details=None):
        while not self.released.is_set():
            yield
        return super().handle_signal(details)


class HeldHandle(wait_condition.HeatWaitConditionHandle):
    """A handle whose task stores signals when ``released`` is set."""

    resource_type = 'Test::HeldHandle'
    released, entered = threading.Event(), threading.Event()

    def merge_signals(self, known, several):
        self.entered.set()
        assert self.released.wait(WAIT_SECONDS)
        return super().merge_signals(known, several)


@pytest.fixture(scope='module')
def engine(tmp_path_factory):
    with (
        databases.migrated('sqlite', tmp_path_factory.mktemp('db')) as url,
        engines.running(
            url,
            [SlowHandle, HeldHandle],
            action_retry_limit=0,
            ours={'max_handle_signals': MAX_SIGNALS},
        ) as driver,
    ):
        yield driver


def stack_of(template, **properties):
    return {
        'heat_template_version': VERSION,
        'resources': {
            's': {'type': 'OS::Heat::Stack', 'properties': {'template': template, **properties}}
        },
    }


ITSELF = stack_of({'get_file': 'itself.yaml'})


def test_a_template_that_contains_itself_is_refused_at_once_for_every_client(engine):
    def attack(number):
        with pytest.raises(exception.HeatException) as refused:
            engine.create(ITSELF, f'a{number}', files={'itself.yaml': json.dumps(ITSELF)})
        return str(refused.value)

    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(80) as pool:
        attacks = [pool.submit(attack, number) for number in range(80)]
        engine.client.list_stacks(engine.context)
        waited = time.monotonic() - start
        texts = {each.result() for each in attacks}
    assert waited < SECONDS and time.monotonic() - start < 6 * SECONDS
    assert len(texts) == 80 and all(
        'max_nested_stack_depth allows 5 levels' in text for text in texts
    )
    assert engine.client.list_stacks(engine.context) == []


def test_a_template_that_makes_itself_at_run_time_ends_at_the_limit(engine):
    """Its text is known to no validation: it comes from the attribute of a resource."""
    head = f'heat_template_version: {VERSION}\nparameters: {{t: {{type: string}}}}\n'
    template = stack_of(
        {'list_join': ['', [head, {'get_attr': ['v', 'value']}]]},
        parameters={'t': {'get_param': 't'}},
    )
    template['parameters'] = {'t': {'type': 'string', 'default': ''}}
    template['resources']['v'] = {
        'type': 'OS::Heat::Value',
        'properties': {'type': 'string', 'value': {'get_param': 't'}},
    }
    body = yaml.safe_dump({'resources': template['resources']})
    engine.context.project_id = 'runtime'
    identity = engine.create(template, params={'parameters': {'t': body}})
    stack = engine.stack(identity)
    assert engine.state(identity) == 'CREATE_FAILED'
    assert 'max_nested_stack_depth allows 5 levels' in stack['stack_status_reason']
    assert len(engine.client.list_stacks(engine.context)) <= 6


def test_a_tree_of_more_templates_than_stacks_are_allowed_is_refused(engine):
    def level(number):
        resources = {
            f's{each}': {
                'type': 'OS::Heat::Stack',
                'properties': {'template': {'get_file': f'{number + 1}.yaml'}},
            }
            for each in range(4 if number < 5 else 0)
        }
        return {
            'heat_template_version': VERSION,
            'resources': resources or {'n': {'type': 'OS::Heat::None'}},
        }

    files = {f'{number}.yaml': json.dumps(level(number)) for number in range(1, 6)}
    engine.context.project_id = 'tree'
    with pytest.raises(exception.HeatException, match='One request may validate 1000 templates'):
        engine.create(level(0), files=files)


@pytest.mark.parametrize(
    'header, depth',
    [('3', 3), ('0', None), ('-9', None), ('x', None), ('9' * 50, None), ('', None)],
)
def test_the_header_of_a_client_only_raises_its_depth(header, depth):
    seen = []
    application = context.ContextFilter(lambda environ, start: seen.append(environ[wsgi.CONTEXT]))
    application({context.DEPTH_HEADER: header}, None)
    assert seen[0].stack_depth == depth


# --------------------------------------------------------------- processes that hang or swell

#: seconds without a sign of life; on a loaded machine a healthy process may be silent for a few
SILENCE = 10
PROGRAM = """
import os, re, sys
from heat_lite.startup import concurrency
from heat_lite.server import supervisor
concurrency.use_native_threads()

def work(number, signals):
    os.write(1, f'start {{number}}\\n'.encode())
    if number == 0:
        {attack}
    for _ in signals:
        pass

sys.exit(supervisor.Supervisor(work, 2, grace=1, delay=0.1, limits={limits}).serve())
"""


@pytest.mark.parametrize(
    'attack, limits, reason',
    [
        # holds the interpreter lock, so no other thread of the process runs
        ("re.match('(a+)+$', 'a' * 60 + 'b')", (SILENCE, 0), 'no sign of life'),
        ("os.kept = b'x' * 2**28", (30, 250), 'more than 250'),
    ],
)
def test_a_process_that_hangs_or_swells_is_replaced_and_others_stay(attack, limits, reason):
    process = subprocess.Popen(
        [sys.executable, '-c', PROGRAM.format(attack=attack, limits=limits)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        started = [process.stdout.readline().strip() for _ in range(3)]
    finally:
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=60)
    assert sorted(started) == ['start 0', 'start 0', 'start 1'] and reason in errors


def test_a_replacement_gives_signs_of_life():
    attack = 'if os.read(read_end, 1): return 3'
    program = PROGRAM.format(attack=attack, limits=(SILENCE, 0))
    # one byte in a pipe: the first process takes it and ends, its replacement finds the end
    pipe = "read_end, write_end = os.pipe(); os.write(write_end, b'x'); os.close(write_end)\n"
    pipe += 'os.set_inheritable(read_end, True)\n'
    own = "import os, sys\nread_end = int(os.environ.get('READ_END', -1))\nif read_end < 0:\n"
    own += ''.join(f'    {line}\n' for line in pipe.splitlines())
    own += "    os.environ['READ_END'] = str(read_end)\n"
    process = subprocess.Popen(
        [sys.executable, '-c', own + program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    started = [process.stdout.readline().strip() for _ in range(3)]
    time.sleep(SILENCE + 4)
    process.send_signal(signal.SIGTERM)
    output, errors = process.communicate(timeout=60)
    assert sorted(started) == ['start 0', 'start 0', 'start 1'] and output == ''
    assert 'no sign of life' not in errors


# --------------------------------------------------------------- signals


def handle(kind, **more):
    return {'resources': {'h': {'type': kind, **more}}}


def signal_to(engine, identity, details, sync=False, name='h'):
    engine.client.resource_signal(
        engine.context,
        stack_identity=identity,
        resource_name=name,
        details=details,
        sync_call=sync,
    )


@pytest.mark.parametrize(
    'kind, sync',
    [
        ('OS::Heat::WaitConditionHandle', False),
        ('AWS::CloudFormation::WaitConditionHandle', True),
    ],
)
def test_large_signals_are_refused_beyond_the_limit_of_the_handle(engine, kind, sync):
    engine.context.project_id = kind
    identity = engine.create(handle(kind))
    names = ('UniqueId', 'Status', 'Reason', 'Data') if sync else ('id', 'status', 'reason', 'data')
    refused = set()
    for number in range(50):
        values = (str(number), 'SUCCESS', 'r', 'x' * 1_000_000)
        try:
            signal_to(engine, identity, dict(zip(names, values, strict=True)), sync)
        except exception.RequestLimitExceeded as error:
            assert '[heat_lite] max_handle_size' in str(error) and error.code == 400
            refused.add(number)
    stored = engine.resource(identity, 'h')['metadata']
    assert len(refused) >= 40 and len(json.dumps(stored)) <= 4194304 and len(stored) >= 1


def test_many_signals_are_refused_beyond_the_limit_of_the_handle(engine):
    engine.context.project_id = 'many'
    identity = engine.create(handle('AWS::CloudFormation::WaitConditionHandle'))

    def send(number):
        details = {'UniqueId': str(number), 'Status': 'SUCCESS', 'Reason': '', 'Data': ''}
        signal_to(engine, identity, details, sync=True)

    for number in (*range(MAX_SIGNALS), 1):  # one that replaces a signal is no further one
        send(number)
    with pytest.raises(exception.RequestLimitExceeded, match='max_handle_signals'):
        send(MAX_SIGNALS)


def test_signals_to_a_full_handle_do_not_read_it(engine):
    """A flood of them costs two small reads for each, whichever name of the handle it uses."""
    engine.context.project_id = 'full'
    identity = engine.create(handle('OS::Heat::WaitConditionHandle'))
    for number in range(MAX_SIGNALS):
        signal_to(engine, identity, {'id': str(number)}, sync=True)

    def refuse(name, details):
        with pytest.raises(exception.RequestLimitExceeded, match='h stores 20 signals already'):
            signal_to(engine, identity, details, name=name)

    for name in ('h', engine.physical_id(identity, 'h')):
        refuse(name, {'id': 'one more'})
        with databases.statements() as seen:
            for details in ({'id': 'another'}, {}, {'data': 'x' * 1000}):
                refuse(name, details)
        rows = [each for each in seen if 'FROM resource' in each]
        assert len(rows) == 3 and not any('needed_by' in each for each in rows), seen
    signal_to(engine, identity, {'id': '3', 'data': 'replaced'}, sync=True)
    assert engine.resource(identity, 'h')['metadata']['3']['data'] == 'replaced'
    refuse('h', {'id': 'one more'})
    engine.update(identity, handle('OS::Heat::WaitConditionHandle', metadata={'a': 'b'}))
    assert engine.resource(identity, 'h')['metadata'] == {'a': 'b'}
    signal_to(engine, identity, {'id': 'one more'}, sync=True)
    assert 'one more' in engine.resource(identity, 'h')['metadata']


def test_signals_are_accepted_without_a_read_of_the_handle(engine):
    """While a task stores earlier ones, each costs two small reads, whatever waits already."""
    engine.context.project_id = 'held'
    identity = engine.create(handle(HeldHandle.resource_type))
    signal_to(engine, identity, {'id': '0'})
    assert HeldHandle.entered.wait(WAIT_SECONDS)
    with databases.statements(of_requests=True) as seen:
        for number in range(1, MAX_SIGNALS):
            signal_to(engine, identity, {'id': str(number)})
        with pytest.raises(exception.RequestLimitExceeded, match='h stores 20 signals already'):
            signal_to(engine, identity, {'id': 'one more'})
        signal_to(engine, identity, {'id': '5', 'data': 'replaced'})
    rows = [each for each in seen if 'FROM resource' in each]
    assert len(rows) == MAX_SIGNALS + 1 and not any('needed_by' in each for each in rows), seen
    HeldHandle.released.set()
    signal_to(engine, identity, {'id': '6', 'data': 'last'}, sync=True)
    stored = engine.resource(identity, 'h')['metadata']
    assert stored.keys() == {str(number) for number in range(MAX_SIGNALS)}
    assert (stored['5']['data'], stored['6']['data']) == ('replaced', 'last')


def test_signals_that_are_handled_one_by_one_are_refused_beyond_a_number(engine, monkeypatch):
    """Each of them keeps a task, e.g. those to scaling policies and software deployments."""
    monkeypatch.setattr(SlowHandle, 'released', threading.Event())
    monkeypatch.setattr(signals, 'MAX_WAITING', 5)
    engine.context.project_id = 'one by one'
    identity = engine.create(handle(SlowHandle.resource_type))
    for _ in range(5):
        signal_to(engine, identity, {'id': 'same'})
    with pytest.raises(exception.RequestLimitExceeded, match='5 signals that are not handled yet'):
        signal_to(engine, identity, {'id': 'same'})
    SlowHandle.released.set()


def test_disabled_user_does_not_learn_that_a_handle_is_full(engine, monkeypatch):
    """A service that issues stack users itself has to refuse the disabled ones."""
    engine.context.project_id = 'issuer'
    identity = engine.create(handle('OS::Heat::WaitConditionHandle'))
    for number in range(MAX_SIGNALS):
        signal_to(engine, identity, {'id': str(number)}, sync=True)
    with pytest.raises(exception.RequestLimitExceeded):
        signal_to(engine, identity, {'id': 'one more'})
    row = db_resources.list_by_stack(identity['stack_id'])[0]
    databases.set_data(engine.context, row, 'user_id', 'u1')
    databases.set_data(engine.context, row, DISABLED, 'true')
    db_stacks.store_user_project(identity['stack_id'], 'theirs')
    user = RequestContext(user_id='u1', project_id='theirs', roles=['heat_stack_user'])
    monkeypatch.setattr(engine.service.runtime, 'clouds', types.SimpleNamespace(project_id=str))
    with pytest.raises(exception.Forbidden, match='disabled'):
        engine.client.resource_signal(
            user,
            stack_identity={**identity, 'tenant': 'theirs'},
            resource_name='h',
            details={'id': 'one more'},
        )


def test_signals_that_are_not_stored_yet_count_for_the_limit_of_the_handle(engine):
    """A burst is answered before it is handled, and must not fill the memory meanwhile."""
    engine.context.project_id = 'burst'
    identity = engine.create(handle(SlowHandle.resource_type))
    for number in range(MAX_SIGNALS):
        signal_to(engine, identity, {'id': str(number)})
    with pytest.raises(exception.RequestLimitExceeded, match='max_handle_signals'):
        signal_to(engine, identity, {'id': 'one more'})
    signal_to(engine, identity, {'id': '0'})  # replaces one that is pending
    SlowHandle.released.set()
    end = time.monotonic() + WAIT_SECONDS
    while len(engine.resource(identity, 'h')['metadata']) < MAX_SIGNALS:
        assert time.monotonic() < end
        time.sleep(0.05)
    signal_to(engine, identity, {'id': '1'})
    with pytest.raises(exception.RequestLimitExceeded, match='max_handle_signals'):
        signal_to(engine, identity, {'id': 'one more'})


def test_burst_of_signals_is_handled_together_and_each_has_its_event(engine):
    """Good, malformed and superfluous signals of one batch: each has its own end."""
    engine.context.project_id = 'batch'
    identity = engine.create(handle('OS::Heat::WaitConditionHandle'))
    row = db_stacks.get(engine.context, identity['stack_id'])
    stack = Stack.from_row(engine.service.runtime, engine.context, row)
    item = signals.find(stack, 'h')
    several = [{'id': str(number), 'status': 'SUCCESS'} for number in range(MAX_SIGNALS)]
    several[3] = {'id': 'x', 'status': 'no such status'}
    several += [{'id': 'new'}, {'id': 'one more'}, {'id': '0'}]
    results, stored = item.merge_signals({}, several)
    kinds = [type(each) for each in results]
    assert kinds.count(str) == MAX_SIGNALS + 1 and kinds[3] is exception.Invalid
    assert kinds[-2] is exception.RequestLimitExceeded and kinds[-1] is str
    assert len(stored) == MAX_SIGNALS and 'new' in stored and 'one more' not in stored


def test_burst_of_signals_of_cloudformation_is_handled_together(engine):
    """One without details is an event only."""
    engine.context.project_id = 'batch-of-cfn'
    identity = engine.create(handle('AWS::CloudFormation::WaitConditionHandle'))
    row = db_stacks.get(engine.context, identity['stack_id'])
    item = signals.find(Stack.from_row(engine.service.runtime, engine.context, row), 'h')
    details = {'UniqueId': '1', 'Status': 'SUCCESS', 'Reason': 'done', 'Data': ''}
    assert item.batches_signals
    results, stored = item.merge_signals({}, [None, details, None, {'UniqueId': '2'}])
    assert results[:3] == [None, 'status:SUCCESS reason:done', None]
    assert isinstance(results[3], exception.Invalid) and stored.keys() == {'1'}
    signal_to(engine, identity, details, sync=True)
    signal_to(engine, identity, None, sync=True)
    assert engine.resource(identity, 'h')['metadata'].keys() == {'1'}
    listed = engine.client.list_events(engine.context, stack_identity=identity)
    reasons = {each['resource_status_reason'] for each in listed}
    assert 'No signal details provided' in reasons


def test_signals_at_once_are_all_stored_and_shown_as_events(engine):
    engine.context.project_id = 'at-once'
    identity = engine.create(handle('OS::Heat::WaitConditionHandle'))
    with concurrent.futures.ThreadPoolExecutor(MAX_SIGNALS) as pool:
        list(pool.map(lambda n: signal_to(engine, identity, {'id': str(n)}), range(MAX_SIGNALS)))
    end = time.monotonic() + WAIT_SECONDS
    while engine.events(identity).count(('h', 'SIGNAL_COMPLETE')) < MAX_SIGNALS:
        assert time.monotonic() < end
        time.sleep(0.05)
    assert len(engine.resource(identity, 'h')['metadata']) == MAX_SIGNALS
    signal_to(engine, identity, {'id': '1', 'status': 'FAILURE'}, sync=True)
    assert engine.resource(identity, 'h')['metadata']['1']['status'] == 'FAILURE'
    with pytest.raises(exception.Invalid):
        signal_to(engine, identity, {'id': '1', 'status': 'x'}, sync=True)


def test_container_of_files_without_a_cloud_is_an_error_of_the_user(engine):
    """It was an internal error: the fuzz found it."""
    with pytest.raises(exception.NotFound, match='container box, reason: there is no Keystone'):
        engine.client.validate_template(
            engine.context, template={'heat_template_version': VERSION}, files_container='box'
        )
