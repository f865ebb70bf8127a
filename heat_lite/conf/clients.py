"""Options of the clients of OpenStack services.

Group [clients] holds the defaults; group [clients_NAME] overrides them for one service.
"""

from oslo_config import cfg

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


def _connection(endpoint_type=None, insecure=None, timeout=None):
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


def _http_log_debug():
    return cfg.BoolOpt(
        'http_log_debug',
        default=False,
        help='If true, requests to the service and its responses are logged at level DEBUG.',
    )


EXTRA = {
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

GROUPS = {'clients': _connection('public', False, TIMEOUT)}
GROUPS.update({f'clients_{name}': [*_connection(), *EXTRA.get(name, ())] for name in SERVICES})
