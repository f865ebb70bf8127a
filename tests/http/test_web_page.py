"""The web page: its files, their headers, and who may have them."""

import gzip
import json
import re

import pytest
import webob

from heat_lite.api import deploy, web_page
from tests.http import scripted

KEYSTONE = 'https://keystone.example:5000/v3'


def application(flavor='noauth', enabled=True, auth_url=None, token=None):
    conf = scripted.configuration(flavor)
    conf.set_override('web_page', enabled, 'heat_lite')
    conf.set_override('web_page_auth_url', auth_url, 'heat_lite')
    if flavor == 'noauth':
        return deploy.load_local_app(conf, ['127.0.0.1'], token)
    return deploy.load_app(conf)


@pytest.fixture(scope='module')
def page():
    return application()


def get(app, path, method='GET', **headers):
    headers = {name.replace('_', '-'): value for name, value in headers.items()}
    return webob.Request.blank(path, method=method, headers=headers).get_response(app)


def test_index_names_files_that_exist(page):
    response = get(page, '/ui/')
    assert response.status_int == 200 and response.content_type == 'text/html'
    names = re.findall(r'(?:href|src)="([\w.-]+\.(?:js|css))"', response.text)
    assert len(names) == 2
    for name in names:
        found = get(page, f'/ui/{name}')
        assert found.status_int == 200 and 'immutable' in found.headers['Cache-Control']


def test_documentation_is_beside_the_page(page):
    found = get(page, '/ui/docs/guide/index.md')
    assert (found.status_int, found.content_type) == (200, 'text/plain')
    assert get(page, '/ui/docs/pictures/graph-light.webp').content_type == 'image/webp'
    for path in ('/ui/docs/', '/ui/docs/../README.md', '/ui/docs//etc/passwd', '/ui/docs/none'):
        assert get(page, path).status_int == 404


def test_response_has_strict_headers(page):
    for path in ('/ui/', '/ui/config.json', '/ui/nothing'):
        headers = get(page, path).headers
        policy = headers['Content-Security-Policy']
        assert "default-src 'none'" in policy and 'unsafe' not in policy
        assert "connect-src 'self';" in policy and "frame-ancestors 'none'" in policy
        assert headers['X-Content-Type-Options'] == 'nosniff'
        assert headers['Referrer-Policy'] == 'no-referrer'


def test_unchanged_file_is_not_sent_again(page):
    first = get(page, '/ui/')
    assert first.headers['Cache-Control'] == 'no-cache'
    again = get(page, '/ui/', If_None_Match=first.headers['ETag'])
    assert again.status_int == 304 and not again.body


@pytest.mark.parametrize(
    ('accepted', 'packed'),
    [('gzip, br', True), ('br;q=1, gzip;q=0.5', True), ('gzip;q=0', False), ('br', False)],
)
def test_file_is_compressed_for_clients_that_accept_it(page, accepted, packed):
    name = re.search(r'src="(main-\w+\.js)"', get(page, '/ui/').text)[1]
    plain = get(page, f'/ui/{name}')
    response = get(page, f'/ui/{name}', Accept_Encoding=accepted)
    assert (response.headers.get('Content-Encoding') == 'gzip') == packed
    body = gzip.decompress(response.body) if packed else response.body
    assert body == plain.body
    assert (response.headers['ETag'] == plain.headers['ETag']) == (not packed)


def test_page_is_less_than_a_megabyte_compressed():
    files = [each for each in web_page.FOLDER.iterdir() if each.name != 'manifest.json']
    assert sum(len(gzip.compress(each.read_bytes())) for each in files) < 1_000_000


@pytest.mark.parametrize(
    'path', ['/ui/../api/deploy.py', '/ui/..%2fdeploy.py', '/ui/a/b', '/ui/%00', '/ui//etc/passwd']
)
def test_path_outside_of_the_page_is_not_found(page, path):
    assert get(page, path).status_int == 404


def test_other_methods_are_refused(page):
    response = get(page, '/ui/', method='POST')
    assert response.status_int == 405 and response.headers['Allow'] == 'GET, HEAD'


def test_folder_without_slash_is_redirected(page):
    response = get(page, '/ui')
    assert response.status_int == 301 and response.headers['Location'].endswith('/ui/')


def test_page_needs_no_token_where_the_service_does():
    app = application(token='secret')
    assert get(app, '/ui/').status_int == 200
    assert json.loads(get(app, '/ui/config.json').body)['login'] == 'token'
    assert get(app, '/v1/default/stacks').status_int == 401


def test_disabled_page_is_not_served():
    assert get(application(enabled=False), '/ui/').status_int != 200


def test_page_may_connect_to_keystone_alone():
    app = application(flavor=None, auth_url=KEYSTONE)
    response = get(app, '/ui/config.json')
    assert response.json == {'api': '../v1', 'login': 'keystone', 'auth_url': KEYSTONE}
    policy = response.headers['Content-Security-Policy']
    assert "connect-src 'self' https://keystone.example:5000;" in policy


def test_keystone_behind_the_same_site_needs_no_other_source():
    response = get(application(flavor=None, auth_url='/identity/v3'), '/ui/config.json')
    assert "connect-src 'self';" in response.headers['Content-Security-Policy']
