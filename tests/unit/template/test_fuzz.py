"""Random templates and texts: the library processes or refuses them with its own errors.

HEAT_LITE_FUZZ=2000 sets the number of examples of each test.
"""

import json
import os

import yaml
from hypothesis import HealthCheck, given, settings, strategies as st

from heat_lite.common import exception
from heat_lite.template import merge, reader, versions
from heat_lite.template.dependencies import Dependencies
from heat_lite.template.parameters.parameter_schema import ParameterSchema
from tests.unit.template import static_scope

EXAMPLES = int(os.environ.get('HEAT_LITE_FUZZ', '60'))
settings.register_profile(
    'heat_lite',
    max_examples=EXAMPLES,
    deadline=2000,
    suppress_health_check=list(HealthCheck),
    derandomize=EXAMPLES == 60,
)
settings.load_profile('heat_lite')

#: errors that the API answers with 400
REFUSALS = (exception.HeatException, ValueError, TypeError, AttributeError)

NAMES = st.sampled_from(['r1', 'r2', 'p1', 'p2', 'c1', 'c2', 'value', 'zz', ''])
PLAIN = (
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=6)
    | NAMES
)
FUNCTIONS = sorted(
    {
        name
        for names in versions.TABLE.values()
        for each in names.values()
        for name in each.functions
    }
    | {'and', 'or', 'not', 'equals'}
)


def containers(inner):
    calls = st.dictionaries(st.sampled_from(FUNCTIONS), inner, min_size=1, max_size=1)
    shaped = st.fixed_dictionaries(
        {},
        optional={
            'template': inner,
            'params': inner,
            'for_each': inner,
            'expression': inner,
            'data': inner,
        },
    )
    return st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=3) | calls | shaped


VALUES = st.recursive(PLAIN, containers, max_leaves=12)
RESOURCES = st.fixed_dictionaries(
    {'type': st.sampled_from(['OS::Heat::Value', 'OS::Heat::TestResource'])},
    optional={
        'properties': st.dictionaries(st.just('value'), VALUES, max_size=1),
        'metadata': VALUES,
        'depends_on': NAMES | st.lists(NAMES, max_size=2),
        'condition': VALUES,
        'deletion_policy': st.sampled_from(['Delete', 'retain', 'nope']),
    },
)
PARAMETERS = st.fixed_dictionaries(
    {
        'type': st.sampled_from(
            ['string', 'number', 'json', 'comma_delimited_list', 'boolean', 'nope']
        )
    },
    optional={
        'default': VALUES,
        'constraints': VALUES
        | st.lists(st.dictionaries(st.just('length'), VALUES, max_size=1), max_size=1),
    },
)
TEMPLATES = st.fixed_dictionaries(
    {'heat_template_version': st.sampled_from(sorted(versions.TABLE['heat_template_version']))},
    optional={
        'parameters': st.dictionaries(NAMES, PARAMETERS, max_size=2),
        'conditions': st.dictionaries(NAMES, VALUES, max_size=2),
        'resources': st.dictionaries(NAMES, RESOURCES, max_size=3),
        'outputs': st.dictionaries(NAMES, st.fixed_dictionaries({'value': VALUES}), max_size=2),
        'parameter_groups': VALUES,
    },
)


@given(TEMPLATES)
def test_random_template_is_read_or_refused(data):
    try:
        static_scope.resolve_outputs(data)
    except REFUSALS as error:
        assert str(error), type(error)


@given(
    st.fixed_dictionaries(
        {'heat_template_version': st.just('2021-04-16')},
        optional=dict.fromkeys(['parameters', 'resources', 'outputs'], VALUES),
    )
)
def test_random_sections_are_read_or_refused(data):
    try:
        static_scope.resolve_outputs(data)
    except REFUSALS:
        pass


@given(st.text(max_size=200) | st.binary(max_size=200))
def test_random_text_is_read_or_refused(text):
    for read in (reader.parse, reader.parse_environment):
        try:
            assert isinstance(read(text), dict)
        except ValueError as error:
            assert str(error)


@given(st.text(alphabet='{}[]:,-&*!|>\'"?#%@ \n\tabc01<.', max_size=80))
def test_random_punctuation_is_read_or_refused(text):
    try:
        assert isinstance(reader.parse(text), dict)
    except reader.FormatError:
        pass


PLAIN_DATA = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(st.dictionaries(st.text(max_size=8), PLAIN_DATA, max_size=4))
def test_dumped_data_is_read_back(data):
    assert reader.parse(json.dumps(data)) == data
    assert reader.parse(json.dumps(data), name='file') == reader.parse(data)
    assert reader.parse(yaml.safe_dump(data)) == json.loads(json.dumps(data))


SCHEMATA = {
    'text': ParameterSchema('text', 'string'),
    'list': ParameterSchema('list', 'comma_delimited_list'),
    'map': ParameterSchema('map', 'json'),
}
MAPS = st.dictionaries(st.sampled_from('abc'), st.integers(0, 3), max_size=3)
ENVIRONMENTS = st.fixed_dictionaries(
    {},
    optional={
        'text': st.text('xyz', min_size=1, max_size=3),
        'list': st.lists(st.sampled_from(['x', 'y']), min_size=1, max_size=3),
        'map': MAPS,
    },
).map(lambda parameters: {'parameters': parameters})


def merged(environments, strategy):
    files = {
        str(number): json.dumps({**each, 'parameter_merge_strategies': {'default': strategy}})
        for number, each in enumerate(environments)
    }
    return merge.merge_environments({}, files, list(files), SCHEMATA).get('parameters', {})


@given(st.lists(ENVIRONMENTS, max_size=4))
def test_random_environments_merge_by_the_rules(environments):
    last = {name: value for each in environments for name, value in each['parameters'].items()}
    assert merged(environments, 'overwrite') == last
    added = merged(environments, 'merge')
    assert added.get('text', '') == ''.join(
        each['parameters'].get('text', '') for each in environments
    )
    assert added.get('list', []) == [
        item for each in environments for item in each['parameters'].get('list', [])
    ]
    for strategy in ('overwrite', 'merge', 'deep_merge'):
        together = merged(environments, strategy)
        assert merged([{'parameters': together}], strategy) == together


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=30))
def test_random_dependencies_are_ordered_by_the_rules(edges):
    forward = [(max(edge), min(edge)) for edge in edges if edge[0] != edge[1]]
    graph = Dependencies(forward)
    order = graph.order()
    place = {node: index for index, node in enumerate(order)}
    assert sorted(order) == sorted(place) == sorted({node for edge in forward for node in edge})
    assert all(place[required] < place[requirer] for requirer, required in forward)
    for node in order:
        assert node in graph[node]
        assert graph.required_by(node) <= set(graph[node].graph())
    if forward:
        requirer, required = forward[0]
        try:
            Dependencies([*forward, (required, requirer)]).order()
        except exception.CircularDependencyException as error:
            assert str(requirer) in str(error)
        else:
            raise AssertionError('a circle was not found')
