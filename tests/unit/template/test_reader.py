import json

import pytest
import yaml
from hypothesis import given, strategies as st

from heat_lite.template import reader
from tests.effort import count_calls

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.text(st.characters(blacklist_categories=('Cs', 'Cc')), max_size=8)
)
TREES = st.dictionaries(
    st.text('abc', min_size=1, max_size=3),
    st.recursive(
        SCALARS,
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.text('xyz', max_size=3), inner, max_size=3)
        ),
    ),
    max_size=4,
)


@pytest.mark.parametrize(
    ('text', 'value'),
    [
        ('a: yes', {'a': True}),
        ('a: off', {'a': False}),
        ('a: 010', {'a': 8}),
        ('a: 0x1F', {'a': 31}),
        ('a: 12:30', {'a': 750}),
        ('a: 1_000', {'a': 1000}),
        ('a: 1e3', {'a': '1e3'}),
        ('a: 1.5e+3', {'a': 1500.0}),
        ('a: ~', {'a': None}),
        ('a:', {'a': None}),
        ('a: 2001-01-01', {'a': '2001-01-01'}),
        ('a: 2001-12-14t21:59:43.10-05:00', {'a': '2001-12-14t21:59:43.10-05:00'}),
        ('a: !!binary aGVsbG8=', {'a': 'hello'}),
        ('a: !!str 5', {'a': '5'}),
        ('a: "5"', {'a': '5'}),
        ('a: !!int "5"', {'a': 5}),
        ('a: !!set {x, y}', {'a': ['x', 'y']}),
        ('a: !!omap [x: 1, y: 2]', {'a': [['x', 1], ['y', 2]]}),
        ('a: =', {'a': '='}),
        ('a: 1\na: 2', {'a': 2}),
        ('1: x\n1.5: y\ntrue: z\n~: n', {'1': 'x', '1.5': 'y', 'true': 'z', 'null': 'n'}),
        ('{a: b}', {'a': 'b'}),
        ('{"a":\t1, "a": 2}', {'a': 2}),
        (
            '{"a": 1e3, "b": 1.5, "c": NaN, "d": 1e400}',
            {'a': 1000.0, 'b': 1.5, 'c': 'NaN', 'd': '1e400'},
        ),
        ('{"a": "\\ud83d\\ude00"}', {'a': '😀'}),
        ('', {}),
        ('# nothing', {}),
        (b'a: \xc3\xbc', {'a': 'ü'}),
    ],
)
def test_yaml_scalars_are_read_as_in_heat(text, value):
    assert reader.parse(text) == value


@pytest.mark.parametrize(
    ('text', 'value'),
    [
        ('a: &x [1, 2]\nb: [*x, *x]', {'a': [1, 2], 'b': [[1, 2], [1, 2]]}),
        ('a: &x hello\nb: *x', {'a': 'hello', 'b': 'hello'}),
        ('a: &x {k: 1, l: 2}\nb: {<<: *x, l: 3}', {'a': {'k': 1, 'l': 2}, 'b': {'k': 1, 'l': 3}}),
        ('<<: [{a: 1}, {a: 2, b: 3}]\nb: 4', {'a': 1, 'b': 4}),
        ('a: <<', {'a': '<<'}),
    ],
)
def test_yaml_anchors_and_merges_are_expanded(text, value):
    assert reader.parse(text) == value


@given(TREES)
def test_dumped_yaml_and_json_are_read_back(tree):
    assert reader.parse(json.dumps(tree)) == tree
    assert reader.parse(yaml.safe_dump(tree, allow_unicode=True)) == tree


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        ('- a', 'The template is not a JSON object or YAML mapping.'),
        ('hello', 'The template is not a JSON object or YAML mapping.'),
        (5, 'The template is not a JSON object or YAML mapping.'),
        (
            'a: {',
            'Error parsing template [root stack] while parsing a flow node\nexpected '
            "the node content, but found '<stream end>'",
        ),
        (
            'a: !Ref x',
            'Error parsing template [root stack] could not determine a constructor for '
            "the tag '!Ref'\n",
        ),
        ('a: !!python/name:os.getcwd x', 'could not determine a constructor'),
        ('a: !Map {x: 1}', 'could not determine a constructor'),
        ('a: *nowhere', "found undefined alias 'nowhere'"),
        ('a: &a [*a]', "found recursive alias 'a'"),
        ('a: 1\n---\nb: 2', 'expected a single document in the stream'),
        ('? [a]\n: 1', 'found unhashable key'),
        ('a: {<<: 5}', 'expected a mapping or list of mappings for merging'),
        ('a: !!int x', 'could not read this as tag:yaml.org,2002:int'),
        ('a: !!bool maybe', 'could not read this as tag:yaml.org,2002:bool'),
        ('a: !!binary "?"', 'could not read this as tag:yaml.org,2002:binary'),
        ('a: ' + '9' * 5000, 'could not read this as tag:yaml.org,2002:int'),
        ('a: !!omap [1]', 'no value for the tag'),
        ('a: \x00', 'special characters are not allowed'),
        ('b: 1\n' * 5000 + 'a: ]', 'line 5001, column 4:\n    a: ]\n       ^'),
    ],
)
def test_invalid_template_text_is_refused(text, message):
    with pytest.raises(reader.FormatError) as caught:
        reader.parse(text)
    assert message in str(caught.value)


def test_yaml_error_shows_the_line():
    with pytest.raises(reader.FormatError) as caught:
        reader.parse('a: 1\nb: !Ref x\n')
    assert str(caught.value).endswith('line 2, column 4:\n    b: !Ref x\n       ^')


NESTINGS = {
    'flow lists': lambda n: 'a: ' + '[' * n + ']' * n,
    'flow maps': lambda n: 'a: ' + '{a: ' * n + '1' + '}' * n,
    'block lists': lambda n: 'a:\n ' + '- ' * n + 'x',
    'json': lambda n: '{"a": ' + '[' * n + ']' * n + '}',
}


@pytest.mark.parametrize('kind', NESTINGS)
def test_text_nested_too_deeply_is_refused(kind):
    assert reader.parse(NESTINGS[kind](reader.MAX_DEPTH))
    for depth in (reader.MAX_DEPTH + 1, 200_000):
        with pytest.raises(reader.FormatError, match='nested too deeply'):
            reader.parse(NESTINGS[kind](depth))


def test_parsed_data_nested_too_deeply_is_refused():
    data = value = {}
    for _level in range(reader.MAX_DEPTH):
        value['a'] = value = {}
    assert reader.parse(data) is data
    with pytest.raises(reader.FormatError, match='nested too deeply'):
        reader.parse({'a': data})


def test_depth_includes_expanded_aliases():
    def text(depth):
        return f'a: &a {"[" * depth}{"]" * depth}\nb: &b [[*a]]\nc: [[*b]]'

    assert reader.parse(text(reader.MAX_DEPTH - 4))
    with pytest.raises(reader.FormatError, match='nested too deeply'):
        reader.parse(text(reader.MAX_DEPTH - 3))


def test_aliases_over_the_size_limit_are_refused():
    lines = [
        'a: &a0 [x,x,x,x,x,x,x,x,x]',
        *(f'b{i}: &a{i + 1} [{",".join([f"*a{i}"] * 9)}]' for i in range(30)),
    ]

    def parse():
        with pytest.raises(reader.FormatError, match='unfold to too much'):
            reader.parse('\n'.join(lines))

    assert count_calls(parse) < 2000


def test_size_includes_the_length_of_aliased_text():
    def text(length):
        return f'a: &a {"x" * length}\nb: [{",".join(["*a"] * 100)}]'

    assert len(reader.parse(text(1000))['b']) == 100
    with pytest.raises(reader.FormatError, match='unfold to too much'):
        reader.parse(text(reader.MAX_SIZE // 100))


@pytest.mark.parametrize(
    ('text', 'hint'),
    [
        ('', 'Begin the template with "heat_template_version: 2021-04-16".'),
        ('resources: {}', 'Begin the template with "heat_template_version: 2021-04-16".'),
        ('Resources: {}', 'Begin the template with "AWSTemplateFormatVersion: 2010-09-09".'),
        ('heat_template_verison: 2018-08-31', 'Did you mean "heat_template_version"?'),
        (
            'services: {web: {image: nginx}}',
            'This looks like a compose file: "heat-lite convert" makes a template of it.',
        ),
    ],
)
def test_template_file_without_version_is_refused_with_what_to_write(text, hint):
    with pytest.raises(reader.FormatError) as caught:
        reader.parse_file(text, 'n.yaml')
    assert str(caught.value) == f'Template format version not found. {hint}'


def test_template_file_with_version_is_read():
    assert reader.parse_file('heat_template_version: 2018-08-31', 'n.yaml')
    with pytest.raises(reader.FormatError, match='Error parsing template n.yaml while parsing'):
        reader.parse_file('a: [', 'n.yaml')


@pytest.mark.parametrize(
    ('text', 'value'),
    [
        ('', {}),
        ({}, {}),
        ('parameters: {p: y}', {'parameters': {'p': 'y'}}),
        ({'resource_registry': {'A': 'B'}}, {'resource_registry': {'A': 'B'}}),
    ],
)
def test_environment_text_is_read(text, value):
    assert reader.parse_environment(text) == value


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        ('parameters:', 'environment has empty section "parameters"'),
        ({'foo': {}}, 'environment has wrong section "foo"'),
        ('p: x', 'environment has wrong section "p"'),
        ('- a', 'The environment is not a valid YAML mapping data type.'),
        (
            'parameters: {p: \n',
            "while parsing a flow node\nexpected the node content, but found '<stream end>'",
        ),
    ],
)
def test_invalid_environment_text_is_refused(text, message):
    with pytest.raises(reader.FormatError) as caught:
        reader.parse_environment(text)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize('text', ['{"a": "\\ud800"}', 'a: "\\ud800"', '"\\udfff": 1'])
def test_text_with_a_lone_surrogate_is_refused(text):
    with pytest.raises(reader.FormatError, match='lone surrogate|invalid Unicode character'):
        reader.parse(text)


def test_text_with_an_escaped_pair_of_surrogates_is_read():
    assert reader.parse('{"a": "\\ud83d\\ude00"}') == {'a': '\U0001f600'}
