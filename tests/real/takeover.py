"""Rehearse the take-over of a real Heat, and the return, under load.

usage: . openrc && python -m tests.real.takeover --switch COMMAND [--return COMMAND] [--stacks N]

``--switch`` is a command that stops Heat, runs ``heat-lite-manage db_sync`` and starts heat_lite
behind the same URL; ``--return`` is the way back. N small stacks are created before, each tenth by
the API of CloudFormation, and a tenth more as ``late`` while the command runs. Readers and writers
go on all the time.
The exit status is 1 if a stack is lost, a resource replaced, or a request refused while no command
runs.
"""

import argparse
import collections
import itertools
import json
import os
import subprocess
import sys
import threading
import time
import urllib.parse
from concurrent import futures

from keystoneauth1 import exceptions

from tests.real import cloud

RANDOM = {'type': 'OS::Heat::RandomString', 'properties': {'length': 12}}
GROUP = {'type': 'OS::Heat::ResourceGroup', 'properties': {'count': 2, 'resource_def': RANDOM}}
TEST = {'type': 'OS::Heat::TestResource', 'properties': {'value': 'x', 'wait_secs': 0}}
SCALED = {
    'type': 'OS::Heat::AutoScalingGroup',
    'properties': {'min_size': 1, 'max_size': 3, 'resource': RANDOM},
}
KINDS = (
    {'a': RANDOM, 'b': {'type': 'OS::Heat::Value', 'properties': {'value': {'get_attr': ['a']}}}},
    {'t': TEST, 'a': RANDOM},
    {'g': GROUP},
    {'s': SCALED},
)
#: a hidden parameter, which Heat encrypts if encrypt_parameters_and_properties is set
SECRET = {'secret': {'type': 'string', 'hidden': True}}
#: a stack of CloudFormation; its handle has a user with an access key
CFN = {
    'AWSTemplateFormatVersion': '2010-09-09',
    'Parameters': {'secret': {'Type': 'String', 'NoEcho': 'true'}},
    'Resources': {
        'h': {'Type': 'AWS::CloudFormation::WaitConditionHandle'},
        'a': {'Type': 'OS::Heat::RandomString', 'Properties': {'salt': {'Ref': 'secret'}}},
    },
}
#: requests under way
WRITERS, READERS = 2, 3
WAIT_SECONDS, PAUSE = 300, 0.2


def template(number):
    resources = KINDS[number % len(KINDS)]
    return {'heat_template_version': '2018-08-31', 'parameters': SECRET, 'resources': resources}


def create_by_cfn(place, name):
    """Create a stack by the API of CloudFormation, with a token: Keystone makes no trust, which
    Heat needs, for a signed request.
    """
    asked = {
        'Action': 'CreateStack',
        'Parameters.member.1.ParameterKey': 'secret',
        'Parameters.member.1.ParameterValue': 'a secret',
        'StackName': name,
        'TemplateBody': json.dumps(CFN),
    }
    place.ask('cloudformation', f'/?{urllib.parse.urlencode(asked)}', 'POST')


class Load:
    """Readers and writers; ``failures`` are (time, request, error)."""

    def __init__(self, place, names):
        self._place, self._names = place, names
        self._ended, self._numbers = threading.Event(), itertools.count()
        self.requests, self.failures = collections.Counter(), []
        self._threads = [
            threading.Thread(target=self._run, args=(kind,))
            for kind, number in (('GET', READERS), ('PATCH', WRITERS))
            for _ in range(number)
        ]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._ended.set()
        for thread in self._threads:
            thread.join()

    def _run(self, kind):
        while not self._ended.wait(PAUSE):
            name = self._names[next(self._numbers) % len(self._names)]
            began = time.time()
            try:
                if kind == 'GET':
                    self._place.ask('orchestration', f'/stacks/{name}')
                else:
                    stack = self._place.ask('orchestration', f'/stacks/{name}')['stack']
                    self._place.ask('orchestration', path(stack), kind, {'tags': 'again'})
            except (cloud.Refused, exceptions.ClientException) as error:
                if getattr(error, 'code', None) != 409:  # the update before is in progress
                    self.failures.append((began, time.time(), kind, str(error)[:120]))
            else:
                self.requests[kind] += 1


def path(stack):
    return f'/stacks/{stack["stack_name"]}/{stack["id"]}'


def create(place, name, number):
    body = {
        'stack_name': name,
        'template': template(number),
        'parameters': {'secret': 'a secret'},
        'timeout_mins': 20,
    }
    place.ask('orchestration', '/stacks', 'POST', body)


def wait(place, name):
    """Return the stack when its action has ended."""
    until = time.monotonic() + WAIT_SECONDS
    while True:
        stack = place.ask('orchestration', f'/stacks/{name}')['stack']
        if not stack['stack_status'].endswith('IN_PROGRESS'):
            return stack
        if time.monotonic() > until:
            raise TimeoutError(f'{name} is still {stack["stack_status"]}')
        time.sleep(PAUSE)


def observe(place, name):
    """Return (status, {path of a resource: its id}) of a stack whose action has ended."""
    stack = wait(place, name)
    listed = place.ask('orchestration', f'{path(stack)}/resources?nested_depth=3')['resources']
    ids = {
        (each.get('parent_resource'), each['resource_name']): each['physical_resource_id']
        for each in listed
    }
    return stack['stack_status'].rpartition('_')[2], ids


def each_of(function, names):
    with futures.ThreadPoolExecutor(WRITERS + READERS) as pool:
        return dict(zip(names, pool.map(function, names), strict=True))


def rehearse(place, names, command, late):
    """Run the command under load. Return the number of what went wrong."""
    before = each_of(lambda name: observe(place, name), names)
    with Load(place, names) as load:
        time.sleep(10)
        for number, name in enumerate(late):
            create(place, name, number)
        began = time.time()
        done = subprocess.run(command, shell=True, check=False)
        ended = time.time()
        time.sleep(20)
    refused = [each for each in load.failures if each[1] < began or each[0] > ended]
    after = each_of(lambda name: observe(place, name), [*names, *late])
    failed = {name for name in before if before[name][0] != 'COMPLETE'}
    lost = [name for name in after if after[name][0] != 'COMPLETE' and name not in failed]
    replaced = [name for name in names if after[name][1] != before[name][1]]
    during = sorted(each[1] for each in load.failures if each not in refused)
    outage = during[-1] - during[0] if during else 0
    print(
        f'{command}: status {done.returncode}, {ended - began:.1f} s; {dict(load.requests)} '
        f'requests answered, {len(during)} refused meanwhile within {outage:.1f} s, {len(refused)} '
        f'at other times; {len(after)} stacks: {len(lost)} lost, {len(replaced)} replaced',
        flush=True,
    )
    for each in (*refused[:5], *lost[:5], *replaced[:5]):
        print(f'  {each}')
    return len(refused) + len(lost) + len(replaced) + done.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--switch', required=True)
    parser.add_argument('--return', dest='way_back')
    parser.add_argument('--stacks', type=int, default=200)
    parser.add_argument('--url', default=os.environ.get('HEAT_URL'))
    asked = parser.parse_args()
    place = cloud.Cloud(os.environ, asked.url)
    names = [f'{cloud.OURS}takeover-{number}' for number in range(asked.stacks)]
    listed = place.ask('orchestration', '/stacks?limit=100000')['stacks']
    known = {each['stack_name'] for each in listed}
    for number, name in enumerate(names):
        if name not in known:
            if number % 10 == 9:
                create_by_cfn(place, name)
                wait(place, name)
            else:
                create(place, name, number)
    bad = 0
    for way in filter(None, (asked.switch, asked.way_back)):
        late = [f'{cloud.OURS}late-{int(time.time())}-{each}' for each in range(len(names) // 10)]
        bad += rehearse(place, names, way, late)
        names += late
    sys.exit(bool(bad))


if __name__ == '__main__':
    main()
