"""The AWS APIs of ``heat-lite up``: boto3, the stock guest tools, a group that a metric scales."""

import getpass
import grp
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.parse
from xml.etree import ElementTree

import pytest
import requests

from heat_lite.common import ec2, installation
from tests import ports
from tests.functional import shapes
from tests.guests import Guest
from tests.timeouts import WAIT_SECONDS

boto3 = pytest.importorskip('boto3')
TEMPLATE = installation.data_path('etc', 'templates', 'autoscaling_by_metric.template')
STACK = 'scaled'


class Machine:
    """A service with both APIs, and its key."""

    def __init__(self, service):
        self.service = service
        self.key = self.credentials()

    def credentials(self, *options):
        command = [shapes.BIN / 'heat-lite', 'credentials', '--json', *options]
        env = self.service.environ() | {'HEAT_LITE_DATA_DIR': str(self.service.folder / 'data')}
        del env['OS_AUTH_TYPE'], env['OS_ENDPOINT']
        done = subprocess.run(command, capture_output=True, text=True, env=env, check=True)
        return json.loads(done.stdout)

    def client(self, **changes):
        key = {**self.key, **changes}
        return boto3.client(
            'cloudformation',
            aws_access_key_id=key['access_key'],
            aws_secret_access_key=key['secret_key'],
            region_name=key['region'],
            endpoint_url=key['cloudformation'],
        )

    def guest(self, folder):
        cfn, cloudwatch = (
            int(self.key[name].split(':')[2].partition('/')[0])
            for name in ('cloudformation', 'cloudwatch')
        )
        guest = Guest(folder, cfn, cloudwatch)
        guest.log_in(self.key['access_key'], self.key['secret_key'])
        guest.identify('server-1')
        return guest


@pytest.fixture(scope='module')
def machine(tmp_path_factory):
    folder = tmp_path_factory.mktemp('aws')
    options = ['--cfn-port', ports.reserve(), '--cloudwatch-port', ports.reserve()]
    with shapes.embedded(folder, *options) as service:
        yield Machine(service)


@pytest.fixture(scope='module')
def stack(machine):
    """A stack of the template, made by boto3."""
    client = machine.client()
    parameters = [{'ParameterKey': 'Period', 'ParameterValue': '10'}]
    client.create_stack(StackName=STACK, TemplateBody=TEMPLATE.read_text(), Parameters=parameters)
    waiter = client.get_waiter('stack_create_complete')
    waiter.wait(StackName=STACK, WaiterConfig={'Delay': 1, 'MaxAttempts': WAIT_SECONDS})
    return client


def outputs(client):
    (found,) = client.describe_stacks(StackName=STACK)['Stacks']
    return {each['OutputKey']: each['OutputValue'] for each in found['Outputs']}


def need_tools():
    if sys.version_info >= (3, 12):
        pytest.skip('boto 2.49 needs Python 3.11 or older')


def test_guest_tools_read_metadata_and_see_changes(machine, stack, tmp_path):
    need_tools()
    guest = machine.guest(tmp_path)
    credentials = tmp_path / 'etc/cfn/cfn-credentials'
    where = ('-s', STACK, '-r', 'Settings')
    done = guest.run('cfn-get-metadata', *where, '--credential-file', credentials)
    assert done.returncode == 0, done.stderr
    files = json.loads(done.stdout)['AWS::CloudFormation::Init']['config']['files']
    assert files['/etc/motd']['content'] == 'hello'

    log = tmp_path / 'changes'
    guest.watch(STACK, 'Settings', f'echo changed >> {log}')
    done = guest.run('cfn-hup', '-f')
    assert done.returncode == 0, done.stderr
    assert not log.exists(), 'the metadata are those that cfn-get-metadata has read'
    stack.update_stack(
        StackName=STACK,
        UsePreviousTemplate=True,
        Parameters=[
            {'ParameterKey': 'Greeting', 'ParameterValue': 'good <&> morning'},
            {'ParameterKey': 'Period', 'ParameterValue': '10'},
        ],
    )
    waiter = stack.get_waiter('stack_update_complete')
    waiter.wait(StackName=STACK, WaiterConfig={'Delay': 1, 'MaxAttempts': WAIT_SECONDS})
    for _ in range(2):
        assert guest.run('cfn-hup', '-f').returncode == 0
        assert log.read_text() == 'changed\n'
    assert 'good <&> morning' in (tmp_path / 'var/cache/heat-cfntools/last_metadata').read_text()


def test_cfn_init_writes_files_and_runs_commands(machine, stack, tmp_path):
    need_tools()
    user, group = getpass.getuser(), grp.getgrgid(os.getgid()).gr_name
    owner = {'mode': '000640', 'owner': user, 'group': group}
    init = {
        'files': {str(tmp_path / 'app/text'): {'content': 'a <&> b\n', **owner}},
        'commands': {'1': {'command': f'cp {tmp_path}/app/text {tmp_path}/copy'}},
    }
    metadata = {'AWS::CloudFormation::Init': {'config': init}}
    kind = 'AWS::CloudFormation::WaitConditionHandle'
    template = {
        'AWSTemplateFormatVersion': '2010-09-09',
        'Resources': {'Handle': {'Type': kind, 'Metadata': metadata}},
    }
    stack.create_stack(StackName='initial', TemplateBody=json.dumps(template))
    waiter = stack.get_waiter('stack_create_complete')
    waiter.wait(StackName='initial', WaiterConfig={'Delay': 1, 'MaxAttempts': WAIT_SECONDS})
    guest = machine.guest(tmp_path)
    keys = ('--access-key', machine.key['access_key'], '--secret-key', machine.key['secret_key'])
    done = guest.run('cfn-init', '-s', 'initial', '-r', 'Handle', '--region', 'heat', *keys)
    log = tmp_path / 'var/log/cfn-init.log'  # begun by the tool, if it comes so far
    assert done.returncode == 0, done.stderr + (log.read_text() if log.exists() else '')
    assert (tmp_path / 'copy').read_text() == 'a <&> b\n'
    assert (tmp_path / 'app/text').stat().st_mode & 0o777 == 0o640


def test_cfn_signal_completes_a_wait_condition(machine, stack, tmp_path):
    need_tools()
    if not shutil.which('curl'):
        pytest.skip('cfn-signal needs curl')
    kind = 'AWS::CloudFormation::WaitCondition'
    template = {
        'AWSTemplateFormatVersion': '2010-09-09',
        'Resources': {
            'Handle': {'Type': f'{kind}Handle'},
            'Ready': {
                'Type': kind,
                'Properties': {'Handle': {'Ref': 'Handle'}, 'Timeout': WAIT_SECONDS},
            },
        },
        'Outputs': {'Url': {'Value': {'Ref': 'Handle'}}},
    }
    stack.create_stack(StackName='waits', TemplateBody=json.dumps(template))
    deadline, url = time.monotonic() + WAIT_SECONDS, None
    while not (url or '').startswith('http'):  # before the handle is created it is its name
        assert time.monotonic() < deadline
        (found,) = stack.describe_stacks(StackName='waits')['Stacks']
        url = next((each['OutputValue'] for each in found.get('Outputs', ())), None)
    done = machine.guest(tmp_path).run('cfn-signal', '--success', 'true', url)
    assert done.returncode == 0, done.stderr
    waiter = stack.get_waiter('stack_create_complete')
    waiter.wait(StackName='waits', WaiterConfig={'Delay': 1, 'MaxAttempts': WAIT_SECONDS})


def test_metadata_are_read_as_by_os_collect_config(machine, stack):
    """By a signature of version 2 in the query, as a JSON text in XML."""
    params = {
        'Action': 'DescribeStackResource',
        'StackName': STACK,
        'LogicalResourceId': 'Settings',
        'AWSAccessKeyId': machine.key['access_key'],
        'SignatureVersion': ec2.VERSION,
        'SignatureMethod': ec2.METHOD,
    }
    url = urllib.parse.urlsplit(machine.key['cloudformation'])
    signature = ec2.sign(machine.key['secret_key'], 'GET', url.netloc, url.path, params)
    answer = requests.get(url.geturl(), params={**params, 'Signature': signature}, timeout=60)
    assert answer.status_code == 200, answer.text
    (metadata,) = ElementTree.fromstring(answer.content).iter('Metadata')
    assert 'AWS::CloudFormation::Init' in json.loads(metadata.text)


def test_pushed_metric_scales_the_group_out_and_in(machine, stack, tmp_path):
    need_tools()
    guest = machine.guest(tmp_path)
    names = outputs(stack)

    def push(alarm, value):
        metric = ('--metric', 'CPUUtilization', '--units', 'Percent', '--value', value)
        credentials = ('--credential-file', tmp_path / 'etc/cfn/cfn-credentials')
        done = guest.run('cfn-push-stats', '--watch', names[alarm], *metric, *credentials)
        assert done.returncode == 0, done.stderr

    for alarm, value, size in (('BusyAlarm', '90', '3'), ('IdleAlarm', '5', '1')):
        deadline = time.monotonic() + 2 * WAIT_SECONDS
        while outputs(stack)['Size'] != size:
            assert time.monotonic() < deadline, machine.service.logs()
            push(alarm, value)
            time.sleep(2)


def test_forged_and_foreign_requests_are_refused(machine, stack):
    errors = machine.client().exceptions.ClientError
    with pytest.raises(errors) as caught:
        machine.client(secret_key='wrong').list_stacks()
    assert caught.value.response['ResponseMetadata']['HTTPStatusCode'] == 403
    for headers, status in (
        ({'Host': 'evil.example'}, 403),
        ({'Origin': 'http://evil.example'}, 403),
        ({}, 400),
    ):
        for name in ('cloudformation', 'cloudwatch'):
            url = f'{machine.key[name]}?Action=ListStacks'
            assert requests.get(url, headers=headers, timeout=60).status_code == status, headers


def test_rotated_key_replaces_the_former_one(machine, stack):
    former, machine.key = machine.key, machine.credentials('--rotate')
    assert machine.client().list_stacks()['StackSummaries']
    errors = machine.client().exceptions.ClientError
    with pytest.raises(errors):
        machine.client(**former).list_stacks()


def test_ports_stay_open_when_the_service_is_replaced(machine, stack):
    pids = subprocess.run(
        ['pgrep', '-P', str(machine.service.processes['up'].pid)], capture_output=True, text=True
    )
    subprocess.run(['kill', '-9', *pids.stdout.split()], check=True)
    time.sleep(0.2)  # until the kernel has closed the connections of the process
    for name in ('cloudformation', 'cloudwatch'):
        # a new connection waits in the queue of the socket, which the first process keeps open
        assert requests.get(machine.key[name], timeout=60).status_code == 400
