"""The container image, which HEAT_LITE_TEST_IMAGE names; ``make containers`` builds it."""

import contextlib
import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
import requests

from tests import ports
from tests.timeouts import WAIT_SECONDS

ROOT = Path(__file__).resolve().parents[2]
IMAGE = os.environ.get('HEAT_LITE_TEST_IMAGE')
ENGINE = os.environ.get('CONTAINER_ENGINE') or shutil.which('podman') or shutil.which('docker')
#: what an operator should set, too
HARDENED = ('--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges')
TEMPLATE = {
    'heat_template_version': '2021-04-16',
    'resources': {'text': {'type': 'OS::Heat::RandomString'}},
}

pytestmark = pytest.mark.skipif(not (IMAGE and ENGINE), reason='make containers runs these tests')


def run(*words):
    """Run a command in the image; return its process."""
    command = [ENGINE, 'run', '--rm', '--label', 'heat_lite', *HARDENED, IMAGE, *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=WAIT_SECONDS)


def test_programs_run_as_another_user_than_root_and_write_nothing():
    assert run('id', '-u').stdout.strip() == '970'
    assert run('touch', '/etc/heat_lite/file').returncode != 0
    done = run('heat-lite-manage', '--version')
    assert done.returncode == 0 and done.stdout.startswith('heat-lite-manage ')


def test_image_names_what_it_contains():
    listed = json.loads(run('cat', '/usr/share/heat-lite/sbom.cdx.json').stdout)['components']
    lines = (ROOT / 'requirements.lock').read_text().splitlines()
    locked = {line for line in lines if line and not line.startswith('#')}
    assert {f'{each["name"]}=={each["version"]}' for each in listed} == locked


@pytest.fixture
def service():
    """The URL of a service in the image."""
    port = ports.reserve()
    words = ['--detach', '--label', 'heat_lite', '--tmpfs', '/tmp', *HARDENED]
    words += ['--publish', f'127.0.0.1:{port}:8004', IMAGE, 'heat-lite', 'up']
    words += ['--host', '0.0.0.0', '--expose', '--allow-host', '127.0.0.1']
    done = subprocess.run([ENGINE, 'run', *words], capture_output=True, text=True, check=True)
    yield f'http://127.0.0.1:{port}'
    subprocess.run([ENGINE, 'rm', '--force', '--volumes', done.stdout.strip()], check=True)


def wait_until(condition):
    end = time.monotonic() + WAIT_SECONDS
    while not (found := condition()) and time.monotonic() < end:
        time.sleep(0.2)
    return found


def answer(url):
    with contextlib.suppress(requests.ConnectionError):
        return requests.get(url, timeout=60)


def test_service_in_the_image_creates_a_stack(service):
    assert wait_until(lambda: answer(service)) is not None
    url = f'{service}/v1/demo/stacks'
    made = requests.post(url, json={'stack_name': 'one', 'template': TEMPLATE}, timeout=60)
    assert made.status_code == 201, made.text

    def is_complete():
        found = requests.get(f'{url}/one', timeout=60).json()['stack']
        return found['stack_status'] == 'CREATE_COMPLETE'

    assert wait_until(is_complete)
