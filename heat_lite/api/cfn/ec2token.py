"""Filter that validates the signature of a request: Keystone knows the secret of the key.

Signatures of version 2 are accepted: they cover method, host, path and query. Versions 0 and 1 do
not cover the path, so one signed URL would serve for each resource. Keystone compares in constant
time, and knows no expiry in the future or by ``Expires``, which is checked here.
"""

import datetime
import hashlib
import logging
from collections.abc import Callable, Iterable
from typing import Any

import webob
from keystoneauth1 import exceptions
from keystoneauth1 import session as ks_session
from oslo_config import cfg

from heat_lite.api import paste_config, wsgi
from heat_lite.api.cfn import faults
from heat_lite.api.middleware import auth_headers
from heat_lite.api.middleware.context import auth_url_of
from heat_lite.common import ec2
from heat_lite.conf import identity as options

LOG = logging.getLogger(__name__)
GROUP = 'ec2authtoken'
TIMEOUT = 30
#: the difference between the time of a signature and the clock beyond which it is refused, as by
#: AWS and Keystone
MAX_SKEW = datetime.timedelta(minutes=15)
REJECTIONS = (
    exceptions.Unauthorized,
    exceptions.Forbidden,
    exceptions.NotFound,
    exceptions.BadRequest,
)


class Ec2TokenFilter:
    """Filter; ``url``: Keystone with its version; ``session``: that of the service user.

    ``max_body``: maximum size of a body in bytes.
    Keystone validates signatures for service users only.
    """

    def __init__(
        self, application: wsgi.WsgiApp, url: str, session: ks_session.Session, max_body: int
    ) -> None:
        self.application = application
        self.max_body = max_body
        self.url = url
        self.session = session

    def __call__(
        self, environ: wsgi.Environ, start_response: wsgi.StartResponse
    ) -> Iterable[bytes]:
        request = webob.Request(environ)
        # The signature covers the body, so it is read before the requester is known.
        request.body = wsgi.read_body(environ, self.max_body)
        token, token_id = self._validate(credentials_of(request))
        auth_headers.set_identity(environ, **_identity(token, token_id))
        return self.application(environ, start_response)

    def _validate(self, credentials: dict[str, Any]) -> tuple[dict[str, Any], str | None]:
        try:
            response = self.session.post(
                f'{self.url}/ec2tokens',
                json={'ec2Credentials': credentials},
                authenticated=self.session.auth is not None,
                log=False,
            )
        except REJECTIONS as error:
            LOG.info('Keystone rejected access key %s: %s', credentials['access'], error)
            raise faults.denied() from None
        except exceptions.ClientException as error:
            raise faults.Fault(
                503, 'ServiceUnavailable', f'Keystone cannot be reached: {type(error).__name__}'
            ) from error
        return response.json()['token'], response.headers.get('X-Subject-Token')


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
    loading = options.register_auth(conf, GROUP)
    auth = loading.load_auth_from_conf_options(conf, GROUP) if conf[GROUP].auth_type else None
    conf.register_opts([cfg.StrOpt('endpoint_override')], group=GROUP)
    url = conf[GROUP].endpoint_override or auth_url_of(conf)
    url = url or (conf[GROUP].auth_url if auth else '')
    url = f'{(url or "").rstrip("/").removesuffix("/v3").removesuffix("/v2.0")}/v3'
    session = loading.load_session_from_conf_options(conf, GROUP, auth=auth)
    session.timeout = session.timeout or TIMEOUT
    return lambda application: Ec2TokenFilter(application, url, session, conf.max_json_body_size)
