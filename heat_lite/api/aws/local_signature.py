"""Filter that validates signatures of a service whose access keys are its own.

The signature covers method, host, path and query. A proxy may change the host and take a prefix of
the path away, so the public URL of the service serves as well.
"""

import dataclasses
import hmac
import urllib.parse

import webob

from heat_lite.api import wsgi
from heat_lite.api.aws import ec2token, faults, local_keys, signatures
from heat_lite.api.middleware import auth_headers
from heat_lite.common import ec2
from heat_lite.common.value_types import Values


@dataclasses.dataclass
class LocalSignatureFilter(wsgi.Filter):
    """Filter; ``url``: the public URL of the service, ``max_body`` in bytes."""

    keys: local_keys.LocalKeys
    max_body: int
    url: str = ''

    def __post_init__(self) -> None:
        self.public = urllib.parse.urlsplit(self.url)

    def answer(self, environ: wsgi.Environ) -> wsgi.WsgiApp:
        request = webob.Request(environ)
        found = ec2token.read_query(request, self.max_body)
        given = signatures.credentials_of(request, found)
        signatures.require_recent(given)
        identity = self.keys.identity_of_access(given['access'])
        if identity is None or not self._is_valid(given):
            raise faults.denied()
        auth_headers.set_identity(environ, **identity)
        return self.application

    def _is_valid(self, given: Values) -> bool:
        places = (
            (given['host'], given['path']),
            (self.public.netloc, self.public.path + given['path']),
        )
        wanted = [
            _signature(secret, {**given, 'host': host, 'path': path})
            for secret in self.keys.secrets_of(given['access'])
            for host, path in places
        ]
        return any(
            hmac.compare_digest(each.encode(), given['signature'].encode()) for each in wanted
        )


def _signature(secret: str, given: Values) -> str:
    if 'body_hash' not in given:
        return ec2.sign(secret, given['verb'], given['host'], given['path'], given['params'])
    headers = {**given['headers'], 'Host': given['host']}
    return ec2.sign_v4(secret, {**given, 'headers': headers})
