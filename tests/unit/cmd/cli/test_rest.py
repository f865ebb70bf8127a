import json

import pytest

from heat_lite.cmd.cli import rest
from tests import identity

USERS = {'demo': {'password': 'secret', 'project': 'shop', 'roles': ['member']}}


@pytest.fixture
def keystone():
    application = identity.Identity(USERS, {'orchestration': 'http://127.0.0.1:8004/v1/%(project_id)s'})
    with identity.serve(application) as url:
        yield {'OS_AUTH_URL': url, 'OS_USERNAME': 'demo', 'OS_PASSWORD': 'secret', 'OS_PROJECT_NAME': 'shop'}


def test_logs_in_and_finds_the_service(keystone):
    api = rest.from_environment(env=keystone)
    assert api.endpoint == f'http://127.0.0.1:8004/v1/{identity.ident("shop")}'
    assert api.headers['X-Auth-Token']


def test_wrong_password(keystone):
    with pytest.raises(rest.Refused, match='requires authentication') as caught:
        rest.from_environment(env=keystone | {'OS_PASSWORD': 'wrong'})
    assert caught.value.status == 401


def test_no_service_in_that_region(keystone):
    with pytest.raises(rest.Refused, match='no orchestration service in region Mars'):
        rest.from_environment(env=keystone | {'OS_REGION_NAME': 'Mars'})


def test_a_variable_is_missing(keystone):
    del keystone['OS_USERNAME']
    with pytest.raises(rest.Refused, match='OS_USERNAME is not'):
        rest.from_environment(env=keystone)


def test_an_endpoint_that_is_given_wins(keystone):
    api = rest.from_environment('http://h/v1/p/', 'token', env=keystone)
    assert (api.endpoint, api.headers) == ('http://h/v1/p', {'X-Auth-Token': 'token'})


def test_without_anything_it_is_the_service_of_this_machine():
    assert rest.from_environment(env={}).endpoint == rest.DEFAULT_ENDPOINT
    assert rest.from_environment(env={'HEAT_LITE_ENDPOINT': 'http://h/v1/p'}).endpoint == 'http://h/v1/p'


def test_nobody_there():
    with pytest.raises(rest.Refused, match='gives no usable answer') as caught:
        rest.Api('http://127.0.0.1:1/v1/p').call('GET', '/stacks')
    assert caught.value.status == 0


def serve_answer(status, body):
    def application(environ, start_response):
        start_response(status, [('Content-Type', 'application/json')])
        return [body]

    return identity.serve(application)


@pytest.mark.parametrize(
    'body, text',
    [
        (json.dumps({'error': {'message': 'The Stack (x) could not be found.'}}).encode(), 'The Stack (x) could not be found.'),
        (
            json.dumps({'error': {'message': 'Wrong', 'position': {'file': 'template', 'line': 3, 'column': 5}}}).encode(),
            'Wrong (file template, line 3, column 5)',
        ),
        (b'plain words', 'plain words'),
        (b'', '404 Not Found'),
    ],
)
def test_an_error_tells_its_text(body, text):
    with serve_answer('404 Not Found', body) as url, pytest.raises(rest.Refused) as caught:
        rest.Api(url + '/v1/p').call('GET', '/stacks/x')
    assert (str(caught.value), caught.value.status) == (text, 404)


def test_names_are_quoted():
    assert rest.stack_path({'stack_name': 'a/b c', 'id': '1'}) == '/stacks/a%2Fb%20c/1'
