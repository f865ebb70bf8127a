"""The router: paths, methods and gaps."""

import pytest
import webob.exc

from heat_lite.api.routing import Route, Router


def route(name):
    return Route(name, None)


@pytest.fixture
def router():
    router = Router()
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
        router.add(method, path, route(f'{method} {path}'))
    return router


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
def test_find_returns_route_and_gaps(router, method, path, found, gaps):
    assert router.find(method, path) == (route(f'{method} {found}'), gaps)


@pytest.mark.parametrize('path', ['', 'p', 'p/1', 'p/1/list/', 'p/1/list/x/y/z', 'q/1/list'])
def test_find_of_unknown_path_raises_not_found(router, path):
    with pytest.raises(webob.exc.HTTPNotFound):
        router.find('GET', path)


def test_find_of_wrong_method_raises_with_the_allowed_methods(router):
    with pytest.raises(webob.exc.HTTPMethodNotAllowed) as refusal:
        router.find('PUT', 'p/1/list/detail')
    assert refusal.value.headers['Allow'] == 'GET,POST,DELETE'


def test_gaps_are_not_shared_between_requests(router):
    _, first = router.find('GET', 'p/1/list/x')
    first['body'] = 'mine'
    assert router.find('GET', 'p/1/list/x')[1] == {'a': '1', 'b': 'x'}
