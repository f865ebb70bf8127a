"""The description of the REST API in OpenAPI."""

import re

import openapi_spec_validator

from heat_lite import operations
from heat_lite.api import openapi
from heat_lite.policies import rules

OPERATIONS = [
    (path, method, operation)
    for path, methods in openapi.document()['paths'].items()
    for method, operation in methods.items()
]


def test_document_is_valid():
    openapi_spec_validator.validate(openapi.document())


def test_document_has_each_route():
    described = {(method.upper(), path.removeprefix('/v1/')) for path, method, _ in OPERATIONS}
    table = {(each.method, each.path) for each in operations.OPERATIONS if '*' not in each.path}
    assert described == table


def test_each_action_has_a_summary_of_its_own():
    summaries = {each.summary for each in operations.OPERATIONS}
    assert len(summaries) == len({each.name for each in operations.OPERATIONS})
    groups = {each.name.partition('.')[0] for each in operations.OPERATIONS}
    assert openapi.GROUPS.keys() == groups


def test_operations_have_names_errors_and_rules_of_the_policy():
    names = [operation['operationId'] for _, _, operation in OPERATIONS]
    assert len(set(names)) == len(names)
    for path, _, operation in OPERATIONS:
        gaps = re.findall(r'\{(\w+)\}', path)
        assert [each['name'] for each in operation['parameters']][: len(gaps)] == gaps
        assert operation['responses'].keys() >= {'400', '401', '403', '404'}
        assert operation.get('x-policy', {'rule': 'stacks:index'})['rule'] in rules.DEFAULTS
