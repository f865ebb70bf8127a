"""Web pages and other users of the machine against `heat-lite up`, which requires no login."""

import fcntl
import os
import re
import stat
import subprocess

import pytest
import requests
import webob

from heat_lite.api.middleware import fault, local_requests
from tests.functional import shapes

FORM = 'application/x-www-form-urlencoded'


@pytest.fixture(scope='module')
def service(tmp_path_factory):
    with shapes.embedded(tmp_path_factory.mktemp('up')) as running:
        yield running


def port_of(service):
    return int(service.url.rpartition(':')[2].partition('/')[0])


@pytest.mark.parametrize(
    ('headers', 'status'),
    [
        ({'Host': 'evil.example'}, 403),
        ({'Host': 'evil.example:{port}'}, 403),
        ({'Host': 'localhost.evil.example'}, 403),
        ({'Host': '127.0.0.1@evil.example'}, 403),
        ({'Host': '192.0.2.1:{port}'}, 403),
        ({'Origin': 'https://evil.example'}, 403),
        ({'Origin': 'null'}, 403),
        ({'Origin': 'http://127.0.0.1.evil.example'}, 403),
        ({'Sec-Fetch-Site': 'cross-site'}, 403),
        ({'Host': 'localhost:{port}'}, 200),
        ({'Host': 'LOCALHOST'}, 200),
        ({'Host': '[::1]:1234'}, 200),
        ({'Origin': 'http://127.0.0.1:3000', 'Sec-Fetch-Site': 'same-site'}, 403),
        ({'Origin': 'http://localhost:{port}', 'Host': '127.0.0.1:{port}'}, 403),
        ({'Sec-Fetch-Site': 'same-origin', 'Origin': 'http://127.0.0.1:{port}'}, 200),
        # a tunnel from another port
        ({'Origin': 'http://localhost:3000', 'Host': 'localhost:3000'}, 200),
        ({'Sec-Fetch-Site': 'none'}, 200),
    ],
)
def test_request_of_a_page(service, headers, status):
    sent = {name: value.format(port=port_of(service)) for name, value in headers.items()}
    answer = requests.get(f'{service.endpoint}/stacks', headers=sent, timeout=30)
    assert answer.status_code == status
    if status == 403:
        assert re.search('service', answer.json()['error']['message'])


@pytest.mark.parametrize('kind', [FORM, 'text/plain', 'multipart/form-data; boundary=x', None])
def test_form_of_a_page_is_refused(service, kind):
    body = b'{"stack_name": "planted", "template": {"heat_template_version": "2021-04-16"}}'
    headers = {'Content-Type': kind} if kind else {}
    answer = requests.post(f'{service.endpoint}/stacks', body, headers=headers, timeout=30)
    assert answer.status_code == 415
    assert 'application/json' in answer.json()['error']['message']
    assert requests.get(f'{service.endpoint}/stacks', timeout=30).json() == {'stacks': []}


def respond(headers, **filters):
    """Return the status of a request to a filter with these arguments."""
    application = fault.FaultFilter(
        local_requests.LocalRequestFilter(webob.Response(), **{'hosts': ['0.0.0.0'], **filters})
    )
    return webob.Request.blank('/', headers=headers).get_response(application).status_int


def test_service_of_all_addresses_accepts_addresses_and_allowed_names():
    assert respond({'Host': '192.0.2.1:8004'}) == 200
    assert respond({'Host': '[2001:db8::1]:8004'}) == 200
    assert respond({'Host': 'heat.example'}) == 403
    assert respond({'Host': 'heat.example'}, hosts=['0.0.0.0', 'Heat.example']) == 200


def test_origin_that_the_operator_allows_is_accepted():
    headers = {'Host': 'localhost', 'Origin': 'https://ui.example', 'Sec-Fetch-Site': 'cross-site'}
    assert respond(headers) == 403
    assert respond(headers, origins=['https://ui.example']) == 200


# --------------------------------------------------------------- token and data folder


@pytest.fixture(scope='module')
def locked(tmp_path_factory):
    """A service that requires a token, and the token."""
    folder = tmp_path_factory.mktemp('locked')
    (folder / 'data').mkdir(mode=0o700)
    (folder / 'data' / 'token').touch(mode=0o600)
    (folder / 'data' / 'token').write_text('known')
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shapes.Service, 'token', lambda self, user='demo': 'known')
        patch.setattr(shapes, 'wait_until_ready', wait_with_token)
        with shapes.embedded(folder, '--require-token') as running:
            yield running


def wait_with_token(service):
    process = service.processes['up']
    while process.poll() is None and 'stock client' not in service.logs():
        try:
            process.wait(0.1)
        except subprocess.TimeoutExpired:
            continue
    assert process.poll() is None, service.logs()


@pytest.mark.parametrize(
    ('token', 'status'), [(None, 401), ('', 401), ('wrong', 401), ('known', 200)]
)
def test_service_with_token_refuses_others(locked, token, status):
    headers = {} if token is None else {'X-Auth-Token': token}
    answer = requests.get(f'{locked.endpoint}/stacks', headers=headers, timeout=30)
    assert answer.status_code == status


def list_stacks(locked, folder):
    """Return the end of `heat-lite stack list` with a data folder."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith('OS_')}
    return subprocess.run(
        [shapes.BIN / 'heat-lite', 'stack', '--endpoint', locked.endpoint, 'list'],
        env=kept | {'HEAT_LITE_DATA_DIR': str(folder)},
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_command_line_sends_the_token_to_its_service_only(locked, tmp_path):
    folder = locked.folder / 'data'
    assert list_stacks(locked, folder).returncode == 0
    for name, text in (('token', 'known'), ('url', 'http://127.0.0.1:1'), ('lock', '')):
        (tmp_path / name).write_text(text)
    with open(tmp_path / 'lock') as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        done = list_stacks(locked, tmp_path)
    assert done.returncode == 1 and 'requires a token' in done.stderr


def test_command_line_sends_no_token_to_what_listens_in_place_of_its_service(locked, tmp_path):
    # as after a crash: the folder names the URL, but no service holds its lock
    for name, text in (('token', 'known'), ('url', locked.endpoint), ('lock', '')):
        (tmp_path / name).write_text(text)
    done = list_stacks(locked, tmp_path)
    assert done.returncode == 1 and 'requires a token' in done.stderr
    with open(tmp_path / 'lock') as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert list_stacks(locked, tmp_path).returncode == 0


def test_printed_options_work_with_the_stock_client(locked):
    printed = re.search('stock client: (.*)', locked.logs()).group(1)
    assert 'known' not in printed and '--os-token' not in printed  # other users see arguments
    command = printed.replace('openstack', f'{shapes.BIN}/openstack', 1) + ' stack list -f json'
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout.strip()) == (0, '[]'), done.stderr


def start(folder, *words):
    """Start a service that is expected to refuse its folder."""
    command = [shapes.BIN / 'heat-lite', 'up', '--port', '0', '--data-dir', folder, *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def test_data_folder_of_another_user_is_refused(tmp_path):
    folder = tmp_path / 'foreign'
    folder.mkdir(mode=0o700)
    if os.getuid() != 0:
        pytest.skip('only root can give a folder away')
    os.chown(folder, 65534, -1)
    done = start(folder)
    assert done.returncode == 1 and f'{folder} belongs to another user' in done.stderr
    assert not list(folder.iterdir())


@pytest.mark.parametrize('mode', [0o755, 0o750, 0o701])
def test_data_folder_that_others_can_read_is_refused(tmp_path, mode):
    folder = tmp_path / 'open'
    folder.mkdir()
    folder.chmod(mode)
    done = start(folder)
    assert done.returncode == 1 and f'chmod 700 {folder}' in done.stderr
    assert not list(folder.iterdir())


def test_files_of_the_service_are_for_its_user_only(locked):
    folder = locked.folder / 'data'
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {each.name for each in folder.iterdir()} >= {'key', 'token', 'heat.sqlite', 'url'}
    for file in folder.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file
