"""The modules that plug-ins import by Heat's names."""

import importlib
import sys
import textwrap

import pytest

from heat_lite import resources
from heat_lite.common import heat_imports
from heat_lite.startup import plugins

TYPE = """
    from heat.engine import properties, resource

    class Thing(resource.Resource):
        properties_schema = {'size': properties.Schema(properties.Schema.INTEGER, 'The size.')}

    def resource_mapping():
        return {'Third::Party::Thing': Thing}
"""


@pytest.fixture(autouse=True)
def unhooked():
    """Begin and end without the hook, and without modules of Heat."""

    def forget():
        sys.meta_path[:] = [
            each for each in sys.meta_path if not isinstance(each, heat_imports.HeatImporter)
        ]
        for name in [each for each in sys.modules if each.partition('.')[0] == 'heat']:
            del sys.modules[name]
        importlib.invalidate_caches()

    forget()
    yield
    forget()


@pytest.fixture
def install(tmp_path):
    def install(**modules):
        for name, text in modules.items():
            (tmp_path / f'{name}.py').write_text(textwrap.dedent(text))
        return plugins.install(resources.build_registry(), [tmp_path])

    return install


def test_heat_cannot_be_imported_outside_of_plugins():
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module('heat.engine.resource')


def test_plugin_imports_heat_and_keeps_it(install):
    assert 'Third::Party::Thing' in install(thing=TYPE).names()
    # a function of the plug-in may import another module when it runs
    assert importlib.import_module('heat.engine.scheduler').TaskRunner


def test_hook_is_removed_if_no_plugin_imports_heat(install):
    install(plain='from heat_lite.plugin import resource')
    assert not any(isinstance(each, heat_imports.HeatImporter) for each in sys.meta_path)


def test_second_load_uses_the_same_classes(install):
    first = install(thing=TYPE).get('Third::Party::Thing')
    second = install(thing=TYPE).get('Third::Party::Thing')
    assert first is not second and first.__mro__[1] is second.__mro__[1]
    hooks = [each for each in sys.meta_path if isinstance(each, heat_imports.HeatImporter)]
    assert len(hooks) == 1


def test_modules_of_plugin_dirs_have_their_name_in_heat(install):
    other = """
        from heat.engine.plugins import thing
        from heat.engine.plugins.thing import Thing

        class Other(Thing):
            same = Thing is thing.Thing

        def resource_mapping():
            return {'Third::Party::Other': Other}
    """
    assert install(thing=TYPE, other=other).get('Third::Party::Other').same


@pytest.mark.parametrize(
    'line, reason',
    [
        ('import heat.engine.worker', 'heat_lite offers no module heat.engine.worker'),
        ('from heat.engine import worker', "cannot import name 'worker' from 'heat.engine'"),
        ('from heat.engine.resource import nothing', "cannot import name 'nothing'"),
    ],
)
def test_missing_name_is_logged_with_the_reason_and_the_docs(install, caplog, line, reason):
    assert 'Third::Party::Thing' in install(thing=TYPE, broken=line).names()
    assert reason in caplog.text and 'docs/plugins.md' in caplog.text


def test_installed_heat_is_used_and_named_in_the_log(install, tmp_path, monkeypatch, caplog):
    package = tmp_path / 'site' / 'heat' / 'engine'
    package.mkdir(parents=True)
    for folder in (package.parent, package):
        (folder / '__init__.py').write_text('')
    (package / 'resource.py').write_text('class Resource: pass')
    (package / 'properties.py').write_text(
        'class Schema:\n    INTEGER = 1\n    def __init__(self, *args): pass'
    )
    monkeypatch.syspath_prepend(tmp_path / 'site')
    assert heat_imports.is_heat_installed()
    assert 'Third::Party::Thing' not in install(thing=TYPE).names()
    assert 'install heat_lite and the plug-in in an environment without Heat' in caplog.text


def test_folder_that_is_called_heat_is_not_heat(tmp_path, monkeypatch):
    (tmp_path / 'heat').mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    assert not heat_imports.is_heat_installed()
