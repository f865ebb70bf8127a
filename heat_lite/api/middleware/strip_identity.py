"""First filter of each pipeline: it removes the headers in which a client could claim an identity.

Only the filters behind it set these headers, after they have authenticated the request.
"""

from collections.abc import Iterable

from heat_lite.api import paste_config, wsgi
from heat_lite.api.middleware import auth_headers

#: beginnings of the keys of headers about an identity
PREFIXES = tuple(
    map(
        auth_headers.environ_key,
        (
            'X-Auth-',
            'X-Delegated-',
            'X-Domain-',
            'X-Identity-',
            'X-Is-Admin',
            'X-Project-',
            'X-Role',
            'X-Service-',
            'X-Tenant',
            'X-Trust',
            'X-User',
            'X-Aws-',
            'OpenStack-System-Scope',
        ),
    )
)
#: credentials, which a filter validates; they claim nothing by themselves
CREDENTIALS = frozenset(
    map(auth_headers.environ_key, ('X-Auth-Token', 'X-Auth-User', 'X-Auth-Key', 'X-Service-Token'))
)


class StripIdentityFilter(wsgi.Filter):
    """Filter; ``kept``: names of further headers that are credentials in this pipeline."""

    def __init__(self, application: wsgi.WsgiApp, kept: Iterable[str] = ()) -> None:
        super().__init__(application)
        self.kept = CREDENTIALS.union(map(auth_headers.environ_key, kept))

    def answer(self, environ: wsgi.Environ) -> wsgi.WsgiApp:
        claims = [key for key in environ if key.startswith(PREFIXES) and key not in self.kept]
        for key in claims:
            del environ[key]
        return self.application


def filter_factory(
    global_conf: paste_config.GlobalConf, keep: str = '', **local_conf: str
) -> paste_config.Filter:
    """``keep``: names of headers that pass, because a filter of the pipeline validates them."""
    return lambda application: StripIdentityFilter(application, keep.split())
