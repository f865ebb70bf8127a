"""The filters of oslo.middleware do what the library's do, though they take nothing apart."""

import pytest
import webob
from oslo_config import cfg

import heat_lite.conf
from heat_lite.api import configuration
from heat_lite.api.middleware import library

NUMBER = 'req-01234567-89ab-cdef-0123-456789abcdef'


@pytest.fixture
def conf(tmp_path):
    file = tmp_path / 'heat.conf'
    file.write_text('[cors]\nallowed_origin = http://dashboard\n[oslo_middleware]\nenable_proxy_headers_parsing = true\n')
    conf = heat_lite.conf.register(cfg.ConfigOpts())
    conf(['--config-file', str(file)])
    return configuration.offer(conf)


class Application:
    """Says 404 with a header of its own, and keeps what it was asked."""

    def __init__(self, **headers):
        self.headers = headers

    def __call__(self, environ, start_response):
        self.environ = environ
        return webob.Response(status=404, headers=self.headers)(environ, start_response)


def ask(factory, conf, application, method='GET', **headers):
    request = webob.Request.blank('/v1/p/stacks', method=method, headers={key.replace('_', '-'): value for key, value in headers.items()})
    return request.get_response(factory(conf)(application))


def test_requests_are_numbered(conf):
    application = Application()
    answer = ask(library.request_id_factory, conf, application, X_Openstack_Request_Id=NUMBER)
    number = application.environ['openstack.request_id']
    assert answer.headers.getall('x-openstack-request-id') == [number] != [NUMBER]
    assert application.environ['openstack.global_request_id'] == NUMBER


def test_numbers_that_are_none_are_not_taken_over(conf):
    application = Application()
    ask(library.request_id_factory, conf, application, X_Openstack_Request_Id='x')
    assert 'openstack.global_request_id' not in application.environ


def test_an_answer_that_has_a_number_keeps_it(conf):
    answer = ask(library.request_id_factory, conf, Application(**{'X-OpenStack-Request-ID': 'theirs'}))
    assert answer.headers.getall('x-openstack-request-id') == ['theirs']


def test_pages_of_the_dashboard_may_read_answers(conf):
    answer = ask(library.cors_factory, conf, Application(), Origin='http://dashboard')
    assert (answer.status_int, answer.headers['Access-Control-Allow-Origin']) == (404, 'http://dashboard')


@pytest.mark.parametrize('headers', [{}, {'Origin': 'http://elsewhere'}])
def test_others_may_not(conf, headers):
    answer = ask(library.cors_factory, conf, Application(), **headers)
    assert answer.status_int == 404
    assert 'Access-Control-Allow-Origin' not in answer.headers


def test_browsers_may_ask_before(conf):
    wanted = {'Origin': 'http://dashboard', 'Access_Control_Request_Method': 'PUT'}
    answer = ask(library.cors_factory, conf, Application(), 'OPTIONS', **wanted)
    assert (answer.status_int, answer.headers['Access-Control-Allow-Methods']) == (200, 'PUT')


def test_the_proxy_in_front_is_believed(conf):
    application = Application()
    ask(library.proxy_factory, conf, application, X_Forwarded_Proto='https', X_Forwarded_Prefix='/heat')
    assert application.environ['wsgi.url_scheme'] == 'https'
    assert application.environ['SCRIPT_NAME'] == '/heat'
