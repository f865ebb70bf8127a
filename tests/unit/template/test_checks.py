"""Each check yields all violations, those that the engine raises first."""

import pytest

from heat_lite.common import exception
from heat_lite.template import checks, versions
from heat_lite.template.checks import Violation
from heat_lite.template.schema import map_, string

HOT = versions.template_version({'heat_template_version': '2021-04-16'})
OLD_HOT = versions.template_version({'heat_template_version': '2013-05-23'})
CFN = versions.template_version({'AWSTemplateFormatVersion': '2010-09-09'})


def found(violations):
    """The path and the error's text of each violation."""
    return [(violation.path, str(violation.error)) for violation in violations]


def test_raise_first_several_violations_raises_error_of_first():
    violations = [Violation('a', (), ValueError('one')), Violation('b', (), KeyError('two'))]
    with pytest.raises(ValueError, match='one'):
        checks.raise_first(violations)


def test_raise_first_no_violation_returns():
    checks.raise_first(iter(()))


def test_violation_text_message_wins_over_recorded_text():
    error = exception.StackValidationFailed('wrong', error='Error', path=('a', 'b'))
    assert Violation('a', (), error).text == 'wrong'
    assert Violation('a', (), error, 'clearer').text == 'clearer'


def test_sections_unknown_ones_each_yields():
    data = {'heat_template_version': '2021-04-16', 'resorces': {}, 'outputs': {}, 'mappings': {}}
    violations = list(checks.sections(data, HOT))
    assert found(violations) == [
        (('resorces',), 'The template section is invalid: resorces'),
        (('mappings',), 'The template section is invalid: mappings'),
    ]
    assert violations[0].text == 'There is no section "resorces". Did you mean "resources"?'


@pytest.mark.parametrize(
    ('name', 'error', 'text'),
    [
        (
            'resources',
            exception.StackValidationFailed,
            '"x" must contain a map of resource maps. Found a list instead',
        ),
        (
            'conditions',
            exception.StackValidationFailed,
            'Conditions validation error: Condition definitions must be a map. '
            'Found a list instead',
        ),
        ('parameters', AttributeError, 'The section "x" must be a map'),
        ('outputs', AttributeError, 'The section "x" must be a map'),
    ],
)
def test_section_map_list_yields_recorded_error(name, error, text):
    [violation] = checks.section_map(name, [], 'x')
    assert (type(violation.error), str(violation.error)) == (error, text)
    assert violation.text == 'The section "x" must be a map'
    assert not list(checks.section_map(name, {}, 'x'))


def test_resource_bodies_several_violations_come_in_order_of_names():
    snippets = {
        'c': {'type': 'T', 'propertis': {}, 'Metadata': {}},
        'a': None,
        'b': [],
        'd': {'type': 'T'},
        'e': {'tpye': 'T'},
    }
    known = 'is not a valid keyword inside a resource definition'
    assert found(checks.resource_bodies(snippets, HOT)) == [
        (('a',), 'Each resource must contain a type key.'),
        (('b',), 'Each resource must contain a type key.'),
        (('c', 'propertis'), f'"propertis" {known}. Did you mean "properties"?'),
        (('c', 'Metadata'), f'"Metadata" {known}'),
        (('e', 'tpye'), f'"tpye" {known}. Did you mean "type"?'),
    ]


def test_resource_body_keys_of_later_version_each_yields_same_text():
    snippet = {'type': 'T', 'external_id': 'x', 'condition': 'c'}
    text = 'Invalid keyword(s) inside a resource definition: condition, external_id'
    assert found(checks.resource_body(snippet, OLD_HOT)) == [
        (('condition',), text),
        (('external_id',), text),
    ]


@pytest.mark.parametrize(
    ('snippet', 'text'),
    [
        ([1], 'Resources must contain Resource. Found a list instead'),
        (None, 'Each Resource must contain a Type key.'),
        ({'Tpye': 'T'}, 'Each Resource must contain a Type key. Did you mean "Type"?'),
    ],
)
def test_resource_body_cfn_without_type_yields(snippet, text):
    assert found(checks.resource_body(snippet, CFN)) == [((), text)]


def test_resource_parts_wrong_types_each_yields():
    snippet = {'type': 'T', 'properties': [], 'depends_on': ['a', 1], 'condition': []}
    assert found(checks.resource_parts('r', snippet, HOT)) == [
        (('properties',), 'Resource r properties type must be object'),
        (('depends_on',), 'Resource r depends_on must be a list of strings. Write 1 in quotes.'),
        (('condition',), 'Resource r condition type must be string_or_boolean'),
    ]


@pytest.mark.parametrize(
    ('part', 'value', 'hint'),
    [
        ('depends_on', False, 'YAML reads no, off and false as false unless they are in quotes.'),
        ('depends_on', True, 'YAML reads yes, on and true as true unless they are in quotes.'),
        ('description', 5, 'Write 5 in quotes.'),
        ('depends_on', None, ''),
        ('properties', 5, ''),
    ],
)
def test_resource_part_read_as_another_type_says_how_to_write_it(part, value, hint):
    [(_path, text)] = found(checks.resource_parts('r', {'type': 'T', part: value}, HOT))
    assert text.partition('. ')[2] == hint


def test_duplicate_names_several_each_yields_all_names():
    violations = list(checks.duplicate_names(['b', 'x', 'a'], {'a', 'b'}))
    text = 'Duplicate names "a", "b"'
    assert found(violations) == [(('a',), text), (('b',), text)]


def test_depends_on_unknown_names_yields_their_index():
    text = 'The specified reference "{}" (in r) is incorrect.'
    assert found(checks.depends_on('r', ['a', 'q', 'z'], {'a'})) == [
        ((1,), text.format('q')),
        ((2,), text.format('z')),
    ]
    assert found(checks.depends_on('r', 'q', {'a'})) == [((), text.format('q'))]
    assert not list(checks.depends_on('r', None, {'a'}))


def test_attribute_outputs_of_both_dialects():
    snippets = {'b': {'valeu': 1}, 'a': 5, 'c': {'value': 1}}
    assert [violation.path for violation in checks.attribute_outputs(snippets, HOT)] == [
        ('a',),
        ('a',),
        ('b', 'valeu'),
        ('b',),
    ]
    assert [violation.path for violation in checks.attribute_outputs(snippets, CFN)] == [('a',)]


@pytest.mark.parametrize('value', [None, True, False, 'name'])
def test_condition_value_condition_yields_nothing(value):
    assert not list(checks.condition_value(value))


def test_condition_value_map_yields_hint_in_message_only():
    [violation] = checks.condition_value({'a': 1}, ' Did you mean "b"?')
    assert str(violation.error) == 'Invalid condition {"a": 1}'
    assert violation.text == 'Invalid condition {"a": 1}. Did you mean "b"?'


def test_property_names_unknown_and_unimplemented_each_yields():
    schemata = {'size': string(), 'old': string(implemented=False), 'm': map_('A map.', {})}
    given = {'sizee': 1, 'old': 2, 'm': 3}
    assert found(checks.property_names(schemata, given, ('properties',))) == [
        (('sizee',), 'Property error: properties: Unknown Property sizee. Did you mean "size"?'),
        (('old',), 'Property error: properties: Property old not implemented yet'),
    ]
    [violation] = checks.property_names(schemata, given, nested=True)
    assert violation.path == ('sizee',)
