"""What services answer instead of doing what they were asked, in the ways in which they say it."""

import json
import socket
import threading

import pytest
import requests
from keystoneauth1 import adapter, noauth, session

from heat_lite.clients import errors, rest
from heat_lite.common import exception
from heat_lite.engine import patience


def answer(status, body, **headers):
    result = requests.Response()
    result.status_code, result.reason = status, 'Reason'
    result._content = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    result.headers.update({name.replace('_', '-'): value for name, value in headers.items()})
    return result


@pytest.mark.parametrize(
    'body',
    [
        {'NeutronError': {'type': 'NetworkInUse', 'message': 'in use', 'detail': ''}},
        {'conflictingRequest': {'code': 409, 'message': 'in use'}},
        {'error': {'code': 409, 'message': 'in use', 'title': 'Conflict'}},
        {'faultcode': 'Client', 'faultstring': 'in use'},
        {'errors': [{'status': 409, 'detail': 'in use'}]},
        'in use',
    ],
)
def test_each_service_has_its_own_way_to_say_it(body):
    error = errors.of_answer('neutron', 'DELETE', '/networks/n', answer(409, body, x_openstack_request_id='req-1'))
    assert str(error) == 'in use (neutron 409, DELETE /networks/n, req-1)'
    assert isinstance(error, errors.Conflict) and patience.is_conflict(error)


def test_an_answer_without_words_has_at_least_its_reason():
    assert str(errors.of_answer('swift', 'HEAD', '/c', answer(404, ''))) == 'Reason (swift 404, HEAD /c)'


def test_what_is_not_there_is_not_found_for_the_engine_too():
    assert isinstance(errors.of_answer('nova', 'GET', '/servers/x', answer(404, {})), exception.NotFound)


def test_a_status_without_a_class_keeps_its_number():
    error = errors.of_answer('zun', 'GET', '/containers/x', answer(418, {'message': 'no tea'}))
    assert (type(error), error.code) == (errors.ServiceError, 418)


@pytest.mark.parametrize(('text', 'seconds'), [('7', 7.0), ('0.5', 0.5), ('Wed, 21 Oct 2026 07:28:00 GMT', None), (None, None)])
def test_how_long_to_wait(text, seconds):
    headers = {} if text is None else {'Retry_After': text}
    error = errors.of_answer('nova', 'POST', '/servers', answer(429, {'message': 'slow down'}, **headers))
    assert isinstance(error, errors.OverLimit) and error.retry_after == seconds


@pytest.mark.parametrize(
    ('service', 'status', 'body', 'name'),
    [
        ('neutron', 409, {'NeutronError': {'type': 'IpAddressInUse', 'message': 'in use', 'detail': ''}}, 'IpAddressInUseClient'),
        ('neutron', 409, {'NeutronError': {'type': 'OverQuota', 'message': 'Quota exceeded', 'detail': ''}}, 'OverQuotaClient'),
        ('neutron', 409, {'NeutronError': {'type': 'SomethingElse', 'message': 'in use', 'detail': ''}}, 'Conflict'),
        ('neutron', 500, {'NeutronError': 'it broke'}, 'InternalServerError'),
        ('neutron', 404, ['not a map'], 'NotFound'),
        ('keystone', 500, {'error': {'message': 'it broke'}}, 'InternalServerError'),
        ('keystone', 503, {'error': {'message': 'later'}}, 'ServiceUnavailable'),
        ('glance', 404, 'no image', 'HTTPNotFound'),
        ('swift', 404, '', 'ClientException'),
        ('cinder', 500, {'computeFault': {'message': 'it broke'}}, 'ClientException'),
        ('cinder', 413, {'overLimit': {'message': 'VolumeLimitExceeded'}}, 'OverLimit'),
    ],
)
def test_reasons_call_errors_as_the_libraries_of_the_services_do(service, status, body, name):
    error = errors.of_answer(service, 'GET', '/x', answer(status, body))
    assert type(error).__name__ == name and error.code == status
    same = {404: errors.NotFound, 409: errors.Conflict, 413: errors.OverLimit, 503: errors.Unavailable}.get(status, errors.ServiceError)
    assert isinstance(error, same)


@pytest.mark.parametrize(
    ('method', 'status', 'passing'),
    [
        ('GET', 500, True),
        ('GET', 404, False),
        ('GET', 501, False),
        ('DELETE', 504, True),
        ('POST', 500, False),
        ('POST', 503, True),
        ('PUT', 502, False),
    ],
)
def test_what_may_be_asked_again(method, status, passing):
    assert errors.of_answer('neutron', method, '/networks', answer(status, {})).passing == passing


def test_what_was_never_sent_may_be_asked_again():
    """Nobody listens: there was no connection that a request could have gone through."""
    with socket.socket() as listener:
        listener.bind(('127.0.0.1', 0))
        port = listener.getsockname()[1]
    api = rest.Api('neutron', adapter.Adapter(session.Session(noauth.NoAuth()), endpoint_override=f'http://127.0.0.1:{port}'))
    with pytest.raises(errors.Unavailable) as caught:
        api.create('/networks', 'network', {})
    assert caught.value.passing


def test_what_may_have_arrived_is_asked_again_only_where_it_does_no_harm():
    """Somebody listens, and hangs up without an answer."""
    with socket.socket() as listener:
        listener.bind(('127.0.0.1', 0))
        listener.listen()
        threading.Thread(target=hang_up, args=(listener, 2), daemon=True).start()
        api = rest.Api(
            'neutron', adapter.Adapter(session.Session(noauth.NoAuth()), endpoint_override=f'http://127.0.0.1:{listener.getsockname()[1]}')
        )
        with pytest.raises(errors.Unavailable) as caught:
            api.create('/networks', 'network', {})
        assert not caught.value.passing
        with pytest.raises(errors.Unavailable) as caught:
            api.show('/networks/n', 'network')
        assert caught.value.passing


def hang_up(listener, times):
    for _ in range(times):
        connection, _ = listener.accept()
        connection.recv(65536)
        connection.close()


@pytest.mark.parametrize(
    ('page', 'words'),
    [
        ('<html><h1>Not Found</h1><p>The resource could not be found.</p></html>', 'The resource could not be found.'),
        (
            '<html>\n <head>\n  <title>400</title>\n </head>\n <body>\n  <h1>400 Bad</h1>\n  &#x27;x&#x27; is wrong',
            "'x' is wrong",
        ),
        ('<html><title>404</title></html>', 'Reason'),
        ('a < b', 'a < b'),
    ],
)
def test_pages_are_told_by_their_words(page, words):
    assert errors.of_answer('swift', 'PUT', '/c', answer(404, page)).said == words
