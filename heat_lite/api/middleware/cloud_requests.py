"""Filters of a service that acts in clouds: the cloud of a request, and requests of stack users.

The project in the URL names the cloud. Stack users reach their resources by tokens or signed URLs
of this service, from other machines, too. All other requests pass the guards of a local service.
"""

import dataclasses
import re
from collections.abc import Mapping

import webob.exc

from heat_lite.api import wsgi
from heat_lite.api.middleware import auth_headers
from heat_lite.common import local_stack_domain
from heat_lite.common.local_stack_domain import LocalStackDomain

SIGNED = re.compile(r'/v1/((waitcondition|signal)/arn:|deployments/[0-9a-f-]{36}$)')
#: the path of the actions of the query protocol, and what tells them from other requests
QUERIED, ACTION, FORM = re.compile(r'/v1/?'), 'Action=', 'application/x-www-form-urlencoded'
IDENTITY = re.compile(r'/identity(/|$)')
TOKEN_HEADER = 'HTTP_X_AUTH_TOKEN'


@dataclasses.dataclass
class CloudFilter(wsgi.Filter):
    """Filter that accepts projects that are names of clouds, and sets the user of the cloud.

    ``users``: the id and the name of the user in each cloud. Another name gets HTTPNotFound.
    """

    users: Mapping[str, tuple[str, str]]

    def answer(self, environ: wsgi.Environ) -> wsgi.WsgiApp:
        # a token of a client is no credential here: the login of the cloud is
        environ.pop(TOKEN_HEADER, None)
        environ[auth_headers.IDENTITY] = self._identity
        return self.application

    def _identity(self, name: str) -> dict[str, str]:
        if name not in self.users:
            raise webob.exc.HTTPNotFound(
                f'This service has no login of a cloud "{name}". The project in the URL is the '
                f'name of a cloud: {", ".join(f"/v1/{each}" for each in sorted(self.users))}. '
                'Others are added by "heat-lite up --cloud NAME".'
            )
        user_id, user_name = self.users[name]
        return {'user_id': user_id, 'user_name': user_name}


@dataclasses.dataclass
class StackUserFilter(wsgi.Filter):
    """The first filter: it tells requests of stack users from those of the user of the service.

    ``application`` serves stack users, ``signed`` signed URLs, ``identity`` their logins, and
    ``guarded`` all other requests.
    """

    domain: LocalStackDomain
    signed: wsgi.WsgiApp
    identity: wsgi.WsgiApp
    guarded: wsgi.WsgiApp

    def answer(self, environ: wsgi.Environ) -> wsgi.WsgiApp:
        path = environ.get('PATH_INFO', '')
        if SIGNED.match(path) or _is_action(environ):
            return self.signed
        if IDENTITY.match(path):
            return self.identity
        user = self.domain.identity_of_token(environ.get(TOKEN_HEADER, ''))
        if user is None:
            return self.guarded
        # it is a credential of this service only
        del environ[TOKEN_HEADER]
        environ[auth_headers.IDENTITY] = lambda project: identity_of(user)
        return self.application


def _is_action(environ: wsgi.Environ) -> bool:
    """Return whether a request is one of the query protocol, in its query or as a form."""
    if not QUERIED.fullmatch(environ.get('PATH_INFO', '')):
        return False
    is_form = environ.get('CONTENT_TYPE', '').startswith(FORM)
    return ACTION in environ.get('QUERY_STRING', '') or is_form


def identity_of(user: local_stack_domain.StackUserIdentity) -> dict[str, str | None]:
    """Return the identity of a stack user, as ``auth_headers.set_identity`` takes it."""
    return {
        'user_id': user.user_id,
        'user_name': user.user_id,
        'user_domain_id': LocalStackDomain.domain_id,
        'project_id': user.project_id,
        'project_name': user.project_id,
        'project_domain_id': LocalStackDomain.domain_id,
        'roles': local_stack_domain.ROLE,
    }
