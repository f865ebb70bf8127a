import pytest

from heat_lite.common import exception
from heat_lite.template import function, versions
from heat_lite.template.function import Parser, Scope, resolve

TABLE = versions.TABLE['heat_template_version']


class Recording(Scope):
    """A scope that records the requests."""

    def attribute(self, resource_name, *path):
        return {'asked': (resource_name, *path), 'k': ['zero', 'one']}

    def reference(self, resource_name):
        return f'id of {resource_name}'

    def parameter(self, name):
        if name != 'p':
            raise exception.UserParameterMissing(key=name)
        return {'list': ['a', {'b': 'c'}], 'text': 'xyz'}

    def parameter_names(self):
        return ('p', 'open')

    def facade(self, key):
        return f'facade {key}'

    def availability_zones(self):
        return ['nova']

    def file(self, name):
        return {'there': 'content'}[name]


def answer(snippet, version='2021-04-16', functions=None):
    return resolve(
        Parser(functions or TABLE[version].functions, Scope(), frozenset({'r'})).parse(snippet),
        Recording(),
    )


def test_get_attr_2013_evaluates_the_path():
    assert answer({'get_attr': ['r', 'x', 'asked']}, '2013-05-23') == ('r', 'x')
    assert answer({'get_attr': ['r', 'x', 'k', 1]}, '2013-05-23') == 'one'
    assert answer({'get_attr': ['r', 'x', 'k', '1']}, '2013-05-23') == 'one'


def test_get_attr_since_2014_passes_the_path_to_the_type():
    assert answer({'get_attr': ['r', 'x', 'k', 1]}, '2014-10-16')['asked'] == ('r', 'x', 'k', 1)
    assert answer({'get_attr': ['r']})['asked'] == ('r',)
    assert answer({'get_attr': 'r'})['asked'] == ('r',)


@pytest.mark.parametrize(
    ('path', 'value'),
    [
        (['text'], 'xyz'),
        (['list', 1, 'b'], 'c'),
        (['list', '0'], 'a'),
        (['list', -1, 'b'], 'c'),
        (['list', 5], ''),
        (['list', 'x'], ''),
        (['nosuch', 'x'], ''),
        (['text', 0], 'x'),
        (['text', 0, {'a': 1}], ''),
    ],
)
def test_get_param_returns_value_at_path(path, value):
    assert answer({'get_param': ['p', *path]}) == value


def test_reference_to_unknown_resource_raises():
    for snippet in ({'get_resource': 'zz'}, {'get_attr': ['zz', 'x']}, {'get_resource': 5}):
        with pytest.raises(
            exception.InvalidTemplateReference, match=r'\(in unknown\) is incorrect'
        ):
            answer(snippet)


def test_ref_prefers_a_resource_to_a_parameter():
    functions = versions.TABLE['AWSTemplateFormatVersion']['2010-09-09'].functions
    assert answer({'Ref': 'r'}, functions=functions) == 'id of r'
    assert answer({'Ref': 'p'}, functions=functions)['text'] == 'xyz'
    with pytest.raises(exception.InvalidTemplateReference, match='No parameter or resource has'):
        answer({'Ref': 'zz'}, functions=functions)
    with pytest.raises(
        exception.UserParameterMissing, match=r'Parameter \(open\) was not provided'
    ):
        answer({'Ref': 'open'}, functions=functions)
    assert (
        answer({'Fn::ResourceFacade': 'DeletionPolicy'}, functions=functions)
        == 'facade deletion_policy'
    )
    assert answer({'Fn::GetAZs': ''}, functions=functions) == ['nova']


def test_resource_facade_returns_parts_of_the_owner():
    assert answer({'resource_facade': 'metadata'}) == 'facade metadata'


def test_get_file_returns_content_or_raises():
    assert answer({'get_file': 'there'}) == 'content'
    with pytest.raises(
        ValueError, match='No content found in the "files" section for get_file path: nowhere'
    ):
        answer({'get_file': 'nowhere'})


@pytest.mark.parametrize('name', [['r'], {'a': 1}, []])
def test_get_resource_of_no_name_is_refused(name):
    with pytest.raises(exception.StackValidationFailed, match='"get_resource" must be a string'):
        answer({'get_resource': name})


def test_get_attr_by_the_reference_of_a_resource_fails_once_there_is_an_id():
    parser = Parser(TABLE['2021-04-16'].functions, Scope(), frozenset({'r'}))
    node = parser.parse({'get_attr': [{'get_resource': 'r'}, 'k']})
    node.validate(Known())
    assert function.dependencies(node) == {'r'}
    with pytest.raises(exception.InvalidTemplateReference):
        node.result(Known())


class Known(Recording):
    """A scope with the values of parameters."""

    knows_values = True


@pytest.mark.parametrize(
    'path, error',
    [
        ([{'get_resource': 'r'}], exception.InvalidTemplateAttribute),
        ([{'get_attr': ['r', 'k', 0]}], ValueError),
        (['k', {'get_resource': 'nowhere'}], exception.InvalidTemplateAttribute),
        (['k', {'get_resource': 'r'}], None),
        (['k', {'get_attr': ['r', 'k', 0]}], None),
        ([{'list_join': ['', ['k']]}], None),
    ],
)
def test_get_attr_refuses_parts_of_its_path_as_heat_does(path, error):
    parser = Parser(TABLE['2021-04-16'].functions, Scope(), frozenset({'r'}))
    node = parser.parse({'get_attr': ['r', *path]})
    if error is None:
        node.validate(Known())
    else:
        with pytest.raises(error):
            node.validate(Known())
