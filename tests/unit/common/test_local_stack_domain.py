"""Credentials of stack users without Keystone."""

import pytest

from heat_lite.common import local_stack_domain
from heat_lite.common.local_stack_domain import LocalStackDomain

KEY, FORMER = 'a' * 32, 'b' * 32


@pytest.fixture
def domain():
    return LocalStackDomain([KEY])


@pytest.fixture
def user(domain):
    """The project, the id and the password of a user."""
    project = domain.create_project('p', '')
    return project, domain.create_user('u', 'password', project), 'password'


def test_token_of_a_login_names_user_and_project(domain, user):
    project, user_id, password = user
    token = domain.authenticate(user_id, password, project).auth_token
    assert domain.identity_of_token(token) == (user_id, project)


@pytest.mark.parametrize('changed', [0, 1, 2])
def test_authenticate_refuses_what_belongs_to_another_user(domain, user, changed):
    project, user_id, password = user
    other = [domain.create_project('q', ''), 'f' * 32, 'wrong'][changed]
    given = [project, user_id, password]
    given[changed] = other
    assert domain.authenticate(given[1], given[2], given[0]) is None


def test_token_with_another_project_or_expiry_is_refused(domain, user):
    project, user_id, password = user
    token = domain.authenticate(user_id, password, project).auth_token
    name, of, to, expires, mac = token.split('.')
    assert domain.identity_of_token('.'.join([name, 'f' * 32, to, expires, mac])) is None
    assert domain.identity_of_token('.'.join([name, of, to, f'{int(expires) + 1}', mac])) is None
    assert domain.identity_of_token('') is None


def test_expired_token_is_refused(domain, user, monkeypatch):
    project, user_id, password = user
    token = domain.authenticate(user_id, password, project).auth_token
    later = int(token.split('.')[3]) + 1
    monkeypatch.setattr(local_stack_domain.time, 'time', lambda: later)
    assert domain.identity_of_token(token) is None


def test_access_key_names_its_user_and_has_one_secret(domain, user):
    project, user_id, _ = user
    _, access, secret = domain.create_keypair(user_id, project)
    assert domain.identity_of_access(access) == (user_id, project)
    assert domain.secrets_of(access) == [secret]
    assert domain.identity_of_access('AKIA') is None


def test_credentials_of_a_former_key_are_accepted(domain, user):
    project, user_id, password = user
    token = domain.authenticate(user_id, password, project).auth_token
    _, access, secret = domain.create_keypair(user_id, project)
    rotated = LocalStackDomain([FORMER, KEY])
    assert rotated.identity_of_token(token) == (user_id, project)
    assert rotated.authenticate(user_id, password, project) is not None
    assert secret in rotated.secrets_of(access)
    assert LocalStackDomain([FORMER]).identity_of_token(token) is None
