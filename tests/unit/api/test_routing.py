"""Paths and methods."""

import pytest
import webob.exc

from heat_lite.api.routing import Route, Router


def route(name):
    return Route(name, None)


@pytest.fixture
def router():
    made = Router()
    for method, path in (
        ('GET', 'p/{a}/list'),
        ('GET', 'p/{a}/list/detail'),
        ('POST', 'p/{a}/list/{b}'),
        ('GET', 'p/{a}/list/{b}'),
        ('DELETE', 'p/{a}/list/{b}'),
        ('GET', 'p/{a}/list/{b:arn:*}'),
        ('GET', 'p/{a}/list/{b}/{c}'),
        ('POST', 'p/{a}/list/{b}/word'),
    ):
        made.add(method, path, route(f'{method} {path}'))
    return made


@pytest.mark.parametrize(
    ('method', 'path', 'found', 'gaps'),
    [
        ('GET', 'p/1/list', 'p/{a}/list', {'a': '1'}),
        ('GET', 'p/1/list/detail', 'p/{a}/list/detail', {'a': '1'}),
        ('POST', 'p/1/list/detail', 'p/{a}/list/{b}', {'a': '1', 'b': 'detail'}),
        ('GET', 'p/1/list/x', 'p/{a}/list/{b}', {'a': '1', 'b': 'x'}),
        ('GET', 'p/1/list/x/word', 'p/{a}/list/{b}/{c}', {'a': '1', 'b': 'x', 'c': 'word'}),
        ('POST', 'p/1/list/x/word', 'p/{a}/list/{b}/word', {'a': '1', 'b': 'x'}),
        ('GET', 'p/1/list/arn:x/y/z', 'p/{a}/list/{b:arn:*}', {'a': '1', 'b': 'arn:x/y/z'}),
        ('GET', 'p//1//list', 'p/{a}/list', {'a': '1'}),
    ],
)
def test_finds(router, method, path, found, gaps):
    assert router.find(method, path) == (route(f'{method} {found}'), gaps)


@pytest.mark.parametrize('path', ['', 'p', 'p/1', 'p/1/list/', 'p/1/list/x/y/z', 'q/1/list'])
def test_finds_nothing(router, path):
    with pytest.raises(webob.exc.HTTPNotFound):
        router.find('GET', path)


def test_says_which_methods_would_do_the_most_literal_first(router):
    with pytest.raises(webob.exc.HTTPMethodNotAllowed) as refusal:
        router.find('PUT', 'p/1/list/detail')
    assert refusal.value.headers['Allow'] == 'GET,POST,DELETE'


def test_gaps_of_one_request_are_not_those_of_another(router):
    _, first = router.find('GET', 'p/1/list/x')
    first['body'] = 'mine'
    assert router.find('GET', 'p/1/list/x')[1] == {'a': '1', 'b': 'x'}
