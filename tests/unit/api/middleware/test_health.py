"""/healthcheck calls an engine."""

import pytest
import webob

from heat_lite.api.middleware.health import HealthFilter
from heat_lite.common import exception
from heat_lite.rpc.client import EngineClient
from tests.http import scripted


def application(environ, start_response):
    return webob.Response('application')(environ, start_response)


@pytest.fixture
def engine():
    with scripted.service() as (_, engine):
        yield engine


def check(method='GET', path='/healthcheck', timeout=60):
    return webob.Request.blank(path, method=method).get_response(
        HealthFilter(application, EngineClient(timeout=timeout))
    )


def test_healthcheck_with_running_engine_is_200(engine):
    engine.script = {'list_services': {'returns': []}}
    response = check()
    assert (response.status_int, response.text, response.headers['Content-Type']) == (
        200,
        '',
        'text/plain; charset=UTF-8',
    )


def test_healthcheck_calls_list_services(engine):
    engine.script = {'list_services': {'returns': []}}
    check(method='HEAD')
    assert [method for method, _, _ in engine.calls] == ['list_services']


def test_healthcheck_with_failing_database_is_503(engine):
    engine.script = {'list_services': {'raises': {'ConnectionError': 'at mysql://heat:secret@db'}}}
    response = check()
    assert (response.status_int, response.text) == (
        503,
        'The engine or its database fails: ConnectionError\n',
    )


def test_healthcheck_shows_the_error_of_the_engine(engine):
    engine.script = {
        'list_services': {'raises': {'ServiceUnavailable': {'reason': 'the database is away'}}}
    }
    assert check().text == f'{exception.ServiceUnavailable(reason="the database is away")}\n'


def test_healthcheck_without_reply_is_503():
    with scripted.service() as (_, engine):
        engine.script = {'list_services': {'returns': None, 'sleeps': 1}}
        response = check(timeout=0.2)
    assert response.status_int == 503
    assert 'did not answer list_services within 0.2 seconds' in response.text


def test_other_paths_pass_to_the_application(engine):
    assert check(path='/healthcheck/x').text == 'application'
