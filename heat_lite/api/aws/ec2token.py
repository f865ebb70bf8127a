"""Filter that validates the signature of a request: Keystone knows the secret of the key.

A signed URL of a signal is covered by its signature without the body, which is not read before
the requester is known. Other requests have their parameters in the body, or sign it, so it is
read first, up to the limit of bodies. Keystone compares in constant time, and
refuses a time that is older than its option [credential] auth_ttl. With ``multi_cloud`` each
Keystone is asked until one knows the key: keys are random, so no two Keystones know the same, and
no secret is sent.
"""

import dataclasses
import re
from collections.abc import Sequence

import webob
from oslo_config import cfg

from heat_lite.api import paste_config, wsgi
from heat_lite.api.aws import ec2_keystones, faults, query, signatures
from heat_lite.api.middleware import auth_headers, password
from heat_lite.common.admission import LoginAdmission
from heat_lite.common.value_types import Values

#: the status of a signature that Keystone refuses
DENIED = 403
#: the name of a login without a signature
USER = 'HTTP_X_AUTH_USER'
#: paths of signals, whose bodies are no forms, and of what the agent in a container reads
SIGNED = re.compile(r'/v1/(waitcondition|signal|deployments)/')
#: {kind of path: its methods}
SIGNED_METHODS = {'waitcondition': ('PUT',), 'signal': ('PUT', 'POST'), 'deployments': ('GET',)}


@dataclasses.dataclass
class Ec2TokenFilter(wsgi.Filter):
    """Filter; ``keystones`` are asked in their order.

    ``logins``: the permits of signatures; ``max_body`` in bytes.
    ``login``: the filter of requests with X-Auth-User and without a signature, if there is one.
    """

    keystones: Sequence[ec2_keystones.Keystone]
    logins: LoginAdmission
    max_body: int
    login: password.PasswordFilter | None = None

    def answer(self, environ: wsgi.Environ) -> wsgi.WsgiApp:
        request = webob.Request(environ)
        found = read_query(request, self.max_body)
        if self.login and USER in environ and not signatures.is_signed(request, found.params):
            self.login.authenticate(environ)
        else:
            self._check_signature(environ, signatures.credentials_of(request, found))
        return self.application

    def _check_signature(self, environ: wsgi.Environ, credentials: Values) -> None:
        with self.logins.permit(environ):
            keystone, token, token_id = self._validate(credentials)
        identity = auth_headers.identity_of_token(token)
        auth_headers.set_identity(environ, auth_token=token_id, **identity)
        environ[auth_headers.TOKEN_INFO] = _token_info(token)
        if keystone.auth_url:
            environ[auth_headers.AUTH_URL] = keystone.auth_url

    def _validate(self, credentials: Values) -> tuple[ec2_keystones.Keystone, Values, str | None]:
        """Return the Keystone that knows the key, the token and its id. Raises Fault.

        If one cannot be reached, the key may be one of it: that is the error then.
        """
        failures = []
        for keystone in self.keystones:
            try:
                return keystone, *keystone.validate(credentials)
            except faults.Fault as fault:
                failures.append(fault)
        worst = max(failures, key=lambda fault: fault.status)
        if worst.status == DENIED:
            signatures.require_recent(credentials)
        raise worst


def read_query(request: webob.Request, max_body: int) -> query.Query:
    """Return the parameters of a request: of a signed URL, those in it. Raises Fault."""
    environ = request.environ
    signed = SIGNED.match(signatures.path_of(request))
    if signed:
        _require_method(request.method, SIGNED_METHODS[signed[1]])
        return query.read_url(environ)
    if request.method not in query.METHODS:
        raise faults.Fault(404, 'InvalidAction', f'{request.method} is not supported by this API')
    return query.read(environ, max_body)


def _require_method(method: str, allowed: tuple[str, ...]) -> None:
    """Raise a Fault for another method: the signature, which covers the method, would not match."""
    if method not in allowed:
        text = f'{method} is not supported here: send the request with {" or ".join(allowed)}'
        raise faults.Fault(405, 'MethodNotAllowed', text, allow=', '.join(allowed))


def _token_info(token: Values) -> Values:
    """Return what the clients of services need to know of a token.

    Newer versions of Keystone refuse to tell it for a token of a signature (403).
    """
    catalog = [
        {
            'type': service['type'],
            'name': service.get('name'),
            'endpoints': [
                {key: endpoint.get(key) for key in ('interface', 'region_id', 'region', 'url')}
                for endpoint in service['endpoints']
            ],
        }
        for service in token.get('catalog') or ()
    ]
    known = ('methods', 'user', 'project', 'roles', 'issued_at', 'expires_at')
    return {'token': {**{key: token[key] for key in known if key in token}, 'catalog': catalog}}


@paste_config.make_factory
def filter_factory(conf: cfg.ConfigOpts) -> paste_config.Filter:
    keystones, logins = ec2_keystones.configured(conf), LoginAdmission(conf)
    log_in = password.make_filter(conf) if password.has_keystone(conf) else None
    return lambda application: Ec2TokenFilter(
        application,
        keystones,
        logins,
        conf.max_json_body_size,
        log_in and log_in(application),
    )
