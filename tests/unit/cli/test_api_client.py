import contextlib
import json
import urllib.request

import pytest

from heat_lite.cli import api_client
from tests import identity


def test_call_without_a_listening_service_raises_status_0():
    with pytest.raises(api_client.RequestFailed, match='is `heat-lite up` running') as caught:
        api_client.ApiClient('http://127.0.0.1:1/v1/p').call('GET', '/stacks')
    assert caught.value.status == 0


def serve_response(status, body):
    def application(environ, start_response):
        start_response(status, [('Content-Type', 'application/json')])
        return [body]

    return identity.serve(application)


@pytest.mark.parametrize(
    'body, text',
    [
        (
            json.dumps({'error': {'message': 'The Stack (x) could not be found.'}}).encode(),
            'The Stack (x) could not be found.',
        ),
        (
            json.dumps(
                {
                    'error': {
                        'message': 'Wrong',
                        'position': {'file': 'template', 'line': 3, 'column': 5},
                    }
                }
            ).encode(),
            'Wrong (file template, line 3, column 5)',
        ),
        (b'plain words', 'plain words'),
        (
            b'{"error": {"message": "Resource CREATE failed: : : x", "type": "Error"}}',
            'Resource CREATE failed: x',
        ),
        (b'', '404 Not Found'),
    ],
)
def test_call_with_error_response_raises_its_message(body, text):
    with (
        serve_response('404 Not Found', body) as url,
        pytest.raises(api_client.RequestFailed) as caught,
    ):
        api_client.ApiClient(url + '/v1/p').call('GET', '/stacks/x')
    assert (str(caught.value), caught.value.status) == (text, 404)


def test_stack_path_quotes_names():
    assert api_client.stack_path({'stack_name': 'a/b c', 'id': '1'}) == '/stacks/a%2Fb%20c/1'


def test_web_page_is_reported_without_its_tags():
    with (
        serve_response('404 Not Found', b'<html><body>Welcome</body></html>') as url,
        pytest.raises(api_client.RequestFailed, match='a web page') as caught,
    ):
        api_client.ApiClient(url + '/v1/p').call('GET', '/stacks/x')
    assert '<' not in str(caught.value)


@pytest.mark.parametrize('status', ['502 Bad Gateway', '503 Service Unavailable'])
def test_page_of_a_proxy_without_its_service_is_no_wrong_url(status):
    with (
        serve_response(status, b'<html><body>No server is available</body></html>') as url,
        pytest.raises(api_client.RequestFailed, match='may be starting') as caught,
    ):
        api_client.ApiClient(url + '/v1/p').call('GET', '/stacks')
    assert caught.value.is_temporary and 'URL' not in str(caught.value)


def test_refused_token_names_the_options_that_give_another():
    with (
        serve_response('401 Unauthorized', b'{"error": {"message": "No."}}') as url,
        pytest.raises(
            api_client.RequestFailed, match='No .http.*. Another token .*--os-cloud'
        ) as caught,
    ):
        api_client.ApiClient(url + '/v1/p', 'old').call('GET', '/stacks')
    assert caught.value.status == 401


def test_unknown_path_is_explained_without_markup():
    body = b'{"message": "Not found.<br /><br />\\n", "code": "404 Not Found"}'
    with (
        serve_response('404 Not Found', body) as url,
        pytest.raises(api_client.RequestFailed) as caught,
    ):
        api_client.ApiClient(url + '/v9').call('GET', '/stacks', limit=2)
    assert str(caught.value).startswith(f'Not found. (nothing is at {url}/v9/stacks; an endpoint')


def test_successful_response_that_is_no_json_is_reported():
    with (
        serve_response('200 OK', b'<html>') as url,
        pytest.raises(api_client.RequestFailed, match='a web page'),
    ):
        api_client.ApiClient(url + '/v1/p').call('GET', '/stacks')


def test_expired_token_is_renewed_once():
    tokens = []

    def application(environ, start_response):
        tokens.append(environ['HTTP_X_AUTH_TOKEN'])
        is_valid = tokens[-1] == 'new'
        start_response('200 OK' if is_valid else '401 Unauthorized', [])
        return [b'{"stacks": []}' if is_valid else b'']

    with identity.serve(application) as url:
        api = api_client.ApiClient(url, 'old', renew=lambda: 'new')
        assert api.call('GET', '/stacks') == {'stacks': []}
        with pytest.raises(api_client.RequestFailed) as caught:
            api_client.ApiClient(url, 'old', renew=lambda: 'also wrong').call('GET', '/stacks')
    assert caught.value.status == 401
    assert tokens == ['old', 'new', 'old', 'also wrong']


@contextlib.contextmanager
def redirecting(target):
    """Yield the URL of a server that redirects from /v1/p/stacks, and the tokens it got after."""
    tokens = []

    def application(environ, start_response):
        if environ['PATH_INFO'] == '/v1/p/stacks':
            start_response('302 Found', [('Location', target or '/v1/p/stacks/id')])
            return [b'']
        tokens.append(environ.get('HTTP_X_AUTH_TOKEN'))
        start_response('200 OK', [('Content-Type', 'application/json')])
        return [b'{}']

    with identity.serve(application) as url:
        yield url, tokens


def test_token_is_sent_to_the_server_that_redirects():
    with redirecting(None) as (url, tokens):
        assert api_client.ApiClient(url + '/v1/p', 'secret').call('GET', '/stacks') == {}
    assert tokens == ['secret']


@pytest.mark.parametrize('host', ['127.0.0.1', 'localhost'])
def test_token_is_not_sent_to_another_server(host):
    with redirecting(None) as (other, tokens):
        target = other.replace('127.0.0.1', host) + '/v1/p/stacks/id'
        with redirecting(target) as (url, _):
            assert api_client.ApiClient(url + '/v1/p', 'secret').call('GET', '/stacks') == {}
    assert tokens == [None]


@pytest.mark.parametrize(
    ('before', 'after', 'may_have'),
    [
        ('http://heat:8004/v1', 'http://heat:8004/v2', True),
        ('http://heat:8004/v1', 'https://heat:13004/v1', True),
        ('http://heat/v1', 'https://HEAT/v1', True),
        ('https://heat/v1', 'https://heat:443/v2', True),
        ('https://heat/v1', 'http://heat/v1', False),
        ('https://heat/v1', 'https://heat:8004/v1', False),
        ('https://heat/v1', 'https://heat.example/v1', False),
        ('http://heat/v1', 'https://other/v1', False),
        ('http://heat/v1', 'http://heat@other/v1', False),
    ],
)
def test_redirect_keeps_the_token_at_its_host(before, after, may_have):
    request = urllib.request.Request(before, headers={'X-Auth-Token': 'secret', 'Accept': 'a/b'})
    found = api_client.RedirectHandler().redirect_request(request, None, 302, '', {}, after)
    assert found.headers == ({'X-auth-token': 'secret'} if may_have else {}) | {'Accept': 'a/b'}
