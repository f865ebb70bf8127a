import pytest

from heat_lite.common import exception
from heat_lite.template import function, versions
from heat_lite.template.function import OMITTED, Parser, Scope
from tests.unit.template import static_scope

HOT = versions.TABLE['heat_template_version']
LATEST = HOT['2021-04-16'].functions


class ParameterScope(Scope):
    """The data that exists before the resources: parameters and files."""

    def parameter(self, name):
        return {'p': 'value', 'name': 'web'}[name]


class ReferenceScope(ParameterScope):
    def reference(self, resource_name):
        return f'id of {resource_name}'

    def attribute(self, resource_name, *path):
        return [resource_name, *path]


def parse(snippet, functions=LATEST, **options):
    return Parser(functions, ParameterScope(), frozenset({'web', 'db'}), **options).parse(snippet)


def test_parse_data_without_functions_is_not_copied():
    snippet = {'a': [1, {'b': None}], 'c': 'text'}
    assert parse(snippet) is snippet
    parsed = parse({'plain': snippet, 'live': {'get_param': 'p'}})
    assert parsed['plain'] is snippet


def test_resolve_returns_new_maps_and_lists():
    snippet = {'a': [1, {'b': None}]}
    resolved = function.resolve(parse(snippet), ReferenceScope())
    resolved['a'][1]['b'] = 'changed'
    assert snippet == {'a': [1, {'b': None}]}


@pytest.mark.parametrize(
    'snippet',
    [
        {'get_param': 'p', 'x': 1},
        {'nosuch': 'p'},
        {'Get_param': 'p'},
        'get_param',
        {},
        {'equals': [1, 1]},
        {1: 'p'},
    ],
)
def test_parse_map_without_function_name_is_data(snippet):
    assert parse(snippet) is snippet


def test_parse_function_of_a_later_version_is_data():
    snippet = {'make_url': {'host': 'h'}}
    assert parse(snippet, HOT['2017-02-24'].functions) is snippet
    assert parse(snippet).name == 'make_url'


def test_parse_error_contains_the_path():
    with pytest.raises(exception.StackValidationFailed) as caught:
        parse({'a': ['x', {'list_join': ['', [{'str_replace': 5}]]}]})
    assert (
        str(caught.value)
        == 'a[1].list_join[1][0].str_replace: Arguments to "str_replace" must be a map'
    )


def test_validate_error_contains_the_path():
    tree = parse({'a': ['x', {'list_join': ['', [{'get_attr': ['nobody', 'x']}]]}]})
    with pytest.raises(exception.StackValidationFailed) as caught:
        function.validate(tree, ('outputs', 'o', 'value'), ReferenceScope())
    assert str(caught.value) == (
        'outputs.o.value.a[1].list_join: [1][0].get_attr: The specified reference '
        '"nobody" (in unknown) is incorrect.'
    )


def test_dependencies_and_attribute_reads_of_a_tree():
    tree = parse(
        {
            'a': {'get_resource': 'web'},
            'b': [
                {'get_attr': ['db', 'ip', 0]},
                {'list_join': ['', [{'get_attr': ['db', 'name']}]]},
            ],
            'c': {'get_attr': 'web'},
        }
    )
    assert function.dependencies(tree) == {'web', 'db'}
    assert function.attribute_paths(tree, 'db') == {('ip', 0), ('name',)}
    assert function.dep_attrs(tree, 'db') == {'ip', 'name'}
    assert function.dep_attrs(tree, 'web') == {None}
    assert function.dep_attrs(tree, 'nobody') == set()


@pytest.mark.parametrize(
    ('snippet', 'place'),
    [
        ({'get_resource': 'web'}, ('r',)),
        ({'a': [1, {'get_resource': 'web'}]}, ('r', 'a', 1)),
        (
            {'a': {'str_replace': {'template': 'x', 'params': {'x': {'get_resource': 'web'}}}}},
            ('r', 'a', 'str_replace', 'params', 'x'),
        ),
        ({'a': {'get_attr': ['db', 'x', {'get_resource': 'web'}]}}, ('r', 'a', 'get_attr', 2)),
        ({'a': 'web'}, None),
    ],
)
def test_locate_reference_returns_the_first_path(snippet, place):
    found = function.locate_reference(parse(snippet), {'web'}, ('r',))
    assert found == (place and ('web', place))


def test_reference_by_a_function_is_resolved_at_parse_time():
    tree = parse(
        [
            {'get_resource': {'get_param': 'name'}},
            {'get_attr': [{'list_join': ['', ['d', 'b']]}, {'get_param': 'p'}]},
        ]
    )
    assert function.dependencies(tree) == {'web', 'db'}
    assert function.attribute_paths(tree, 'db') == {('value',)}


def test_attribute_path_is_cut_before_a_function():
    tree = parse({'get_attr': ['db', 'ip', {'get_attr': ['web', 'index']}, 'x']})
    assert function.attribute_paths(tree, 'db') == {('ip',)}
    assert function.dependencies(tree) == {'web', 'db'}
    assert function.resolve(tree, ReferenceScope()) == ['db', 'ip', ['web', 'index'], 'x']


def test_if_without_else_is_omitted():
    absent = parse({'if': [False, 'x']}, conditions=Parser({}))
    assert absent.args is OMITTED
    assert function.resolve(absent, ReferenceScope()) is None
    assert function.resolve({'a': absent, 'b': [1, absent]}, ReferenceScope()) == {'b': [1]}


def test_nested_if_without_else_omits_the_outer_one():
    absent = parse({'if': [True, {'if': [False, 'x']}]}, conditions=Parser({}))
    assert function.is_omitted(absent)


def test_scope_without_data_raises():
    scope = Scope()
    for question in (
        scope.parameter,
        scope.reference,
        scope.attribute,
        scope.file,
        scope.condition,
        scope.facade,
    ):
        with pytest.raises((exception.HeatException, ValueError, KeyError)):
            question('x')


def test_deeply_nested_tree_is_processed():
    snippet = {'get_param': 'p'}
    for _level in range(33):
        snippet = {'a': [{'list_join': ['', [snippet]]}]}
        snippet = snippet['a'][0]
    outcome = static_scope.resolve_outputs(
        {
            'heat_template_version': '2021-04-16',
            'parameters': {'p': {'type': 'string', 'default': 'x'}},
            'outputs': {'o': {'value': snippet}},
        }
    )
    assert outcome == {'o': ('x', None)}
