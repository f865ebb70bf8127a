"""Arbitrary request bodies: the response is 200 or 400, never 500, within SECONDS."""

import json
import os
import time

from hypothesis import HealthCheck, given, settings, strategies as st

from tests.functional import shapes

EXAMPLES = int(os.environ.get('HEAT_LITE_FUZZ', '40'))
SECONDS = 10
LETTERS = st.text(alphabet='{}[]:,-&*!|>\'"?#%@ \n\tabc01<.\0\x85é', max_size=60)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | LETTERS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(['a', 'type', 'get_param', 'parameters', '']), inner, max_size=2
        )
    ),
    max_leaves=6,
)
KEYS = (
    'template',
    'environment',
    'files',
    'environment_files',
    'parameters',
    'stack_name',
    'tags',
    'timeout_mins',
    'disable_rollback',
)
SECTIONS = ('description', 'parameters', 'parameter_groups', 'conditions', 'resources', 'outputs')
TEMPLATES = st.fixed_dictionaries(
    {'heat_template_version': st.just('2021-04-16')}, optional=dict.fromkeys(SECTIONS, VALUES)
)
BODIES = st.fixed_dictionaries(
    {}, optional={**dict.fromkeys(KEYS, VALUES), 'template': TEMPLATES | LETTERS | VALUES}
).map(json.dumps)
YAML = LETTERS.map(
    lambda text: json.dumps({'template': f'heat_template_version: 2021-04-16\n{text}'})
)


@shapes.of('embedded')
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=EXAMPLES == 40,
    suppress_health_check=list(HealthCheck),
)
@given(
    body=st.binary(max_size=100)
    | LETTERS.map(str.encode)
    | BODIES.map(str.encode)
    | YAML.map(str.encode)
)
def test_arbitrary_body_returns_200_or_400_in_time(service, body):
    for path in ('/validate', '/stacks/preview'):
        started = time.monotonic()
        status, _ = service.http('POST', path, body)
        assert status in (200, 400), (path, status)
        assert time.monotonic() - started < SECONDS
