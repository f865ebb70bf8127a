import pytest

from heat_lite.common import exception
from heat_lite.common.context import RequestContext
from heat_lite.conf import identity
from heat_lite.db import credentials, journal, session, stacks
from tests import databases

SECRETS = {'password': 'pass word ü', 'trust_id': 'the trust'}
PLAIN = {
    'username': 'ann',
    'tenant': 'demo',
    'tenant_id': 't',
    'auth_url': 'http://keystone',
    'region_name': 'r',
    'trustor_user_id': 'u',
}


def test_credentials_are_created_read_and_deleted(database, context, make_stack):
    credentials_id = credentials.create({**SECRETS, **PLAIN})
    row = credentials.get(credentials_id)
    assert {name: getattr(row, name) for name in SECRETS | PLAIN} == SECRETS | PLAIN
    stack_id = make_stack(user_creds_id=credentials_id)
    assert credentials.delete(credentials_id) and not credentials.delete(credentials_id)
    assert credentials.get(credentials_id) is None
    assert stacks.get(context, stack_id).user_creds_id is None


def test_credentials_without_secrets_are_stored(database, context):
    row = credentials.get(credentials.create({'username': 'ann'}))
    assert (row.username, row.password, row.trust_id) == ('ann', None, None)


def test_secrets_are_stored_encrypted(backend_url, context):
    _, url = backend_url
    with databases.configured(url, key='the key'):
        databases.delete_all_rows()
        credentials_id = credentials.create({**SECRETS, **PLAIN})
        row = credentials.get(credentials_id)
        assert (row.password, row.trust_id) == ('pass word ü', 'the trust')

        @session.reader
        def stored():
            return (
                session.connection()
                .exec_driver_sql('SELECT password, trust_id, username FROM user_creds')
                .one()
            )

        assert stored()[2] == 'ann' and not set(SECRETS.values()) & set(stored())
    with databases.configured(url), pytest.raises(exception.InvalidEncryptionKey):
        credentials.get(credentials_id)


# --------------------------------------------------------------- the requester


@pytest.fixture
def requester():
    roles = ['member']
    return RequestContext(
        auth_token='the token',
        password='secret',
        project_id='tenant',
        user_id='u',
        roles=roles,
        overwrite=False,
    )


@pytest.fixture
def keyed(backend_url):
    _, url = backend_url
    with databases.configured(url, key='the key'):
        databases.delete_all_rows()
        yield url


def test_requester_is_decrypted_with_the_same_key_only(keyed, requester):
    stored = credentials.encrypt_requester(requester)
    known = credentials.decrypt_requester(stored)
    assert {
        **known.to_dict(),
        'password': 'secret',
    } == requester.to_dict() and known.password is None
    assert 'the token' not in stored and credentials.decrypt_requester(None) is None
    with databases.configured(keyed, key='another key'):
        assert credentials.decrypt_requester(stored) is None


@pytest.mark.parametrize('key', [None, identity.WELL_KNOWN_KEY])
def test_requester_is_not_stored_without_a_private_key(key, backend_url, requester):
    with databases.configured(backend_url[1], key=key):
        assert credentials.encrypt_requester(requester) is None


def test_requester_without_token_is_not_stored(keyed, context):
    assert credentials.encrypt_requester(context) is None


def finish(stack_id):
    journal.save(journal.ChangeSet(stack_id, stack={'status': 'COMPLETE'}))


def leave_trust(stack_id):
    assert credentials.replace_for_stack(stack_id, {'trust_id': 'x'})


@pytest.mark.parametrize(
    'end', [finish, leave_trust, stacks.reset_status, credentials.clear_requester]
)
def test_requester_is_cleared_at_the_end_of_the_action(end, keyed, context, requester):
    stack_id = databases.make_stack(
        context, asker=credentials.encrypt_requester(requester), status='IN_PROGRESS'
    )
    journal.save(
        journal.ChangeSet(stack_id, stack={'status': 'IN_PROGRESS', 'status_reason': 'goes on'}),
    )
    assert (
        credentials.decrypt_requester(stacks.get(context, stack_id).asker).auth_token == 'the token'
    )
    end(stack_id)
    assert stacks.get(context, stack_id).asker is None
