"""The service as real processes in its deployment shapes.

Shapes: embedded (one process), and split over RabbitMQ with MariaDB or PostgreSQL.
"""

import contextlib
import dataclasses
import os
import signal
import subprocess
import sys
import textwrap
import time
import uuid
from pathlib import Path

import pytest
import requests

from tests import brokers, databases, engines, identity, ports, stack_domain, strict_json

BIN = Path(sys.executable).parent
ALL = ('embedded', 'mariadb', 'postgresql', 'keystone')
READY_SECONDS = 180
STOP_SECONDS = 60

# Include implied roles: Keystone adds them to tokens.
USERS = {
    'demo': {
        'password': 'secret',
        'project': 'demo',
        'roles': ['member', 'reader', 'heat_stack_owner'],
    },
    'other': {
        'password': 'secret',
        'project': 'other',
        'roles': ['member', 'reader', 'heat_stack_owner'],
    },
    'second': {
        'password': 'secret',
        'project': 'demo',
        'roles': ['member', 'reader', 'heat_stack_owner'],
    },
    'reader': {'password': 'secret', 'project': 'demo', 'roles': ['reader']},
    'heat': {'password': 'secret', 'project': 'service', 'roles': ['admin', 'service']},
}


@dataclasses.dataclass
class Service:
    """A running service: its URLs, tokens, processes and logs."""

    shape: str
    url: str  # without the project id
    project: str
    folder: Path
    auth_url: str | None = None
    keystone: identity.Identity | None = None
    processes: dict[str, subprocess.Popen] = dataclasses.field(default_factory=dict)
    tokens: dict[str, str] = dataclasses.field(default_factory=dict)

    @property
    def endpoint(self):
        return f'{self.url}/{self.project}'

    def token(self, user='demo'):
        """The token of a user, or None in a shape without Keystone."""
        if self.auth_url and user not in self.tokens:
            domain = {'name': 'Default'}
            credentials = {'name': user, 'password': USERS[user]['password'], 'domain': domain}
            scope = {'project': {'name': USERS[user]['project'], 'domain': domain}}
            body = {
                'auth': {
                    'identity': {'methods': ['password'], 'password': {'user': credentials}},
                    'scope': scope,
                }
            }
            self.tokens[user] = requests.post(
                self.auth_url + '/auth/tokens', json=body, timeout=60
            ).headers['X-Subject-Token']
        return self.tokens.get(user)

    def ask(self, method, path, data=None, params=None, user='demo', project=None, **options):
        """Send a request below the URL of the project and return the requests.Response."""
        headers = {
            'Accept': 'application/json',
            'Content-Type': 'application/json',
            **options.pop('headers', {}),
        }
        if self.auth_url:
            headers.setdefault('X-Auth-Token', self.token(user))
        url = f'{self.url}/{project or self.project}{path}'
        sent = {'json': data} if isinstance(data, (dict, list)) else {'data': data}
        options.setdefault('allow_redirects', False)
        options.setdefault('timeout', 60)
        response = requests.request(method, url, params=params, headers=headers, **sent, **options)
        if not options.get('stream') and response.headers.get('Content-Type') == 'application/json':
            strict_json.loads(response.text or 'null')
        return response

    def http(self, method, path, data=None, params=None):
        """Send a request and return (status, decoded body), for the player of recorded cases."""
        response = self.ask(method, path, data, params)
        try:
            return response.status_code, response.json() if response.content else None
        except ValueError:
            return response.status_code, response.text

    def environ(self):
        """The environment variables of an OpenStack client process."""
        environ = {name: value for name, value in os.environ.items() if not name.startswith('OS_')}
        if not self.auth_url:
            return environ | {'OS_AUTH_TYPE': 'none', 'OS_ENDPOINT': self.endpoint}
        return environ | {
            'OS_AUTH_URL': self.auth_url,
            'OS_USERNAME': 'demo',
            'OS_PASSWORD': USERS['demo']['password'],
            'OS_PROJECT_NAME': 'demo',
            'OS_USER_DOMAIN_NAME': 'Default',
            'OS_PROJECT_DOMAIN_NAME': 'Default',
            'OS_IDENTITY_API_VERSION': '3',
            'OS_REGION_NAME': 'RegionOne',
        }

    def logs(self):
        return '\n'.join(
            f'==> {path.name} <==\n{path.read_text()[-4000:]}'
            for path in sorted(self.folder.glob('*.log'))
        )


def wait_for(url):
    """Wait until a service answers at a URL."""
    end = time.monotonic() + READY_SECONDS
    while time.monotonic() < end:
        with contextlib.suppress(requests.ConnectionError):
            return requests.get(url, timeout=60)
        time.sleep(0.1)
    raise AssertionError(f'{url} does not answer')


# --------------------------------------------------------------- processes


def start(service, name, *command, variables=()):
    """Start a program with output to a log of that name; ``variables`` of its environment."""
    environ = {key: value for key, value in os.environ.items() if not key.startswith('OS_')}
    environ.update(variables)
    with (service.folder / f'{name}.log').open('ab') as log:
        process = subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=environ,
        )
    service.processes[name] = process
    return process


def stop(process):
    """Send SIGTERM, after STOP_SECONDS SIGKILL; return the exit status."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    try:
        return process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def engine_listens(service):
    """Whether the engine listens, as its log states.

    A request sent before that blocks until its RPC timeout and delays the end of the API.
    """
    log = service.folder / 'engine.log'
    return not log.exists() or 'is ready' in log.read_text()


def wait_until_ready(service):
    """Wait until a request reaches an engine and returns. Raises AssertionError on timeout."""
    end = time.monotonic() + READY_SECONDS
    while time.monotonic() < end:
        dead = {
            name: process.returncode
            for name, process in service.processes.items()
            if process.poll() is not None
        }
        assert not dead, f'ended too early: {dead}\n{service.logs()}'
        with contextlib.suppress(requests.RequestException):
            if engine_listens(service) and service.ask('GET', '/stacks').status_code == 200:
                return
        time.sleep(0.05)
    raise AssertionError(f'not ready after {READY_SECONDS} seconds\n{service.logs()}')


@contextlib.contextmanager
def running(service):
    """Wait until ``service`` responds; stop its processes on exit."""
    try:
        wait_until_ready(service)
        yield service
    finally:
        for process in service.processes.values():
            process.terminate()
        for process in service.processes.values():
            stop(process)


# --------------------------------------------------------------- the shapes


@contextlib.contextmanager
def embedded(folder, *arguments):
    """The embedded shape; ``arguments`` are added to the command line."""
    port = ports.reserve()
    service = Service('embedded', f'http://127.0.0.1:{port}/v1', 'demo', folder)
    if engines.CONVERGENCE and '--config-file' not in arguments:
        arguments = (*arguments, '--config-file', convergence_options(folder))
    start(
        service,
        'up',
        BIN / 'heat-lite',
        'up',
        '--port',
        port,
        '--data-dir',
        folder / 'data',
        *('--log', 'full'),
        *arguments,
    )
    with running(service):
        yield service


def convergence_options(folder):
    """Write the file of the option that has all engines walk a stack; return its path."""
    path = folder / 'convergence.conf'
    path.write_text('[DEFAULT]\nconvergence_engine = true\n')
    return path


def convergence(folder):
    """The embedded shape whose stacks are walked by all engines."""
    return embedded(folder, '--config-file', convergence_options(folder))


CONFIGURATION = """
    [DEFAULT]
    auth_encryption_key = a key of these tests, 32 letters
    enable_stack_adopt = true
    enable_stack_abandon = true
    convergence_engine = {convergence}
    heat_waitcondition_server_url = http://127.0.0.1:8000/v1/waitcondition
    stack_user_domain_name = Stacks
    stack_domain_admin = domain_admin
    stack_domain_admin_password = secret
    transport_url = {transport}
    num_engine_workers = 1
    rpc_response_timeout = 30
    host = {host}

    [database]
    connection = {database}

    [heat_api]
    bind_host = 127.0.0.1
    bind_port = {port}
    workers = 1

    [paste_deploy]
    flavor = {flavor}

    [heat_lite]
    plan_required_tags = guarded

    [oslo_messaging_notifications]
    driver = noop
"""
CREDENTIALS = """
    [{section}]
    auth_type = password
    auth_url = {url}
    www_authenticate_uri = {url}
    username = heat
    password = secret
    project_name = service
    user_domain_name = Default
    project_domain_name = Default
"""


def write_configuration(folder, auth_url=None, **values):
    text = CONFIGURATION.format(
        host=f'host-{uuid.uuid4().hex[:8]}',
        flavor='' if auth_url else 'noauth',
        convergence=engines.CONVERGENCE,
        **values,
    )
    if auth_url:
        text += CREDENTIALS.format(section='keystone_authtoken', url=auth_url)
    path = folder / 'heat-lite.conf'
    path.write_text(textwrap.dedent(text))
    return path


@contextlib.contextmanager
def split(folder, shape, database, keystone=False, more='', services=None):
    """API and engine over RabbitMQ, with a fake Keystone or without authentication.

    ``database`` is the kind of a new database, or the URL of an empty one. ``more`` is text that
    is appended to the configuration, ``services`` are further ones of Keystone's catalog.
    """
    port = ports.reserve()
    url = f'http://127.0.0.1:{port}/v1'
    with contextlib.ExitStack() as resources:
        values = {
            'database': database
            if '://' in database
            else resources.enter_context(databases.empty(database, folder)),
            'transport': resources.enter_context(brokers.virtual_host_or_skip()),
            'port': port,
        }
        auth_url = None
        if keystone:
            catalog = {'orchestration': f'{url}/%(project_id)s', **(services or {})}
            keys = stack_domain.Identity(catalog, USERS)
            auth_url = resources.enter_context(identity.serve(keys))
            more = more.format(auth_url=auth_url, url=url)
        configuration = write_configuration(folder, auth_url, **values)
        with configuration.open('a') as file:
            file.write(more)
        service = Service(
            shape,
            url,
            identity.ident('demo') if keystone else 'demo',
            folder,
            auth_url,
            keys if keystone else None,
        )
        synced = subprocess.run(
            [BIN / 'heat-lite-manage', '--config-file', configuration, 'db_sync'],
            capture_output=True,
            text=True,
            timeout=READY_SECONDS,
        )
        assert synced.returncode == 0, synced.stderr
        start(service, 'engine', BIN / 'heat-lite-engine', '--config-file', configuration)
        start(service, 'api', BIN / 'heat-lite-api', '--config-file', configuration)
        resources.enter_context(running(service))
        yield service


def shape(name, folder):
    """The context manager that runs the shape of this name."""
    makers = {
        'embedded': lambda: embedded(folder),
        'mariadb': lambda: split(folder, 'mariadb', 'mysql'),
        'postgresql': lambda: split(folder, 'postgresql', 'postgresql'),
        'keystone': lambda: split(folder, 'keystone', 'mysql', keystone=True),
        'convergence': lambda: convergence(folder),
    }
    return makers[name]()


def of(*names):
    """Parametrize the ``service`` fixture with shapes.

    All tests of a shape run in one xdist worker, so that the shape starts once.
    """
    return pytest.mark.parametrize(
        'service',
        [pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in names],
        indirect=True,
    )
