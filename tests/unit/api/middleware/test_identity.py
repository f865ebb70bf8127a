"""Nobody says who they are but the filters that know."""

import pytest
import webob

from heat_lite.api.middleware import context, identity, noauth

SPOOFED = {name: 'spoofed' for name in identity.HEADERS} | {'X-Roles': 'admin', 'X-Auth-Url': 'http://evil', 'X-Auth-User': 'root'}


def seen(*, token=None, path='/p/stacks', headers=None):
    """The context that arrives behind the noauth pipeline's last filters."""
    found = {}

    def beyond(environ, start_response):
        found['context'] = environ['heat_lite.context']
        return webob.Response()(environ, start_response)

    app = noauth.NoAuthFilter(context.ContextFilter(beyond, 'http://keystone'), token)
    webob.Request.blank(path, headers=headers or {}).get_response(app)
    return found['context']


def test_the_project_is_the_one_in_the_path():
    made = seen()
    assert (made.project_id, made.user_id, made.username) == ('p', noauth.USER_ID, 'noauth')
    assert set(made.roles) == {'member', 'heat_stack_owner', 'reader'}
    assert made.user_id == seen(path='/q/stacks').user_id


def test_what_a_client_says_of_itself_is_not_heard():
    made = seen(headers=SPOOFED)
    assert made.project_id == 'p'
    assert set(made.roles) == {'member', 'heat_stack_owner', 'reader'}
    assert made.auth_url == 'http://keystone'
    assert made.username == 'noauth'
    assert made.system_scope is None
    assert made.domain_id is None


def test_a_configured_token_says_who_everyone_is():
    token = {
        'user': {'id': 'u1', 'name': 'ann', 'domain': {'id': 'd1'}},
        'project': {'id': 'p1', 'name': 'home'},
        'roles': [{'name': 'admin'}, {'name': 'member'}],
    }
    made = seen(token=token)
    assert (made.user_id, made.username, made.project_id, made.roles) == ('u1', 'ann', 'p1', ['admin', 'member'])


@pytest.mark.parametrize('path', ['', '/'])
def test_no_project_in_the_path(path):
    assert not seen(path=path).project_id
