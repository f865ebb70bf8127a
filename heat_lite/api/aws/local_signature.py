"""Filter that validates signatures of a service whose access keys are its own.

The signature covers method, host, path and query. A proxy may change the host and take a prefix of
the path away, so the public URL of the service serves as well.
"""

import hmac
import urllib.parse
from collections.abc import Iterable
from typing import Any

import webob

from heat_lite.api import wsgi
from heat_lite.api.aws import ec2token, faults, signatures
from heat_lite.api.middleware import auth_headers, cloud_requests
from heat_lite.common import ec2


class LocalSignatureFilter:
    """Filter; ``url``: the public URL of the service, ``max_body`` in bytes.

    ``domain``: it has the access keys, as LocalStackDomain.
    """

    def __init__(self, application: wsgi.WsgiApp, domain: Any, url: str, max_body: int) -> None:
        self.application = application
        self.domain = domain
        self.public = urllib.parse.urlsplit(url)
        self.max_body = max_body

    def __call__(
        self, environ: wsgi.Environ, start_response: wsgi.StartResponse
    ) -> Iterable[bytes]:
        request = webob.Request(environ)
        found = ec2token.read_query(request, self.max_body)
        given = signatures.credentials_of(request, found)
        signatures.require_recent(given)
        user = self.domain.identity_of_access(given['access'])
        if user is None or not self._is_valid(given):
            raise faults.denied()
        auth_headers.set_identity(environ, **self.identity_of(user))
        return self.application(environ, start_response)

    def identity_of(self, owner: Any) -> dict[str, str | None]:
        """Return the identity of the owner of a key, as ``set_identity`` takes it."""
        return {**cloud_requests.identity_of(owner)}

    def _is_valid(self, given: dict[str, Any]) -> bool:
        places = (
            (given['host'], given['path']),
            (self.public.netloc, self.public.path + given['path']),
        )
        wanted = [
            _signature(secret, {**given, 'host': host, 'path': path})
            for secret in self.domain.secrets_of(given['access'])
            for host, path in places
        ]
        return any(
            hmac.compare_digest(each.encode(), given['signature'].encode()) for each in wanted
        )


def _signature(secret: str, given: dict[str, Any]) -> str:
    if 'body_hash' not in given:
        return ec2.sign(secret, given['verb'], given['host'], given['path'], given['params'])
    headers = {**given['headers'], 'Host': given['host']}
    return ec2.sign_v4(secret, {**given, 'headers': headers})
