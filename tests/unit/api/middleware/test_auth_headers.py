"""Identity headers come from authentication filters only."""

import pytest
import webob

from heat_lite.api.middleware import auth_headers, context, noauth

SPOOFED = {name: 'spoofed' for name in auth_headers.HEADERS} | {
    'X-Roles': 'admin',
    'X-Auth-Url': 'http://evil',
    'X-Auth-User': 'root',
}


def context_of(*, token=None, path='/p/stacks', headers=None):
    """Return the context behind the last filters of the noauth pipeline."""
    found = {}

    def application(environ, start_response):
        found['context'] = environ['heat_lite.context']
        return webob.Response()(environ, start_response)

    app = noauth.NoAuthFilter(context.ContextFilter(application, 'http://keystone'), token)
    webob.Request.blank(path, headers=headers or {}).get_response(app)
    return found['context']


def test_project_is_that_of_the_path():
    result = context_of()
    assert (result.project_id, result.user_id, result.username) == ('p', noauth.USER_ID, 'noauth')
    assert set(result.roles) == {'member', 'heat_stack_owner', 'reader'}
    assert result.user_id == context_of(path='/q/stacks').user_id


def test_identity_headers_of_the_client_are_removed():
    result = context_of(headers=SPOOFED)
    assert result.project_id == 'p'
    assert set(result.roles) == {'member', 'heat_stack_owner', 'reader'}
    assert result.auth_url == 'http://keystone'
    assert result.username == 'noauth'
    assert result.system_scope is None
    assert result.domain_id is None


def test_configured_token_sets_the_identity():
    token = {
        'user': {'id': 'u1', 'name': 'ann', 'domain': {'id': 'd1'}},
        'project': {'id': 'p1', 'name': 'home'},
        'roles': [{'name': 'admin'}, {'name': 'member'}],
    }
    result = context_of(token=token)
    assert (result.user_id, result.username, result.project_id, result.roles) == (
        'u1',
        'ann',
        'p1',
        ['admin', 'member'],
    )


@pytest.mark.parametrize('path', ['', '/'])
def test_path_without_project_gives_no_project(path):
    assert not context_of(path=path).project_id
