"""Heat's recorded errors of parameters, groups and environments.

Covers the cases for which the template library suffices.
"""

import datetime
import json
from pathlib import Path

import pytest

from heat_lite.common import exception
from heat_lite.template import checks, constraints, format_constraints, reader
from heat_lite.template.environment import Environment
from heat_lite.template.merge import merge_environments
from heat_lite.template.parameters import parameter_groups
from heat_lite.template.template import Template
from tests.conformance.comparison import Comparison, expand
from tests.unit.template import static_scope

CASES = json.loads(
    (Path(__file__).parents[2] / 'conformance' / 'validation_cases.json').read_text()
)['cases']
AREAS = ('parameter', 'parameter_group', 'environment')
#: Heat answers 500 although the request is invalid; heat_lite answers 400
BETTER = ('environment/29', 'environment/31', 'environment/32', 'environment/38')
#: cases that need resource types or the body of the request
ELSEWHERE = (
    'environment/08',
    'environment/13',
    'environment/17',
    'environment/19',
    'environment/20',
)


def offline(case):
    return case['area'] in AREAS and not case['id'].startswith(ELSEWHERE)


OFFLINE = [case for case in CASES if offline(case)]


def lookup(kind, value):
    if kind == 'expiration':
        return format_constraints.expiration(value, datetime.datetime.now(datetime.UTC))
    raise constraints.UnknownConstraint(kind)


def read(request):
    """Return the template of a request with its environment, built as the engine does."""
    data = reader.parse(request['template'])
    files = request.get('files') or {}
    environment = reader.parse_environment(request.get('environment') or {})
    if request.get('environment_files'):
        schemata = Template(data).parameter_schemata
        environment = merge_environments({}, files, request['environment_files'], schemata)
    return Template(data, files, Environment(environment))


def validate(request):
    template = read(request)
    parameters = template.parameters(static_scope.IDENTITY, request.get('parameters'))
    template.validate()
    parameters.validate(validate_value=False)
    checks.raise_first(
        parameter_groups.check(template.section('parameter_groups'), template.parameter_schemata)
    )
    environment = template.environment.as_dict()
    environment['parameters'].update(request.get('parameters') or {})
    del environment['encrypted_param_names']
    return {'Parameters': parameters.describe(), 'Environment': environment}


def preview(request):
    template = read(request)
    parameters = template.parameters(static_scope.IDENTITY, request.get('parameters'))
    template.validate()
    parameters.validate(lookup=lookup)
    template.bind(parameters).validate()
    return {
        'parameters': {
            name: text
            for name, text in parameters.as_strings().items()
            if not parameters.is_pseudo(name)
        }
    }


@pytest.mark.parametrize('answer', [validate, preview], ids=['validate', 'preview'])
@pytest.mark.parametrize('case', OFFLINE, ids=lambda case: case['id'])
def test_recorded_validation_case_gives_the_recorded_error(case, answer):
    expected = case['expect'][answer.__name__]
    comparison = Comparison({})
    try:
        got = answer(expand(case['request']))
    except (exception.HeatException, ValueError, AttributeError) as error:
        _compare_error(comparison, case, expected, error)
    else:
        comparison.value('http_status', expected['http_status'], 200)
        for key in got.keys() & expected.keys():
            comparison.value(key, expected[key], got[key])
    assert not comparison.differences


def _compare_error(comparison, case, expected, error):
    assert expected['http_status'] in (400, 500), f'refused: {error}'
    if expected['http_status'] == 500:
        assert case['id'].startswith(BETTER)
        return
    if expected['error_type'] not in ('HTTPBadRequest', type(error).__name__):
        comparison.note('error_type', expected['error_type'], type(error).__name__)
    if 'message' in expected and 'message_kind' not in expected:
        message = (
            expected['message']
            .removeprefix('Environment not in valid format: ')
            .removeprefix('Template not in valid format: ')
        )
        comparison.text('message', message, str(error))
