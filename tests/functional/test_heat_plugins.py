"""Plug-ins in Heat's style, which import ``heat``. A fake cloud, and a service of books."""

import contextlib
import importlib
import json
import pathlib
import threading
import urllib.parse
import uuid
import wsgiref.simple_server

import pytest

from heat_lite.common import exception
from tests import cloud, databases, engines, samples
from tests.functional.clouds import request_context

# ruff: noqa: F811 - fixtures are arguments

PLUGINS = pathlib.Path(__file__).parents[1] / 'heat_plugins'
SERVER = {'image': 'a images', 'flavor': 'a flavor', 'networks': [{'network': 'a network'}]}


class Books:
    """A small service over HTTP: books that are printed when they are looked at twice."""

    def __init__(self):
        self.books = {}

    def __call__(self, environ, start_response):
        method, path = environ['REQUEST_METHOD'], environ['PATH_INFO']
        body = environ['wsgi.input'].read(int(environ.get('CONTENT_LENGTH') or 0))
        status, answer = self.answer(method, path, json.loads(body or b'{}'))
        start_response(status, [('Content-Type', 'application/json')])
        return [json.dumps(answer).encode()]

    def answer(self, method, path, values):
        if method == 'POST':
            made = self.books.setdefault(uuid.uuid4().hex, {'state': 'new', **values})
            return '201 Created', {'id': next(key for key in self.books if self.books[key] is made)}
        key = path.rpartition('/')[2]
        if key not in self.books:
            return '404 Not Found', {}
        if method == 'DELETE':
            return '200 OK', self.books.pop(key)
        shown = dict(self.books[key])
        self.books[key].update(values, state='printed')
        return '200 OK', shown


class QuietHandler(wsgiref.simple_server.WSGIRequestHandler):
    def log_message(self, *args):
        pass


@pytest.fixture(scope='module')
def books():
    service = Books()
    with wsgiref.simple_server.make_server(
        '127.0.0.1', 0, service, handler_class=QuietHandler
    ) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        service.url = f'http://127.0.0.1:{server.server_port}'
        yield service
        server.shutdown()


@pytest.fixture(scope='module')
def running_cloud():
    with cloud.running() as services:
        yield services


@pytest.fixture(scope='module')
def driver(running_cloud, tmp_path_factory):
    folder = tmp_path_factory.mktemp('engine')
    (folder / 'heat.conf').write_text(running_cloud.configuration())
    settings = {'files': [folder / 'heat.conf'], 'action_retry_limit': 0}
    with (
        databases.migrated('sqlite', folder) as url,
        engines.running(url, plugin_dirs=[str(PLUGINS)], **settings) as running_driver,
    ):
        yield running_driver


@pytest.fixture(autouse=True)
def ids(running_cloud, driver, books, monkeypatch):
    """The ids of the objects in a new fake cloud."""
    monkeypatch.setenv('BOOKS_URL', books.url)
    running_cloud.cloud.__init__()
    driver.context = request_context(running_cloud)
    return samples.seed(running_cloud.cloud)


@pytest.fixture
def seen():
    """What the subclasses have recorded."""
    found = importlib.import_module('heat_lite_plugins.subclasses').SEEN
    found.clear()
    return found


def complete(driver, stack, action='CREATE'):
    shown = driver.stack(stack)
    assert driver.state(stack) == f'{action}_COMPLETE', shown['stack_status_reason']
    return stack


def one(kind, outputs=(), **properties):
    values = {name: {'value': {'get_attr': ['it', name]}} for name in outputs}
    return {
        'resources': {'it': {'type': kind, 'properties': properties}},
        'outputs': {**values, 'id': {'value': {'get_resource': 'it'}}},
    }


@contextlib.contextmanager
def stack_of(driver, template):
    """Create a stack, yield it, and delete it."""
    stack = complete(driver, driver.create(template, name=f'stack-{uuid.uuid4().hex[:6]}'))
    yield stack
    driver.delete(stack)
    complete(driver, stack, 'DELETE')


# --------------------------------------------------------------- a type as in Heat's guide


def test_guide_type_is_created_updated_replaced_and_deleted(driver, books):
    def book(**values):
        return one('Test::Shelf::Book', ('state', 'length'), **values)

    with stack_of(driver, book(heading='Emma')) as stack:
        key = driver.physical_id(stack, 'it')
        assert books.books[key]['title'] == 'Emma' and driver.outputs(stack)['length'] == 100
        complete(driver, driver.update(stack, book(title='Emma', pages=200)), 'UPDATE')
        assert driver.physical_id(stack, 'it') == key and books.books[key]['pages'] == 200
        complete(driver, driver.update(stack, book(title='Emma', pages=50)), 'UPDATE')
        assert driver.physical_id(stack, 'it') != key and key not in books.books
        assert driver.outputs(stack)['state'] == 'printed'
    assert not books.books


def test_text_that_validate_returns_refuses_the_template(driver):
    with pytest.raises(exception.StackValidationFailed, match='A book needs a better title'):
        driver.create(one('Test::Shelf::Book', title='untitled'))


def test_unexpected_state_fails_the_create(driver, books):
    books.answer = lambda *call, given=books.answer: (
        ('200 OK', {'state': 'broken'}) if call[0] == 'GET' else given(*call)
    )
    try:
        stack = driver.create(one('Test::Shelf::Book', title='Emma'))
        reason = driver.stack(stack)['stack_status_reason']
        assert 'Went to status broken due to "Unknown"' in reason
    finally:
        del books.answer
    driver.delete(stack)
    assert not books.books


def test_types_find_other_resources_of_their_stack(driver):
    template = one('Test::Shelf::Shelf', ('title',), book={'get_param': 'id'})
    template['parameters'] = {'id': {'type': 'string', 'default': 'none'}}
    template['resources']['book'] = {'type': 'Test::Shelf::Book', 'properties': {'title': 'Emma'}}
    template['resources']['it']['properties']['book'] = {'get_resource': 'book'}
    with stack_of(driver, template) as stack:
        assert driver.outputs(stack) == {'title': 'Emma', 'id': 'shelf-it'}


def test_explicit_dependencies_order_the_create(driver):
    template = one('Test::Shelf::Shelf')
    for name in ('a', 'b'):
        template['resources'][name] = {'type': 'Test::Shelf::Book', 'properties': {'title': name}}
    with stack_of(driver, template) as stack:
        events = [name for name, state in driver.events(stack) if state == 'CREATE_COMPLETE']
        assert events.index('it') > max(events.index('a'), events.index('b'))


# --------------------------------------------------------------- subclasses of Heat's types


def test_subclass_of_server_lives_through_all_actions(driver, running_cloud, seen):
    def server(**values):
        return one('Test::Logged::Server', ('owner_name', 'name'), **SERVER, **values)

    running_cloud.cloud.looks = 3
    with stack_of(driver, server(owner='ahab', name='pequod')) as stack:
        key = driver.physical_id(stack, 'it')
        assert [each[0] for each in seen] == ['create', 'created']
        assert seen[0][1] == key and seen[1][2] == 'ACTIVE'
        assert driver.outputs(stack) == {'owner_name': 'ahab', 'name': 'pequod', 'id': key}
        complete(driver, driver.update(stack, server(owner='ishmael', name='rachel')), 'UPDATE')
        assert driver.physical_id(stack, 'it') == key
        assert driver.outputs(stack)['owner_name'] == 'ishmael'
        assert running_cloud.cloud.objects['compute', '/servers', key]['name'] == 'rachel'
        driver.client.stack_suspend(driver.context, stack_identity=stack)
        complete(driver, driver.wait(stack), 'SUSPEND')
        driver.client.stack_resume(driver.context, stack_identity=stack)
        complete(driver, driver.wait(stack), 'RESUME')
        driver.client.stack_check(driver.context, stack_identity=stack)
        complete(driver, driver.wait(stack), 'CHECK')
    assert ('delete', key) in seen
    assert ('compute', '/servers', key) not in running_cloud.cloud.objects


def test_subclass_of_server_in_error_fails_and_is_deleted(driver, running_cloud, seen):
    running_cloud.cloud.sick.add('/servers')
    before = len(running_cloud.cloud.of('compute', '/servers'))
    stack = driver.create(one('Test::Logged::Server', **SERVER))
    assert 'Went to status ERROR' in driver.stack(stack)['stack_status_reason']
    driver.delete(stack)
    complete(driver, stack, 'DELETE')
    assert len(running_cloud.cloud.of('compute', '/servers')) == before


def test_subclass_of_port_and_volume_are_the_objects_of_their_bases(driver, running_cloud, seen):
    template = one('Test::Quiet::Port', network='a network')
    template['resources']['disk'] = {'type': 'Test::Tagged::Volume', 'properties': {'size': 1}}
    before = len(running_cloud.cloud.of('network', '/ports'))
    with stack_of(driver, template) as stack:
        assert seen[0][0] == 'port' and len(running_cloud.cloud.of('network', '/ports')) > before
        template['resources']['disk']['properties']['name'] = 'other'
        complete(driver, driver.update(stack, template), 'UPDATE')
    assert len(running_cloud.cloud.of('network', '/ports')) == before


def test_subclass_of_a_type_without_a_service_works(driver):
    with stack_of(driver, one('Test::Word', ('value',), length=12, salt='x')) as stack:
        value = driver.outputs(stack)['value']
        assert value == value.upper() and len(value) == 12


def test_signal_responder_has_a_url_and_takes_signals(driver):
    with stack_of(driver, one('Test::Bell', ('url', 'rung'))) as stack:
        assert driver.outputs(stack)['url'].endswith('/resources/it/signal')
        signal = {'stack_identity': stack, 'resource_name': 'it', 'sync_call': True}
        driver.client.resource_signal(driver.context, details='ding', **signal)
        assert driver.resource(stack, 'it')['attributes']['rung'] == '1'


def test_signal_responder_signs_a_url_for_each_endpoint(driver):
    with stack_of(driver, one('Test::Doorbell', ('signal', 'waitcondition'))) as stack:
        assert driver.outputs(stack)['id'] == driver.physical_id(stack, 'it')
        urls = {name: driver.outputs(stack)[name] for name in ('signal', 'waitcondition')}
        parts = {name: urllib.parse.urlsplit(url) for name, url in urls.items()}
        assert [each.path.split('/')[2] for each in parts.values()] == list(urls), urls


def test_stack_resource_begins_and_polls_its_nested_stack(driver):
    with stack_of(driver, one('Test::Nest', ('echo',), word='hello')) as stack:
        assert driver.outputs(stack)['echo'] == 'hello'
        complete(driver, driver.update(stack, one('Test::Nest', ('echo',), word='hi')), 'UPDATE')
        assert driver.outputs(stack)['echo'] == 'hi'


# --------------------------------------------------------------- template versions


def test_functions_of_a_version_are_resolved_in_their_stack(driver):
    texts = [{'twice': {'get_attr': ['it', 'value']}}, {'louder': 'b'}]
    template = one('OS::Heat::Value', value='a')
    template['heat_template_version'] = '2031-01-01'
    template['outputs'] = {
        'joined': {'value': {'join': ['-', texts]}},
        'either': {'value': {'either': [{'get_resource': 'it'}, {'get_resource': 'absent'}]}},
    }
    with stack_of(driver, template) as stack:
        name = driver.stack(stack)['stack_name']
        found = driver.outputs(stack)
        assert found['joined'] == f'a{name}a-B{name.upper()}B'
        assert '-it-' in found['either']
    for argument, reason in (('never', 'refuses this text'), ([], 'must not be a list')):
        template['resources']['it']['properties']['value'] = {'twice': argument}
        with pytest.raises(exception.StackValidationFailed, match=reason):
            driver.create(template, name='refused')


# --------------------------------------------------------------- clients


def test_client_is_the_library_of_the_service(driver, running_cloud):
    with stack_of(driver, one('Test::Container')) as stack:
        name = driver.physical_id(stack, 'it')
        assert ('PUT', f'/swift/{name}') in [
            (each[0], each[1]) for each in running_cloud.cloud.asked
        ] or any(each[0] == 'PUT' and name in each[1] for each in running_cloud.cloud.asked)


def test_missing_library_is_named_in_the_failure(driver):
    stack = driver.create(one('Test::Flying'), name='flying')
    reason = driver.stack(stack)['stack_status_reason']
    assert "client('zun') needs the library python-zunclient" in reason
    driver.delete(stack)


def test_constraint_of_a_plugin_asks_heats_clients(driver, ids):
    with stack_of(driver, one('Test::Wired', net='a network')) as stack:
        assert driver.physical_id(stack, 'it') != 'a network'
    with pytest.raises(exception.StackValidationFailed, match='no such net'):
        driver.create(one('Test::Wired', net='no such net'), name='refused')


def test_constraints_of_heat_can_be_subclassed(driver, ids):
    with stack_of(driver, one('Test::Wired', net='a network', wire='a port', chassis='a flavor')):
        pass
    for wrong in ({'wire': 'no such port'}, {'chassis': 'no such flavor'}):
        with pytest.raises(exception.StackValidationFailed, match='no such (port|flavor)'):
            driver.create(one('Test::Wired', net='a network', **wrong), name='refused')
