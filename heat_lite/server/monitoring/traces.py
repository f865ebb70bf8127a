"""The traces of a program: its exporter, by the options of [profiler]."""

import importlib
import importlib.util
import logging
import socket
import sys
from typing import Any

from oslo_config import cfg

from heat_lite.common import installation, tracing

LOG = logging.getLogger(__name__)
EXTRA = ('opentelemetry.sdk', 'opentelemetry.exporter.otlp.proto.http')
OTLP, PATH = 'otlp://', '/v1/traces'
#: seconds after which the collector counts as away
EXPORT_SECONDS = 2


def require(conf: cfg.ConfigOpts) -> None:
    """End the program if traces are wanted and OpenTelemetry is missing.

    A driver of osprofiler, as Heat's files have it, gets no traces and needs nothing.
    """
    wanted = conf.profiler.enabled and url_of(conf.profiler.connection_string)
    if not wanted or all(map(_is_installed, EXTRA)):
        return
    sys.exit(
        f'{conf.prog}: [profiler] enabled needs OpenTelemetry, which is not installed. '
        'Install it by "pip install heat-lite[traces]", or set enabled = false'
    )


def _is_installed(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # of the package above it
        return False


def start(conf: cfg.ConfigOpts) -> None:
    """Record traces in this process and its children, if they are wanted."""
    if not conf.profiler.enabled:
        return
    url = url_of(conf.profiler.connection_string)
    if url is None:
        LOG.warning(
            '[profiler] connection_string names no collector of OTLP (otlp://HOST:PORT): '
            'nothing is traced'
        )
        return
    resource = {
        'service.name': conf.prog,
        'service.version': installation.revision(),
        'host.name': socket.gethostname(),
    }
    keys = tuple(filter(None, map(str.strip, (conf.profiler.hmac_keys or '').split(','))))
    tracing.enable(
        tracing.Settings(lambda: _exporter(url), resource, conf.profiler.sample_ratio, keys)
    )


def url_of(connection: str) -> str | None:
    """Return the URL of the collector; None for a driver that is not OTLP."""
    if connection.startswith(OTLP):
        return f'http://{connection.removeprefix(OTLP).rstrip("/")}{PATH}'
    if not connection.startswith(('http://', 'https://')):
        return None
    return connection if connection.endswith(PATH) else f'{connection.rstrip("/")}{PATH}'


def _exporter(url: str) -> Any:
    module = importlib.import_module('opentelemetry.exporter.otlp.proto.http.trace_exporter')
    return module.OTLPSpanExporter(endpoint=url, timeout=EXPORT_SECONDS)
