"""What the tests of each deployer ask of the services that a deployer's files have started."""

import time

import requests

from tests import identity
from tests.timeouts import WAIT_SECONDS

PASSWORD = 'secret'
USERS = {
    'heat': {'password': PASSWORD, 'project': 'service', 'roles': ['admin', 'service']},
    'demo': {'password': PASSWORD, 'project': 'demo', 'roles': ['member', 'reader']},
}
TEMPLATE = {
    'heat_template_version': '2018-08-31',
    'resources': {'secret': {'type': 'OS::Heat::RandomString'}},
}


def keystone():
    """Yield a running Keystone with the users of the services."""
    application = identity.Identity(USERS, {})
    with identity.serve(application):
        yield application


def retry(work):
    """Return the result of ``work`` as soon as it raises no AssertionError."""
    end = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            return work()
        except AssertionError:
            if time.monotonic() > end:
                raise
            time.sleep(0.5)


def assert_answers(url, codes=(200, 300)):
    try:
        answer = requests.get(url, timeout=60)
    except requests.RequestException as error:
        raise AssertionError(url) from error
    assert answer.status_code in codes, answer.text


def assert_creates_stacks(port, keystone):
    """Create a stack by the API at a port, and wait for its end."""
    headers = login(keystone)
    stacks = f'http://127.0.0.1:{port}/v1/{identity.ident("demo")}/stacks'
    body = {'stack_name': 'web', 'template': TEMPLATE}
    answer = requests.post(stacks, json=body, headers=headers, timeout=60)
    assert answer.status_code == 201, answer.text

    def assert_complete():
        shown = requests.get(f'{stacks}/web', headers=headers, timeout=60).json()['stack']
        assert shown['stack_status'] == 'CREATE_COMPLETE', shown['stack_status_reason']

    retry(assert_complete)


def login(keystone):
    """Return the header with a token of the user demo."""
    domain = {'id': 'default'}
    user = {'name': 'demo', 'password': PASSWORD, 'domain': domain}
    body = {
        'identity': {'methods': ['password'], 'password': {'user': user}},
        'scope': {'project': {'name': 'demo', 'domain': domain}},
    }
    answer = requests.post(f'{keystone.url}/auth/tokens', json={'auth': body}, timeout=60)
    return {'X-Auth-Token': answer.headers['X-Subject-Token']}
