"""URLs of templates: addresses that only the service can reach, servers that misbehave."""

import contextlib
import datetime
import ipaddress
import socket
import ssl
import threading
import time

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from oslo_config import cfg

from heat_lite import conf as options
from heat_lite.api.v1 import stack_request
from heat_lite.common import exception, url_rules, urlfetch
from heat_lite.resources.base import template_resource
from tests import identity

TEMPLATE = b'heat_template_version: 2021-04-16\n'
SECRET = b'root:x:0:0: a secret of this machine'
LIMITS = stack_request.RequestLimits(10000, 5)


class Site:
    """A WSGI application that counts its requests; /to/URL redirects there."""

    def __init__(self):
        self.requests = []

    def __call__(self, environ, start_response):
        path = environ['PATH_INFO']
        self.requests.append((environ['HTTP_HOST'], path, environ.get('HTTP_AUTHORIZATION')))
        if path.startswith('/to/'):
            start_response('302 Found', [('Location', path.removeprefix('/to/'))])
            return [b'']
        start_response('200 OK', [('Content-Type', 'text/plain')])
        return [SECRET if path == '/secret' else TEMPLATE]


@pytest.fixture
def site():
    return Site()


@pytest.fixture
def url(site):
    with identity.serve(site) as made:
        yield made


@pytest.fixture(autouse=True)
def rules():
    """A function that configures downloads by options; the default ones before and after."""
    conf = cfg.ConfigOpts()
    options.register(conf)
    conf([], project='heat_lite', default_config_files=[])

    def configure(**values):
        for name, value in values.items():
            conf.set_override(f'template_url_{name}', value, 'heat_lite')
        urlfetch.configure(conf)

    configure()
    yield configure
    configure(allow=[], refuse=[], proxy=None)
    urlfetch.use_resolver(socket.getaddrinfo)


def get(url, timeout=60):
    return urlfetch.get(url, 1000, timeout)


def refused(url):
    with pytest.raises(urlfetch.URLFetchError, match='Failed to retrieve template'):
        get(url)


def test_url_of_loopback_is_refused_by_default(site, url):
    port = url.rpartition(':')[2]
    for host in ('127.0.0.1', 'localhost', '127.1', '2130706433', '0.0.0.0', '[::ffff:127.0.0.1]'):
        refused(f'http://{host}:{port}/secret')
    assert site.requests == []


@pytest.mark.parametrize(
    'address',
    [
        '127.8.8.8',
        '169.254.169.254',
        '0.0.0.1',
        '::',
        '::1',
        'fe80::1',
        '224.0.0.1',
        'ff02::1',
        '::ffff:169.254.169.254',
        '64:ff9b::a9fe:a9fe',
        '64:ff9b:1::127.0.0.1',
        '::ffff:0:127.0.0.1',
        'fd00:ec2::254',
        '100.100.100.200',
        '168.63.129.16',
        '2002:7f00:1::',
        '::7f00:1',
    ],
)
def test_local_address_in_any_form_is_refused(address):
    assert url_rules.Rules().refuses(ipaddress.ip_address(address))


@pytest.mark.parametrize('address', ['10.0.0.1', '192.0.2.1', '2001:db8::1', 'fd00::1'])
def test_other_address_is_not_refused(address):
    assert not url_rules.Rules().refuses(ipaddress.ip_address(address))


def test_refused_networks_and_the_precedence_of_allowed_ones(rules):
    refuse, allow = ipaddress.ip_network('10.0.0.0/8'), ipaddress.ip_network('10.1.0.0/16')
    rules = url_rules.Rules(allow=(allow,), refuse=(refuse,))
    assert rules.refuses(ipaddress.ip_address('10.2.0.1'))
    assert rules.refuses(ipaddress.ip_address('::ffff:10.2.0.1'))
    assert not rules.refuses(ipaddress.ip_address('10.1.0.1'))


def test_allowed_network_is_reached(rules, url):
    rules(allow=['127.0.0.0/8'])
    assert get(f'{url}/template').encode() == TEMPLATE


def test_redirect_to_a_refused_address_is_refused(rules, site, url):
    rules(allow=['127.0.0.1'])
    with identity.serve(Site()) as other:
        hidden = other.replace('127.0.0.1', '127.0.0.2')
        refused(f'{url}/to/{hidden}/secret')
    assert [path for _, path, _ in site.requests] == [f'/to/{hidden}/secret']


def test_name_that_changes_its_address_is_resolved_once(rules, site, url):
    """DNS rebinding: the name has a harmless address when it is checked, and ours afterwards."""
    port = int(url.rpartition(':')[2])
    asked = []

    def resolve(host, port, **kinds):
        asked.append(host)
        address = '192.0.2.1' if len(asked) == 1 else '127.0.0.1'
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, '', (address, port))]

    urlfetch.use_resolver(resolve)
    with pytest.raises(urlfetch.URLFetchError):
        get(f'http://rebinding.example:{port}/secret', timeout=1)
    assert asked == ['rebinding.example'] and site.requests == []


def test_name_with_a_refused_address_among_others_is_refused(site, url):
    port = int(url.rpartition(':')[2])
    urlfetch.use_resolver(
        lambda host, port, **kinds: [
            (socket.AF_INET, socket.SOCK_STREAM, 6, '', (address, port))
            for address in ('192.0.2.1', '127.0.0.1')
        ]
    )
    refused(f'http://both.example:{port}/secret')
    assert site.requests == []


def test_slow_name_server_ends_with_the_timeout():
    urlfetch.use_resolver(lambda *words, **kinds: time.sleep(60))
    begun = time.monotonic()
    with pytest.raises(urlfetch.URLFetchError, match='too long'):
        get('http://slow.example/', timeout=0.5)
    assert time.monotonic() - begun < 60


# --------------------------------------------------------------- servers that drip


@contextlib.contextmanager
def dripping(first):
    """Serve ``first``, and a byte each tenth of a second thereafter. Gives the URL."""
    stopping = threading.Event()

    def serve(listener):
        with contextlib.suppress(OSError):
            while not stopping.is_set():
                accepted, _ = listener.accept()
                threading.Thread(target=drip, args=(accepted,), daemon=True).start()

    def drip(accepted):
        with contextlib.suppress(OSError), accepted:
            accepted.recv(10000)
            accepted.sendall(first)
            while not stopping.wait(0.1):
                accepted.sendall(b'x')

    with socket.create_server(('127.0.0.1', 0)) as listener:
        threading.Thread(target=serve, args=(listener,), daemon=True).start()
        yield f'http://127.0.0.1:{listener.getsockname()[1]}/'
        stopping.set()


@pytest.mark.parametrize(
    'first',
    [b'', b'HTTP/1.1 200 OK\r\nX: ', b'HTTP/1.1 200 OK\r\n\r\n'],
    ids=['status', 'header', 'body'],
)
def test_server_that_drips_ends_with_the_timeout(rules, first):
    rules(allow=['127.0.0.1'])
    with dripping(first) as url:
        begun = time.monotonic()
        with pytest.raises(urlfetch.URLFetchError, match='too long'):
            get(url, timeout=1)
        assert time.monotonic() - begun < 60


# --------------------------------------------------------------- what users see of it


def test_errors_of_a_fetched_text_have_no_excerpt(rules, url):
    rules(allow=['127.0.0.1'])
    with pytest.raises(exception.StackValidationFailed) as failure:
        template_resource.fetch_template({}, f'{url}/secret')
    assert 'not a template' in str(failure.value) and 'root:' not in str(failure.value)
    request = stack_request.StackRequest({'template_url': f'{url}/secret'}, LIMITS)
    with pytest.raises(Exception, match='is not a template') as failure:
        request.template()
    assert 'root:' not in str(failure.value)


def test_template_at_a_url_is_read_by_both_ways(rules, url):
    rules(allow=['127.0.0.1'])
    wanted = {'heat_template_version': '2021-04-16'}
    assert template_resource.fetch_template({}, f'{url}/template') == wanted
    request = stack_request.StackRequest({'template_url': f'{url}/template'}, LIMITS)
    assert request.template() == wanted


# --------------------------------------------------------------- proxies and credentials


def test_proxies_and_netrc_of_the_environment_are_not_used(rules, site, url, monkeypatch, tmp_path):
    rules(allow=['127.0.0.1'])
    (tmp_path / '.netrc').write_text('machine 127.0.0.1 login me password secret\n')
    monkeypatch.setenv('HOME', str(tmp_path))
    monkeypatch.setenv('NETRC', str(tmp_path / '.netrc'))
    monkeypatch.setenv('http_proxy', 'http://127.0.0.1:1')
    assert get(f'{url}/template').encode() == TEMPLATE
    assert site.requests[0][2] is None


def test_configured_proxy_is_used(rules, site, url):
    rules(proxy=url)
    assert get('http://192.0.2.1/template').encode() == TEMPLATE
    assert site.requests[0][0] == '192.0.2.1'
    refused('http://127.0.0.1/template')
    assert len(site.requests) == 1


# --------------------------------------------------------------- certificates


def certificate(name):
    """Return a new key and a certificate for ``name``, as one PEM text."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    builder = x509.CertificateBuilder(subject, subject, key.public_key(), 1)
    builder = builder.not_valid_before(now - datetime.timedelta(days=1))
    builder = builder.not_valid_after(now + datetime.timedelta(days=1))
    builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), False)
    made = builder.sign(key, hashes.SHA256())
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    ) + made.public_bytes(serialization.Encoding.PEM)


def serve_tls(listener, file):
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(file)
    while True:
        try:
            accepted, _ = listener.accept()
            with context.wrap_socket(accepted, server_side=True) as connection:
                connection.recv(10000)
                connection.sendall(b'HTTP/1.1 200 OK\r\n\r\n' + TEMPLATE)
        except ssl.SSLError:
            continue
        except OSError:
            return


def test_certificate_is_checked_against_the_name(rules, tmp_path, monkeypatch):
    rules(allow=['127.0.0.1'])
    file = tmp_path / 'server.pem'
    file.write_bytes(certificate('templates.example'))
    monkeypatch.setenv('REQUESTS_CA_BUNDLE', str(file))
    urlfetch.use_resolver(
        lambda host, port, **kinds: socket.getaddrinfo('127.0.0.1', port, **kinds)
    )
    with socket.create_server(('127.0.0.1', 0)) as listener:
        threading.Thread(target=serve_tls, args=(listener, file), daemon=True).start()
        port = listener.getsockname()[1]
        assert get(f'https://templates.example:{port}/').encode() == TEMPLATE
        refused(f'https://other.example:{port}/')
