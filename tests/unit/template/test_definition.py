import pytest

from heat_lite.common import exception
from heat_lite.template.template import Template
from tests.unit.template import static_scope


def definitions(version='2021-04-16', parameters=None, **resources):
    template = Template(
        {'heat_template_version': version, 'parameters': parameters or {}, 'resources': resources}
    )
    return template.bind(template.parameters(static_scope.IDENTITY)).resources


def test_resource_definition_parts_are_parsed():
    snippet = {
        'type': 'T',
        'properties': {'a': 1},
        'metadata': {'m': [1]},
        'depends_on': 'other',
        'deletion_policy': 'retain',
        'update_policy': {'u': 1},
        'description': 'what it is',
        'external_id': 'x',
    }
    found = definitions(r=snippet)['r']
    assert (found.name, found.resource_type, found.description, found.external_id) == (
        'r',
        'T',
        'what it is',
        'x',
    )
    assert (found.properties, found.metadata, found.update_policy) == (
        {'a': 1},
        {'m': [1]},
        {'u': 1},
    )
    assert found.depends_on == ['other']
    assert found.deletion_policy == 'Retain'
    assert found.raw is snippet


def test_resource_definition_missing_parts_have_defaults():
    found = definitions(r={'type': 'T'})['r']
    assert (found.properties, found.metadata, found.update_policy, found.external_id) == (None,) * 4
    assert (found.depends_on, found.deletion_policy, found.description) == ([], 'Delete', '')


@pytest.mark.parametrize(
    ('function', 'is_external'),
    [
        ({'if': [{'equals': [1, 2]}, 'x', None]}, False),
        ({'if': [{'equals': [1, 2]}, 'x']}, False),
        ({'if': [{'equals': [1, 1]}, 'x', None]}, True),
        ({'get_resource': 'other'}, True),
        ({'get_attr': ['other', 'value']}, True),
        ({'get_param': 'absent'}, True),
    ],
)
def test_external_id_that_parameters_make_null_is_none(function, is_external):
    found = definitions(r={'type': 'T', 'external_id': function}, other={'type': 'T'})['r']
    assert (found.external_id is not None) == is_external


def test_resource_definition_of_cfn_uses_its_keywords():
    data = {
        'AWSTemplateFormatVersion': '2010-09-09',
        'Resources': {
            'R': {'Type': 'T', 'DependsOn': ['S'], 'DeletionPolicy': 'Snapshot', 'Foo': 1},
            'S': {'Type': 'T'},
        },
    }
    template = Template(data)
    template.validate()
    found = template.bind(template.parameters(static_scope.IDENTITY)).resources['R']
    assert (found.resource_type, found.depends_on, found.deletion_policy) == (
        'T',
        ['S'],
        'Snapshot',
    )


def test_deletion_policy_by_version():
    parameters = {'p': {'type': 'string', 'default': 'Retain'}}
    assert (
        definitions(parameters=parameters, r={'type': 'T', 'deletion_policy': {'get_param': 'p'}})[
            'r'
        ].deletion_policy
        == 'Retain'
    )
    for version, policy in (('2021-04-16', 'Keep'), ('2016-04-08', 'retain')):
        with pytest.raises(
            exception.StackValidationFailed, match=f'Invalid deletion policy "{policy}"'
        ):
            definitions(version, r={'type': 'T', 'deletion_policy': policy})
    with pytest.raises(exception.InvalidTemplateReference):
        definitions(r={'type': 'T', 'deletion_policy': {'get_resource': 'r'}})


def test_requires_returns_dependencies():
    found = definitions(
        a={'type': 'T'},
        b={'type': 'T', 'condition': False},
        c={
            'type': 'T',
            'depends_on': ['a', 'b'],
            'properties': {'x': {'get_attr': ['d', 'y']}},
            'metadata': {'m': {'get_resource': 'e'}},
        },
        d={'type': 'T'},
        e={'type': 'T'},
    )
    assert found['c'].requires(set(found)) == {'a', 'd', 'e'}
    assert found['c'].attribute_reads() == {'d': {('y',)}}
    assert found['a'].requires(set(found)) == set()


@pytest.mark.parametrize(
    ('parts', 'resource', 'key'),
    [
        ({'depends_on': ['a', 'zz']}, 'zz', 'r'),
        ({'depends_on': ''}, '', 'r'),
        ({'properties': {'v': [1, {'get_resource': 'zz'}]}}, 'zz', 'r.Properties.v[1]'),
        ({'properties': {'v': {'get_resource': 5}}}, '5', 'r.Properties.v'),
        (
            {'properties': {'v': {'get_resource': {'get_resource': 'zz'}}}},
            'zz',
            'r.Properties.v.get_resource',
        ),
        ({'properties': {'v': {'get_resource': 'off'}}}, 'off', 'r.Properties.v'),
        (
            {'properties': {'v': [{'get_resource': 'zz'}, {'get_attr': ['yy', 'x']}]}},
            'zz',
            'r.Properties.v[0]',
        ),
        ({'metadata': {'m': {'get_attr': ['zz', 'x']}}}, 'zz', 'r.Metadata.m'),
    ],
)
def test_requires_unknown_resource_raises(parts, resource, key):
    found = definitions(
        a={'type': 'T'}, off={'type': 'T', 'condition': False}, r={'type': 'T', **parts}
    )
    with pytest.raises(exception.InvalidTemplateReference) as caught:
        found['r'].requires(set(found))
    assert str(caught.value) == f'The specified reference "{resource}" (in {key}) is incorrect.'


@pytest.mark.parametrize('part', ['properties', 'update_policy'])
def test_function_instead_of_properties_is_refused(part):
    with pytest.raises(exception.StackValidationFailed) as caught:
        definitions(r={'type': 'T', part: {'get_param': 'OS::stack_name'}})
    assert str(caught.value) == f'resources.r.{part}: "get_param" cannot stand for a whole map'


@pytest.mark.parametrize(
    ('version', 'word', 'key'),
    [('2021-04-16', 'properties', 'type'), ('2010-09-09', 'Properties', 'Type')],
)
def test_freeze_replaces_parts(version, word, key):
    section = 'resources' if key == 'type' else 'Resources'
    name = 'heat_template_version' if key == 'type' else 'AWSTemplateFormatVersion'
    template = Template({name: version, section: {'r': {key: 'T', word: {'a': 1}}}})
    found = template.bind(template.parameters(static_scope.IDENTITY)).resources['r']
    other = found.freeze(properties={'a': 1, 'b': 2})
    assert other.properties == {'a': 1, 'b': 2} and other.raw == {key: 'T', word: {'a': 1, 'b': 2}}
    assert found.properties == {'a': 1} and found.raw == {key: 'T', word: {'a': 1}}, (
        'the first one stays as it is'
    )
    assert other.name == 'r' and other.resource_type == 'T' and other != found


def test_freeze_keeps_functions_of_unchanged_values():
    written = {'a': {'get_param': 'OS::stack_name'}, 'b': 1}
    found = definitions(r={'type': 'T', 'properties': written})['r']
    other = found.freeze(properties={**found.properties, 'b': 2})
    assert other.raw['properties'] == {'a': {'get_param': 'OS::stack_name'}, 'b': 2}
    assert other.properties['a'] is found.properties['a']


def test_definitions_with_equal_snippets_are_equal():
    first, second = (
        definitions(r={'type': 'T', 'properties': {'a': {'get_param': 'OS::stack_name'}}})['r']
        for _time in range(2)
    )
    assert first == second and hash(first) == hash(second)
    assert first != definitions(r={'type': 'T', 'properties': {'a': 1}})['r']
