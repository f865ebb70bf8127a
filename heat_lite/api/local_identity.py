"""The login of stack users, as far as agents in servers use it: Keystone's v3 with passwords.

A server that polls for its configuration, or signals by HEAT_SIGNAL, logs in here: the URL is that
of the service with ``/identity/v3``. The catalog has this service only.
"""

import dataclasses
import datetime
import json
import uuid
from collections.abc import Collection

import webob
import webob.exc

from heat_lite.api import wsgi
from heat_lite.common import exception, local_stack_domain
from heat_lite.common.local_stack_domain import LocalStackDomain
from heat_lite.common.value_types import Values

TIME = '%Y-%m-%dT%H:%M:%S.%fZ'
VERSIONS, VERSION, TOKENS = '/identity', '/identity/v3', '/identity/v3/auth/tokens'
REFUSED = 'The request you have made requires authentication.'
INTERFACES = ('public', 'internal', 'admin')


@dataclasses.dataclass
class LocalIdentity(wsgi.Responder):
    """The application; ``url``: the public URL of the service, ``max_body`` in bytes.

    ``regions``: those of the clouds, since an agent looks in the region of its server.
    """

    domain: LocalStackDomain
    url: str
    regions: Collection[str | None]
    max_body: int

    def answer(self, environ: wsgi.Environ) -> wsgi.WsgiApp:
        request = webob.Request(environ)
        path = request.path_info.rstrip('/')
        if request.method in ('GET', 'HEAD') and path in (VERSIONS, VERSION):
            return self._version(path)
        if request.method == 'POST' and path == TOKENS:
            return self._log_in(wsgi.read_body(environ, self.max_body))
        raise webob.exc.HTTPNotFound(
            f'{request.method} {path} is not supported: stack users can only log in.'
        )

    def _version(self, path: str) -> webob.Response:
        links = [{'rel': 'self', 'href': f'{self.url}{VERSION}/'}]
        described = {'id': 'v3.14', 'status': 'stable', 'media-types': [], 'links': links}
        if path == VERSION:
            return wsgi.json_response({'version': described})
        return wsgi.json_response({'versions': {'values': [described]}}, 300)

    def _log_in(self, body: bytes) -> webob.Response:
        user_id, password, project_id = _credentials(body)
        found = self.domain.authenticate(user_id, password, project_id)
        if found is None:
            raise webob.exc.HTTPUnauthorized(REFUSED)
        expires = datetime.datetime.fromtimestamp(found.expires, datetime.UTC)
        domain = {'id': self.domain.domain_id, 'name': self.domain.domain_id}
        token = {
            'methods': ['password'],
            'user': {'id': user_id, 'name': user_id, 'domain': domain, 'password_expires_at': None},
            'project': {'id': project_id, 'name': project_id, 'domain': domain},
            'roles': [{'id': local_stack_domain.ROLE, 'name': local_stack_domain.ROLE}],
            'issued_at': datetime.datetime.now(datetime.UTC).strftime(TIME),
            'expires_at': expires.strftime(TIME),
            'audit_ids': [uuid.uuid4().hex[:22]],
            'catalog': self._catalog(project_id),
        }
        response = wsgi.json_response({'token': token}, 201)
        response.headers['X-Subject-Token'] = found.auth_token
        return response

    def _catalog(self, project_id: str) -> list[Values]:
        urls = {
            'orchestration': f'{self.url}/v1/{project_id}',
            'cloudformation': f'{self.url}/v1',
            'identity': f'{self.url}{VERSION}',
        }
        return [
            {'id': kind, 'type': kind, 'name': kind, 'endpoints': self._endpoints(kind, url)}
            for kind, url in urls.items()
        ]

    def _endpoints(self, kind: str, url: str) -> list[Values]:
        return [
            {
                'id': f'{kind}-{region}-{interface}',
                'interface': interface,
                'region': region,
                'region_id': region,
                'url': url,
            }
            for region in self.regions
            for interface in INTERFACES
        ]


def _credentials(body: bytes) -> tuple[str, str, str]:
    """Return user id, password and project id. Raises Invalid for another form of login."""
    try:
        auth = json.loads(body)['auth']
        user = auth['identity']['password']['user']
        found = user['id'], user['password'], auth['scope']['project']['id']
    except (ValueError, KeyError, TypeError, RecursionError):
        found = None, None, None
    if not all(isinstance(each, str) for each in found):
        raise exception.Invalid(
            reason='stack users log in by user id, password and project id; other logins are '
            'not supported here'
        )
    return found
