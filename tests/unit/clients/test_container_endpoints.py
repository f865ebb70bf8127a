"""The local container engine is found, and endpoints of templates are checked."""

import gc
import socketserver
import threading
import weakref
from http.server import BaseHTTPRequestHandler

import pytest
from oslo_config import cfg

from heat_lite import conf as options
from heat_lite.clients import clients, container_endpoints as endpoints, docker_plugin, errors
from heat_lite.common.context import RequestContext
from heat_lite.startup import local_containers


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()

    def log_message(self, *args):
        pass

    def address_string(self):
        return 'unix'


@pytest.fixture
def podman_socket(tmp_path):
    """The socket of a user's Podman that answers pings."""
    path = tmp_path / 'podman' / 'podman.sock'
    path.parent.mkdir()
    with socketserver.ThreadingUnixStreamServer(str(path), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield path
        server.shutdown()


def test_socket_of_the_user_is_found(podman_socket):
    found = endpoints.find_local({'XDG_RUNTIME_DIR': str(podman_socket.parent.parent)})
    assert (found.url, found.answers) == (f'unix://{podman_socket}', True)


def test_socket_that_nobody_serves_is_no_engine(tmp_path, monkeypatch):
    monkeypatch.setattr(endpoints, 'usual_sockets', lambda environ: [str(tmp_path / 'none')])
    assert endpoints.find_local({}) is None


def test_docker_host_wins_and_tells_whether_it_answers(podman_socket, tmp_path):
    environ = {'XDG_RUNTIME_DIR': str(podman_socket.parent.parent)}
    found = endpoints.find_local({**environ, 'DOCKER_HOST': f'unix://{tmp_path}/other.sock'})
    assert (found.url, found.answers) == (f'unix://{tmp_path}/other.sock', False)


def test_certificates_of_docker_host_are_used_if_it_is_verified():
    environ = {'DOCKER_HOST': 'tcp://127.0.0.1:1', 'DOCKER_CERT_PATH': '/certs'}
    assert endpoints.find_local(environ).certificates is None
    assert endpoints.find_local({**environ, 'DOCKER_TLS_VERIFY': '1'}).certificates == '/certs'


@pytest.mark.parametrize(
    'endpoint, patterns, error',
    [
        ('unix:///run/docker.sock', [], None),
        ('tcp://a.example:2376', ['tcp://*.example:2376'], None),
        ('tcp://a.other:2376', ['tcp://*.example:2376'], errors.Forbidden),
        ('unix:///other.sock', [], errors.Forbidden),
        ('file:///etc/passwd', ['*'], errors.BadRequest),
    ],
)
def test_endpoint_of_a_template_is_the_default_or_allowed(endpoint, patterns, error):
    def call():
        return endpoints.require_allowed(endpoint, 'unix:///run/docker.sock', patterns)

    if error is None:
        assert call() == endpoint
    else:
        pytest.raises(error, call)


def configuration():
    conf = cfg.ConfigOpts()
    options.register(conf)
    conf([], project='heat_lite', default_config_files=[])
    return conf


def test_up_takes_the_local_engine_and_says_so(podman_socket):
    conf = configuration()
    environ = {'XDG_RUNTIME_DIR': str(podman_socket.parent.parent)}
    assert local_containers.find(conf, environ) == f'containers: unix://{podman_socket}'
    assert conf.clients_docker.url == f'unix://{podman_socket}'


def test_up_works_without_an_engine_and_says_what_to_do(monkeypatch):
    monkeypatch.setattr(endpoints, 'usual_sockets', lambda environ: [])
    conf = configuration()
    assert local_containers.find(conf, {}) == local_containers.NONE
    assert conf.clients_docker.url is None


def test_up_keeps_the_engine_of_the_configuration(podman_socket):
    conf = configuration()
    conf.set_override('url', 'unix:///mine.sock', 'clients_docker')
    environ = {'XDG_RUNTIME_DIR': str(podman_socket.parent.parent)}
    assert '/mine.sock' in local_containers.find(conf, environ)


def test_clients_of_ever_more_endpoints_are_not_all_kept():
    conf = cfg.ConfigOpts()
    options.register(conf)
    conf([], project='heat_lite', default_config_files=[])
    conf.set_override('endpoints', ['tcp://*'], 'clients_docker')
    context = RequestContext(project_id='p')
    found = clients.ClientFactory(conf, docker_plugin.BUILT_IN)(context)
    plugin = found.client_plugin('docker')
    made = [weakref.ref(plugin.at(f'tcp://engine{number}:2376')) for number in range(200)]
    gc.collect()
    assert 0 < sum(each() is not None for each in made) < 100
    assert plugin.at('tcp://engine199:2376') is made[-1]()
