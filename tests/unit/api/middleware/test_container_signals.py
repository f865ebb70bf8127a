"""The port for containers passes signed signals, and nothing else."""

import urllib.parse

import pytest
import webob
import webob.exc

from heat_lite.api.middleware import container_signals
from heat_lite.common import signal_signature

SECRET = b'key'
PATH = '/v1/default/stacks/a%20b/1234/resources/more/signal'
SIGNED = signal_signature.sign(f'http://host{PATH}', SECRET)


@pytest.fixture
def send():
    """A function that sends a request, and returns what the application gets."""
    received = []

    def application(environ, start_response):
        received.append(webob.Request(environ))
        return webob.Response(status=200)(environ, start_response)

    door = container_signals.ContainerSignalFilter(application, SECRET)

    def request(url, method='POST', **headers):
        request = webob.Request.blank(url, method=method, headers=headers, body=b'{"data": 1}')
        request.get_response(door)
        return received.pop()

    return request


@pytest.mark.parametrize('method', ['POST', 'PUT'])
def test_signed_signal_is_passed_without_its_signature_and_identity(send, method):
    headers = {'X-Auth-Token': 'x', 'X-Roles': 'admin', 'Content-Type': 'text/plain'}
    got = send(SIGNED, method, **headers)
    assert (got.method, got.path, got.query_string) == ('POST', PATH, '')
    assert got.content_type == 'application/json' and got.body == b'{"data": 1}'
    assert not {'X-Auth-Token', 'X-Roles'} & set(got.headers)


@pytest.mark.parametrize(
    'url',
    [
        SIGNED.partition('?')[0],
        f'{SIGNED}0',
        SIGNED.replace('more', 'fewer'),
        SIGNED.replace('default', 'other'),
        signal_signature.sign(f'http://host{PATH}', b'other key'),
        signal_signature.sign('http://host/v1/default/stacks', SECRET),
        SIGNED.replace('/signal?', '/signal/../signal?'),
        'http://host/',
    ],
)
def test_other_requests_are_refused(send, url):
    with pytest.raises(webob.exc.HTTPForbidden):
        send(url)


def test_signed_read_of_deployments_is_passed(send):
    path = '/v1/default/software_deployments/metadata/1234'
    signed = signal_signature.sign(f'http://host{path}', SECRET)
    got = send(signed, 'GET')
    assert (got.method, got.path, got.query_string) == ('GET', path, '')
    for url, method in ((signed, 'POST'), (signed.replace('1234', '1235'), 'GET')):
        with pytest.raises(webob.exc.HTTPForbidden):
            send(url, method)


def test_signal_is_not_read(send):
    with pytest.raises(webob.exc.HTTPForbidden):
        send(SIGNED, 'GET')


def test_signature_is_that_of_the_decoded_path():
    parts = urllib.parse.urlsplit(SIGNED)
    assert signal_signature.is_signed(urllib.parse.unquote(parts.path), parts.query, SECRET)
