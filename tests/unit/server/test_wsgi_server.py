"""The request log and the memory of the WSGI server."""

import gc
import logging
import socket
import threading
import weakref

import eventlet
import pytest

from heat_lite.server import wsgi_connection, wsgi_server
from tests.timeouts import WAIT_SECONDS, wait_until

REQUEST = b'POST /?a=b HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 4\r\n\r\nbody'


@pytest.mark.parametrize(
    'request_line',
    [
        'PUT /v1/waitcondition/arn?Timestamp=now&Signature={}&AWSAccessKeyId=key HTTP/1.1',
        'POST /v1/demo/stacks/s/1/resources/r/signal?signature={} HTTP/1.1',
        'GET /v1/?Action=ListStacks&X-Amz-Signature={} HTTP/1.1',
    ],
)
def test_request_log_masks_signatures(caplog, request_line):
    caplog.set_level(logging.INFO)
    logged = f'127.0.0.1 "{request_line}" 200 5 0.1'
    wsgi_server.LOG.info(logged.format('c2VjcmV0%3D'))
    assert caplog.messages == [logged.format('***')]


class Value:
    """A part of an environ."""


def test_server_keeps_nothing_of_a_request_until_a_collection_of_garbage():
    kept = []

    def application(environ, start_response):
        environ['itself'], environ['value'] = environ, Value()
        kept.append(weakref.ref(environ['value']))
        start_response('200 OK', [])
        return [environ['wsgi.input'].read()]

    sock = wsgi_server.listen('127.0.0.1', 0)
    server = wsgi_server.Server(sock, application, wsgi_connection.ConnectionLimits())
    server.start()
    gc.disable()
    try:
        with eventlet.Timeout(WAIT_SECONDS):
            client = eventlet.connect(sock.getsockname())
            client.sendall(REQUEST)
            answer = b''.join(iter(lambda: client.recv(4096), b''))
            client.close()
            server.stop(1)
    finally:
        gc.enable()
    assert answer.startswith(b'HTTP/1.1 200') and b'body' in answer
    assert kept[0]() is None


def test_connection_ends_with_the_request_that_arrives_while_the_server_stops():
    def application(environ, start_response):
        start_response('200 OK', [])
        return [b'done']

    sock = wsgi_server.listen('127.0.0.1', 0)
    server = wsgi_server.Server(sock, application, wsgi_connection.ConnectionLimits())
    server.start()
    with socket.create_connection(sock.getsockname(), WAIT_SECONDS) as client:
        client.sendall(REQUEST.partition(b'Connection')[0])
        wait_until(
            lambda: [each for each in server._connections.all() if not each.stream.is_idle()]
        )
        (connection,) = server._connections.all()
        stop = threading.Thread(target=server.stop, args=[WAIT_SECONDS])
        stop.start()
        wait_until(lambda: connection.is_ending)
        client.sendall(b'\r\n')
        answer = b''.join(iter(lambda: client.recv(4096), b''))
    stop.join()
    assert answer.startswith(b'HTTP/1.1 200') and b'Connection: close' in answer
