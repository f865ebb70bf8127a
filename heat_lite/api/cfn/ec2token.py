"""Filter that validates the signature of a request: Keystone knows the secret of the key.

Signatures of version 2 are accepted: they cover method, host, path and query, so the body is not
read before the requester is known. Versions 0 and 1 do
not cover the path, so one signed URL would serve for each resource. Keystone compares in constant
time, and refuses a ``Timestamp`` that is older than its option [credential] auth_ttl. It knows no
time in the future and no ``Expires``, which are checked here. With
``multi_cloud`` each Keystone is asked until one knows the key: keys are random, so no two
Keystones know the same, and no secret is sent.
"""

import datetime
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import webob

from heat_lite.api import fair_turns, paste_config, wsgi
from heat_lite.api.cfn import ec2_keystones, faults
from heat_lite.api.middleware import auth_headers
from heat_lite.common import ec2

#: the difference between the time of a signature and the clock beyond which it is refused, as by
#: AWS, and by Keystone unless its auth_ttl is another
MAX_SKEW = datetime.timedelta(minutes=15)
#: the status of a signature that Keystone refuses
DENIED = 403


class Ec2TokenFilter:
    """Filter; ``keystones`` are asked in their order, ``turns`` are those of signatures."""

    def __init__(
        self,
        application: wsgi.WsgiApp,
        keystones: Sequence[ec2_keystones.Keystone],
        turns: fair_turns.FairTurns,
    ) -> None:
        self.application = application
        self.turns = turns
        self.keystones = keystones

    def __call__(
        self, environ: wsgi.Environ, start_response: wsgi.StartResponse
    ) -> Iterable[bytes]:
        credentials = credentials_of(webob.Request(environ))
        with self.turns.turn(*fair_turns.waiting(environ)):
            keystone, token, token_id = self._validate(credentials)
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
        worst = max(failures, key=lambda fault: fault.status)
        if worst.status == DENIED:
            require_recent(credentials['params'])
        raise worst


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
    }


def _check_clock(params: dict[str, str], now: datetime.datetime) -> None:
    """Raise Fault for a signature that has expired or is from the future.

    A URL without ``Timestamp`` and ``Expires``, e.g. of a wait condition, has no end.
    """
    if 'Timestamp' in params and 'Expires' in params:
        raise faults.Fault(
            400,
            'InvalidParameterCombination',
            'The parameters Timestamp and Expires exclude each other',
        )
    if 'Timestamp' in params and _time(params, 'Timestamp') - now > MAX_SKEW:
        raise faults.Fault(
            400,
            'RequestExpired',
            f'Timestamp is more than {MAX_SKEW} later than the clock of the service',
        )
    if 'Expires' in params and _time(params, 'Expires') <= now:
        raise faults.Fault(400, 'RequestExpired', 'The time of Expires is past')


def require_recent(params: dict[str, str]) -> None:
    """Raise Fault for a signature with a time that is older than Keystone accepts by default."""
    now = datetime.datetime.now(datetime.UTC)
    if 'Timestamp' in params and now - _time(params, 'Timestamp') > MAX_SKEW:
        raise faults.Fault(
            400,
            'RequestExpired',
            f'Timestamp is more than {MAX_SKEW} earlier than the clock of the service',
        )


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
    keystones, turns = ec2_keystones.configured(conf), fair_turns.of_logins(conf)
    return lambda application: Ec2TokenFilter(application, keystones, turns)
