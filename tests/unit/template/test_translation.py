import pytest

from heat_lite.template.coercion import AliasConflict
from heat_lite.template.translation import Add, Delete, Replace, translate


def test_replace_moves_the_value_at_the_source():
    rule = Replace(('tasks', 'wait'), ('policies', 'wait'))
    given = {'tasks': [{'policies': {'wait': 5, 'retry': 1}}, {'wait': 2}, 'no map']}
    assert rule.apply(given) == {
        'tasks': [{'policies': {'retry': 1}, 'wait': 5}, {'wait': 2}, 'no map']
    }
    assert given['tasks'][0] == {'policies': {'wait': 5, 'retry': 1}}


def test_replace_with_a_constant_sets_it():
    assert Replace(('a', 'b'), value=1).apply({'a': {'c': 2}}) == {'a': {'b': 1, 'c': 2}}
    assert Replace(('a', 'b'), value=1).apply({}) == {}


def test_replace_conflict_names_both_paths():
    with pytest.raises(AliasConflict) as caught:
        Replace(('nets', 'net'), ('uuid',)).apply({'nets': [{'net': 'a', 'uuid': 'b'}]})
    assert caught.value.names == ('nets.net', 'nets.uuid')


def test_add_appends_items():
    rule = Add(
        ('classes',),
        lambda values: [{'class': values['sequence']}] if values.get('sequence') else [],
    )
    assert rule.apply({'sequence': 'digits'}) == {
        'sequence': 'digits',
        'classes': [{'class': 'digits'}],
    }
    assert rule.apply({'classes': []}) == {'classes': []}
    assert Add(('a', 'b'), [2]).apply({'a': {'b': [1]}}) == {'a': {'b': [1, 2]}}
    with pytest.raises(ValueError, match='not a list'):
        Add(('a',), [1]).apply({'a': 'text'})


def test_translate_applies_rules_in_order():
    rules = [Replace(('tasks', 'wait'), ('policies', 'wait')), Delete(('tasks', 'policies'))]
    assert translate(rules, {'tasks': [{'policies': {'wait': 5}}]}) == {'tasks': [{'wait': 5}]}
    assert translate([Delete(('gone',))], {'a': 1}) == {'a': 1}
