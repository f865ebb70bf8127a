"""The WSGI applications under uwsgi and gunicorn, with options from the environment alone.

Nothing here has eventlet: neither these servers, nor the engine, nor the commands import it.
"""

import json
import os
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

import pytest
import requests

from heat_lite.db import migration
from heat_lite.startup import concurrency
from tests import brokers, event_streams, ports
from tests.timeouts import WAIT_SECONDS

BIN = Path(sys.executable).parent
ROOT = Path(__file__).parents[2]
#: {server: the arguments before the address and the application}
SERVERS = {
    'gunicorn': ['gunicorn', '--threads', '4', '--bind'],
    'uwsgi': ['uwsgi', '--master', '--need-app', '--threads', '4', '--http-socket'],
}
#: {application: (path, status)} of a request that no engine answers
FIRST = {'api': ('/', 300), 'cfn': ('/', 300), 'cloudwatch': ('/', 400)}
#: options of openstack-helm for uwsgi, with an application of Heat
HELM = """[uwsgi]
add-header = Connection: close
buffer-size = 65535
die-on-term = true
enable-threads = true
exit-on-reload = false
hook-master-start = unix_signal:15 gracefully_kill_them_all
lazy-apps = true
log-x-forwarded-for = true
master = true
need-app = true
procname-prefix-spaced = heat-{application}:
route-user-agent = ^kube-probe.* donotlog:
thunder-lock = true
worker-reload-mercy = 80
processes = 1
module = heat.wsgi.{application}:application
http-socket = {address}
"""
#: a site for a script of Heat, as those of Debian and puppet
APACHE = """ServerRoot {folder}
PidFile {folder}/apache.pid
ErrorLog {folder}/error.log
ServerName localhost
User nobody
Group nogroup
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule wsgi_module {module}
Listen {address}
WSGIDaemonProcess heat processes=1 threads=2 python-path={path}
WSGIProcessGroup heat
WSGIApplicationGroup %{{GLOBAL}}
WSGIPassAuthorization On
WSGIScriptAlias / {script}
<Location />
  Require all granted
</Location>
"""
#: options of Kolla-Ansible and OpenStack-Ansible for RabbitMQ
QUEUES = {
    'OS_DEFAULT__HOST': 'heat-engine',
    'OS_OSLO_MESSAGING_RABBIT__USE_QUEUE_MANAGER': 'true',
    'OS_OSLO_MESSAGING_RABBIT__RABBIT_QUORUM_QUEUE': 'true',
    'OS_OSLO_MESSAGING_RABBIT__RABBIT_TRANSIENT_QUORUM_QUEUE': 'true',
    'OS_OSLO_MESSAGING_RABBIT__RABBIT_STREAM_FANOUT': 'true',
    'OS_OSLO_MESSAGING_RABBIT__RABBIT_QOS_PREFETCH_COUNT': '1',
}
TEMPLATE = {
    'heat_template_version': '2021-04-16',
    'resources': {'r': {'type': 'OS::Heat::RandomString'}},
}
#: commands of the operator, with the options of the environment: {command: its exit status}
COMMANDS = {
    'heat-lite-manage config_check heat-lite.conf': 0,
    'heat-lite-manage service list': 0,
    'heat-lite-manage verify': 0,
    'heat-lite-manage db_version': 0,
    'heat-lite-status --config-file heat-lite.conf upgrade check': 0,
    'heat-lite-db-setup --help': 0,
    'heat-lite-keystone-setup --help': 0,
    'heat-lite lint hello.yaml': 0,
    'heat-lite test .': 0,
    'cfn-json2yaml --help': 0,
}
#: programs that serve HTTP themselves
HTTP_PROGRAMS = ('heat-lite-api', 'heat-lite-api-cfn', 'heat-lite-api-cloudwatch', 'heat-lite up')
#: a module that notes that it was imported and is as good as missing
MISSING = """
import pathlib
pathlib.Path(__file__).with_name('imported').touch()
raise ModuleNotFoundError("No module named 'eventlet'", name='eventlet')
"""


@pytest.fixture(scope='module')
def environ(tmp_path_factory):
    """The options of a service as variables; its tables exist."""
    folder = tmp_path_factory.mktemp('wsgi')
    url = f'sqlite:///{folder}/heat.sqlite'
    migration.sync(url)
    (folder / 'eventlet.py').write_text(MISSING)
    others = {name: value for name, value in os.environ.items() if not name.startswith('OS_')}
    with brokers.virtual_host_or_skip() as transport:
        yield {
            **others,
            'HOME': str(folder),
            'PYTHONPATH': str(folder),
            'OS_DEFAULT__AUTH_ENCRYPTION_KEY': 'a key of these tests, 32 letters',
            'OS_DEFAULT__TRANSPORT_URL': transport,
            'OS_DEFAULT__NUM_ENGINE_WORKERS': '1',
            'OS_DATABASE__CONNECTION': url,
            'OS_PASTE_DEPLOY__FLAVOR': 'noauth',
        }


@pytest.fixture
def mark(environ):
    """The file that an import of eventlet writes. No program has written it."""
    mark = Path(environ['HOME'], 'imported')
    yield mark
    assert not mark.exists()


@pytest.fixture
def queues():
    """The URL of a broker without queues: each keeps the kind that it was made with."""
    with brokers.virtual_host_or_skip() as transport:
        yield transport


@pytest.fixture
def start(environ, mark):
    """A function that starts a program with these options, and with variables of the test."""
    started = []

    def begin(*command, **variables):
        env = {**environ, **variables}
        started.append(subprocess.Popen([BIN / command[0], *command[1:]], env=env))
        return started[-1]

    yield begin
    for process in started:
        process.terminate()
    for process in started:
        process.wait(WAIT_SECONDS)


def first_answer(process, url, wanted):
    """Return the status of the first answer that is ``wanted``, else of the last one.

    Raises AssertionError if the server has ended.
    """
    end, status = time.monotonic() + WAIT_SECONDS, None
    while status != wanted and time.monotonic() < end:
        assert process.poll() is None, f'{process.args} ended with status {process.returncode}'
        try:
            status = requests.get(url, timeout=60, allow_redirects=False).status_code
        except requests.ConnectionError:
            time.sleep(0.1)
    return status


def serve(start, server, application, **variables):
    """Start a server. Return its process and its URL."""
    address = f'127.0.0.1:{ports.reserve()}'
    module = f'heat_lite.wsgi.{application}:application'
    words = [f'--module={module}', '--die-on-term'] if server == 'uwsgi' else [module]
    return start(*SERVERS[server], address, *words, **variables), f'http://{address}'


def run(environ, folder, command):
    program, *words = command.split()
    arguments = [BIN / program, *words]
    return subprocess.run(arguments, env=environ, cwd=folder, capture_output=True, text=True)


@pytest.mark.parametrize('server', SERVERS)
@pytest.mark.parametrize('application', FIRST)
def test_application_answers_under_the_server(start, server, application):
    path, status = FIRST[application]
    process, url = serve(start, server, application)
    assert first_answer(process, url + path, status) == status


@pytest.mark.parametrize(
    ('server', 'variables'), [('gunicorn', {}), ('uwsgi', {}), ('uwsgi', QUEUES)]
)
def test_request_reaches_an_engine(queues, start, server, variables):
    variables = {**variables, 'OS_DEFAULT__TRANSPORT_URL': queues}
    start('heat-lite-engine', **variables)
    process, address = serve(start, server, 'api', **variables)
    url = f'{address}/v1/demo/resource_types'
    assert first_answer(process, url, 200) == 200
    assert 'OS::Heat::Value' in requests.get(url, timeout=60).json()['resource_types']
    stacks = f'{address}/v1/demo/stacks'
    name = f'{server}-{len(variables)}'
    body = {'stack_name': name, 'template': TEMPLATE}
    answer = requests.post(stacks, json=body, timeout=60)
    assert answer.status_code == 201, answer.text
    events = f'{stacks}/{name}/{answer.json()["stack"]["id"]}/events'
    with event_streams.listening(events, **{'from': 'start', 'until': 'complete'}) as stream:
        stream.wait()
    assert [each['resource_status'] for each in stream.events()] == [
        'CREATE_IN_PROGRESS',
        'CREATE_IN_PROGRESS',
        'CREATE_COMPLETE',
        'CREATE_COMPLETE',
    ]
    assert stream.messages[-1].kind == 'complete'


@pytest.mark.parametrize('application', ['api', 'cfn'])
def test_module_of_heat_runs_with_the_options_of_openstack_helm(
    environ, start, tmp_path, application
):
    start('heat-lite-engine')
    address, file = f'127.0.0.1:{ports.reserve()}', tmp_path / 'uwsgi.ini'
    file.write_text(HELM.format(application=application, address=address))
    path = f'{environ["HOME"]}:{ROOT / "aliases"}'
    process = start('uwsgi', '--ini', file, PYTHONPATH=path)
    assert first_answer(process, f'http://{address}/healthcheck', 200) == 200


@pytest.mark.parametrize('script', ['heat-wsgi-api', 'heat-wsgi-api-cfn'])
def test_script_of_heat_runs_under_mod_wsgi(start, script):
    version = '{}.{}'.format(*sys.version_info)
    module = Path(f'/usr/lib/apache2/modules/mod_wsgi.so-{version}')
    if not module.exists() or not all(each.stat().st_mode & 0o5 for each in (BIN, *BIN.parents)):
        pytest.skip(
            'needs apache2, libapache2-mod-wsgi-py3 of this Python, and a folder that all may read'
        )
    start('heat-lite-engine')
    address = f'127.0.0.1:{ports.reserve()}'
    python_path = ':'.join([sysconfig.get_path('purelib'), str(ROOT), str(ROOT / 'aliases')])
    # its processes, of another user, cannot read the folders of pytest
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        file = Path(folder, 'apache.conf')
        file.write_text(
            APACHE.format(
                folder=folder,
                module=module,
                address=address,
                path=python_path,
                script=ROOT / 'aliases/bin' / script,
            )
        )
        process = start('/usr/sbin/apache2', '-DFOREGROUND', '-f', file, PYTHONPATH='', HOME=folder)
        assert first_answer(process, f'http://{address}/healthcheck', 200) == 200
        process.terminate()
        process.wait(WAIT_SECONDS)


@pytest.mark.parametrize('command', COMMANDS)
def test_command_runs_without_eventlet(environ, mark, tmp_path, command):
    options = (
        '[paste_deploy]\nflavor = noauth\n[oslo_messaging_rabbit]\nrabbit_qos_prefetch_count = 9\n'
    )
    (tmp_path / 'heat-lite.conf').write_text(options)
    (tmp_path / 'hello.yaml').write_text(json.dumps(TEMPLATE))
    (tmp_path / 'hello.test.yaml').write_text(
        'heat_lite_test: 1\ntemplate: hello.yaml\ncases: {works: {expect: {resources: {r: {}}}}}\n'
    )
    url = f'sqlite:///{tmp_path}/heat.sqlite'  # without the rows of engines that other tests end
    migration.sync(url)
    done = run({**environ, 'OS_DATABASE__CONNECTION': url}, tmp_path, command)
    assert done.returncode == COMMANDS[command], done.stdout + done.stderr


@pytest.mark.parametrize('program', HTTP_PROGRAMS)
def test_program_that_serves_http_names_the_missing_eventlet(environ, mark, tmp_path, program):
    done = run(environ, tmp_path, program)
    mark.unlink()
    assert done.returncode == 1
    reason = "No module named 'eventlet'"
    assert done.stderr == concurrency.NEEDS_EVENTLET % reason + '\n'
