"""Options of the HTTP servers of the APIs."""

from oslo_config import cfg
from oslo_config.cfg import Opt

PASTE_DEPLOY = [
    cfg.StrOpt(
        'flavor',
        help='Pipeline of the Paste configuration that serves requests: the part of its name after '
        '"heat-api-". If unset, the pipeline "heat-api" is used.',
    ),
    cfg.StrOpt(
        'api_paste_config',
        default='api-paste.ini',
        help='Paste configuration file with the pipelines. If the default file is not found, the '
        'file of the package is used.',
    ),
]


def _server(port: int) -> list[Opt]:
    return [
        cfg.IPOpt('bind_host', default='0.0.0.0', help='IP address that the server listens on.'),
        cfg.PortOpt('bind_port', default=port, help='TCP port that the server listens on.'),
        cfg.IntOpt(
            'backlog',
            default=4096,
            help='Number of connections that can wait to be accepted by the server.',
        ),
        cfg.StrOpt(
            'cert_file',
            help='File with the TLS certificate of the server. If set, the server speaks HTTPS.',
        ),
        cfg.StrOpt(
            'key_file', help='File with the private key that belongs to the TLS certificate.'
        ),
        cfg.IntOpt(
            'workers',
            default=0,
            min=0,
            help='Number of worker processes. 0 starts one worker per CPU core.',
        ),
        cfg.IntOpt(
            'max_header_line',
            default=16384,
            help='Maximum length of a request header line in bytes. Raise the limit when tokens '
            'contain a large service catalog.',
        ),
        cfg.IntOpt(
            'tcp_keepidle',
            default=600,
            help='Number of seconds that a connection is idle before the server sends TCP '
            'keepalive probes.',
        ),
    ]


HEAT_LITE = [
    cfg.FloatOpt(
        'http_header_timeout',
        default=30,
        min=0.1,
        help='Number of seconds that a client of an API has for the first request line, and for '
        'the headers of each request. The connection is closed then.',
    ),
    cfg.FloatOpt(
        'http_body_timeout',
        default=60,
        min=0.1,
        help='Number of seconds that a client of an API has to send the body of a request, and to '
        'take some part of a response. A slower body is answered with 408 Request Timeout.',
    ),
    cfg.FloatOpt(
        'http_idle_timeout',
        default=75,
        min=0.1,
        help='Number of seconds after which an API closes a connection without a request.',
    ),
    cfg.IntOpt(
        'http_max_connections',
        default=1024,
        min=1,
        help='Maximum number of connections of one worker process of an API. At the limit, a new '
        'connection takes the place of the one that has waited longest for its client; if all '
        'have requests in progress, it is answered with 503 Service Unavailable. The limit of '
        'open files of the process (RLIMIT_NOFILE) may lower the number.',
    ),
    cfg.IntOpt(
        'http_max_connections_per_peer',
        default=512,
        min=1,
        help='Maximum number of connections from one IP address to one worker process of an API, '
        'with the same effect as http_max_connections. Set it to http_max_connections if all '
        'clients come by one proxy.',
    ),
    cfg.IntOpt(
        'max_requests_per_tenant',
        default=8,
        min=0,
        help='Number of requests of one project that a worker process of the API processes at a '
        'time. Further requests of the project wait for their turn, so those of other projects '
        'are answered meanwhile. 0 means no limit.',
    ),
    cfg.IntOpt(
        'max_requests_in_progress',
        default=32,
        min=0,
        help='Number of requests of all projects that a worker process of the API processes at a '
        'time. Further requests wait for their turn; projects that have sent few lately go '
        'first; a quarter more are in progress of projects that have no other one. 0 means no '
        'limit.',
    ),
    cfg.IntOpt(
        'max_logins_in_progress',
        default=16,
        min=0,
        help='Number of requests whose token, password or signature a worker process of an API '
        'lets Keystone check at a time. Further ones wait in the order of '
        'max_requests_in_progress; those whose token is known do not. 0 means no limit.',
    ),
    cfg.FloatOpt(
        'request_queue_timeout',
        default=60,
        min=0.1,
        help='Number of seconds that a request waits for its turn because of '
        'max_requests_per_tenant, max_requests_in_progress or max_logins_in_progress, each. It '
        'fails with 503 Service Unavailable then.',
    ),
    cfg.BoolOpt(
        'web_page',
        default=False,
        help='Whether the API serves the web page under /ui/. The page is a client of the API in '
        'the browser; it contains no data and needs no authentication. "heat-lite up" serves it '
        'unless this option is set to false.',
    ),
    cfg.StrOpt(
        'web_page_auth_url',
        help='URL of Keystone, with its version, at which the web page logs in from the browser. '
        'A path such as /identity/v3 is one of the site of the page. By default [clients_keystone] '
        'auth_uri is used, or [keystone_authtoken] www_authenticate_uri. A Keystone on another '
        'site must allow the page by its own option [cors] allowed_origin.',
    ),
    cfg.IntOpt(
        'max_event_streams',
        default=4096,
        min=0,
        help='Number of streams of events that one worker process of the API serves at a time. '
        'Their connections do not count for http_max_connections. At the limit, a project with '
        'fewer streams takes the place of one with more; other requests for streams are answered '
        'with 503 Service Unavailable.',
    ),
    cfg.IntOpt(
        'max_event_streams_per_tenant',
        default=2048,
        min=0,
        help='Number of streams of events of one project that one worker process of the API '
        'serves at a time.',
    ),
    cfg.IntOpt(
        'max_event_streams_in_threads',
        default=2,
        min=0,
        help='Number of streams of events of one process under another WSGI server, where each '
        'occupies a thread. Further ones are answered with 503 Service Unavailable. Under a '
        'server that serves one request of a process at a time there are none.',
    ),
    cfg.FloatOpt(
        'event_heartbeat_interval',
        default=15,
        min=0.1,
        help='Number of seconds after which a stream of events without an event sends a '
        'heartbeat, so that no proxy closes the connection.',
    ),
    cfg.FloatOpt(
        'event_token_check_interval',
        default=300,
        min=0.1,
        help='Number of seconds after which the token of an open stream of events is validated '
        'again, at the next message or heartbeat. A stream whose token was revoked ends.',
    ),
]

GROUPS = {
    'paste_deploy': PASTE_DEPLOY,
    'heat_api': _server(8004),
    'heat_api_cfn': _server(8000),
    'heat_api_cloudwatch': _server(8003),
    'heat_lite': HEAT_LITE,
}
