"""The linter and the recorded answers of Heat: what Heat refuses is an error, what it takes is none; the exceptions are named."""

import json
from pathlib import Path

import pytest

from tests.conformance.player import request_of
from tests.unit.template.lint.documents import lint

FOLDER = Path(__file__).parents[3] / 'conformance'
#: these are about the request around the template
ELSEWHERE = ('request/', 'limit/')

#: refused by Heat, and not by the linter: only who makes a stack knows the values of parameters, and only a service the time
UNSEEN = {
    'conditions/17-not-list': 'the condition is computed from the value of a parameter',
    'conditions/28-get-param-string': 'the condition is computed from the value of a parameter',
    'parameter/01-missing': 'whoever makes the stack may give it',
    'parameter/91-null-value-no-default': 'whoever makes the stack may give it',
    'parameter/97-cfn-missing': 'whoever makes the stack may give it',
    'parameter/62-custom-unknown': 'a plug-in may know the constraint',
    'parameter/79-custom-expiration-bad': 'only a service looks at the clock',
    'condition/08-resource-disabled-by-condition-get-resource': 'whether the resource is there depends on a condition',
    'environment/08-list': 'it is the kind of the body that is wrong',
    'environment/38-merge-strategies-deep-merge': 'environments are looked at one by one',
    'environment/46-merge-strategies-number-not-mergeable': 'environments are looked at one by one',
    'nested/17-file-is-not-template': 'a type outside of OS:: and AWS:: may come from a plug-in: a warning',
    'nested/20-os-heat-stack-bad-template': 'a template that is a property is asked of its service',
    'nested/23-provider-overrides-builtin-type-mismatch': 'the template is looked at, not the type that it replaces',
}
#: taken by Heat, and refused by the linter: mistakes that a stack shows only later, in an output or when a condition changes
STRICTER = """
    if/08-lazy-unused-branch-get-resource conditions/20-and-short-circuit-unknown get_file/04-missing get_param/26-unknown-parameter
    get_attr/46-nested-template-unknown-output get_resource/05-unknown cfn/19-ref-unknown heat_cfn/19-ref-unknown
    output/10-get-param-bad condition/01-bad-name-reference condition/05-unused-circular
""".split()


def cases():
    for file in ('function_cases.json', 'validation_cases.json'):
        for case in json.loads((FOLDER / file).read_text())['cases']:
            body = request_of(case)
            if isinstance(body.get('template'), str | dict) and not case['id'].startswith(ELSEWHERE):
                yield pytest.param(case['id'], body, expected(case['expect']), id=case['id'])


def expected(expect):
    """The status of the first answer that has a look at values, too."""
    return next(each for each in (expect, *map(expect.get, ('preview', 'create', 'validate'))) if 'http_status' in (each or ()))


def documents(body):
    """The template of a request and its environments, as documents."""
    contents = {'template': body['template'], **(body.get('files') or {})}
    names = ['template', *(body.get('environment_files') or ())]
    given = {'environment': None if body.get('environment_files') else body.get('environment')}
    given['parameters'] = {'parameters': body['parameters']} if body.get('parameters') else None
    for name, content in given.items():
        if content and isinstance(content, str | dict):
            contents[name] = content
            names.append(name)
    return contents, names


@pytest.mark.parametrize('name, body, answer', cases())
def test_agrees(name, body, answer):
    errors = [each for each in lint(*documents(body)) if each.level == 'error']
    unknown = [each for each in errors if each.rule == 'unknown-type']
    if answer['http_status'] >= 400:
        assert bool(errors) == (name not in UNSEEN), answer.get('message')
    elif not unknown:  # a type that is not here yet tells nothing
        assert bool(errors) == (name in STRICTER), list(map(str, errors))
