"""Metrics and traces of the requests to an API: their action, status and duration."""

import time
from collections.abc import Iterable

from heat_lite.api import event_feed, wsgi
from heat_lite.common import metrics, tracing
from heat_lite.common.value_types import Value, Values


def measured(application: wsgi.WsgiApp) -> wsgi.WsgiApp:
    """Return the application with metrics of its requests, if the process counts, and traces."""

    def counting(environ: wsgi.Environ, start_response: wsgi.StartResponse) -> Iterable[bytes]:
        if not metrics.enabled() and not tracing.enabled():
            return application(environ, start_response)
        found = environ[wsgi.FACTS] = {'action': metrics.OTHER}
        began = time.monotonic()

        def started(status: str, *arguments: Value) -> wsgi.Write:
            metrics.REQUESTS.add(time.monotonic() - began, found['action'], status[:3])
            found['status'] = int(status[:3])
            return start_response(status, *arguments)

        with tracing.request(environ, environ['REQUEST_METHOD']) as span:
            try:
                return application(environ, started)
            finally:
                if span is not None:
                    _describe(span, environ, found)

    return counting


def _describe(span: tracing.Span, environ: wsgi.Environ, found: Values) -> None:
    """Set the name and the attributes of the span of a request, by OpenTelemetry's names."""
    method, status = environ['REQUEST_METHOD'], found.get('status', 500)
    span.rename(f'{method} {found["action"]}')
    span.set('http.request.method', method)
    span.set('http.response.status_code', status)
    span.set('heat.request_id', found.get('request_id', ''))
    if status >= 500:
        span.fail(str(status))


def sample() -> None:
    """Set the number of open streams of events."""
    metrics.EVENT_STREAMS.set(event_feed.count())
