"""A collector of traces: it accepts OTLP over HTTP, with the protobufs of OpenTelemetry."""

import contextlib
import dataclasses
import gzip
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer  # the attribute can be green
from typing import Any

from opentelemetry.proto.collector.trace.v1 import trace_service_pb2


@dataclasses.dataclass
class Span:
    """A span as it was received; ids are in hexadecimal digits."""

    name: str
    trace: str
    id: str
    parent: str
    kind: int
    service: str
    pid: int
    attributes: dict[str, Any]
    failed: bool


class Collector:
    """The spans that were received."""

    def __init__(self):
        self.spans = []
        self.url = ''

    def add(self, content):
        message = trace_service_pb2.ExportTraceServiceRequest.FromString(content)
        for group in message.resource_spans:
            about = _values(group.resource.attributes)
            for scope in group.scope_spans:
                self.spans.extend(_span(each, about) for each in scope.spans)

    def traces(self):
        """Return the spans by their traces."""
        found = {}
        for span in list(self.spans):
            found.setdefault(span.trace, []).append(span)
        return found


def _span(span, about):
    return Span(
        span.name,
        span.trace_id.hex(),
        span.span_id.hex(),
        span.parent_span_id.hex(),
        span.kind,
        about['service.name'],
        about['process.pid'],
        _values(span.attributes),
        span.status.code == 2,
    )


def _values(attributes):
    return {each.key: getattr(each.value, each.value.WhichOneof('value')) for each in attributes}


@contextlib.contextmanager
def running():
    """Yield a Collector that listens on ``url``."""
    collector = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            content = self.rfile.read(int(self.headers['Content-Length']))
            if self.headers.get('Content-Encoding') == 'gzip':
                content = gzip.decompress(content)
            assert self.path == '/v1/traces'
            collector.add(content)
            self.send_response(200)
            self.send_header('Content-Length', '0')
            self.end_headers()

        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer(('127.0.0.1', 0), Handler)
    collector.url = f'otlp://127.0.0.1:{server.server_port}'
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield collector
    finally:
        server.shutdown()
        server.server_close()
