"""The request log and the memory of the WSGI server."""

import gc
import logging
import weakref

import eventlet

from heat_lite.cmd import wsgi_connection, wsgi_server
from tests.timeouts import WAIT_SECONDS

REQUEST = b'POST /?a=b HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 4\r\n\r\nbody'


def test_request_log_masks_signatures(caplog):
    caplog.set_level(logging.INFO)
    wsgi_server.LOG.info(
        '127.0.0.1 "PUT /v1/waitcondition/arn?Timestamp=now&Signature=c2VjcmV0%3D'
        '&AWSAccessKeyId=key HTTP/1.1" 200 5 0.1'
    )
    assert caplog.messages == [
        '127.0.0.1 "PUT /v1/waitcondition/arn?Timestamp=now&Signature=***'
        '&AWSAccessKeyId=key HTTP/1.1" 200 5 0.1'
    ]


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
