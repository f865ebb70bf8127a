"""The run against a target: living objects, batches of requests, and the report of failures."""

import dataclasses
import os
import re
import time

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.attacks.fuzz import attacks, examples

#: Requests of a batch. Hypothesis itself takes some 40 MB in the first one.
BATCH = 50
#: an answer may take this long, in seconds; of the process's own time, since machines may be busy
SECONDS = 5
WALL_SECONDS = 30
MEGABYTES = 30
#: batches before memory is measured: caches and lazy imports fill in them
WARM_UP = 4

TEMPLATE = {
    'heat_template_version': '2021-04-16',
    'parameters': {'p': {'type': 'string', 'default': 'd'}},
    'resources': {
        'r': {'type': 'OS::Heat::TestResource', 'properties': {'value': {'get_param': 'p'}}},
        'random': {'type': 'OS::Heat::RandomString'},
        'handle': {'type': 'OS::Heat::WaitConditionHandle'},
        'group': {
            'type': 'OS::Heat::ResourceGroup',
            'properties': {'count': 1, 'resource_def': {'type': 'OS::Heat::None'}},
        },
        'scaling': {
            'type': 'OS::Heat::AutoScalingGroup',
            'properties': {'min_size': 0, 'max_size': 2, 'resource': {'type': 'OS::Heat::None'}},
        },
        'policy': {
            'type': 'OS::Heat::ScalingPolicy',
            'properties': {
                'adjustment_type': 'change_in_capacity',
                'auto_scaling_group_id': {'get_resource': 'scaling'},
                'scaling_adjustment': 1,
            },
        },
    },
    'outputs': {'o': {'value': {'get_attr': ['r', 'output']}}},
}


@dataclasses.dataclass
class Report:
    """Failures of the requests, and the growth of memory after the warm-up in MB."""

    sent: int = 0
    failures: list = dataclasses.field(default_factory=list)
    statuses: dict = dataclasses.field(default_factory=dict)
    slowest: float = 0
    growth: float = 0


class Fuzz:
    """A run against a target.

    ``target.send(attack)`` returns (status, body bytes), ``target.errors()`` the ERROR lines since
    its last call, ``target.pid`` is the process that is attacked. ``strategy`` generates the
    requests after the ``first`` ones.
    """

    def __init__(self, target, strategy=attacks.attacks, first=examples.EXAMPLES):
        self.target = target
        self._strategy, self._first = strategy, first
        self.report = Report()
        self._places = {}

    def run(self, requests, first_seed, seconds=float('inf')):
        """Send the examples, then generated requests, in batches. Return the report."""
        end = time.monotonic() + seconds
        self._renew()
        for attack in self._first:
            self.send(attack)
        before, batches = None, -(-requests // BATCH)
        for number in range(batches):
            if number == min(WARM_UP, batches // 2):
                before = resident_megabytes(self.target.pid)
            self._renew()
            self._batch(min(BATCH, requests - number * BATCH), first_seed + number)
            if time.monotonic() > end:
                break
        self._renew()
        self.report.growth = resident_megabytes(self.target.pid) - (before or 0)
        return self.report

    def _batch(self, size, number):
        @seed(number)
        @settings(
            max_examples=size,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(attack=self._strategy)
        def attack_once(attack):
            self.send(attack)

        attack_once()

    def send(self, attack):
        """Send one request and note what it breaks."""
        attack = self._fill(attack)
        begun, worked = time.monotonic(), cpu_seconds(self.target.pid)
        status, body = self.target.send(attack)
        wall, cpu = time.monotonic() - begun, cpu_seconds(self.target.pid) - worked
        self.report.sent += 1
        self.report.statuses[status] = self.report.statuses.get(status, 0) + 1
        self.report.slowest = max(self.report.slowest, wall)
        if status >= 500:
            self._note(f'answered {status}', attack, body)
        if wall > WALL_SECONDS or (wall > SECONDS and cpu > SECONDS / 2):
            self._note(f'took {wall:.1f} s, {cpu:.1f} s of work', attack, body)
        for line in self.target.errors():
            self._note(f'logged {line}', attack, body)

    def _note(self, what, attack, body):
        self.report.failures.append(
            {
                'what': what,
                'request': f'{attack.method} {attack.path[:400]}',
                'headers': attack.headers,
                'body': attack.body[:3000].decode('latin-1'),
                'answer': body[:600].decode('latin-1'),
            }
        )

    def _fill(self, attack):
        def value(match):
            return f'n{self.report.sent}' if match[1] == 'new' else self._places.get(match[1], 'x')

        path = re.sub(r'@([a-z]+)@', value, attack.path)
        body = re.sub(
            rb'@([a-z]+)@', lambda match: value([0, match[1].decode()]).encode(), attack.body
        )
        return attack._replace(path=path, body=body)

    # ----------------------------------------------------------- living objects

    def ask(self, method, path, value=None):
        """Send a well-formed request; return (status, decoded body)."""
        body = b'' if value is None else attacks.values.encode(value)
        status, answer = self.target.send(
            attacks.Attack(method, path, {'Content-Type': attacks.JSON}, body)
        )
        assert status < 500, (method, path, status, answer[:500])
        return status, attacks.values.json.loads(answer) if answer else None

    def _renew(self):
        """Delete what the requests have created, and create what the next ones may find."""
        for each in self.ask('GET', '/stacks?show_hidden=true')[1]['stacks']:
            path = f'/stacks/{attacks.quote(each["stack_name"])}/{each["id"]}'
            self.ask('POST', f'{path}/actions', {'unprotect': None})
            self.ask('DELETE', path)
        for each in self.ask('GET', '/software_deployments')[1]['software_deployments']:
            self.ask('DELETE', f'/software_deployments/{each["id"]}')
        for each in self.ask('GET', '/software_configs')[1]['software_configs']:
            self.ask('DELETE', f'/software_configs/{each["id"]}')
        self._create()

    def _create(self):
        name = f'living{self.report.sent}'
        status, body = self.ask('POST', '/stacks', {'stack_name': name, 'template': TEMPLATE})
        assert status == 201, body
        stack = body['stack']['id']
        path = f'/stacks/{name}/{stack}'
        self._wait(path)
        config = self.ask(
            'POST', '/software_configs', {'name': 'c', 'config': 'x', 'group': 'script'}
        )
        config = config[1]['software_config']['id']
        deployment = self.ask(
            'POST',
            '/software_deployments',
            {'config_id': config, 'server_id': 'a', 'action': 'CREATE', 'status': 'IN_PROGRESS'},
        )
        self._places = {
            'stack': name,
            'id': stack,
            'config': config,
            'deployment': deployment[1]['software_deployment']['id'],
            'snapshot': self.ask('POST', f'{path}/snapshots', {'name': 'n'})[1]['id'],
        }

    def _wait(self, path):
        end = time.monotonic() + 180
        while 'IN_PROGRESS' in (state := self.ask('GET', path)[1]['stack']['stack_status']):
            assert time.monotonic() < end, f'{path} stays {state}'
            time.sleep(0.02)
        assert state == 'CREATE_COMPLETE', state


def resident_megabytes(pid):
    """Return the resident memory of a process in MB."""
    with open(f'/proc/{pid}/statm') as file:
        return int(file.read().split()[1]) * os.sysconf('SC_PAGE_SIZE') / 1e6


def cpu_seconds(pid):
    """Return the CPU time that a process has used, in seconds."""
    with open(f'/proc/{pid}/stat') as file:
        fields = file.read().rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')
