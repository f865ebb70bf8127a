"""Hostile requests to streams, graphs, the page, conditional requests and the AWS ports."""

import contextlib
import http.client
import json
import socket
import time
import urllib.parse

from tests.attacks import holding

PROJECT = 'hostile'
STREAM = {'Accept': 'text/event-stream'}
BIG = 14_000
MEGABYTE = 2**20
STREAMS = 1000
#: seconds for which streams without reader are open
SECONDS = 3

_IDS = (
    '0', '-1', '9' * 4000, '1' * BIG, 'x' * BIG, '1-2-3', '1.' * 5000, '1,' * 5000, '٣', '%00',
    '\x7f', '18446744073709551616', '1:' + ','.join(map(str, range(2500))), '[1, [2]]', '0x10',
)  # fmt: skip
_QUERIES = (
    'nested_depth=' + '9' * 4000, 'nested_depth=-1', 'nested_depth=1e9', 'nested_depth=%00',
    '&'.join(f'tags=t{n}' for n in range(1500)), 'tags=' + 'a,' * 5000, 'until=complete&until=x',
    '&'.join(f'resource_name=r{n}' for n in range(1200)), 'resource_status=' + 'A' * BIG,
    'from=start&last_event_id=' + '1' * 4000, 'limit=-1', 'sort_keys=(.*)*!', '%ff=%fe',
    'resource_action=%F0%9F%92%A9', 'with_detail=[[[[', '=' * 5000, 'marker=' + '%27' * 3000,
)  # fmt: skip
_TAGS = (
    '"x"' * 4000, ('"' + 'a' * 60 + '", ') * 220, 'W/' * 7000, '*', '"' + 'b' * BIG, ',' * BIG,
    '"\\' * 6000, '\x7f"', 'W/"' + '"' * 9000, '* ' * 7000,
)  # fmt: skip
_FILES = (
    '../../etc/passwd', '..%2f..%2f..%2fetc%2fpasswd', '%2e%2e/%2e%2e/setup.cfg', '..%5c..%5cx',
    '%252e%252e%252fetc', '/etc/passwd', '//etc/passwd', 'index.html%00.js', '%c0%ae%c0%ae/x',
    '....//....//etc/passwd', '.', '..', '%2f', '~root', 'a' * 8000, 'a/' * 4000, '%ff%fe',
    'index.html;x=y', '?../../x', 'file:///etc/passwd', 'http://127.0.0.1/', 'config.json/..',
)  # fmt: skip


def _stack_paths(stack):
    return [f'{stack}/{name}' for name in ('graph', 'timeline', 'drift')]


def rows(base, stack):
    """Return the hostile requests as (method, path, headers, body).

    ``base``: the path of a project; ``stack``: that of one of its stacks.
    """
    events = f'{base}/events', f'{stack}/events'
    found = [
        ('GET', path, {**STREAM, 'Last-Event-ID': each}, None)
        for path in events
        for each in _IDS
        if each.isprintable() and each.isascii()
    ]
    found += [
        ('GET', f'{path}?{query}', headers, None)
        for query in _QUERIES
        for path, headers in (
            *((each, STREAM) for each in events),
            *((each, {}) for each in _stack_paths(stack)),
        )
    ]
    found += [
        ('GET', path, {'If-None-Match': each}, None)
        for path in (f'{base}/stacks', stack, '/openapi.json', '/ui/', '/')
        for each in _TAGS
    ]
    found += [(method, f'/ui/{name}', {}, None) for name in _FILES for method in ('GET', 'HEAD')]
    found += [
        (method, path, {}, json.dumps({'x': 'y' * 9000}))
        for method in ('POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'QUERY')
        for path in ('/ui/', '/openapi.json', f'{stack}/graph', f'{base}/events')
    ]
    return found  # fmt: skip


def send(url, row, seconds=20):
    """Send a request; return its status, 200 for a stream once it has begun."""
    method, path, headers, body = row
    parts = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=seconds)
    with contextlib.closing(connection):
        connection.putrequest(method, '/', skip_host=False)
        connection._buffer[0] = f'{method} {path} HTTP/1.1'.encode('latin-1')
        for name, value in {'Content-Type': 'application/json', **headers}.items():
            connection.putheader(name, value)
        if body is not None:
            connection.putheader('Content-Length', str(len(body)))
        connection.endheaders(body and body.encode())
        response = connection.getresponse()
        if 'event-stream' not in response.headers.get('Content-Type', ''):
            response.read()
        return response.status


def hold_streams(service, count=STREAMS):
    """Open streams of events without reading, of a project for each ten; return the statuses."""
    parts = urllib.parse.urlsplit(service.url)
    statuses = {}
    with contextlib.ExitStack() as stack:
        held = []
        for number in range(count):
            source = f'127.8.0.{1 + number % 100}', 0
            connection = socket.create_connection((parts.hostname, parts.port), 20, source)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            held.append(stack.enter_context(connection))
            path = f'{parts.path}/hostile{number // 10}/events'
            request = f'GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n'
            holding.send(connection, request.encode())
        end = time.monotonic() + SECONDS
        for connection in held:
            connection.settimeout(max(end - time.monotonic(), 0.01))
            with contextlib.suppress(OSError):
                status = connection.recv(12)[-3:].decode()
                statuses[status] = statuses.get(status, 0) + 1
    return statuses


SIGNED = 'AWSAccessKeyId=k&Signature=s&SignatureVersion=2&SignatureMethod=HmacSHA256'
_QUERY_ACTIONS = (
    'Action=' + 'A' * BIG, 'Action=DescribeStacks&' + '&'.join(f'a{n}=b' for n in range(1500)),
    'Action=CreateStack&TemplateBody=' + '%7B' * 4000, 'Action=%00', '%ff%fe=%80',
    '&'.join(f'Parameters.member.{n}.ParameterKey=k' for n in range(250)),
    'Action=PutMetricData&MetricData.member.999999999.MetricName=x',
    'Action=PutMetricData&' + '&'.join(f'MetricData.member.{n}.Value=1e999' for n in range(250)),
    'Action=CreateStack&Action=DeleteStack', 'Version=' + '9' * 5000, '',
)  # fmt: skip


def aws_rows():
    """Return hostile requests to a port of the AWS APIs, without a valid signature."""
    long, credential = 'x' * BIG, 'AWS4-HMAC-SHA256 Credential='
    found = [('GET', f'/v1/?{SIGNED}&{each}', {}, None) for each in _QUERY_ACTIONS]
    form = {'Content-Type': 'application/x-www-form-urlencoded'}
    found += [('POST', '/v1/', form, f'{SIGNED}&{each}') for each in _QUERY_ACTIONS]
    found += [
        ('POST', '/v1/', form, 'Action=' + 'A' * MEGABYTE),
        ('POST', '/v1/', form, '&'.join(f'a{n}=b' for n in range(100_000))),
        ('POST', '/v1/', form, '%' * MEGABYTE),
        ('POST', '/v1/', form, 'a=b;' * 200_000),
        ('POST', '/v1/', {'Content-Type': 'multipart/form-data; boundary=x'}, '--x\r\n' * 100_000),
    ]
    found += [
        ('GET', '/v1/', {'Authorization': each}, None)
        for each in (
            long,
            credential + long,
            credential + '/' * 9000,
            credential,
            credential + 'k/d/r/s/aws4_request, SignedHeaders=' + ';' * 9000,
            'AWS4-HMAC-SHA256 ' + 'a=b,' * 3000,
        )
    ]
    found += [
        (method, path, {}, None)
        for method in ('PUT', 'DELETE', 'TRACE', 'HEAD')
        for path in (
            '/v1/',
            '/v1/waitcondition/' + '%2f' * 3000,
            '/v1/signal/' + 'a/' * 3000,
            '/v1/waitcondition/arn%3Aopenstack%3Aheat%3A%3A%00',
        )
    ]
    return found  # fmt: skip
