"""The documentation's example of a plug-in, in an engine and in both shapes of the service."""

import pathlib
import time

import pytest

from heat_lite.common import exception
from heat_lite.template import versions
from tests import databases, engines
from tests.functional import shapes
from tests.timeouts import WAIT_SECONDS

EXAMPLES = pathlib.Path(__file__).parents[2] / 'docs' / 'examples' / 'plugins'
TYPE = 'Example::Notes::Note'


@pytest.fixture(scope='module')
def driver(tmp_path_factory):
    folder = tmp_path_factory.mktemp('engine')
    with (
        databases.migrated('sqlite', folder) as url,
        engines.running(url, plugin_dirs=[str(EXAMPLES)], action_retry_limit=0) as found,
    ):
        yield found
    del versions.TABLE['heat_template_version']['example-1']


@pytest.fixture(autouse=True)
def notes(tmp_path, monkeypatch):
    """Return the folder of the notes."""
    monkeypatch.setenv('EXAMPLE_NOTES', str(tmp_path / 'notes'))
    return tmp_path / 'notes'


def template(text, **properties):
    note = {'type': TYPE, 'properties': {'subject': 'work', 'text': text, **properties}}
    return {
        'resources': {'note': note},
        'outputs': {name: {'value': {'get_attr': ['note', name]}} for name in ('path', 'show')},
    }


def test_note_is_created_updated_and_deleted(driver, notes):
    stack = driver.create(
        {**template({'shout': 'hello'}, polls=2), 'heat_template_version': 'example-1'}
    )
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    physical_id, told = driver.physical_id(stack, 'note'), driver.outputs(stack)
    assert told['path'] == str(notes / physical_id) and told['show']['text'] == 'HELLO!'

    driver.update(stack, template('other', polls=2))
    assert (
        driver.state(stack) == 'UPDATE_COMPLETE'
        and driver.physical_id(stack, 'note') == physical_id
    )
    driver.client.resource_signal(
        driver.context, stack_identity=stack, resource_name='note', details='more', sync_call=True
    )
    assert (notes / physical_id).read_text() == 'other\nmore'

    driver.update(stack, template('other', polls=0))
    assert (
        driver.state(stack) == 'UPDATE_COMPLETE'
        and driver.physical_id(stack, 'note') != physical_id
    )
    driver.delete(stack)
    assert list(notes.iterdir()) == []


def test_missing_note_counts_as_deleted(driver, notes):
    stack = driver.create(template('hello'), name='gone')
    (notes / driver.physical_id(stack, 'note')).unlink()
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE'


def test_custom_constraint_refuses_invalid_values(driver):
    with pytest.raises(
        exception.StackValidationFailed,
        match='The subject must be one of shopping, work',
    ):
        driver.create(template('hello', subject='weather'), name='refused')


def test_type_is_listed_and_described(driver):
    context = {'context': driver.context}
    assert TYPE in driver.client.list_resource_types(driver.context)
    schema = driver.client.resource_schema(driver.context, type_name=TYPE)
    assert (
        schema['properties']['text']['update_allowed']
        and schema['attributes']['path']['type'] == 'string'
    ), context
    assert schema['support_status']['version'] == '1.0.0'
    made = driver.client.generate_template(driver.context, type_name=TYPE, template_type='hot')
    assert made['resources']['Note']['type'] == TYPE


# --------------------------------------------------------------- shapes of the service


def run_stack(service, notes):
    """Create, read and delete a stack of the example's template over the API."""
    assert TYPE in service.ask('GET', '/resource_types').json()['resource_types']
    assert service.ask('GET', f'/resource_types/{TYPE}').json()['properties']['subject']['required']
    body = {
        'stack_name': 'notes',
        'template': (EXAMPLES / 'notes.yaml').read_text(),
        'disable_rollback': True,
    }
    made = service.ask('POST', '/stacks', body).json()['stack']
    path = f'/stacks/notes/{made["id"]}'
    stack = _settled(service, path)
    assert stack['stack_status'] == 'CREATE_COMPLETE', stack['stack_status_reason']
    assert [file.read_text() for file in notes.iterdir()] == ['BUY MILK!']
    service.ask('DELETE', path)
    assert _settled(service, path)['stack_status'] == 'DELETE_COMPLETE'
    assert list(notes.iterdir()) == []


def _settled(service, path):
    until = time.monotonic() + WAIT_SECONDS
    while (stack := service.ask('GET', path).json()['stack'])['stack_status'].endswith(
        'IN_PROGRESS'
    ):
        assert time.monotonic() < until, service.logs()
        time.sleep(0.05)
    return stack


def test_plugin_works_in_the_embedded_shape(tmp_path, notes):
    (tmp_path / 'broken').mkdir()
    (tmp_path / 'broken' / 'broken.py').write_text('import no_such_module_anywhere')
    folders = ('--plugin-dir', EXAMPLES, '--plugin-dir', tmp_path / 'broken')
    with shapes.embedded(tmp_path, *folders) as service:
        run_stack(service, notes)
        assert 'broken cannot be used, and is left out: ModuleNotFoundError' in service.logs()


def test_plugin_works_in_the_split_shape(tmp_path, notes):
    with shapes.split(
        tmp_path, 'mariadb', 'mysql', more=f'\n[DEFAULT]\nplugin_dirs = {EXAMPLES}\n'
    ) as service:
        run_stack(service, notes)
