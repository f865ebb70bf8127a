import pytest

from heat_lite.common import exception
from heat_lite.db import credentials, session, stacks
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
