"""Options of traces, by the names that osprofiler has in Heat's configuration."""

from oslo_config import cfg

PROFILER = [
    cfg.BoolOpt(
        'enabled',
        default=False,
        help='Whether requests are traced with OpenTelemetry: install the extra "traces" of the '
        'package.',
    ),
    cfg.StrOpt(
        'connection_string',
        default='otlp://127.0.0.1:4318',
        help='Address of the collector of traces, for OTLP over HTTP: otlp://HOST:PORT, or a URL '
        'of http or https. Other drivers of osprofiler are not used: nothing is traced with them.',
    ),
    cfg.StrOpt(
        'hmac_keys',
        secret=True,
        help='Keys, separated by commas, of the signed headers of osprofiler. A client that sends '
        'X-Trace-Info with one of them is traced ("openstack --os-profile KEY"), and services of '
        'the cloud get headers signed with the first one. If unset, the headers are ignored.',
    ),
    cfg.FloatOpt(
        'sample_ratio',
        default=1.0,
        min=0,
        max=1,
        help='Part of the requests that are traced, of those whose client sends no header that '
        'says it (traceparent or X-Trace-Info).',
    ),
]

GROUPS = {'profiler': PROFILER}
