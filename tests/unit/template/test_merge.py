import json

import pytest

from heat_lite.common import exception
from heat_lite.template.merge import merge_environments, patch
from heat_lite.template.parameters.parameters import ParameterSchema

TYPES = {'l': 'comma_delimited_list', 's': 'string', 'j': 'json', 'n': 'number', 'b': 'boolean'}
SCHEMATA = {name: ParameterSchema.from_hot(name, {'type': kind}) for name, kind in TYPES.items()}


def merge(*environments, base=None):
    files = {f'{number}.yaml': json.dumps(data) for number, data in enumerate(environments)}
    return merge_environments(base or {}, files, list(files), SCHEMATA)


def merged(name, strategy, first, second):
    return merge(
        {'parameters': {name: first}, 'parameter_merge_strategies': {name: strategy}},
        {'parameters': {name: second}},
    )['parameters'][name]


def test_merge_later_file_overrides_earlier():
    assert merge({'parameters': {'s': 'a', 'n': 1}}, {'parameters': {'s': 'b'}}) == {
        'parameters': {'s': 'b', 'n': 1}
    }


@pytest.mark.parametrize(
    ('name', 'strategy', 'first', 'second', 'result'),
    [
        ('l', 'merge', 'a,b', 'c', 'a,b,c'),
        ('l', 'merge', 'a', ['c', 1], ['a', 'c', '1']),
        ('l', 'deep_merge', ['a'], ['b'], ['a', 'b']),
        ('l', 'overwrite', 'a', 'c', 'c'),
        ('s', 'merge', 'a,b', 'c', 'a,bc'),
        ('s', 'deep_merge', 'a', 'b', 'ab'),
        ('s', 'zip', 'a', 'b', 'b'),
        (
            'j',
            'merge',
            {'a': 1, 'n': {'q': 1}},
            {'b': 1, 'n': {'w': 1}},
            {'a': 1, 'n': {'w': 1}, 'b': 1},
        ),
        ('j', 'merge', '{"a": 1}', '{"b": 1}', {'a': 1, 'b': 1}),
        (
            'j',
            'deep_merge',
            {'a': [1], 'n': {'q': 1}},
            {'a': [2], 'n': {'w': 1}},
            {'a': [1, 2], 'n': {'q': 1, 'w': 1}},
        ),
        ('j', 'deep_merge', {'a': {'b': 1}, 'c': 'x'}, {'a': 5, 'c': 'y'}, {'a': 5, 'c': 'xy'}),
    ],
)
def test_merge_strategy_by_parameter_type(name, strategy, first, second, result):
    assert merged(name, strategy, first, second) == result


@pytest.mark.parametrize(
    ('name', 'first', 'second'),
    [('n', 1, 2), ('b', True, True), ('s', ['a'], 'b'), ('s', 1, 2), ('j', {'a': 1}, 'x')],
)
def test_merge_of_incompatible_values_is_refused(name, first, second):
    with pytest.raises(ValueError, match=f'parameter "{name}"'):
        merged(name, 'merge', first, second)


def test_merge_default_strategy_applies():
    strategies = {'default': 'merge', 's': 'overwrite'}
    first = {
        'parameters': {'l': 'a', 's': 'x'},
        'parameter_defaults': {'l': 'd'},
        'parameter_merge_strategies': strategies,
    }
    second = {'parameters': {'l': 'b', 's': 'y'}, 'parameter_defaults': {'l': 'e'}}
    assert merge(first, second) == {
        'parameters': {'l': 'a,b', 's': 'y'},
        'parameter_defaults': {'l': 'd,e'},
    }


def test_merge_strategy_is_that_of_the_first_file():
    chosen = {'parameters': {'l': 'c'}, 'parameter_merge_strategies': {'l': 'merge'}}
    assert merge({'parameters': {'s': 'a'}}, chosen, {'parameters': {'l': 'd'}})['parameters'] == {
        's': 'a',
        'l': 'c,d',
    }
    default = {'parameters': {'l': 'c'}, 'parameter_merge_strategies': {'default': 'merge'}}
    assert merge({'parameters': {'l': 'a'}}, default, {'parameters': {'l': 'd'}})['parameters'] == {
        'l': 'd'
    }


@pytest.mark.parametrize(
    ('first', 'second', 'named'),
    [
        ({}, {'l': 'merge'}, 'merge'),
        ({'l': 'merge'}, {'l': 'overwrite'}, 'overwrite'),
        ({'default': 'zip'}, {}, 'overwrite'),
    ],
)
def test_merge_conflicting_strategies_raise(first, second, named):
    with pytest.raises(exception.ConflictingMergeStrategyForParam) as caught:
        merge(
            {'parameters': {'l': 'a'}, 'parameter_merge_strategies': first},
            {'parameters': {'l': 'b'}, 'parameter_merge_strategies': second},
        )
    assert (
        str(caught.value)
        == f"Conflicting merge strategy '{named}' for parameter 'l' in file '1.yaml'."
    )


def test_merge_files_over_the_request_environment():
    assert merge({'parameters': {'l': 'a'}}, base={'parameters': {'s': 'z'}}) == {
        'parameters': {'s': 'z', 'l': 'a'}
    }
    assert (
        merge(
            {'parameters': {'l': 'a'}, 'parameter_merge_strategies': {'l': 'merge'}},
            base={'parameters': {'l': 'z'}},
        )['parameters']['l']
        == 'z,a'
    )


def test_merge_ignores_unknown_and_null_parameters():
    assert merge({'parameters': {'zz': 1}}) == {'parameters': {'zz': 1}}
    assert merge({'parameters': {'l': 'a'}}, {'parameters': {'zz': 1, 'l': None}}) == {
        'parameters': {'l': 'a'}
    }


def test_merge_other_sections():
    first = {
        'resource_registry': {'A': 'X', 'B': 'Y', 'resources': {'r': {}}},
        'event_sinks': [{'type': 'zaqar-queue', 'target': 'a'}],
    }
    second = {
        'resource_registry': {'A': 'Z', 'resources': {'q': {}}},
        'event_sinks': [{'type': 'zaqar-queue', 'target': 'b'}],
    }
    result = merge(first, second)
    assert result['resource_registry'] == {'A': 'Z', 'B': 'Y', 'resources': {'q': {}}}
    assert [sink['target'] for sink in result['event_sinks']] == ['a', 'b']


def test_merge_does_not_modify_its_input():
    base = {'parameters': {'j': {'a': {'b': 1}}}}
    merge(
        {'parameters': {'j': {'a': {'c': 2}}}, 'parameter_merge_strategies': {'j': 'deep_merge'}},
        base=base,
    )
    assert base == {'parameters': {'j': {'a': {'b': 1}}}}


@pytest.mark.parametrize('text', ['parameters: {p: ', '- a', 'foo: {}'])
def test_merge_invalid_file_is_refused(text):
    with pytest.raises(ValueError, match='The environment file "a.yaml" is not valid'):
        merge_environments({}, {'a.yaml': text}, ['a.yaml'], SCHEMATA)


def test_merge_missing_file_is_refused():
    with pytest.raises(ValueError, match='"q.yaml" is not among the files'):
        merge_environments({}, {}, ['q.yaml'], SCHEMATA)


@pytest.mark.parametrize(
    'section', ['parameters', 'resource_registry', 'parameter_merge_strategies']
)
def test_merge_section_that_is_not_a_map_is_refused(section):
    with pytest.raises(AttributeError):
        merge({section: ['a']})


def test_merge_empty_file_changes_nothing():
    assert merge_environments({}, {'a': ''}, ['a'], SCHEMATA) == {}


@pytest.mark.parametrize(
    'given, clear, result',
    [
        ({}, (), {'a': 1, 'b': 2}),
        ({'b': 3}, (), {'a': 1, 'b': 3}),
        ({}, ('a',), {'b': 2}),
        ({'a': 4}, ('a', 'b'), {'a': 4}),  # what is given stays, even where it is to be cleared
        ({'gone': 5}, (), {'a': 1, 'b': 2}),  # the template has no such parameter
    ],
)
def test_patch_merges_into_the_environment_of_a_stack(given, clear, result):
    held = {'parameters': {'a': 1, 'b': 2, 'dropped': 0}, 'parameter_defaults': {'dropped': 1}}
    patched = patch(held, {'parameters': given}, clear, {'a', 'b'})
    assert patched == {'parameters': result, 'parameter_defaults': {'dropped': 1}}
