"""The linter and the recorded responses of Heat: an error for what Heat rejects, none for the rest.

The exceptions are listed with their reasons.
"""

import json
from pathlib import Path

import pytest

from tests.conformance.player import request_of
from tests.unit.template.lint.documents import lint

FOLDER = Path(__file__).parents[3] / 'conformance'
FILES = ('function_cases.json', 'validation_cases.json', 'template_cases.json', 'field_cases.json')
#: cases about the request that contains the template
REQUEST_CASES = ('request/', 'limit/')

#: rejected by Heat, not by the linter, which knows neither the values of parameters nor the time
NOT_DETECTED = {
    'parameter/01-missing': 'the request may set it',
    'parameter/91-null-value-no-default': 'the request may set it',
    'parameter/97-cfn-missing': 'the request may set it',
    'field/order/missing-if-then-other-condition': 'the request may set it',
    'field/order/missing-if-then-own-condition': 'the request may set it',
    'parameter/62-custom-unknown': 'a plug-in may know the constraint',
    'parameter/79-custom-expiration-bad': 'the linter uses no clock',
    'environment/08-list': 'the type of the request body is wrong',
    'environment/38-merge-strategies-deep-merge': 'environments are checked one by one',
    'environment/46-merge-strategies-number-not-mergeable': 'environments are checked one by one',
    'nested/17-file-is-not-template': 'a warning: a plug-in may define the type',
    'nested/20-os-heat-stack-bad-template': 'only the service validates a template in a property',
    'field/env/null': 'a warning: a plug-in may define the type',
    'field/env/resglob': 'a warning: a plug-in may define the type',
    'field/env/star': 'a warning: a plug-in may define the type',
    'field/misc/conds-missing': 'the request may set the parameter',
    'field/misc/groups-desc': 'the request may set the parameter',
    'field/misc/groups-extra': 'the request may set the parameter',
    'field/misc/groups-labelnum': 'the request may set the parameter',
    'field/misc/groups-nolabel': 'the request may set the parameter',
    'field/parameter/value-num-null': 'the request may set the parameter',
    'field/parameter/external-id-without-value': 'the request may set the parameter',
    'field/parameter/attribute-path-without-value': 'the request may set the parameter',
    'field/parameter/output-attribute-path-without-value': 'the request may set the parameter',
    'field/nested/cfn-stack-without-template': 'the request may contain the file',
    'field/function/deletion-policy-from-a-map': 'the linter does not evaluate the function',
    'nested/23-provider-overrides-builtin-type-mismatch': 'a replaced type is not checked',
}
#: what Heat accepts with a meaning that nobody wants
STRICTER = {'field/env/enc-str': 'Heat takes the characters of a text for names of parameters'}


def cases():
    for file in FILES:
        for case in json.loads((FOLDER / file).read_text())['cases']:
            body = request_of(case)
            if isinstance(body.get('template'), str | dict) and not case['id'].startswith(
                REQUEST_CASES
            ):
                yield pytest.param(case['id'], body, expected(case['expect']), id=case['id'])


def expected(expect):
    """Return the first response to a request that validates values, too."""
    answers = (expect, *map(expect.get, ('preview', 'create', 'validate')))
    found = next((each for each in answers if 'http_status' in (each or ())), expect)
    return {'http_status': 400 if 'error_type' in expect else 200, **found}


def documents(body):
    """Return the template of a request and its environments as documents, and their names."""
    contents = {'template': body['template'], **(body.get('files') or {})}
    names = ['template', *(body.get('environment_files') or ())]
    given = {'environment': None if body.get('environment_files') else body.get('environment')}
    given['parameters'] = {'parameters': body['parameters']} if body.get('parameters') else None
    for name, content in given.items():
        if content and isinstance(content, str | dict):
            contents[name] = content
            names.append(name)
    return contents, names


@pytest.mark.parametrize('name, body, response', cases())
def test_lint_recorded_request_agrees_with_heat(name, body, response):
    errors = [each for each in lint(*documents(body)) if each.level == 'error']
    unknown = [each for each in errors if each.rule == 'unknown-type']
    if response['http_status'] >= 400:
        assert bool(errors) == (name not in NOT_DETECTED), response.get('message')
    elif not unknown:  # the linter skips the rest of an unknown type
        assert bool(errors) == (name in STRICTER), list(map(str, errors))
