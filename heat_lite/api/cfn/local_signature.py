"""Filter that validates signed URLs of a service whose stack users are its own.

The signature covers method, host, path and query. A proxy may change the host and take a prefix of
the path away, so the public URL of the service serves as well.
"""

import hmac
import urllib.parse
from collections.abc import Iterable
from typing import Any

import webob

from heat_lite.api import wsgi
from heat_lite.api.cfn import ec2token, faults
from heat_lite.api.middleware import auth_headers, cloud_requests
from heat_lite.common import ec2
from heat_lite.common.local_stack_domain import LocalStackDomain


class LocalSignatureFilter:
    """Filter; ``url``: the public URL of the service."""

    def __init__(self, application: wsgi.WsgiApp, domain: LocalStackDomain, url: str) -> None:
        self.application = application
        self.domain = domain
        self.public = urllib.parse.urlsplit(url)

    def __call__(
        self, environ: wsgi.Environ, start_response: wsgi.StartResponse
    ) -> Iterable[bytes]:
        given = ec2token.credentials_of(webob.Request(environ))
        ec2token.require_recent(given['params'])
        user = self.domain.identity_of_access(given['access'])
        if user is None or not self._is_valid(given):
            raise faults.denied()
        auth_headers.set_identity(environ, **cloud_requests.identity_of(user))
        return self.application(environ, start_response)

    def _is_valid(self, given: dict[str, Any]) -> bool:
        places = (
            (given['host'], given['path']),
            (self.public.netloc, self.public.path + given['path']),
        )
        signatures = [
            ec2.sign(secret, given['verb'], host, path, given['params'])
            for secret in self.domain.secrets_of(given['access'])
            for host, path in places
        ]
        return any(
            hmac.compare_digest(each.encode(), given['signature'].encode()) for each in signatures
        )
