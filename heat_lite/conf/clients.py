"""Options of the clients of OpenStack services and of container engines.

Group [clients] holds the defaults; group [clients_NAME] overrides them for one service.
"""

from typing import Any

from oslo_config import cfg
from oslo_config.cfg import Opt

SERVICES = (
    'aodh',
    'barbican',
    'cinder',
    'designate',
    'glance',
    'heat',
    'keystone',
    'magnum',
    'manila',
    'mistral',
    'neutron',
    'nova',
    'octavia',
    'swift',
    'trove',
    'zaqar',
)
#: seconds until a request to a service that does not answer ends, if no option names them
TIMEOUT = 120.0
INTERFACES = ['publicURL', 'internalURL', 'adminURL', 'public', 'internal', 'admin']


def _connection(
    endpoint_type: str | None = None, insecure: Any = None, timeout: Any = None
) -> list[Opt]:
    return [
        cfg.StrOpt(
            'endpoint_type',
            choices=INTERFACES,
            default=endpoint_type,
            help='Interface of the endpoint in the service catalog that requests are sent to.',
        ),
        cfg.StrOpt(
            'ca_file',
            help='File with the CA certificates that verify the certificate of the service. If '
            'unset, the CA certificates of the system are used.',
        ),
        cfg.StrOpt('cert_file', help='File with the TLS client certificate for the service.'),
        cfg.StrOpt(
            'key_file', help='File with the private key that belongs to the client certificate.'
        ),
        cfg.BoolOpt(
            'insecure',
            default=insecure,
            help='If true, the certificate of the service is not verified.',
        ),
        cfg.FloatOpt(
            'timeout',
            default=timeout,
            min=1,
            help='Number of seconds after which a request to the service ends that has not been '
            'answered. The resource fails then, unless it is safe to repeat the request.',
        ),
    ]


def _http_log_debug() -> Opt:
    return cfg.BoolOpt(
        'http_log_debug',
        default=False,
        help='If true, requests to the service and its responses are logged at level DEBUG.',
    )


EXTRA: dict[str, list[Opt]] = {
    'heat': [
        cfg.URIOpt(
            'url',
            help='URL of the orchestration API, with %(tenant_id)s in place of the project id. If '
            'unset, the URL is taken from the service catalog.',
        )
    ],
    'keystone': [
        cfg.URIOpt(
            'auth_uri',
            help='URL of Keystone without a version. If unset, the option www_authenticate_uri of '
            'group [keystone_authtoken] is used.',
        )
    ],
    'cinder': [_http_log_debug()],
    'nova': [_http_log_debug()],
}

DOCKER = [
    cfg.StrOpt(
        'url',
        help='URL of the container engine: unix:///run/docker.sock, tcp://HOST:2376, or '
        'ssh://USER@HOST. If unset, "heat-lite up" takes the URL in the variable DOCKER_HOST, or '
        'the usual sockets of Docker and Podman. The other programs have no container engine then.',
    ),
    cfg.URIOpt(
        'signal_url',
        help='URL of this service by which containers send signals without a login: each URL of a '
        'signal has a signature. "heat-lite up --container-port" sets it; other programs take no '
        'signed signals of containers.',
    ),
    cfg.ListOpt(
        'endpoints',
        default=[],
        help='URLs of further container engines that the property docker_endpoint of resources '
        'may name. An asterisk stands for any text.',
    ),
    cfg.BoolOpt(
        'allow_host_paths',
        default=False,
        help='If true, containers may use files, folders and devices of the host of the container '
        'engine. This gives the authors of templates the rights of the engine on that host.',
    ),
    cfg.BoolOpt(
        'allow_privileged',
        default=False,
        help='If true, containers may be privileged, may add capabilities, and may share the '
        'namespaces of the host. This gives the authors of templates the rights of the engine on '
        'that host.',
    ),
    *[each for each in _connection() if each.name != 'endpoint_type'],
]

GROUPS = {'clients': _connection('public', False, TIMEOUT)}
GROUPS.update({f'clients_{name}': [*_connection(), *EXTRA.get(name, ())] for name in SERVICES})
GROUPS['clients_docker'] = DOCKER
