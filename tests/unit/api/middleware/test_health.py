"""/healthcheck asks an engine."""

import pytest
import webob

from heat_lite.api.middleware.health import HealthFilter
from heat_lite.common import exception
from heat_lite.rpc.client import EngineClient
from tests.http import scripted


def beyond(environ, start_response):
    return webob.Response('beyond')(environ, start_response)


@pytest.fixture
def engine():
    with scripted.service() as (_, made):
        yield made


def check(method='GET', path='/healthcheck', timeout=5):
    return webob.Request.blank(path, method=method).get_response(HealthFilter(beyond, EngineClient(timeout=timeout)))


def test_well(engine):
    engine.script = {'list_services': {'answers': []}}
    answer = check()
    assert (answer.status_int, answer.text, answer.headers['Content-Type']) == (200, '', 'text/plain; charset=UTF-8')


def test_the_engine_was_really_asked(engine):
    engine.script = {'list_services': {'answers': []}}
    check(method='HEAD')
    assert [method for method, _, _ in engine.asked] == ['list_services']


def test_its_database_fails(engine):
    engine.script = {'list_services': {'raises': {'ConnectionError': 'at mysql://heat:secret@db'}}}
    answer = check()
    assert (answer.status_int, answer.text) == (503, 'The engine or its database fails: ConnectionError\n')


def test_what_the_engine_says_of_itself(engine):
    engine.script = {'list_services': {'raises': {'ServiceUnavailable': {'reason': 'the database is away'}}}}
    assert check().text == f'{exception.ServiceUnavailable(reason="the database is away")}\n'


def test_no_engine_answers():
    with scripted.service() as (_, engine):
        engine.script = {'list_services': {'answers': None, 'sleeps': 1}}
        answer = check(timeout=0.2)
    assert answer.status_int == 503
    assert 'did not answer list_services within 0.2 seconds' in answer.text


def test_other_paths_pass(engine):
    assert check(path='/healthcheck/x').text == 'beyond'
