"""What services answer instead of doing what they were asked, in the ways in which they say it."""

import json

import pytest
import requests

from heat_lite.clients import errors
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
    error = errors.of_answer('nova', 'GET', '/servers/x', answer(418, {'message': 'no tea'}))
    assert (type(error), error.code) == (errors.ServiceError, 418)


@pytest.mark.parametrize(('text', 'seconds'), [('7', 7.0), ('0.5', 0.5), ('Wed, 21 Oct 2026 07:28:00 GMT', None), (None, None)])
def test_how_long_to_wait(text, seconds):
    headers = {} if text is None else {'Retry_After': text}
    error = errors.of_answer('nova', 'POST', '/servers', answer(429, {'message': 'slow down'}, **headers))
    assert isinstance(error, errors.OverLimit) and error.retry_after == seconds
