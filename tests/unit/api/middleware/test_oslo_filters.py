"""The subclasses of the filters of oslo.middleware behave as their bases."""

import pytest
import webob
from oslo_config import cfg

import heat_lite.conf
from heat_lite.api import paste_config
from heat_lite.api.middleware import oslo_filters

REQUEST_ID = 'req-01234567-89ab-cdef-0123-456789abcdef'


@pytest.fixture
def conf(tmp_path):
    file = tmp_path / 'heat.conf'
    file.write_text(
        '[cors]\nallowed_origin = http://dashboard\n'
        '[oslo_middleware]\nenable_proxy_headers_parsing = true\n'
    )
    conf = heat_lite.conf.register(cfg.ConfigOpts())
    conf(['--config-file', str(file)])
    return paste_config.global_conf_of(conf)


class Application:
    """Application that responds 404 with given headers and records the environment."""

    def __init__(self, **headers):
        self.headers = headers

    def __call__(self, environ, start_response):
        self.environ = environ
        return webob.Response(status=404, headers=self.headers)(environ, start_response)


def send(factory, conf, application, method='GET', **headers):
    request = webob.Request.blank(
        '/v1/p/stacks',
        method=method,
        headers={key.replace('_', '-'): value for key, value in headers.items()},
    )
    return request.get_response(factory(conf)(application))


def test_request_id_is_in_environment_and_response(conf):
    application = Application()
    response = send(
        oslo_filters.request_id_factory, conf, application, X_Openstack_Request_Id=REQUEST_ID
    )
    request_id = application.environ['openstack.request_id']
    assert response.headers.getall('x-openstack-request-id') == [request_id] != [REQUEST_ID]
    assert application.environ['openstack.global_request_id'] == REQUEST_ID


def test_invalid_global_request_id_is_ignored(conf):
    application = Application()
    send(oslo_filters.request_id_factory, conf, application, X_Openstack_Request_Id='x')
    assert 'openstack.global_request_id' not in application.environ


def test_request_id_of_the_response_is_kept(conf):
    response = send(
        oslo_filters.request_id_factory, conf, Application(**{'X-OpenStack-Request-ID': 'theirs'})
    )
    assert response.headers.getall('x-openstack-request-id') == ['theirs']


def test_response_to_allowed_origin_has_cors_header(conf):
    response = send(oslo_filters.cors_factory, conf, Application(), Origin='http://dashboard')
    assert (response.status_int, response.headers['Access-Control-Allow-Origin']) == (
        404,
        'http://dashboard',
    )


@pytest.mark.parametrize('headers', [{}, {'Origin': 'http://elsewhere'}])
def test_response_to_other_origin_has_no_cors_header(conf, headers):
    response = send(oslo_filters.cors_factory, conf, Application(), **headers)
    assert response.status_int == 404
    assert 'Access-Control-Allow-Origin' not in response.headers


def test_preflight_request_returns_the_allowed_methods(conf):
    wanted = {'Origin': 'http://dashboard', 'Access_Control_Request_Method': 'PUT'}
    response = send(oslo_filters.cors_factory, conf, Application(), 'OPTIONS', **wanted)
    assert (response.status_int, response.headers['Access-Control-Allow-Methods']) == (200, 'PUT')


def test_proxy_headers_set_scheme_and_prefix(conf):
    application = Application()
    send(
        oslo_filters.proxy_factory,
        conf,
        application,
        X_Forwarded_Proto='https',
        X_Forwarded_Prefix='/heat',
    )
    assert application.environ['wsgi.url_scheme'] == 'https'
    assert application.environ['SCRIPT_NAME'] == '/heat'
