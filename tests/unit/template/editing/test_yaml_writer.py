import json

import pytest
from hypothesis import given, settings, strategies as st

from heat_lite.template import reader
from heat_lite.template.editing import formatting, yaml_writer

DATA = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(max_size=20),
        st.sampled_from(
            ['yes', '010', '12:30', '2021-04-16', '=', '<<', '1e3', '~', 'a\nb\n', '\n']
        ),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.text(max_size=8), inner, max_size=3),
        st.builds(lambda value: {'get_param': value}, inner),
    ),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.sampled_from(['resources', 'outputs', 'no']), DATA, min_size=1))
def test_written_data_are_read_back(data):
    text = yaml_writer.to_yaml({'heat_template_version': '2021-04-16', **data})
    assert json.dumps(reader.parse(text)) == json.dumps(
        {'heat_template_version': '2021-04-16', **data}
    )


@pytest.mark.parametrize(
    'value, text',
    [
        ({'get_param': 'size'}, 'a: {get_param: size}\n'),
        ({'get_attr': ['server', 'first_address']}, 'a: {get_attr: [server, first_address]}\n'),
        ('#!/bin/sh\necho\n', 'a: |\n  #!/bin/sh\n  echo\n'),
        ('\n', 'a: "\\n"\n'),
        ([1, []], 'a:\n  - 1\n  - []\n'),
        ({}, 'a: {}\n'),
        ('yes', "a: 'yes'\n"),
    ],
)
def test_values_are_written_for_people(value, text):
    assert yaml_writer.to_yaml({'a': value}) == text


def test_written_template_has_the_usual_form():
    text = yaml_writer.to_yaml(
        {
            'heat_template_version': '2021-04-16',
            'description': 'text',
            'resources': {'a': {'type': 'T', 'properties': {'list': [{'b': [1]}]}}},
        }
    )
    assert text.startswith('heat_template_version: 2021-04-16\n\ndescription: text\n\nresources:\n')
    assert formatting.formatted(text) == text
