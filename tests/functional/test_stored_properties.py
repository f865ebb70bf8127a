"""Updates compare with stored properties in Heat's form and in that of earlier versions."""

import pytest

from heat_lite.db import journal as db_journal, resources as db_resources
from tests import databases, engines

TEST = 'OS::Heat::TestResource'


@pytest.fixture(scope='module')
def engine(tmp_path_factory):
    with databases.migrated('sqlite', tmp_path_factory.mktemp('engine')) as url:
        with engines.running(url) as driver:
            yield driver


@pytest.mark.parametrize('form', ['given', 'complete'])
def test_update_finds_no_change_in_either_form_of_stored_properties(engine, form):
    """Earlier versions stored the values of all properties, with None for those not given."""
    given = {
        'bare': {},
        'text': {'length': '9', 'character_classes': [{'class': 'digits'}]},
    }
    resources = {
        name: {'type': 'OS::Heat::RandomString', 'properties': properties}
        for name, properties in given.items()
    }
    identity = engine.create({'resources': resources}, name=form)
    assert stored_properties(identity) == {'bare': None, 'text': given['text']}
    if form == 'complete':
        complete = {
            'bare': {'length': 32, 'character_classes': None, 'salt': None},
            'text': {
                'length': 9,
                'salt': None,
                'character_classes': [{'class': 'digits', 'min': 1}],
                'character_sequences': None,
            },
        }
        replace_stored_properties(identity, complete)
        assert stored_properties(identity) == complete
    before = values_of(engine, identity, given)
    engine.update(identity, {'resources': {**resources, 'more': {'type': TEST}}})
    assert engine.state(identity) == 'UPDATE_COMPLETE'
    assert values_of(engine, identity, given) == before
    resources['text']['properties']['length'] = 10
    engine.update(identity, {'resources': {**resources, 'more': {'type': TEST}}})
    after = values_of(engine, identity, given)
    assert after['bare'] == before['bare'] and len(after['text']) == 10


def stored_properties(identity):
    rows = db_resources.list_by_stack(identity['stack_id'])
    return {row.name: row.properties for row in rows}


def replace_stored_properties(identity, properties):
    rows = db_resources.list_by_stack(identity['stack_id'])
    changes = [(row.id, properties[row.name]) for row in rows]
    db_journal.save(db_journal.ChangeSet(identity['stack_id'], properties=changes))


def values_of(engine, identity, names):
    return {name: engine.resource(identity, name)['attributes']['value'] for name in names}
