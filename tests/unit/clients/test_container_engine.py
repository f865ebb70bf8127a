"""The client of container engines: connections and errors."""

import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer  # the attribute can be green

import pytest

from heat_lite.clients import container_engine, errors
from tests import certificates

OPTIONS = {
    'timeout': 5,
    'ca_file': None,
    'cert_file': None,
    'key_file': None,
    'insecure': False,
}


def test_engine_that_cannot_be_reached_is_unavailable_and_named(tmp_path):
    url = f'unix://{tmp_path}/none.sock'
    engine = container_engine.ContainerEngine(url, OPTIONS)
    with pytest.raises(errors.Unavailable, match='none.sock cannot be reached') as caught:
        engine.call('containers')
    assert caught.value.transient


class Handler(BaseHTTPRequestHandler):
    """An engine that only tells its version."""

    protocol_version = 'HTTP/1.1'

    def do_GET(self):
        body = b'{"ApiVersion": "1.41"}'
        self.send_response(200)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


#: plays ssh: it writes its arguments to a file, and connects to a port of this machine
SSH = """#!{python}
import os, socket, sys, threading
open({log!r}, 'a').write(' '.join(sys.argv[1:-1]) + chr(10))
engine = socket.create_connection(('127.0.0.1', {port}))
def send():
    while data := os.read(0, 65536):
        engine.sendall(data)
    os._exit(0)
threading.Thread(target=send).start()
while data := engine.recv(65536):
    os.write(1, data)
"""


def test_engine_is_reached_over_the_command_ssh(tmp_path, monkeypatch):
    with ThreadingHTTPServer(('127.0.0.1', 0), Handler) as server:
        command, log = tmp_path / 'ssh', tmp_path / 'log'
        command.write_text(SSH.format(python=sys.executable, log=str(log), port=server.server_port))
        command.chmod(0o755)
        monkeypatch.setenv('PATH', f'{tmp_path}:{os.environ["PATH"]}')
        thread = threading.Thread(target=server.serve_forever, args=[0.05])
        thread.start()
        try:
            engine = container_engine.ContainerEngine('ssh://me@host:22022', OPTIONS)
            found = [engine.call('version') for _ in range(3)]
        finally:
            engine._api.close()
            server.shutdown()
            thread.join()
    assert found == [{'ApiVersion': '1.41'}] * 3
    (line,) = log.read_text().splitlines()  # one connection for all requests
    assert line.endswith('-l me -p 22022 -- host')


def test_connection_with_certificates_verifies_the_host():
    files = {'ca_file': __file__, 'cert_file': __file__, 'key_file': __file__}
    options = container_engine.connection_options('tcp://host:2376', {**OPTIONS, **files})
    assert options['tls'].verify == __file__ and options['tls'].cert == (__file__, __file__)


def test_given_authority_wins_over_that_of_the_environment(tmp_path, monkeypatch):
    for name in ('given', 'other'):
        (tmp_path / name).mkdir()
    authority, context = certificates.make(tmp_path / 'given')
    monkeypatch.setenv('REQUESTS_CA_BUNDLE', str(certificates.make(tmp_path / 'other')[0]))
    with ThreadingHTTPServer(('127.0.0.1', 0), Handler) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, args=[0.05])
        thread.start()
        try:
            options = {**OPTIONS, 'ca_file': str(authority)}
            url = f'tcp://127.0.0.1:{server.server_port}'
            found = container_engine.ContainerEngine(url, options).call('version')
        finally:
            server.shutdown()
            thread.join()
    assert found == {'ApiVersion': '1.41'}


def test_socket_has_no_tls():
    files = {'ca_file': __file__, 'cert_file': __file__, 'key_file': __file__}
    options = container_engine.connection_options('unix:///x', {**OPTIONS, **files})
    assert 'tls' not in options


@pytest.mark.parametrize('text', ['name "x" is already in use', 'network already exists'])
def test_conflicts_that_podman_reports_as_server_errors_are_recognized(text):
    assert container_engine._CONFLICT.search(text)


def test_certificate_that_is_refused_is_no_passing_failure(tmp_path):
    for name in ('given', 'other'):
        (tmp_path / name).mkdir()
    authority = certificates.make(tmp_path / 'other')[0]
    context = certificates.make(tmp_path / 'given')[1]
    with ThreadingHTTPServer(('127.0.0.1', 0), Handler) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        engine = container_engine.ContainerEngine(
            f'tcp://127.0.0.1:{server.server_port}', {**OPTIONS, 'ca_file': str(authority)}
        )
        with pytest.raises(errors.Unavailable, match='CERTIFICATE_VERIFY_FAILED') as caught:
            engine.call('version')
        thread.join()
    assert not caught.value.transient


@pytest.mark.parametrize(
    'text',
    [
        'failed to convert ImageData to ImageInspect "a:latest": reading image "1f": locating '
        'image with ID "1f": image not known',
        'retrieving label for image "1f": you may need to remove the image to resolve the error',
        'locating item named "manifest" for image with ID "1f"',
    ],
)
def test_answer_of_podman_while_another_image_changes_is_asked_for_again(monkeypatch, text):
    answers = [(500, {'message': text, 'cause': text}), (200, {'Id': 'sha256:1f'})]

    class Changing(Handler):
        def do_GET(self):
            code, body = (200, {'ApiVersion': '1.41'}) if 'version' in self.path else answers.pop(0)
            self.send_response(code)
            data = json.dumps(body).encode()
            self.send_header('Content-Length', str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    monkeypatch.setattr(container_engine, 'CHANGING_PAUSE', 0)
    with ThreadingHTTPServer(('127.0.0.1', 0), Changing) as server:
        thread = threading.Thread(target=server.serve_forever, args=[0.05])
        thread.start()
        try:
            url = f'tcp://127.0.0.1:{server.server_port}'
            engine = container_engine.ContainerEngine(url, OPTIONS)
            found = engine.call('inspect_image', 'a:latest')
        finally:
            engine._api.close()
            server.shutdown()
            thread.join()
    assert found == {'Id': 'sha256:1f'} and not answers
