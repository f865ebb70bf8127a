"""Heat's recorded results of functions, for cases that the template library covers alone."""

import json
from pathlib import Path

import pytest

from heat_lite.common import exception
from heat_lite.template import reader
from tests.conformance import known_differences
from tests.conformance.comparison import Comparison
from tests.unit.template import static_scope

RECORDS = Path(__file__).parents[2] / 'conformance'
CASES = json.loads((RECORDS / 'function_cases.json').read_text())['cases']
MORE_CASES = json.loads((RECORDS / 'template_cases.json').read_text())['cases']
NAMES = {'{stack_name}': 'teststack', '{stack_id}': 's1', '{project_id}': 'p1'}


def offline(case):
    """Return whether all resources of a case have types of ``static_scope``."""
    request = case['request']
    data = reader.parse(request['template'])
    resources = (data.get('resources') or data.get('Resources') or {}).values()
    known = all(
        resource.get('type', resource.get('Type')) in static_scope.TYPES for resource in resources
    )
    return known and 'environment' not in request and not case['id'].startswith('resource_facade')


def marked(case):
    reason = known_differences.DIFFERENT.get(case['id'])
    marks = [pytest.mark.xfail(reason=reason, strict=True)] if reason else []
    return pytest.param(case, id=case['id'], marks=marks)


OFFLINE = [case for case in CASES if offline(case)]


def test_most_recorded_cases_run_without_an_engine():
    assert len(OFFLINE) > 0.9 * len(CASES)


@pytest.mark.parametrize('case', list(map(marked, OFFLINE + MORE_CASES)))
def test_recorded_function_case_gives_the_recorded_result(case):
    request, expected = case['request'], case['expect']
    comparison = Comparison(NAMES)
    try:
        outcomes = static_scope.resolve_outputs(
            reader.parse(request['template']), request.get('files'), request.get('parameters')
        )
    except (exception.HeatException, AttributeError) as error:
        comparison.value('error_type', expected.get('error_type', 'a stack'), type(error).__name__)
        if 'message' in expected and 'message_kind' not in expected:
            comparison.text('message', expected.get('message'), str(error))
    else:
        outcomes = json.loads(json.dumps(outcomes))
        compare_outputs(comparison, expected, outcomes)
    assert not comparison.differences


def compare_outputs(comparison, expected, outcomes):
    comparison.value('error_type', expected.get('error_type'), None)
    if 'outputs' not in expected and 'http_status' not in expected:
        return  # recorded by a preview, which has none
    comparison.value(
        'outputs',
        expected.get('outputs', {}),
        {name: value for name, (value, _error) in outcomes.items()},
    )
    errors = expected.get('output_errors', {})
    for name, (_value, error) in outcomes.items():
        if name in expected.get('output_error_kinds', {}):
            assert error is not None, name
        else:
            comparison.text(f'output_errors.{name}', errors.get(name), error)
