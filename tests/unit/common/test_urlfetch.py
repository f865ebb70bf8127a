"""Download of templates from a server that misbehaves."""

import ipaddress

import pytest

from heat_lite.common import url_rules, urlfetch
from tests import identity


def site(environ, start_response):
    path = environ['PATH_INFO']
    if path.startswith('/hop/'):
        left = int(path.removeprefix('/hop/'))
        start_response('302 Found', [('Location', f'/hop/{left - 1}' if left else '/text')])
        return [b'']
    if path == '/away':
        start_response('302 Found', [('Location', 'file:///etc/passwd')])
        return [b'']
    if path == '/missing':
        start_response('404 Not Found', [])
        return [b'no']
    start_response('200 OK', [('Content-Type', 'text/plain; charset=utf-8')])
    if path == '/slow':
        return drip()
    return ['größe'.encode()] if path == '/text' else [b'x' * 5000] * 10


def drip():
    while True:
        yield b'x' * urlfetch.CHUNK


@pytest.fixture(scope='module')
def url():
    with identity.serve(site) as made:
        yield made


@pytest.fixture(autouse=True)
def loopback_allowed(monkeypatch):
    allowed = url_rules.Rules(allow=(ipaddress.ip_network('127.0.0.0/8'),))
    monkeypatch.setattr(urlfetch, '_rules', allowed)


def get(url, limit=1000, timeout=60):
    return urlfetch.get(url, limit, timeout)


def test_get_decodes_the_text(url):
    assert get(f'{url}/text') == 'größe'


@pytest.mark.parametrize('hops', [0, urlfetch.REDIRECTS - 1])
def test_get_follows_redirects(url, hops):
    assert get(f'{url}/hop/{hops}') == 'größe'


@pytest.mark.parametrize(
    ('path', 'message'),
    [
        (f'/hop/{urlfetch.REDIRECTS}', 'Too many redirects'),
        ('/away', 'Invalid URL scheme file'),
        ('/missing', 'Failed to retrieve template from'),
        ('/large', r'Template exceeds maximum allowed size \(1000 bytes\)'),
    ],
)
def test_get_of_refused_response_raises(url, path, message):
    with pytest.raises(urlfetch.URLFetchError, match=message):
        get(url + path)


def test_get_of_endless_response_ends_with_the_timeout(url):
    with pytest.raises(urlfetch.URLFetchError, match='Template took too long'):
        get(f'{url}/slow', limit=10**12, timeout=0.2)


@pytest.mark.parametrize('bad', ['ftp://x', '', 'x', 'file:///etc/passwd', '//host/x'])
def test_get_with_other_scheme_raises(bad):
    with pytest.raises(urlfetch.URLFetchError, match='Invalid URL scheme'):
        get(bad)


@pytest.mark.parametrize(
    'bad',
    ['http://', 'http://[::1/x', 'http://127.0.0.1:1/', 'http://127.0.0.1:99999/', 'http://a\0b/'],
)
def test_get_of_invalid_address_raises(bad):
    with pytest.raises(urlfetch.URLFetchError):
        get(bad)
