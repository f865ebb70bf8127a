"""The REST API, contract by contract: files in contracts/ say what is asked, what the engine says, what is answered.

A contract: ``name``; ``ask`` (``line``: method and path; ``json`` or ``body``; ``headers``); ``engine`` (what it answers or raises, by
method); ``told`` (what the engine must have been told, by method and argument); ``answer`` (``status``, ``headers``, ``json`` in this very
order of keys, ``error`` as "type: message", ``position`` of the error, ``text``).
"""

import json
from pathlib import Path

import pytest
import webob
import yaml

from heat_lite.api.v1 import routes
from tests.http import scripted

FILES = sorted(Path(__file__).parent.joinpath('contracts').glob('*.yaml'))
WORDS = {
    400: 'The server could not comply with the request since it is either malformed or otherwise incorrect.',
    403: 'Access was denied to this resource.',
    404: 'The resource could not be found.',
    405: 'The server could not comply with the request since it is either malformed or otherwise incorrect.',
    409: 'There was a conflict when trying to complete your request.',
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
def test_contract(contract, service):
    app, engine = service
    engine.script, engine.asked = contract.get('engine', {}), []
    answer = ask(contract['ask'], app)
    compare_answer(contract['answer'], answer)
    told = {method: args for method, _, args in engine.asked}
    for method, args in contract.get('told', {}).items():
        assert {name: told[method].get(name, 'nothing') for name in args} == args
    assert set(contract.get('engine', {})) == set(told), 'the engine was asked for more or less than it was to be'


def ask(wanted, app):
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


def compare_answer(wanted, answer):
    assert answer.status_int == wanted['status'], answer.text
    for name, value in wanted.get('headers', {}).items():
        assert answer.headers.get(name) == value
    if 'json' in wanted:
        assert answer.text == json.dumps(wanted['json'])
        assert answer.headers['Content-Type'] == 'application/json'
    if 'error' in wanted:
        compare_error(wanted, answer)
    if 'text' in wanted:
        assert answer.text == wanted['text']


def compare_error(contract, answer):
    body, status, wanted = answer.json, contract['status'], contract['error']
    assert list(body) == ['code', 'title', 'explanation', 'error']
    assert (body['code'], body['title']) == (status, answer.status.split(' ', 1)[1])
    assert body['explanation'] == WORDS[status]
    kind, message = (*wanted.split(': ', 1), None)[:2] if isinstance(wanted, str) else wanted
    expected = {'type': kind, 'traceback': None}
    if message is not None:
        expected['message'] = WORDS[status] if message == 'the usual words' else message
    if 'position' in contract:
        expected['position'] = contract['position']
    assert json.dumps(body['error']) == json.dumps(expected)


def test_every_route_has_a_contract():
    """A path that no contract asks for is a path that nobody promised."""
    asked = [contract.values[0]['ask']['line'].split('?')[0].split(' ', 1) for contract in contracts()]
    unasked = [row[:2] for row in routes.ROUTES if not any(row[0] == method and fits(row[1], path) for method, path in asked)]
    assert not unasked


def fits(pattern, path):
    wanted, given = pattern.split('/'), path.removeprefix('/v1/').split('/')
    if pattern.endswith(':arn:*}'):
        return given[2:] and given[2].startswith('arn:')
    return len(wanted) == len(given) and all(part.startswith('{') or part == other for part, other in zip(wanted, given, strict=True))
