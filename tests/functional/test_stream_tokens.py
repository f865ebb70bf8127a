"""Streams of events whose token was revoked, or cannot be checked."""

from tests import event_streams, identity
from tests.functional import shapes

MORE = """
[keystone_authtoken]
token_cache_time = 1

[heat_lite]
event_token_check_interval = 1
event_heartbeat_interval = 0.2
"""


def opened(service):
    """A stream with a token of its own, and this token."""
    service.tokens.clear()
    token = service.token()
    return event_streams.listening(f'{service.endpoint}/events', {'X-Auth-Token': token}), token


def break_down(environ, body):
    raise identity.Refused(500, 'The database of Keystone is away.')


def test_stream_ends_with_its_token_but_not_with_keystone(tmp_path):
    with shapes.split(tmp_path, 'tokens', 'mysql', keystone=True, more=MORE) as service:
        (listening_first, revoked), (listening_second, _) = opened(service), opened(service)
        with listening_first as first, listening_second as second:
            first.wait(lambda each: len(each.messages) > 10)  # the token was checked and is valid
            del service.keystone.tokens[revoked]
            first.wait()
            assert (first.messages[-1].kind, first.messages[-1].data['code']) == ('error', 401)
            assert 'does not accept' in first.messages[-1].data['message']
            service.keystone.validate = break_down
            seen = len(second.messages)
            second.wait(lambda each: len(each.messages) > seen + 10)
            assert {each.kind for each in second.messages} == {'heartbeat'}
