"""What operators see of the work of engines: lines in JSON, top, and the report at SIGUSR2."""

import contextlib
import json
import os
import signal
import subprocess
import time
import types

import pytest
from oslo_config import cfg

from heat_lite.engine.execution import work_report
from heat_lite.server.monitoring import guru
from tests import ports
from tests.functional import shapes
from tests.functional.clouds import driver, ids, running_cloud  # noqa: F401
from tests.functional.test_processes import wait_until
from tests.functional.test_stop_without_parts import CONFIGURATION, TEMPLATE, create, parts

REQUEST_ID = 'req-5b0e6d68-4c2f-4c34-a1a1-5e5b6d2d1c55'
#: the second resource fails, which a log line tells
FAILING = {
    'heat_template_version': '2021-04-16',
    'resources': {
        'bad': {'type': 'OS::Heat::TestResource', 'properties': {'fail': True}},
    },
}


@pytest.fixture(scope='module')
def split(tmp_path_factory):
    """Yield an engine and an API that log in JSON, with a long action at work."""
    folder = tmp_path_factory.mktemp('split')
    with parts('mysql', folder) as found, contextlib.ExitStack() as stack:
        port = ports.reserve()
        file = folder / 'heat-lite.conf'
        text = CONFIGURATION.format(port=port, **found.urls)
        file.write_text(text.replace('[DEFAULT]', '[DEFAULT]\nuse_json = true'))
        service = shapes.Service('mysql', f'http://127.0.0.1:{port}/v1', 'demo', folder)
        for name in ('engine', 'api'):
            command = (shapes.BIN / f'heat-lite-{name}', '--config-file', file)
            stack.callback(shapes.stop, shapes.start(service, name, *command))
        wait_until(lambda: 'is ready' in (folder / 'engine.log').read_text())
        made = wait_until(lambda: create(service, {'stack_name': 'slow', 'template': TEMPLATE}))
        assert made.status_code == 201, made.text
        yield types.SimpleNamespace(service=service, folder=folder, file=file)


def lines(split, name):
    """Return the lines of a log that are JSON."""
    found = []
    for line in (split.folder / f'{name}.log').read_text().splitlines():
        with contextlib.suppress(ValueError):
            found.append(json.loads(line))
    return [each for each in found if isinstance(each, dict)]


def test_top_shows_the_stacks_of_each_engine(split):
    command = [shapes.BIN / 'heat-lite-manage', '--config-file', split.file, 'top', '--once']

    def shown():
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout if '3: r0, r1, r2' in done.stdout else None

    text = wait_until(shown)
    assert text.startswith('1 engines have a fresh heartbeat')
    assert 'CREATE  IN_PROGRESS  slow' in text and ' 1 stacks ' in text


def test_report_at_the_signal_has_threads_and_work_and_no_secrets(split):
    engine = split.service.processes['engine']
    engine.send_signal(signal.SIGUSR2)
    log = split.folder / 'engine.log'
    wait_until(lambda: '"at_work"' in log.read_text())
    text = log.read_text()
    assert '"stack": "slow"' in text and 'Guru Meditation' in text and 'heartbeat' in text
    assert 'a key of these tests' not in text
    assert engine.poll() is None
    api = split.service.processes['api']
    api.send_signal(signal.SIGUSR2)
    wait_until(lambda: 'Guru Meditation' in (split.folder / 'api.log').read_text())
    assert split.service.ask('GET', '/stacks').status_code == 200


def test_report_is_written_at_each_change_of_the_file_event_handler(tmp_path):
    conf, asked, folder = cfg.ConfigOpts(), tmp_path / 'asked', tmp_path / 'reports'
    folder.mkdir()
    file = tmp_path / 'x.conf'
    file.write_text(f'[oslo_reports]\nfile_event_handler = {asked}\nlog_dir = {folder}\n')
    conf([], prog='x', default_config_files=[str(file)])
    handler = signal.getsignal(signal.SIGUSR2)
    guru.install(conf, lambda: {'at_work': 'thing'})
    assert signal.getsignal(signal.SIGUSR2) is handler
    for number in (1, 2):
        asked.touch()
        os.utime(asked, (time.time() + number, time.time() + number))
        found = wait_until(
            lambda number=number: (each := sorted(folder.iterdir()))[number - 1 :] and each
        )
        wait_until(lambda found=found: '"at_work": "thing"' in found[-1].read_text())


def test_lines_in_json_name_request_stack_and_resource(split):
    body = {'stack_name': 'failing', 'template': FAILING}
    headers = {'X-Openstack-Request-Id': REQUEST_ID}
    made = split.service.ask('POST', '/stacks', body, headers=headers)
    stack_id = made.json()['stack']['id']
    found = wait_until(
        lambda: [each for each in lines(split, 'engine') if 'CREATE of ' in each.get('message', '')]
    )
    (line,) = found
    assert line['levelname'] == 'INFO'
    assert line['extra'] == {'stack': 'failing', 'stack_id': stack_id, 'resource': 'bad'}
    context = line['context']
    assert context['global_request_id'] == REQUEST_ID
    assert context['request_id'] == made.headers['x-openstack-request-id']
    assert context['project_id'] == 'demo'
    mine = [
        each
        for name in ('api', 'engine')
        for each in lines(split, name)
        if (each.get('context') or {}).get('global_request_id') == REQUEST_ID
    ]
    assert {each['levelname'] for each in mine} == {'INFO'}  # a mistake of the user


def test_requests_to_the_cloud_carry_the_id_of_the_request(driver, ids, running_cloud):  # noqa: F811
    running_cloud.cloud.request_ids.clear()
    driver.context.global_request_id = REQUEST_ID
    template = {'resources': {'net': {'type': 'OS::Neutron::Net', 'properties': {'name': 'n'}}}}
    identity = driver.create(template, 'net')
    assert 'POST' in [method for method, _, _ in running_cloud.cloud.asked]
    assert running_cloud.cloud.request_ids - {None} == {REQUEST_ID}
    assert work_report.describe(driver.service.runtime)['engine_id'] and identity
