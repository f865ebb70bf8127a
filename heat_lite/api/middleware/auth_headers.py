"""The headers in which an authentication filter passes the identity of the requester."""

from heat_lite.api import wsgi
from heat_lite.common.value_types import Values

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

# key of ``identity(project)``, which returns a map for ``set_identity``: a filter before the
# pipeline knows the user of the request
IDENTITY = 'heat_lite.identity'

# key of ``is_valid(environ)``: whether Keystone still accepts the token of a request
TOKEN_CHECK = 'heat_lite.token_check'
# key of the URL of the Keystone that authenticated the request, if not the configured one
AUTH_URL = 'heat_lite.auth_url'
# key of the response of Keystone about a token that cannot ask Keystone itself
TOKEN_INFO = 'heat_lite.token_info'
#: first parts of paths, which name the version of the API
VERSIONS = ('v1', 'v1.0')


def environ_key(header: str) -> str:
    """Return the key of a header in a WSGI environment."""
    return 'HTTP_' + header.upper().replace('-', '_')


KEYS = tuple(environ_key(header) for header in HEADERS)


def set_identity(environ: wsgi.Environ, **identity: str | None) -> None:
    """Set the identity headers (``user_id='x'`` for X-User-Id) and remove those of the client.

    Values that are None are omitted.
    """
    for name in KEYS:
        environ.pop(name, None)
    environ['HTTP_X_IDENTITY_STATUS'] = 'Confirmed'
    environ.update(
        {f'HTTP_X_{name.upper()}': value for name, value in identity.items() if value is not None}
    )


def identity_of_token(token: Values) -> dict[str, str | None]:
    """Return the identity of a token of Keystone, as ``set_identity`` takes it."""
    user, project = token.get('user', {}), token.get('project') or {}
    return {
        'user_id': user.get('id'),
        'user_name': user.get('name'),
        'user_domain_id': user.get('domain', {}).get('id'),
        'project_id': project.get('id'),
        'project_name': project.get('name'),
        'project_domain_id': project.get('domain', {}).get('id'),
        'roles': ','.join(role['name'] for role in token.get('roles', ())),
    }


def project_of_path(environ: wsgi.Environ) -> str:
    """Return the project in the path; empty without one.

    The filter of versions, before or after the caller, moves the version to SCRIPT_NAME.
    """
    parts = environ.get('PATH_INFO', '').strip('/').split('/')
    if parts[0] in VERSIONS and not environ.get('SCRIPT_NAME', '').endswith('/v1'):
        parts = parts[1:] or ['']
    return parts[0]
