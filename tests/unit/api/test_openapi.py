"""The description of the REST API in OpenAPI."""

import re

import openapi_spec_validator
import pytest

from heat_lite import policies
from heat_lite.api import openapi, openapi_summaries
from heat_lite.api.v1 import routes

OPERATIONS = [
    (path, method, operation)
    for path, methods in openapi.document()['paths'].items()
    for method, operation in methods.items()
]


def test_document_is_valid():
    openapi_spec_validator.validate(openapi.document())


def test_document_has_each_route():
    described = {(method.upper(), path.removeprefix('/v1/')) for path, method, _ in OPERATIONS}
    table = {(method, path) for method, path, *_ in routes.ROUTES if '*' not in path}
    assert described == table


@pytest.mark.parametrize('table', [openapi.QUERY, openapi.BODIES, openapi.SUCCESS])
def test_tables_name_actions_that_have_a_route(table):
    targets = {target for _, _, target, *_ in routes.ROUTES}
    assert set(table) - targets <= {'stack_lookup'}


def test_each_action_has_a_summary_of_its_own():
    summaries = openapi_summaries.SUMMARIES
    assert summaries.keys() == {target for _, _, target, *_ in routes.ROUTES}
    assert len(set(summaries.values())) == len(summaries)
    assert openapi_summaries.GROUPS.keys() == {target.partition('.')[0] for target in summaries}


def test_operations_have_names_errors_and_rules_of_the_policy():
    names = [operation['operationId'] for _, _, operation in OPERATIONS]
    assert len(set(names)) == len(names)
    rules = {row[0] for row in policies.REST}
    for path, _, operation in OPERATIONS:
        gaps = re.findall(r'\{(\w+)\}', path)
        assert [each['name'] for each in operation['parameters']][: len(gaps)] == gaps
        assert operation['responses'].keys() >= {'400', '401', '403', '404'}
        assert operation.get('x-policy', {'rule': 'stacks:index'})['rule'] in rules
