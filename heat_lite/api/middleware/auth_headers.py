"""The headers by which an authenticating filter tells the rest who asks."""

HEADERS = (
    'X-Identity-Status',
    'X-Auth-Token',
    'X-User-Id',
    'X-User-Name',
    'X-User-Domain-Id',
    'X-User-Domain-Name',
    'X-Project-Id',
    'X-Project-Name',
    'X-Project-Domain-Id',
    'X-Project-Domain-Name',
    'X-Domain-Id',
    'X-Domain-Name',
    'X-Roles',
    'X-Is-Admin-Project',
    'X-Service-Catalog',
    'X-Service-Token',
    'X-Service-Roles',
    'X-Tenant-Id',
    'X-Tenant-Name',
    'X-User',
    'X-Tenant',
    'X-Role',
    'OpenStack-System-Scope',
)

# where the Keystone stands that an identity comes from, when it is not the configured one
AUTH_URL = 'heat_lite.auth_url'


def key(header):
    """The name of a header in a WSGI environment."""
    return 'HTTP_' + header.upper().replace('-', '_')


KEYS = tuple(key(header) for header in HEADERS)


def write(environ, **identity):
    """Replace all that the client said about itself by ``identity`` (``user_id='x'`` for X-User-Id); None values are left out."""
    for name in KEYS:
        environ.pop(name, None)
    environ['HTTP_X_IDENTITY_STATUS'] = 'Confirmed'
    environ.update({f'HTTP_X_{name.upper()}': value for name, value in identity.items() if value is not None})


def tenant_of(environ):
    """The project in the path /{version}/{project}/...; empty where there is none."""
    parts = environ.get('PATH_INFO', '').strip('/').split('/')
    return parts[0]
