"""Attacks of the table by connections, by URLs and by signals, on a running service."""

import collections
import concurrent.futures
import contextlib
import http.server
import json
import socket
import threading
import time
import urllib.parse
import zlib

from tests.attacks import hostile
from tests.timeouts import WAIT_SECONDS

CONNECTIONS = 1100
SIGNALS = 10_000
#: seconds during which an attack goes on that has no end of its own
SECONDS = 4
HEADERS = b'Host: 127.0.0.1\r\nContent-Type: application/json\r\n'
GET = b'GET /v1/hostile/stacks HTTP/1.1\r\n' + HEADERS + b'\r\n'
#: answered by the API alone
VERSIONS = b'GET / HTTP/1.1\r\n' + HEADERS + b'\r\n'
POST = b'POST /v1/hostile/stacks HTTP/1.1\r\n' + HEADERS
#: a large answer without any work of an engine for it
LARGE = b'GET /v1/hostile/resource_types/OS::Nova::Server/template HTTP/1.1\r\n' + HEADERS + b'\r\n'
PUT = b'PUT /v1/waitcondition/arn?AWSAccessKeyId=k&Signature=s HTTP/1.1\r\nHost: 127.0.0.1\r\n'


def connect(url):
    parts = urllib.parse.urlsplit(url)
    return socket.create_connection((parts.hostname, parts.port), timeout=20)


def hold(service, sent, drip=b''):
    """Open CONNECTIONS, send the same on each, and a drip each second until SECONDS are over."""
    with contextlib.ExitStack() as stack:
        held = []
        for _ in range(CONNECTIONS):
            held.append(stack.enter_context(connect(service.url)))
            send(held[-1], sent)
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            time.sleep(1)
            for each in held if drip else ():
                send(each, drip)


def send(connection, data):
    with contextlib.suppress(OSError):
        connection.sendall(data)


def flood(url, head, part, count=400):
    """Send a request of many parts as far as the service takes it."""
    with connect(url) as connection, contextlib.suppress(OSError):
        connection.sendall(head)
        for _ in range(count):
            connection.sendall(part)


def at_once(call, count=20):
    """Call ``count`` times in parallel with the number; return the results."""
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        return list(pool.map(call, range(count)))


# --------------------------------------------------------------- URLs


class Hostile(http.server.BaseHTTPRequestHandler):
    """A web server that never ends: by drips, redirects, a bomb or endless text."""

    def do_GET(self):
        self.close_connection = True
        with contextlib.suppress(OSError):
            getattr(self, self.path.strip('/'))()

    def begin(self, *headers):
        self.send_response(200)
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()

    def drip(self):
        self.begin()
        for _ in range(200):
            self.wfile.write(b'h')
            time.sleep(0.5)

    def loop(self):
        self.send_response(302)
        self.send_header('Location', '/loop')
        self.end_headers()

    def bomb(self):
        self.begin(('Content-Encoding', 'gzip'))
        packer = zlib.compressobj(9, zlib.DEFLATED, 31)
        for _ in range(1000):
            self.wfile.write(packer.compress(b'\0' * 2**20))
        self.wfile.write(packer.flush())

    def endless(self):
        self.begin(('Content-Length', str(5 * 2**30)))
        for _ in range(5 * 2**10):
            self.wfile.write(b' ' * 2**20)

    def log_message(self, *args):
        pass


def by_url(service, name, count=20):
    """Preview stacks whose template has a hostile URL; do not wait for all answers."""
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Hostile)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    body = {'stack_name': 'u', 'template_url': f'http://127.0.0.1:{server.server_port}/{name}'}
    head = f'Content-Length: {len(json.dumps(body))}\r\n\r\n{json.dumps(body)}'.encode()
    request = POST.replace(b'/stacks', b'/stacks/preview') + head
    try:
        with contextlib.ExitStack() as stack:
            held = [stack.enter_context(connect(service.url)) for _ in range(count)]
            for each in held:
                each.sendall(request)
            end = time.monotonic() + 3 * SECONDS
            for each in held:
                each.settimeout(max(end - time.monotonic(), 0.001))
                with contextlib.suppress(OSError):
                    each.recv(1)
    finally:
        server.shutdown()
        server.server_close()


# --------------------------------------------------------------- signals


def signal_often(service, size, count):
    """Signal a handle of a stack ``count`` times with ``size`` bytes, 20 at once.

    Return how many had which status, and the message of one that was refused.
    """
    template = {
        'heat_template_version': hostile.VERSION,
        'resources': {'h': {'type': 'OS::Heat::WaitConditionHandle'}},
    }
    body = {'stack_name': f'signals-{count}-{size}', 'template': template}
    made = service.ask('POST', '/stacks', body, project='hostile').json()['stack']
    path = f'/stacks/{body["stack_name"]}/{made["id"]}/resources/h/signal'
    end = time.monotonic() + WAIT_SECONDS
    while service.ask('POST', path, {'id': '0'}, project='hostile').status_code == 404:
        assert time.monotonic() < end, 'the handle is not created'
        time.sleep(0.1)

    def signal(number):
        data = {'id': str(number), 'status': 'SUCCESS', 'data': 'x' * size}
        answer = service.ask('POST', path, data, project='hostile', timeout=300)
        return answer.status_code, answer.text if answer.status_code == 400 else ''

    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        statuses = list(pool.map(signal, range(count)))
    refused = next((text for status, text in statuses if status == 400), '')
    return collections.Counter(status for status, _ in statuses), refused


def connect_often(service):
    """Connect and disconnect as often as possible, by 4 clients, until SECONDS are over."""
    end = time.monotonic() + SECONDS

    def run(_):
        count = 0
        while time.monotonic() < end:
            connect(service.url).close()
            count += 1
        return count

    return f'{sum(at_once(run, 4))} connections'


def read_never(service):
    """Ask for large answers on many connections, and read none of them."""
    hold(service, LARGE * 50)


def drip_bodies(service):
    hold(service, POST + b'Content-Length: 900000\r\n\r\n{', b' ')


def send_pipelined(service, sent=GET * 400):
    at_once(lambda number: _drain(service, sent))


def _drain(service, sent):
    with connect(service.url) as connection, contextlib.suppress(OSError):
        sender = threading.Thread(target=send, args=(connection, sent))
        sender.start()
        connection.settimeout(SECONDS)
        end = time.monotonic() + 3 * SECONDS
        while time.monotonic() < end and connection.recv(2**20):
            pass


def send_tiny_chunks(service):
    """Send bodies of 1 MB in chunks of 1 byte on 4 connections until SECONDS are over."""
    end = time.monotonic() + SECONDS
    head = POST + b'Transfer-Encoding: chunked\r\n\r\n'

    def run(_):
        while time.monotonic() < end:
            flood(service.url, head, b'1\r\n \r\n' * 2**15, 8)

    at_once(run, 4)


def _chunked():
    return b'100000\r\n' + b'x' * 2**20 + b'\r\n'


LENGTH = b'Content-Length: 419430400\r\n\r\n'
CHUNKED = b'Transfer-Encoding: chunked\r\n\r\n'
#: row of the table -> a function of the service
ATTACKS = {
    '1,100 idle connections': lambda service: hold(service, b''),
    '1,100 half headers': lambda service: hold(service, b'GET /v1/x HTTP/1.1\r\nHost: ', b'x'),
    '1,100 bodies of 1 byte/s': drip_bodies,
    '1,100 idle keep-alives': lambda service: hold(service, VERSIONS),
    '1,100 clients that never read': read_never,
    'connections opened and closed without end': connect_often,
    '20 clients, 400 pipelined requests each': send_pipelined,
    '20 clients, 1,000 pipelined requests without an engine': lambda service: send_pipelined(
        service, VERSIONS * 1000
    ),
    'bodies in chunks of 1 byte': send_tiny_chunks,
    '20 bodies of 400 MB': lambda service: at_once(
        lambda _: flood(service.url, POST + LENGTH, b'x' * 2**20)
    ),
    '20 bodies of 400 MB in chunks': lambda service: at_once(
        lambda _: flood(service.url, POST + CHUNKED, _chunked())
    ),
    'template URL: a byte each half second': lambda service: by_url(service, 'drip', 100),
    'template URL: redirects without end': lambda service: by_url(service, 'loop'),
    'template URL: gzip of 1 GB': lambda service: by_url(service, 'bomb'),
    'template URL: 5 GB': lambda service: by_url(service, 'endless'),
    '50 signals of 1 MB': lambda service: signal_often(service, 1_000_000, 50),
    '10,000 signals to one handle': lambda service: signal_often(service, 10, SIGNALS),
}
#: the same against heat-lite-api-cfn, before any login
SIGNED_ATTACKS = {
    'api-cfn: 20 bodies of 400 MB': lambda url: at_once(
        lambda _: flood(url, PUT + LENGTH, b'x' * 2**20)
    ),
    'api-cfn: 20 bodies of 400 MB in chunks': lambda url: at_once(
        lambda _: flood(url, PUT + CHUNKED, _chunked())
    ),
}
