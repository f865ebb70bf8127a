"""/healthcheck calls an engine."""

import tempfile

import pytest
import webob
from oslo_config import cfg

from heat_lite.api.middleware import health
from heat_lite.common import exception
from heat_lite.rpc.client import EngineClient
from tests.http import scripted


def application(environ, start_response):
    return webob.Response('application')(environ, start_response)


@pytest.fixture
def engine():
    with scripted.service() as (_, engine):
        yield engine


def checks(text='', **local):
    """Return the checks of the options of a file, and of a section of the pipelines."""
    with tempfile.NamedTemporaryFile('w', suffix='.conf') as file:
        file.write(f'[healthcheck]\n{text}')
        file.flush()
        conf = cfg.ConfigOpts()
        conf([], default_config_files=[file.name])
        return health.checks_of(conf, local)


def check(method='GET', path='/healthcheck', timeout=60, options='', **environ):
    request = webob.Request.blank(path, method=method, environ=environ)
    return request.get_response(
        health.HealthFilter(application, EngineClient(timeout=timeout), checks(options))
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
    assert 'No answer to list_services from the topic' in response.text


def test_other_paths_pass_to_the_application(engine):
    assert check(path='/healthcheck/x').text == 'application'


def test_backends_of_the_library_are_asked(engine, tmp_path):
    engine.script = {'list_services': {'returns': []}}
    marker = tmp_path / 'in-service'
    options = f'backends = enable_by_files\nenable_by_file_paths = {marker}\n'
    response = check(options=options)
    assert (response.status_int, response.text) == (503, 'FILE PATH MISSING')
    marker.touch()
    assert check(options=options).status_int == 200


def test_requests_of_other_addresses_are_no_health_checks(engine):
    engine.script = {'list_services': {'returns': []}}
    options = 'allowed_source_ranges = 10.0.0.0/8\n'
    assert check(options=options, REMOTE_ADDR='10.1.2.3').status_int == 200
    assert check(options=options, REMOTE_ADDR='11.1.2.3').text == 'application'
    proxied = {'HTTP_X_FORWARDED_FOR': '10.1.2.3'}
    assert check(options='ignore_proxied_requests = true\n', **proxied).text == 'application'


def test_application_of_the_checks_asks_no_engine(tmp_path):
    made = health.HealthApplication(checks('detailed = true\n'))
    answer = webob.Request.blank('/', accept='application/json').get_response(made)
    assert answer.status_int == 200 and answer.json['detailed'] is True
    ranges = health.HealthApplication(checks(allowed_source_ranges='10.0.0.0/8'))
    ignored = webob.Request.blank('/', environ={'REMOTE_ADDR': '11.1.2.3'})
    assert ignored.get_response(ranges).status_int == 404


@pytest.mark.parametrize(
    'options', ['allowed_source_ranges = here\n', 'backends = disable_by_file, enable_by_files\n']
)
def test_options_that_the_library_refuses_are_a_configuration_error(options):
    with pytest.raises(exception.ConfigurationError, match='healthcheck'):
        checks(options)


def test_liveness_asks_nothing(engine):
    engine.script = {}
    response = check(path='/healthcheck/live')
    assert (response.status_int, response.json) == (200, {'status': 'ok'})
    assert engine.calls == []


def test_readiness_names_what_fails_and_for_how_long(engine):
    engine.script = {
        'list_services': {'raises': {'ServiceUnavailable': {'reason': 'the database is away'}}}
    }
    response = check(path='/healthcheck/ready')
    assert response.status_int == 503
    broker, found = response.json['checks']
    assert broker == {'name': 'broker', 'status': 'ok'}
    assert found['name'] == 'engine' and 'the database is away' in found['reason']
    assert found['seconds'] >= 0 and found['since']


def test_readiness_asks_at_most_once_a_second(engine):
    engine.script = {'list_services': {'returns': []}}
    served = health.HealthFilter(application, EngineClient(timeout=60), checks())
    for _ in range(5):
        request = webob.Request.blank('/healthcheck/ready')
        assert request.get_response(served).json['status'] == 'ok'
    assert len(engine.calls) == 1


def test_readiness_obeys_the_files_of_the_operator(engine, tmp_path):
    engine.script = {'list_services': {'returns': []}}
    options = f'backends = enable_by_files\nenable_by_file_paths = {tmp_path}/in-service\n'
    response = check(path='/healthcheck/ready', options=options)
    assert response.status_int == 503
    assert response.json['checks'][-1] == {
        'name': 'healthcheck',
        'status': 'failing',
        'reason': 'FILE PATH MISSING',
    }
    ranges = 'allowed_source_ranges = 10.0.0.0/8\n'
    other = check(path='/healthcheck/live', options=ranges, REMOTE_ADDR='11.1.2.3')
    assert other.text == 'application'
