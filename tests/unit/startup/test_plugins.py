"""Plug-ins of folders and entry points. A broken one does not affect the others."""

import sys
import textwrap

import pytest

from heat_lite import resources
from heat_lite.common import exception
from heat_lite.startup import plugins
from heat_lite.template import versions

GOOD = """
    from heat_lite.plugin import constraints, properties, resource

    class Thing(resource.Resource):
        properties_schema = {
            'size': properties.Schema(properties.Schema.INTEGER, 'The size.', required=True)
        }

    class Even(constraints.BaseCustomConstraint):
        def validate(self, value, context, template=None):
            return value % 2 == 0

    def resource_mapping():
        return {'Third::Party::Thing': Thing}

    def constraint_mapping():
        return {'third.even': Even}
"""


@pytest.fixture
def folder(tmp_path):
    def write(name, text):
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(textwrap.dedent(text))
        return tmp_path

    return write


def installed(*folders):
    return plugins.install(resources.build_registry(), folders)


def test_module_adds_types_and_constraints(folder):
    known = installed(folder('good.py', GOOD))
    assert 'Third::Party::Thing' in known.names()
    assert known.get('Third::Party::Thing').resource_type == 'Third::Party::Thing'
    asking = type('Stack', (), {'context': installed, 'clients': lambda self: installed})()
    assert known.lookup(asking, 'third.even', 4) is None
    assert known.lookup(asking, 'third.even', 5) == 'it is no Even'


def test_broken_modules_are_logged_and_skipped(folder, caplog):
    folder('a_syntax.py', 'def resource_mapping(: return')
    folder('b_missing.py', 'import no_such_module_anywhere')
    folder('c_exit.py', 'raise SystemExit(1)')
    folder('d_mapping.py', 'def resource_mapping(): raise ValueError("not today")')
    folder('e_class.py', 'def resource_mapping(): return {"Third::Party::Number": 7}')
    folder(
        'f_version.py',
        'def template_mapping(): return {("heat_template_version", "2021-04-16"): None}',
    )
    known = installed(folder('good.py', GOOD))
    assert 'Third::Party::Thing' in known.names()
    for name in (
        'a_syntax',
        'b_missing',
        'c_exit',
        'd_mapping',
        'e_class',
        'f_version',
        'not today',
        'Third::Party::Number',
    ):
        assert name in caplog.text, name
    with_traceback = {each.getMessage(): bool(each.exc_info) for each in caplog.records}
    told = {
        name: next(found for text, found in with_traceback.items() if name in text)
        for name in ('b_missing', 'd_mapping')
    }
    assert told == {'b_missing': False, 'd_mapping': True}


def test_submodules_are_loaded_and_import_each_other(folder):
    folder('shop/__init__.py', '')
    folder(
        'shop/base.py', 'from heat_lite.plugin import resource\nclass Base(resource.Resource): pass'
    )
    text = (
        'from .base import Base\nclass Till(Base): pass\n'
        'def resource_mapping(): return {"Shop::Till": Till}'
    )
    assert installed(folder('shop/till.py', text)).get('Shop::Till').__name__ == 'Till'


def test_folders_with_a_module_of_the_same_name_are_loaded_both(folder):
    folder('one/resources/__init__.py', '')
    folder('one/resources/thing.py', GOOD)
    folder('two/resources/__init__.py', 'NAME = "Second::Thing"')
    folder('two/helper.py', 'from .resources import NAME')
    second = GOOD.replace("'Third::Party::Thing'", 'helper.NAME').replace('third.even', 'even')
    root = folder('two/resources/thing.py', 'from .. import helper\n' + textwrap.dedent(second))
    known = installed(root / 'one', root / 'two')
    assert {'Third::Party::Thing', 'Second::Thing'} <= set(known.names())
    assert {'third.even', 'even'} <= set(known.constraint_names())
    first, other = known.get('Third::Party::Thing'), known.get('Second::Thing')
    assert first is not other
    installed(root / 'two')  # a name that is free again is taken
    assert sys.modules['heat_lite_plugins.resources'].NAME == 'Second::Thing'


def test_available_resource_mapping_replaces_resource_mapping(folder):
    more = "def available_resource_mapping():\n    return {'Third::Party::Other': Thing}\n"
    names = installed(folder('good.py', textwrap.dedent(GOOD) + more)).names()
    assert 'Third::Party::Other' in names and 'Third::Party::Thing' not in names


def test_template_mapping_adds_a_version(folder):
    text = (
        'from heat_lite.plugin import template\n'
        "def template_mapping(): return {(template.HOT, 'mine'): template.version('mine')}"
    )
    installed(folder('mine.py', text))
    try:
        assert versions.template_version({'heat_template_version': 'mine'}).name == 'mine'
    finally:
        del versions.TABLE['heat_template_version']['mine']


def test_missing_folders_are_ignored():
    assert installed('/nowhere', '/nowhere/else').names() == resources.build_registry().names()


# --------------------------------------------------------------- entry points


@pytest.fixture
def distribution(tmp_path, monkeypatch):
    """An installed package with entry points."""

    def install(code, **groups):
        (tmp_path / 'third_party.py').write_text(textwrap.dedent(code))
        info = tmp_path / 'third_party-1.dist-info'
        info.mkdir()
        (info / 'METADATA').write_text('Metadata-Version: 2.1\nName: third-party\nVersion: 1\n')
        points = [f'[{group}]\n' + '\n'.join(lines) for group, lines in groups.items()]
        (info / 'entry_points.txt').write_text('\n'.join(points).replace('__', '.'))
        monkeypatch.delitem(sys.modules, 'third_party', raising=False)
        monkeypatch.syspath_prepend(tmp_path)

    return install


def test_entry_points_are_loaded_except_those_of_heat(distribution, caplog):
    code = """
        from heat_lite.plugin import client_plugin, constraints, resource

        class Third(client_plugin.ClientPlugin):
            def _create(self):
                return 'a client'

        class Odd(constraints.BaseCustomConstraint):
            pass

        class Thing(resource.Resource):
            pass

        def resource_mapping():
            return {'Third::Party::ByEntryPoint': Thing}
    """
    distribution(
        code,
        heat__clients=[
            'third = third_party:Third',
            'nova = heat.engine.clients.os.nova:NovaClientPlugin',
            'bad = third_party:nothing',
        ],
        heat__constraints=['third.odd = third_party:Odd'],
        heat_lite__resources=['third = third_party'],
    )
    known = installed()
    assert [kind.__name__ for kind in known.client_plugins.values()] == ['Third']
    assert 'Third::Party::ByEntryPoint' in known.names()
    assert 'The plug-in bad cannot be used' in caplog.text and 'nova' not in caplog.text
    with pytest.raises(Exception, match='client'):
        known.lookup(
            type('Stack', (), {'context': installed, 'clients': lambda self: installed})(),
            'third.odd',
            1,
        )


def test_entry_point_that_is_no_client_plugin_is_skipped(distribution, caplog):
    distribution('Third = 7', heat__clients=['third = third_party:Third'])
    assert installed().client_plugins == {}
    assert 'is not a client plug-in' in caplog.text


def test_unknown_type_is_not_found():
    with pytest.raises(exception.EntityNotFound):
        installed().get('Third::Party::Nothing')
