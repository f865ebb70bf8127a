"""Believes everyone: for the service that runs for one person on one machine. The project is the one in the URL."""

import json

from heat_lite.api import configuration
from heat_lite.api.middleware import identity

USER_ID = 'noauth00000000000000000000000001'
USER_NAME = 'noauth'
DOMAIN = 'default'
ROLES = 'member,heat_stack_owner,reader'


class NoAuthFilter:
    """``token`` may say, as the token of a validated Keystone token does, who everyone is."""

    def __init__(self, application, token=None):
        self.application = application
        self.fixed = _from_token(token or {})

    def __call__(self, environ, start_response):
        project = identity.tenant_of(environ)
        known = {
            'auth_token': environ.get('HTTP_X_AUTH_TOKEN'),
            'user_id': USER_ID,
            'user_name': USER_NAME,
            'user_domain_id': DOMAIN,
            'project_id': project,
            'project_name': project,
            'project_domain_id': DOMAIN,
            'roles': ROLES,
        }
        identity.write(environ, **{**known, **self.fixed})
        return self.application(environ, start_response)


def _from_token(token):
    user, project = token.get('user', {}), token.get('project', {})
    roles = ','.join(role['name'] for role in token.get('roles', ()))
    said = {
        'user_id': user.get('id'),
        'user_name': user.get('name'),
        'user_domain_id': user.get('domain', {}).get('id'),
        'project_id': project.get('id'),
        'project_name': project.get('name'),
        'project_domain_id': project.get('domain', {}).get('id'),
        'roles': roles,
    }
    return {name: value for name, value in said.items() if value}


def filter_factory(global_conf, **local_conf):
    """[noauth] token_response, where it is set, is the body of a token in Keystone's words."""
    text = configuration.find(global_conf).noauth.token_response
    token = json.loads(text).get('token') if text else None
    return lambda application: NoAuthFilter(application, token)
