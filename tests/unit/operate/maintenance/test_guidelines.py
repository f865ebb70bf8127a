"""The guidelines for resource types, which all types of this service keep."""

import pytest

from heat_lite.authoring import offline_types
from heat_lite.operate import manage
from heat_lite.operate.maintenance import guidelines
from heat_lite.template import constraints
from heat_lite.template.schema import integer, map_, string, text

TYPES = offline_types.OfflineTypes()


@pytest.mark.parametrize('name', TYPES.names())
def test_type_of_this_service_keeps_the_guidelines(name):
    assert list(guidelines.check(name, TYPES.registry.get(name))) == []


class Careless:
    """what it is"""

    properties_schema = {
        'bad name': string('Its name.'),
        'size': integer('Its size', default=7, constraints=[constraints.Range(max=5)]),
        'more': map_('More of it.', {'key': string()}),
    }
    attributes_schema = {'state': text('the state.')}


def test_careless_type_breaks_the_guidelines():
    assert list(guidelines.check('Careless', Careless)) == [
        'the name is not of the form Vendor::Group::Type',
        'the type: its description begins with a small letter: what it is',
        'the type: its description does not end with a full stop: ...what it is',
        'property bad name: its name is no word of letters, digits and underscores',
        'property size: its description does not end with a full stop: ...Its size',
        'property size: its default breaks its own constraint: 7 is out of range (max: 5)',
        'property more.key: it has no description',
        'attribute state: its description begins with a small letter: the state.',
    ]


PLUGIN = '''
from heat_lite.plugin.resource import Resource


class Note(Resource):
    """A note"""


def resource_mapping():
    return {'My::Note': Note}
'''


def test_command_checks_plugins(tmp_path, capsys):
    (tmp_path / 'note.py').write_text(PLUGIN)
    arguments = ['custom_guidelines', '--plugin-dir', str(tmp_path), '--exclude', '::Nova::']
    assert manage.main([*arguments, 'My::Note', 'OS::Nova::Server']) == 1
    out = capsys.readouterr().out
    assert 'My::Note: the type: its description does not end with a full stop' in out
    assert '1 resource types: 1 findings' in out
