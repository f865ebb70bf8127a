"""Contracts of the REST API: the files in contracts/.

A contract has the keys ``name``; ``request`` (``line``: method and path; ``json`` or ``body``;
``headers``); ``rpc_result`` (what the engine ``returns`` or ``raises``, by method); ``rpc_call``
(the expected arguments, by method and argument name); ``response`` (``status``, ``headers``,
``json`` in this order of keys, ``error`` as "type: message", ``position`` of the error, ``text``).
"""

import json
from pathlib import Path

import pytest
import webob
import webob.exc
import yaml

from heat_lite import operations
from tests.http import scripted

FILES = sorted(Path(__file__).parent.joinpath('contracts').glob('*.yaml'))
MALFORMED = (
    'The server could not comply with the request since it is either malformed or otherwise '
    'incorrect.'
)
EXPLANATIONS = {
    400: MALFORMED,
    403: 'Access was denied to this resource.',
    404: 'The resource could not be found.',
    405: MALFORMED,
    409: 'There was a conflict when trying to complete your request.',
    412: 'Request precondition failed.',
    406: webob.exc.HTTPNotAcceptable.explanation,
    500: 'The server has either erred or is incapable of performing the requested operation.',
}


def contracts():
    for file in FILES:
        for contract in yaml.safe_load(file.read_text()):
            yield pytest.param(contract, id=f'{file.stem}: {contract["name"]}')


@pytest.fixture(scope='module')
def service():
    with scripted.service() as both:
        yield both


@pytest.mark.parametrize('contract', list(contracts()))
def test_request_gets_the_response_of_its_contract(contract, service):
    app, engine = service
    engine.script, engine.calls = contract.get('rpc_result', {}), []
    response = send(contract['request'], app)
    compare_response(contract['response'], response)
    calls = {method: args for method, _, args in engine.calls}
    for method, args in contract.get('rpc_call', {}).items():
        assert {name: calls[method].get(name, 'nothing') for name in args} == args
    assert set(contract.get('rpc_result', {})) == set(calls), (
        'the API called other methods than the contract lists'
    )


def send(wanted, app):
    method, path = wanted['line'].split(' ', 1)
    headers = {'Host': 'heat', 'Accept': '*/*', **wanted.get('headers', {})}
    request = webob.Request.blank(path, method=method, headers=headers)
    if 'json' in wanted:
        request.body, request.content_type = json.dumps(wanted['json']).encode(), 'application/json'
    if 'body' in wanted:
        body = wanted['body']
        request.body = body if isinstance(body, bytes) else body.encode()
        request.content_type = wanted.get('headers', {}).get('Content-Type', 'application/json')
    return request.get_response(app)


def compare_response(wanted, response):
    assert response.status_int == wanted['status'], response.text
    for name, value in wanted.get('headers', {}).items():
        assert response.headers.get(name) == value
    if 'json' in wanted:
        assert response.text == json.dumps(wanted['json'])
        assert response.headers['Content-Type'] == 'application/json'
    if 'error' in wanted:
        compare_error(wanted, response)
    if 'text' in wanted:
        assert response.text == wanted['text']


def compare_error(contract, response):
    body, status, wanted = response.json, contract['status'], contract['error']
    assert list(body) == ['code', 'title', 'explanation', 'error']
    assert (body['code'], body['title']) == (status, response.status.split(' ', 1)[1])
    assert body['explanation'] == EXPLANATIONS[status]
    kind, message = (*wanted.split(': ', 1), None)[:2] if isinstance(wanted, str) else wanted
    expected = {'type': kind, 'traceback': None}
    if message is not None:
        expected['message'] = (
            EXPLANATIONS[status] if message == 'the default explanation' else message
        )
    if 'position' in contract:
        expected['position'] = contract['position']
    assert json.dumps(body['error']) == json.dumps(expected)


def test_each_route_has_a_contract():
    """Each route of the API is requested by at least one contract."""
    requested = [
        contract.values[0]['request']['line'].split('?')[0].split(' ', 1)
        for contract in contracts()
    ]
    missing = [
        (each.method, each.path)
        for each in operations.OPERATIONS
        if not any(each.method == method and fits(each.path, path) for method, path in requested)
    ]
    assert not missing


def fits(pattern, path):
    wanted, given = pattern.split('/'), path.removeprefix('/v1/').split('/')
    if pattern.endswith(':arn:*}'):
        return given[2:] and given[2].startswith('arn:')
    return len(wanted) == len(given) and all(
        part.startswith('{') or part == other for part, other in zip(wanted, given, strict=True)
    )
