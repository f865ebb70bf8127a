"""Errors of services: class, message, retry, for each form of response."""

import json
import socket
import threading

import pytest
import requests
from keystoneauth1 import adapter, noauth, session

from heat_lite.clients import errors, rest
from heat_lite.common import exception
from heat_lite.engine.stack import conflict_retry


def response(status, body, **headers):
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
def test_message_is_found_in_each_form_of_body(body):
    error = errors.from_response(
        'neutron', 'DELETE', '/networks/n', response(409, body, x_openstack_request_id='req-1')
    )
    assert str(error) == 'in use (neutron 409, DELETE /networks/n, req-1)'
    assert isinstance(error, errors.Conflict) and conflict_retry.is_conflict(error)


def test_message_of_empty_response_is_its_reason():
    assert (
        str(errors.from_response('swift', 'HEAD', '/c', response(404, '')))
        == 'Reason (swift 404, HEAD /c)'
    )


def test_404_is_not_found_of_the_engine():
    assert isinstance(
        errors.from_response('nova', 'GET', '/servers/x', response(404, {})), exception.NotFound
    )


def test_status_without_class_is_kept():
    error = errors.from_response(
        'zun', 'GET', '/containers/x', response(418, {'message': 'no tea'})
    )
    assert (type(error), error.code) == (errors.ServiceError, 418)


@pytest.mark.parametrize(
    ('text', 'seconds'),
    [('7', 7.0), ('0.5', 0.5), ('Wed, 21 Oct 2026 07:28:00 GMT', None), (None, None)],
)
def test_retry_after_is_read_in_seconds(text, seconds):
    headers = {} if text is None else {'Retry_After': text}
    error = errors.from_response(
        'nova', 'POST', '/servers', response(429, {'message': 'slow down'}, **headers)
    )
    assert isinstance(error, errors.OverLimit) and error.retry_after == seconds


@pytest.mark.parametrize(
    ('service', 'status', 'body', 'name'),
    [
        (
            'neutron',
            409,
            {'NeutronError': {'type': 'IpAddressInUse', 'message': 'in use', 'detail': ''}},
            'IpAddressInUseClient',
        ),
        (
            'neutron',
            409,
            {'NeutronError': {'type': 'OverQuota', 'message': 'Quota exceeded', 'detail': ''}},
            'OverQuotaClient',
        ),
        (
            'neutron',
            409,
            {'NeutronError': {'type': 'SomethingElse', 'message': 'in use', 'detail': ''}},
            'Conflict',
        ),
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
def test_class_name_equals_that_of_the_client_library(service, status, body, name):
    error = errors.from_response(service, 'GET', '/x', response(status, body))
    assert type(error).__name__ == name and error.code == status
    same = {
        404: errors.NotFound,
        409: errors.Conflict,
        413: errors.OverLimit,
        503: errors.Unavailable,
    }.get(status, errors.ServiceError)
    assert isinstance(error, same)


@pytest.mark.parametrize(
    ('method', 'status', 'transient'),
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
def test_transient_depends_on_method_and_status(method, status, transient):
    assert (
        errors.from_response('neutron', method, '/networks', response(status, {})).transient
        == transient
    )


def test_refused_connection_is_transient():
    """Without a connection the service cannot have received the request."""
    with socket.socket() as listener:
        listener.bind(('127.0.0.1', 0))
        port = listener.getsockname()[1]
    api = rest.Api(
        'neutron',
        adapter.Adapter(
            session.Session(noauth.NoAuth()), endpoint_override=f'http://127.0.0.1:{port}'
        ),
    )
    with pytest.raises(errors.Unavailable) as caught:
        api.create('/networks', 'network', {})
    assert caught.value.transient


def test_lost_connection_is_transient_for_idempotent_methods_only():
    """The server accepts the request and closes the connection without a response."""
    with socket.socket() as listener:
        listener.bind(('127.0.0.1', 0))
        listener.listen()
        threading.Thread(target=close_connections, args=(listener, 2), daemon=True).start()
        api = rest.Api(
            'neutron',
            adapter.Adapter(
                session.Session(noauth.NoAuth()),
                endpoint_override=f'http://127.0.0.1:{listener.getsockname()[1]}',
            ),
        )
        with pytest.raises(errors.Unavailable) as caught:
            api.create('/networks', 'network', {})
        assert not caught.value.transient
        with pytest.raises(errors.Unavailable) as caught:
            api.show('/networks/n', 'network')
        assert caught.value.transient


def close_connections(listener, times):
    for _ in range(times):
        connection, _ = listener.accept()
        connection.recv(65536)
        connection.close()


@pytest.mark.parametrize(
    ('page', 'words'),
    [
        (
            '<html><h1>Not Found</h1><p>The resource could not be found.</p></html>',
            'The resource could not be found.',
        ),
        (
            '<html>\n <head>\n  <title>400</title>\n </head>\n <body>\n  <h1>400 Bad</h1>\n  '
            '&#x27;x&#x27; is wrong',
            "'x' is wrong",
        ),
        ('<html><title>404</title></html>', 'Reason'),
        ('a < b', 'a < b'),
        ('Denied.\n\n Policy.   ', 'Denied. Policy.'),
    ],
)
def test_message_of_html_page_is_its_text(page, words):
    assert errors.from_response('swift', 'PUT', '/c', response(404, page)).service_message == words
