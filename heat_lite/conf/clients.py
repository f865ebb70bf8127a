"""How to talk to the services of the cloud: defaults in [clients], exceptions for one service in [clients_NAME]."""

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
INTERFACES = ['publicURL', 'internalURL', 'adminURL', 'public', 'internal', 'admin']


def _connection(endpoint_type=None, insecure=None):
    return [
        cfg.StrOpt('endpoint_type', choices=INTERFACES, default=endpoint_type, help='Which endpoint of the catalog to use.'),
        cfg.StrOpt('ca_file', help='Certificates of authorities that are trusted besides those of the system.'),
        cfg.StrOpt('cert_file', help='Certificate by which we prove who we are.'),
        cfg.StrOpt('key_file', help='Key of that certificate.'),
        cfg.BoolOpt('insecure', default=insecure, help='Do not check the certificate of the service.'),
    ]


def _http_log_debug():
    return cfg.BoolOpt('http_log_debug', default=False, help='Log requests and answers.')


EXTRA = {
    'heat': [cfg.URIOpt('url', help='URL of the orchestration service; %(tenant_id)s stands for the project. Unset: from the catalog.')],
    'keystone': [cfg.URIOpt('auth_uri', help='URL of Keystone without a version. Unset: www_authenticate_uri.')],
    'cinder': [_http_log_debug()],
    'nova': [_http_log_debug()],
}

GROUPS = {'clients': _connection('public', False)}
GROUPS.update({f'clients_{name}': [*_connection(), *EXTRA.get(name, ())] for name in SERVICES})
