"""The usual form of templates: nothing is lost, and a second run changes nothing."""

from pathlib import Path

import pytest
import yaml
from hypothesis import example, given, settings, strategies as st

from heat_lite.template import reader
from heat_lite.template.editing.formatting import NotFormattable, formatted, is_equal

ROOT = Path(__file__).parents[4]
TEMPLATES = sorted(
    path
    for folder in ('tests/corpus', 'etc/heat_lite')
    for path in (ROOT / folder).rglob('*')
    if path.suffix in ('.yaml', '.template') and path.name != 'syntax.yaml'
)
UNUSUAL = """\
# the application

# the version
heat_template_version: 2018-08-31


# the results
outputs:
    url:
        # the value
        value:    {get_attr: [a, b]}   # at the end of a line
        description: 'an address'
    # the end of the outputs

resources:
    a:
        properties:
            # of the list
            list:
            - a
            -   b: 1
                c: |
                    hello
                       deep

                    end

            # of d
            d: "two
              lines"
            e: {a: 1,
                b: 2}
            f: >+
              folded
              text

        # of the type
        type: OS::Heat::Value
        # the end of a
    b: &x
        type: OS::Heat::Value
        metadata:
            - - x
              - y
            -
              k: v
            -  # alone
              - m: !!str 1
    c: *x
# the end
"""
USUAL = """\
# the application

# the version
heat_template_version: 2018-08-31

resources:
  a:
    # of the type
    type: OS::Heat::Value
    properties:
      # of the list
      list:
        - a
        - b: 1
          c: |
            hello
               deep

            end

      # of d
      d: "two
        lines"
      e: {a: 1,
          b: 2}
      f: >+
        folded
        text

    # the end of a
  b: &x
    type: OS::Heat::Value
    metadata:
      - - x
        - y
      -
        k: v
      -  # alone
        - m: !!str 1
  c: *x

# the results
outputs:
  url:
    description: 'an address'
    # the value
    value: {get_attr: [a, b]}   # at the end of a line
  # the end of the outputs
# the end
"""


def test_unusual_text_gets_the_usual_form():
    assert formatted(UNUSUAL) == USUAL
    assert formatted(USUAL) == USUAL


@pytest.mark.parametrize('path', TEMPLATES, ids=lambda path: path.name)
def test_formatted_template_has_the_same_data_and_comments(path):
    text = path.read_text()
    done = formatted(text)
    assert is_equal(reader.parse(text), reader.parse(done))
    assert formatted(done) == done
    if text.startswith('{'):
        return
    # every line is still there, be it elsewhere or with other white space
    assert sorted(_words(text)) == sorted(_words(done))


def _words(text):
    return [' '.join(line.split()).replace(' :', ':') for line in text.splitlines() if line.strip()]


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-99, 99),
    st.text(st.sampled_from('ab: #-\n\'"{}[]|>&*!%@é\t'), max_size=12),
)
DATA = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.text(st.sampled_from('ab -:#'), max_size=4), inner, max_size=3),
    ),
    max_leaves=8,
)


@settings(max_examples=200, deadline=None)
@example(data='\n', indent=2, style='|', flow=False)
@given(
    data=DATA,
    indent=st.integers(2, 7),
    style=st.sampled_from([None, '"', "'", '|', '>']),
    flow=st.sampled_from([False, None]),
)
def test_any_block_document_keeps_its_data(data, indent, style, flow):
    resource = {'properties': {'p': data}, 'type': 'OS::Heat::Value', 'depends_on': []}
    document = {'resources': {'r': resource}, 'heat_template_version': '2021-04-16'}
    text = yaml.safe_dump(
        document, indent=indent, default_style=style, default_flow_style=flow, sort_keys=False
    )
    if '? ' in text:
        return  # a key of several lines
    done = formatted(text)
    assert is_equal(reader.parse(text), reader.parse(done))
    assert formatted(done) == done
    assert done.index('heat_template_version') < done.index('resources')


def test_json_is_indented_and_ordered():
    text = '{"resources": {"r": {"properties": {"length": 8}, "type": "T"}},' + (
        '"heat_template_version": "2021-04-16"}'
    )
    done = formatted(text)
    assert done.splitlines()[1] == '  "heat_template_version": "2021-04-16",'
    assert done.index('"type"') < done.index('"properties"')
    assert formatted(done) == done


def test_cfn_template_is_ordered():
    text = "Resources:\n  A: {Type: T}\nAWSTemplateFormatVersion: '2010-09-09'\n"
    assert formatted(text).startswith('AWSTemplateFormatVersion')


def test_environment_keeps_the_order_of_its_sections():
    text = 'resource_registry:\n    A::B: b.yaml\nparameters: {a: 1}\n'
    assert formatted(text) == 'resource_registry:\n  A::B: b.yaml\nparameters: {a: 1}\n'


def test_space_at_the_end_of_a_line_goes_except_in_values():
    text = 'a: {b: 1,   \n  c: 2}   \nd: |\n  text  \n  more\n'
    assert formatted(text) == 'a: {b: 1,   \n  c: 2}\nd: |\n  text  \n  more\n'


def test_windows_line_breaks_become_plain_ones():
    assert formatted('heat_template_version: 2021-04-16\r\nresources: {}\r\n') == (
        'heat_template_version: 2021-04-16\n\nresources: {}\n'
    )


@pytest.mark.parametrize(
    'text, reason',
    [
        ('{"resources": {}, "resources": {}}', 'twice'),
        ('a: "x\u2028y"\n', 'U+2028'),
        ('? a\n: 1\n', 'line 1'),
        # the anchor would come after its alias
        (
            'resources:\n  a: {type: &t T}\nheat_template_version: &v 2021-04-16\n'
            'description: *v\nparameters: {p: {type: string, default: *t}}\n',
            'would not be valid',
        ),
    ],
)
def test_text_that_cannot_be_kept_is_refused(text, reason):
    with pytest.raises(NotFormattable, match=reason.replace('+', r'\+')):
        formatted(text)
