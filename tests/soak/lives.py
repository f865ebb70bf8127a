"""Clients that live through whole lives of stacks, with rude connections between the requests.

Each life has a project of its own, and its number decides what it has: no two lives have the same
numbers of resources, members, parameters and updates, so that what grows with their kinds is seen.
"""

import contextlib
import json
import random
import socket
import struct
import time

import requests

from tests import event_streams
from tests.attacks import holding
from tests.timeouts import WAIT_SECONDS

VERSION = '2021-04-16'
TEXT, TEST = 'OS::Heat::RandomString', 'OS::Heat::TestResource'
NESTED = {
    'heat_template_version': VERSION,
    'parameters': {'length': {'type': 'number'}},
    'resources': {'text': {'type': TEXT, 'properties': {'length': {'get_param': 'length'}}}},
    'outputs': {'text': {'value': {'get_attr': ['text', 'value']}}},
}
#: let the kernel answer with a reset what still comes in
RESET = struct.pack('ii', 1, 0)


def group(kind, **properties):
    return {'type': f'OS::Heat::{kind}', 'properties': properties}


def template(width, value):
    """Return a template with ``width`` texts in a row, beside groups, deployments and a wait."""
    length = {'length': {'get_param': 'length'}}
    member = {'type': TEXT, 'properties': length}
    texts = {
        f'text{number}': {
            **member,
            'metadata': {'number': number},
            **({'depends_on': f'text{number - 1}'} if number else {}),
        }
        for number in range(width)
    }
    return {
        'heat_template_version': VERSION,
        'parameters': {
            'length': {'type': 'number', 'default': 8},
            'size': {'type': 'number', 'default': 1},
        },
        'resources': {
            **texts,
            'group': group('ResourceGroup', count={'get_param': 'size'}, resource_def=member),
            'nested': {'type': 'nested.yaml', 'properties': length},
            'scaled': group(
                'AutoScalingGroup',
                min_size=0,
                max_size=9,
                desired_capacity={'get_param': 'size'},
                resource=member,
            ),
            'policy': group(
                'ScalingPolicy',
                adjustment_type='change_in_capacity',
                scaling_adjustment=1,
                cooldown=0,
                auto_scaling_group_id={'get_resource': 'scaled'},
            ),
            'test': {'type': TEST, 'properties': {'value': value}},
            'handle': group('WaitConditionHandle'),
            'wait': group(
                'WaitCondition', handle={'get_resource': 'handle'}, count=1, timeout=WAIT_SECONDS
            ),
            'config': group('SoftwareConfig', config=value, outputs=[{'name': 'out'}]),
            'deployment': group(
                'SoftwareDeployment',
                config={'get_resource': 'config'},
                server='server',
                signal_transport='HEAT_SIGNAL',
            ),
        },
        'outputs': {
            'texts': {'value': [{'get_attr': [name, 'value']} for name in texts]},
            'members': {'value': {'get_attr': ['group', 'value']}},
            'out': {'value': {'get_attr': ['deployment', 'out']}},
        },
    }


class Life:
    """The life of one stack, from its preview to the end of its delete."""

    def __init__(self, service, number):
        self.service = service
        self.number = number
        self.random = random.Random(number)
        self.project = f'life{number}'
        self.name = f'stack{number}'
        self.requests = 0
        self.path = None

    def ask(self, status, method, path, data=None, **params):
        """Send a request whose answer must have a status; return its document."""
        if self.random.random() < 0.05:
            self.random.choice(RUDE)(self)
        answer = self.service.ask(
            method, path, data, params, project=self.project, timeout=WAIT_SECONDS
        )
        self.requests += 1
        assert answer.status_code == status, (
            f'life {self.number}: {method} {path}: {answer.status_code}, not {status}: '
            f'{answer.text[:1000]}'
        )
        return answer.json() if answer.content else None

    def ended(self, state):
        """Wait for the end of the action, by a stream or by requests; it must end in a state."""
        if self.random.random() < 0.3:
            url = f'{self.service.url}/{self.project}{self.path}/events'
            with event_streams.listening(url, until='complete') as stream:
                stream.wait()
        end = time.monotonic() + WAIT_SECONDS
        while True:
            stack = self.ask(200, 'GET', self.path)['stack']
            if not stack['stack_status'].endswith('IN_PROGRESS'):
                break
            assert time.monotonic() < end, f'{self.project}: still {stack["stack_status"]}'
            time.sleep(0.1)
        assert stack['stack_status'] == state, (
            f'{self.project}: {stack["stack_status"]}: {stack["stack_status_reason"]}'
        )
        return stack

    def run(self):
        body = self.body()
        self.ask(200, 'POST', '/stacks/preview', {'stack_name': self.name, **body})
        made = self.ask(201, 'POST', '/stacks', {'stack_name': self.name, **body})
        self.path = f'/stacks/{self.name}/{made["stack"]["id"]}'
        self.signal('handle', {'id': '1', 'status': 'SUCCESS', 'data': 'x', 'reason': 'y'})
        self.signal('deployment', {'out': 'done', 'deploy_status_code': 0})
        self.ended('CREATE_COMPLETE')
        parts = [self.read, self.update, self.act, self.snapshot, self.scale, self.fail]
        self.random.shuffle(parts)
        for part in parts[: self.random.randint(2, len(parts))]:
            part()
        self.ask(204, 'DELETE', self.path)
        self.ended('DELETE_COMPLETE')

    def body(self):
        width = self.random.randint(1, 12)
        return {
            'template': template(width, 'same'),
            'files': {'nested.yaml': json.dumps(NESTED)},
            'parameters': {'size': self.random.randint(0, 4)},
            'tags': ','.join(f't{n}' for n in range(self.random.randint(1, 5))),
            'timeout_mins': self.random.randint(5, 60),
        }

    def signal(self, name, data):
        """Signal a resource as soon as it is created, or waits for it."""
        state = 'IN_PROGRESS' if name == 'deployment' else 'COMPLETE'
        end = time.monotonic() + WAIT_SECONDS
        while not any(
            each['resource_name'] == name
            and each['resource_status'] == f'CREATE_{state}'
            and each['physical_resource_id']
            for each in self.ask(200, 'GET', f'{self.path}/resources')['resources']
        ):
            assert time.monotonic() < end, f'{self.project}: {name} does not come'
            time.sleep(0.1)
        self.ask(200, 'POST', f'{self.path}/resources/{name}/signal', data)

    def read(self):
        for part in ('', '/template', '/environment', '/files', '/outputs', '/graph', '/timeline'):
            self.ask(200, 'GET', self.path + part)
        depth = self.random.randint(0, 3)
        listed = self.ask(200, 'GET', f'{self.path}/resources', nested_depth=depth)['resources']
        for each in self.random.sample(listed[:9], 1):
            self.ask(200, 'GET', f'{self.path}/resources/{each["resource_name"]}/metadata')
        self.ask(200, 'GET', f'{self.path}/events', limit=self.random.randint(1, 50))
        self.ask(200, 'GET', '/stacks', tags=','.join(f't{n}' for n in range(depth)))
        self.ask(200, 'GET', '/software_deployments')
        self.ask(200, 'GET', f'{self.path}/drift')

    def update(self):
        for _ in range(self.random.randint(1, 3)):
            body = self.body()
            self.ask(200, 'PUT', f'{self.path}/preview', body)
            self.ask(202, 'PUT', self.path, body)
            if self.random.random() < 0.3:  # another one takes its place
                self.ask(202, 'PUT', self.path, body | {'parameters': {'length': 9}})
            self.ended('UPDATE_COMPLETE')
        self.ask(202, 'PATCH', self.path, {'parameters': {'length': self.random.randint(1, 99)}})
        self.ended('UPDATE_COMPLETE')

    def act(self):
        for action in ('check', 'suspend', 'resume'):
            self.ask(200, 'POST', f'{self.path}/actions', {action: None})
            self.ended(f'{action.upper()}_COMPLETE')

    def snapshot(self):
        made = self.ask(200, 'POST', f'{self.path}/snapshots', {'name': 'one'})
        self.ended('SNAPSHOT_COMPLETE')
        path = f'{self.path}/snapshots/{made["id"]}'
        self.ask(200, 'GET', path)
        self.ask(204, 'DELETE', path)

    def scale(self):
        for _ in range(self.random.randint(1, 3)):
            self.ask(200, 'POST', f'{self.path}/resources/policy/signal')

    def fail(self):
        """Update to what fails, and return to what was before."""
        body = {**self.body(), 'disable_rollback': False}
        body['template']['resources']['failing'] = {'type': TEST, 'properties': {'fail': True}}
        self.ask(202, 'PUT', self.path, body)
        self.ended('ROLLBACK_COMPLETE')

    @contextlib.contextmanager
    def rude(self):
        """Yield a connection that ends with a reset."""
        with holding.connect(self.service.url) as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            yield connection

    def half_headers(self):
        with self.rude() as connection:
            holding.send(connection, holding.GET[: self.random.randint(0, len(holding.GET) - 1)])

    def half_body(self):
        with self.rude() as connection:
            holding.send(connection, holding.POST + b'Content-Length: 900000\r\n\r\n{')

    def unread_answer(self):
        with self.rude() as connection:
            holding.send(connection, holding.LARGE * self.random.randint(1, 5))
            time.sleep(self.random.uniform(0, 0.2))

    def aborted_stream(self):
        """Begin to read all events of the project, and reset the connection."""
        head = f'GET /v1/{self.project}/events?from=start HTTP/1.1\r\n'.encode()
        with self.rude() as connection:
            holding.send(connection, head + holding.HEADERS + b'Accept: text/event-stream\r\n\r\n')
            with contextlib.suppress(OSError):
                connection.recv(self.random.choice((1, 100, 4096)))


RUDE = (Life.half_headers, Life.half_body, Life.unread_answer, Life.aborted_stream)


def live(service, number):
    """Live one life. Return the number of its requests. Raises AssertionError."""
    life = Life(service, number)
    try:
        life.run()
    except requests.RequestException as error:
        raise AssertionError(f'life {number}: no answer: {error}') from error
    return life.requests
