"""Filter that validates the signature of a request: Keystone knows the secret of the key.

Signatures of version 2 are accepted: they cover method, host, path and query. Versions 0 and 1 do
not cover the path, so one signed URL would serve for each resource. Keystone compares in constant
time, and knows no expiry in the future or by ``Expires``, which is checked here. With
``multi_cloud`` each Keystone is asked until one knows the key: keys are random, so no two
Keystones know the same, and no secret is sent.
"""

import datetime
import hashlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import webob

from heat_lite.api import paste_config, wsgi
from heat_lite.api.cfn import ec2_keystones, faults
from heat_lite.api.middleware import auth_headers
from heat_lite.common import ec2

#: the difference between the time of a signature and the clock beyond which it is refused, as by
#: AWS and Keystone
MAX_SKEW = datetime.timedelta(minutes=15)


class Ec2TokenFilter:
    """Filter; ``keystones`` are asked in their order; ``max_body``: maximum size in bytes."""

    def __init__(
        self,
        application: wsgi.WsgiApp,
        keystones: Sequence[ec2_keystones.Keystone],
        max_body: int,
    ) -> None:
        self.application = application
        self.keystones = keystones
        self.max_body = max_body

    def __call__(
        self, environ: wsgi.Environ, start_response: wsgi.StartResponse
    ) -> Iterable[bytes]:
        request = webob.Request(environ)
        # The signature covers the body, so it is read before the requester is known.
        request.body = wsgi.read_body(environ, self.max_body)
        keystone, token, token_id = self._validate(credentials_of(request))
        auth_headers.set_identity(environ, **_identity(token, token_id))
        if keystone.auth_url:
            environ[auth_headers.AUTH_URL] = keystone.auth_url
        return self.application(environ, start_response)

    def _validate(
        self, credentials: dict[str, Any]
    ) -> tuple[ec2_keystones.Keystone, dict[str, Any], str | None]:
        """Return the Keystone that knows the key, the token and its id. Raises Fault.

        If one cannot be reached, the key may be one of it: that is the error then.
        """
        failures = []
        for keystone in self.keystones:
            try:
                return keystone, *keystone.validate(credentials)
            except faults.Fault as fault:
                failures.append(fault)
        raise max(failures, key=lambda fault: fault.status)


def credentials_of(request: webob.Request) -> dict[str, Any]:
    """Return the signature and the signed data.

    Raises Fault for a request without a signature of version 2, or with an expired one.
    """
    try:
        params, path = dict(request.GET), request.script_name + request.path_info
    except UnicodeDecodeError:
        raise faults.Fault(
            400, 'InvalidParameterValue', 'The path or the query is not encoded as UTF-8'
        ) from None
    if len(params) < len(request.GET):
        # the signature would cover one of the values only
        raise faults.Fault(
            400, 'MalformedQueryString', 'A parameter occurs more than once in the query'
        )
    access, signature = params.get('AWSAccessKeyId'), params.pop('Signature', None)
    if not access or not signature:
        raise faults.unsigned()
    if params.get('SignatureVersion') != ec2.VERSION:
        raise faults.Fault(
            400, 'IncompleteSignature', 'SignatureVersion must be 2 for requests to this API'
        )
    _check_clock(params, datetime.datetime.now(datetime.UTC))
    return {
        'access': access,
        'signature': signature,
        'host': request.host,
        'verb': request.method,
        'path': path,
        'params': params,
        'headers': {},
        'body_hash': hashlib.sha256(request.body).hexdigest(),
    }


def _check_clock(params: dict[str, str], now: datetime.datetime) -> None:
    """Raise Fault for a signature that is too old or from the future.

    A URL without ``Timestamp`` and ``Expires``, e.g. of a wait condition, has no end.
    """
    if 'Timestamp' in params and 'Expires' in params:
        raise faults.Fault(
            400,
            'InvalidParameterCombination',
            'The parameters Timestamp and Expires exclude each other',
        )
    if 'Timestamp' in params and abs(now - _time(params, 'Timestamp')) > MAX_SKEW:
        raise faults.Fault(
            400,
            'RequestExpired',
            f'Timestamp differs by more than {MAX_SKEW} from the clock of the service',
        )
    if 'Expires' in params and _time(params, 'Expires') <= now:
        raise faults.Fault(400, 'RequestExpired', 'The time of Expires is past')


def _time(params: dict[str, str], name: str) -> datetime.datetime:
    """Return a time of ISO 8601, of UTC unless it has an offset."""
    try:
        found = datetime.datetime.fromisoformat(params[name])
    except ValueError:
        raise faults.Fault(
            400, 'InvalidParameterValue', f'{name} must be a time like 2026-01-31T12:00:00Z'
        ) from None
    return found if found.tzinfo else found.replace(tzinfo=datetime.UTC)


def _identity(token: dict[str, Any], token_id: str | None) -> dict[str, str | None]:
    user, project = token['user'], token.get('project') or {}
    return {
        'auth_token': token_id,
        'user_id': user['id'],
        'user_name': user['name'],
        'user_domain_id': user.get('domain', {}).get('id'),
        'project_id': project.get('id'),
        'project_name': project.get('name'),
        'project_domain_id': project.get('domain', {}).get('id'),
        'roles': ','.join(role['name'] for role in token.get('roles', ())),
    }


def filter_factory(global_conf: dict[str, Any], **local_conf: Any) -> Callable[..., Any]:
    conf = paste_config.from_global_conf(global_conf)
    keystones = ec2_keystones.configured(conf)
    return lambda application: Ec2TokenFilter(application, keystones, conf.max_json_body_size)
