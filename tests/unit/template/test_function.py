import pytest

from heat_lite.common import exception
from heat_lite.template import function, versions
from heat_lite.template.function import OMITTED, Parser, Scope
from tests.unit.template import worlds

HOT = versions.TABLE['heat_template_version']
LATEST = HOT['2021-04-16'].functions


class Early(Scope):
    """What is known before there are resources."""

    def parameter(self, name):
        return {'p': 'value', 'name': 'web'}[name]


class Known(Early):
    def reference(self, resource_name):
        return f'id of {resource_name}'

    def attribute(self, resource_name, *path):
        return [resource_name, *path]


def parse(snippet, functions=LATEST, **options):
    return Parser(functions, Early(), frozenset({'web', 'db'}), **options).parse(snippet)


def test_what_has_no_functions_is_not_copied():
    snippet = {'a': [1, {'b': None}], 'c': 'text'}
    assert parse(snippet) is snippet
    parsed = parse({'plain': snippet, 'live': {'get_param': 'p'}})
    assert parsed['plain'] is snippet


def test_resolving_gives_new_maps_and_lists():
    snippet = {'a': [1, {'b': None}]}
    resolved = function.resolve(parse(snippet), Known())
    resolved['a'][1]['b'] = 'changed'
    assert snippet == {'a': [1, {'b': None}]}


@pytest.mark.parametrize(
    'snippet', [{'get_param': 'p', 'x': 1}, {'nosuch': 'p'}, {'Get_param': 'p'}, 'get_param', {}, {'equals': [1, 1]}, {1: 'p'}]
)
def test_other_maps_are_data(snippet):
    assert parse(snippet) is snippet


def test_functions_of_later_versions_are_data():
    snippet = {'make_url': {'host': 'h'}}
    assert parse(snippet, HOT['2017-02-24'].functions) is snippet
    assert parse(snippet).name == 'make_url'


def test_where_a_function_is_refused():
    with pytest.raises(exception.StackValidationFailed) as caught:
        parse({'a': ['x', {'list_join': ['', [{'str_replace': 5}]]}]})
    assert str(caught.value) == 'a[1].list_join[1][0].str_replace: Arguments to "str_replace" must be a map'


def test_where_validation_fails():
    tree = parse({'a': ['x', {'list_join': ['', [{'get_attr': ['nobody', 'x']}]]}]})
    with pytest.raises(exception.StackValidationFailed) as caught:
        function.validate(tree, ('outputs', 'o', 'value'), Known())
    assert str(caught.value) == (
        'outputs.o.value.a[1].list_join: [1][0].get_attr: The specified reference "nobody" (in unknown) is incorrect.'
    )


def test_what_a_tree_refers_to():
    tree = parse(
        {
            'a': {'get_resource': 'web'},
            'b': [{'get_attr': ['db', 'ip', 0]}, {'list_join': ['', [{'get_attr': ['db', 'name']}]]}],
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
        ({'get_resource': 'web'}, 'r'),
        ({'a': [1, {'get_resource': 'web'}]}, 'r.a[1]'),
        ({'a': {'str_replace': {'template': 'x', 'params': {'x': {'get_resource': 'web'}}}}}, 'r.a.str_replace.params.x'),
        ({'a': {'get_attr': ['db', 'x', {'get_resource': 'web'}]}}, 'r.a.get_attr[2]'),
        ({'a': 'web'}, None),
    ],
)
def test_where_a_resource_is_referred_to(snippet, place):
    assert function.locate(parse(snippet), 'web', 'r') == place


def test_names_that_a_function_gives_are_known_at_once():
    tree = parse([{'get_resource': {'get_param': 'name'}}, {'get_attr': [{'list_join': ['', ['d', 'b']]}, {'get_param': 'p'}]}])
    assert function.dependencies(tree) == {'web', 'db'}
    assert function.attribute_paths(tree, 'db') == {('value',)}


def test_an_attribute_path_ends_where_it_is_not_known_yet():
    tree = parse({'get_attr': ['db', 'ip', {'get_attr': ['web', 'index']}, 'x']})
    assert function.attribute_paths(tree, 'db') == {('ip',)}
    assert function.dependencies(tree) == {'web', 'db'}
    assert function.resolve(tree, Known()) == ['db', 'ip', ['web', 'index'], 'x']


def test_what_is_left_out():
    absent = parse({'if': [False, 'x']}, conditions=Parser({}))
    assert absent.args is OMITTED
    assert function.resolve(absent, Known()) is None
    assert function.resolve({'a': absent, 'b': [1, absent]}, Known()) == {'b': [1]}


def test_an_inner_if_leaves_the_outer_one_out():
    absent = parse({'if': [True, {'if': [False, 'x']}]}, conditions=Parser({}))
    assert function.omitted(absent)


def test_a_blank_scope_knows_nothing():
    scope = Scope()
    for question in (scope.parameter, scope.reference, scope.attribute, scope.file, scope.condition, scope.facade):
        with pytest.raises((exception.HeatException, ValueError, KeyError)):
            question('x')


def test_deep_trees_can_be_handled():
    snippet = {'get_param': 'p'}
    for _level in range(33):
        snippet = {'a': [{'list_join': ['', [snippet]]}]}
        snippet = snippet['a'][0]
    outcome = worlds.create({'heat_template_version': '2021-04-16', 'parameters': {'p': {'type': 'string', 'default': 'x'}},
                             'outputs': {'o': {'value': snippet}}})  # fmt: skip
    assert outcome == {'o': ('x', None)}
