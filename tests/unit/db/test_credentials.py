import pytest

from heat_lite.common import exception
from heat_lite.common.context import RequestContext
from heat_lite.conf import identity
from heat_lite.db import credentials, journal, rescue, session, stacks
from tests import databases

SECRETS = {'password': 'pass word ü', 'trust_id': 'the trust'}
PLAIN = {'username': 'ann', 'tenant': 'demo', 'tenant_id': 't', 'auth_url': 'http://keystone', 'region_name': 'r', 'trustor_user_id': 'u'}


def test_life(database, context, make_stack):
    credentials_id = credentials.create(context, {**SECRETS, **PLAIN})
    row = credentials.get(context, credentials_id)
    assert {name: getattr(row, name) for name in SECRETS | PLAIN} == SECRETS | PLAIN
    stack_id = make_stack(user_creds_id=credentials_id)
    assert credentials.delete(context, credentials_id) and not credentials.delete(context, credentials_id)
    assert credentials.get(context, credentials_id) is None
    assert stacks.get(context, stack_id).user_creds_id is None


def test_without_secrets(database, context):
    row = credentials.get(context, credentials.create(context, {'username': 'ann'}))
    assert (row.username, row.password, row.trust_id) == ('ann', None, None)


def test_sealed(backend_url, context):
    _, url = backend_url
    with databases.configured(url, key='the key'):
        databases.wipe()
        credentials_id = credentials.create(context, {**SECRETS, **PLAIN})
        row = credentials.get(context, credentials_id)
        assert (row.password, row.trust_id) == ('pass word ü', 'the trust')

        @session.reader
        def stored():
            return session.connection().exec_driver_sql('SELECT password, trust_id, username FROM user_creds').one()

        assert stored()[2] == 'ann' and not set(SECRETS.values()) & set(stored())
    with databases.configured(url), pytest.raises(exception.InvalidEncryptionKey):
        credentials.get(context, credentials_id)


# --------------------------------------------------------------- who asks


@pytest.fixture
def asking():
    roles = ['member']
    return RequestContext(auth_token='the token', password='secret', project_id='tenant', user_id='u', roles=roles, overwrite=False)


@pytest.fixture
def keyed(backend_url):
    _, url = backend_url
    with databases.configured(url, key='the key'):
        databases.wipe()
        yield url


def test_who_asks_is_kept_as_long_as_the_key(keyed, asking):
    sealed = credentials.sealed_asker(asking)
    known = credentials.asker(sealed)
    assert {**known.to_dict(), 'password': 'secret'} == asking.to_dict() and known.password is None
    assert 'the token' not in sealed and credentials.asker(None) is None
    with databases.configured(keyed, key='another key'):
        assert credentials.asker(sealed) is None


@pytest.mark.parametrize('key', [None, identity.WELL_KNOWN_KEY])
def test_nobody_is_kept_under_a_key_that_all_know(key, backend_url, asking):
    with databases.configured(backend_url[1], key=key):
        assert credentials.sealed_asker(asking) is None


def test_who_has_no_token_is_not_kept(keyed, context):
    assert credentials.sealed_asker(context) is None


def finish(context, stack_id):
    journal.save(context, journal.Turn(stack_id, stack={'status': 'COMPLETE'}))


def leave_trust(context, stack_id):
    assert credentials.keep(context, stack_id, {'trust_id': 'x'})


@pytest.mark.parametrize('end', [finish, leave_trust, rescue.reset, credentials.forget_asker])
def test_who_asks_is_forgotten(end, keyed, context, asking):
    stack_id = databases.make_stack(context, asker=credentials.sealed_asker(asking), status='IN_PROGRESS')
    journal.save(context, journal.Turn(stack_id, stack={'status': 'IN_PROGRESS', 'status_reason': 'goes on'}))
    assert credentials.asker(stacks.get(context, stack_id).asker).auth_token == 'the token'
    end(context, stack_id)
    assert stacks.get(context, stack_id).asker is None
